"""Beliefs: exact sums, worlds that agree with the view, and more belief in the true hand than uniform sampling has."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from random_rules import MIXES
from spades_agents import make_agent
from spades_agents.heuristic.scripted import new_scratch
from spades_agents.search.beliefs import draw_world, weigh
from spades_agents.search.draft_belief import DRAFT, KEEP_CHANCE, is_informative, prepare, redraw_draft
from spades_agents.search.player import RolloutAgent

from spades_env.engine.single import conceal_for
from spades_env.engine.state import STATE
from spades_env.game import Game, Phase, View
from spades_env.rules import Rules

ALL = (1 << 52) - 1
NONE = np.uint64(0)
POOL = 256


def prepared(view: View, held: int = 0, not_held: int = 0, even: bool = False) -> tuple[np.ndarray, float]:
    drafts = np.zeros(1, DRAFT)
    total = prepare(drafts, view.state, view.rules_array, view.observer, np.uint64(held), np.uint64(not_held), even)
    return drafts, total


def after_draft(seed: int, rules: str | Rules = "two_player") -> Game:
    game = Game(rules, seed=seed)
    agent = make_agent("heuristic")
    while game.phase in (Phase.BLIND, Phase.DRAFT):
        game.apply(agent.act(game.view()))
    return game


@pytest.mark.parametrize("seed", range(5))
def test_even_chances_count_the_assignments(seed):
    """Each of the assignments of n cards to four kinds of places has the likelihood 1/2 to the kept and rejected."""
    view = after_draft(seed).view()
    drafts, total = prepared(view, even=True)
    d = drafts[0]
    kinds = [int(d["kept"]), int(d["forced"]), int(d["rejected"])]
    assert sum(kinds[:2]) == 13
    ways = math.factorial(int(d["count"]))
    for count in [*kinds, int(d["count"]) - sum(kinds)]:
        ways //= math.factorial(count)
    assert total == pytest.approx(ways * 0.5 ** (kinds[0] + kinds[2]), rel=1e-9)
    # A hand given: its cards are kept or forced, the others rejected or unseen.
    game = after_draft(seed)
    held = game.hands[1 - view.observer]
    _, one = prepared(view, held, ALL & ~held, even=True)
    split = math.comb(13, kinds[0]) * math.comb(int(d["count"]) - 13, kinds[2]) * 0.5 ** (kinds[0] + kinds[2])
    assert one == pytest.approx(split, rel=1e-9)


def test_drawn_hands_have_the_chances_of_the_model():
    """How often a card is held is the sum over the hands with it, over the sum of all."""
    game = after_draft(3)
    view = game.view()
    drafts, total = prepared(view)
    state, rules = view.state, view.rules_array
    world = np.zeros(1, STATE)
    rng = np.array([7], np.uint64)
    counts: Counter[int] = Counter()
    draws = 4000
    for _ in range(draws):
        draw_world(state, rules, view.observer, rng, world, 0)
        redraw_draft(drafts, state, rules, view.observer, rng, world, 0)
        hand = int(world["hands"][0, 1 - view.observer])
        assert bin(hand).count("1") == 13
        counts.update(card for card in range(52) if hand >> card & 1)
    for card in (51, 45, 38, 36, 20, 2):
        if view.hand >> card & 1:
            continue
        share = prepared(view, held=1 << card)[1] / total if card in counts else 0.0
        assert counts[card] / draws == pytest.approx(share, abs=0.035)


@pytest.mark.parametrize("rules", MIXES)
def test_worlds_agree_with_the_view(rules):
    game = Game(MIXES[rules], seed=4)
    dice, scripted = make_agent("random:seed=1"), make_agent("heuristic")
    agent = RolloutAgent(worlds=4)
    shown = np.zeros(1, STATE)
    for step in range(110):
        view = game.view()
        if step % 2 == 0:
            agent.act(view)
            if agent._work.plan[0]["looked"]:
                for row in range(4):
                    conceal_for(agent._work.worlds[row : row + 1], view.rules_array, view.observer, shown)
                    # a world has a random stream of its own, which no view shows
                    assert shown.tobytes() == view.state.tobytes()
        game.apply((dice if step % 3 else scripted).act(view))
        if game.is_over:
            break


def gains(rules: str, seed: int, hands: int) -> dict[str, list[float]]:
    """By phase, bits by which the true hands are likelier than under uniform sampling, at every decision."""
    game = Game(rules, seed=seed)
    scripted = make_agent("heuristic")
    pool, scratch = np.zeros(POOL, STATE), new_scratch()
    found: dict[str, list[float]] = {}
    rng = np.array([seed], np.uint64)
    while game.hand_number < hands and not game.is_over:
        view = game.view()
        if view.phase in (Phase.BID, Phase.PLAY) and len(view.legal_actions()) > 1:
            state, record, observer = view.state, view.rules_array, view.observer
            gain = 0.0
            drafts = None
            if is_informative(state[0], record[0], observer):
                held = game.hands[1 - observer]
                for even, sign in ((False, 1), (True, -1)):
                    drafts, total = prepared(view, even=even)
                    not_held = ALL & ~held & ~game.plays[1 - observer]
                    gain += sign * math.log2(prepared(view, held, not_held, even)[1] / total)
                drafts, _ = prepared(view)
            weights = np.zeros(POOL)
            for k in range(POOL):
                draw_world(state, record, observer, rng, pool, k)
                if drafts is not None:
                    redraw_draft(drafts, state, record, observer, rng, pool, k)
                weights[k] = weigh(pool, k, record, observer, scratch)
            true = weigh(game.state, 0, record, observer, scratch)
            found.setdefault(view.phase.name, []).append(gain + math.log2(true / weights.mean()))
        game.apply(scripted.act(view))
    return found


@pytest.mark.parametrize(
    "rules,bid,play", [("two_player", 2.5, 4.0), ("partnership", 0.3, 2.0), ("cutthroat", 0.2, 2.0)]
)
def test_the_true_hand_is_likelier_than_by_uniform_sampling(rules, bid, play, report):
    found = gains(rules, seed=1, hands=4)
    means = {phase: float(np.mean(values)) for phase, values in found.items()}
    report(", ".join(f"{phase} +{mean:.1f} bits" for phase, mean in means.items()) + f" on {rules}")
    assert means["BID"] > bid
    assert means["PLAY"] > play


def test_what_is_kept():
    """Spades, kings and aces are kept, low side cards are not; nothing is certain."""
    assert KEEP_CHANCE[1].min() > 0.9
    assert KEEP_CHANCE[0, 11:].min() > 0.8
    assert KEEP_CHANCE[0, :8].max() < 0.1
    assert 0 < KEEP_CHANCE.min() < KEEP_CHANCE.max() < 1
