"""The ratings that the page shows are those of ``spades_agents.review``."""

from __future__ import annotations

import pytest
from spades_agents import make_agent
from spades_agents.review import review
from spades_training.web.study.judging import PLAYERS, Judge, Judges
from spades_training.web.study.opened import opened

from spades_env.game import Game

PLAYER = "rollout:worlds=60"


@pytest.fixture(scope="module")
def record():
    game, player = Game("two_player_dealt", 3), make_agent("random")
    player.reset(0)
    while game.hand_number < 1:
        game.apply(player.act(game.view()))
    return opened(game.record())


def test_judge_agrees_with_review(record):
    expected = list(review(record.record, PLAYER))
    judge, seen = Judge(record, PLAYER), []
    judge.judge_all(lambda done, total: seen.append((done, total)) is None)
    assert seen == [(k + 1, len(record.steps)) for k in range(len(record.steps))]
    found = [judged for step in range(len(record.steps)) if (judged := judge.judge(step)) is not None]
    assert [(one.view, one.action, one.ratings, one.best) for one in found] == [
        (one.view, one.action, one.ratings, one.best) for one in expected
    ]
    worst = sorted((one.cost for one in expected if one.cost > 0), reverse=True)
    assert [judged.cost for _, judged in judge.costliest(5)] == worst[:5]
    for step, judged in judge.costliest(5):
        assert record.steps[step].action == judged.action
        assert record.steps[step].view() == judged.view


def test_judging_ends_when_told(record):
    judge = Judge(record, PLAYER)
    judge.judge_all(lambda done, total: done < 3)
    assert len(judge._judged) == 3


def test_only_players_of_the_list(record):
    for name in ("engine:true", "my_module:Agent", "pimc:worlds=9999", ""):
        with pytest.raises(ValueError, match=r"^player must be one of pimc:worlds=60, "):
            Judge(record, name)
    assert all(hasattr(make_agent(name), "rate") for name in PLAYERS)


def test_judges_are_shared_and_forgotten(record):
    judges = Judges(2)
    first = judges.get(record, PLAYER)
    assert judges.get(opened(record.record), PLAYER) is first
    judges.get(record, "pimc:worlds=60")
    judges.get(record, "pimc:worlds=200")
    assert judges.get(record, PLAYER) is not first
