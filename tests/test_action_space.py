"""The action space: Gymnasium's Discrete(75), answer by answer and draw by draw."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from gymnasium import spaces

from spades_env.action_space import ActionSpace


@pytest.fixture
def pair():
    """Ours and Gymnasium's, seeded alike."""
    both = ActionSpace(), spaces.Discrete(75)
    for space in both:
        space.seed(7)
    return both


def test_draws_by_masks_are_gymnasiums(pair):
    ours, theirs = pair
    rng = np.random.default_rng(0)
    for _ in range(500):
        mask = (rng.random(75) < rng.random() ** 4).astype(np.int8)
        drawn = ours.sample(mask)
        assert drawn == theirs.sample(mask)
        assert isinstance(drawn, np.int64)
        assert ours.sample() == theirs.sample()
    assert ours.sample(np.zeros(75, np.int8)) == 0
    probability = np.full(75, 1 / 75)
    assert ours.sample(probability=probability) == theirs.sample(probability=probability)


@pytest.mark.parametrize(
    "mask",
    [np.ones(75, bool), np.ones(74, np.int8), np.full(75, 2, np.int8), np.full(75, -1, np.int8), [1] * 75],
    ids=["bool", "short", "two", "negative", "list"],
)
def test_what_is_no_mask_is_refused_in_the_same_words(pair, mask):
    messages = []
    for space in pair:
        with pytest.raises(AssertionError) as error:
            space.sample(mask)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize(
    "value",
    [0, 74, 75, -1, 2**70, True, np.int64(3), np.int64(75), np.int8(4), np.uint64(5), np.array(6), 1.0, None, "3", [1]],
    ids=repr,
)
def test_contains_the_same(pair, value):
    ours, theirs = (space.contains(value) for space in pair)
    assert ours is theirs


def test_is_the_same_space_to_others(pair):
    ours, theirs = pair
    assert ours == theirs
    assert repr(ours) == repr(theirs)
    for twin in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert twin == ours
        other = copy.deepcopy(theirs)
        assert [twin.sample() for _ in range(5)] == [other.sample() for _ in range(5)]
