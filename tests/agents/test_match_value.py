"""The chance to win the match: the table's promises, and that its sums are those of the rules."""

from __future__ import annotations

import dataclasses
from random import Random

import numpy as np
import pytest
from random_rules import random_rules
from spades_agents import match_table as making
from spades_agents.match_table import pack, unpack
from spades_agents.match_value import chance, match_table

from spades_env.rules import PRESETS, Rules

TWO = ["two_player", "partnership", "two_player_dealt"]


def value(rules: str | Rules, mine: int, other: int, bags: tuple[int, int] = (0, 0), opener: int = 0) -> float:
    return chance(PRESETS[rules] if isinstance(rules, str) else rules, [mine, other], list(bags), 0, opener)


@pytest.mark.parametrize("rules", PRESETS)
def test_sides_share_one_match(rules):
    rng = Random(0)
    rules = PRESETS[rules]
    for _ in range(100):
        scores = [rng.randrange(-190, 520) for _ in range(rules.sides)]
        bags = [rng.randrange(10) for _ in range(rules.sides)]
        opener = rng.randrange(rules.players)
        chances = [chance(rules, scores, bags, side, opener) for side in range(rules.sides)]
        assert sum(chances) == pytest.approx(1, abs=1e-6)
        if rules.sides == 2:
            assert chance(rules, scores[::-1], bags[::-1], 1, (opener + 1) % rules.players) == pytest.approx(
                chances[0], abs=1e-6
            )


@pytest.mark.parametrize("rules", TWO)
@pytest.mark.parametrize("opener", [0, 1])
def test_more_points_are_better(rules, opener):
    for other in range(-150, 490, 40):
        found = [value(rules, mine, other, opener=opener) for mine in range(-190, 520, 10)]
        assert np.diff(found).min() > -0.02
        assert np.diff(found[::8]).min() > -0.002


@pytest.mark.parametrize("rules", TWO)
def test_a_full_bag_counter_is_worse_than_an_empty_one(rules):
    for mine in range(-100, 400, 50):
        for other in range(-100, 400, 50):
            assert value(rules, mine + 9, other, (9, 0)) < value(rules, mine, other)


@pytest.mark.parametrize("rules", TWO)
def test_level_scores_are_about_level(rules):
    for score in (0, 250, 400, 470):
        assert 0.35 < value(rules, score, score) < 0.65
    assert value(rules, 470, 300) > 0.9
    assert value(rules, 470, 450) > 0.5


def test_the_end_of_the_match_is_certain():
    assert value("two_player", 500, 499) == 1
    assert value("two_player", 510, 520) == 0
    assert 0.3 < value("two_player", 500, 500) < 0.7
    assert value("partnership", -200, 0) == 0
    assert value("partnership", 0, -200) == 1
    assert chance(PRESETS["solo"], [500, 499, -300, 0], [0] * 4, 0) == 1
    assert chance(PRESETS["solo"], [500, 500, 0, 0], [0] * 4, 0) == pytest.approx(0.5, abs=0.01)


def test_another_target_has_about_the_same_end():
    """Its own table, computed with less effort, agrees roughly with the shipped one."""
    rules = Rules.preset("two_player", target=300)
    for mine, other, bags in ((250, 200, (0, 0)), (150, 240, (4, 2)), (-20, 30, (0, 7)), (280, 270, (8, 8))):
        shifted = value("two_player", mine + 200, other + 200, bags)
        assert value(rules, mine, other, bags) == pytest.approx(shifted, abs=0.1)


def test_who_bids_first_matters():
    """Near the target the second bidder knows how much it needs. The opener bids second only with bids_first=1."""
    first, second = (Rules(players=2, bids_first=k) for k in (0, 1))
    assert value(second, 450, 450, opener=0) > value(first, 450, 450, opener=0)
    assert value(second, 450, 450, opener=0) + value(second, 450, 450, opener=1) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("limit, penalty", [(0, 0), (4, 50), (15, 150)])
def test_other_bag_rules_have_their_own_values(limit, penalty):
    rules = Rules.preset("two_player", bag_limit=limit, bag_penalty=penalty)
    table = match_table(rules)
    assert table.shape[2:] == (min(max(limit, 1), 5),) * 2
    if limit:
        assert value(rules, 350, 350, (limit - 1, 0)) < value(rules, 350, 350) - 0.02
    else:  # bags cost nothing: many are the same as none
        assert value(rules, 350, 350, (9, 0)) == value(rules, 350, 350)


def test_a_table_is_kept_on_disk_and_a_damaged_one_replaced(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_CACHE_DIR", str(tmp_path))
    rules = Rules.preset("two_player_dealt", target=110)
    making.kept.cache_clear()
    found = making.kept(rules)
    (path,) = (tmp_path / "match_values").iterdir()
    monkeypatch.setattr(making, "compute", None)  # would raise
    making.kept.cache_clear()
    np.testing.assert_array_equal(making.kept(rules), found)
    monkeypatch.undo()
    monkeypatch.setenv("SPADES_CACHE_DIR", str(tmp_path))
    path.write_bytes(b"PK damaged")
    making.kept.cache_clear()
    np.testing.assert_array_equal(making.kept(rules), found)
    assert path.stat().st_size > 1000
    making.kept.cache_clear()


@pytest.mark.parametrize("seed", range(12))
def test_any_rules_give_a_chance(seed):
    rng = Random(seed)
    rules = random_rules(rng)
    most = (rules.bag_limit or 40) - 1
    for _ in range(20):
        scores = [rng.randrange(-400, 700) for _ in range(rules.sides)]
        bags = [rng.randint(0, most) for _ in range(rules.sides)]
        found = [chance(rules, scores, bags, side) for side in range(rules.sides)]
        assert min(found) >= 0
        assert sum(found) == pytest.approx(1, abs=1e-6)


def test_values_are_those_of_one_hand_near_the_end():
    """One result alone: bids 4 and 6, tricks 5 and 8. At 470 and 430 the first side has 511, the other 492."""
    rules = Rules.preset("two_player")
    results = np.array([[[4, 5, 0, 0], [6, 8, 0, 0]]])
    table = making.solve(rules, making.Hands(results, np.ones(1)))
    lowest = -20  # tens of points of the first entry
    assert table[47 - lowest, 43 - lowest, 0, 0] == 1
    # At 400 and 440 the other side gets there: 440 + 62 against 441.
    assert table[40 - lowest, 44 - lowest, 0, 0] == 0
    # Nine bags: one more costs 100 points.
    assert table[46 - lowest, 44 - lowest, 9, 0] == 0


def test_a_hand_is_scored_as_the_engine_does():
    results, shares = making.play_hands(dataclasses.replace(PRESETS["two_player"]), hands=2000)
    assert shares.sum() == pytest.approx(1)
    assert (results[:, :, making.COUNTED].sum(1) <= 13).all()
    both = (results[:, :, making.CONTRACT] > 0).all(1)
    assert (results[both][:, :, making.COUNTED].sum(1) == 13).all()


def test_packing_loses_nothing_that_matters():
    table = np.random.default_rng(0).random((70, 70, 10, 10)).astype(np.float32)
    assert np.abs(unpack(pack(table)) - table).max() <= 1 / 8192
    assert match_table(PRESETS["two_player"]).shape == table.shape
    assert match_table(PRESETS["solo"]).size == 0
