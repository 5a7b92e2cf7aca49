"""Perfect recall: within a hand, the bytes of a View tell apart just what the seat has seen to be different.

Whole trees of play are searched: to equal histories belong equal bytes (nothing hidden enters), to different
histories different bytes (nothing seen is forgotten). The order in which a seat gives up cards is not part of it.
"""

from __future__ import annotations

from collections import defaultdict

import pytest
from perft import at_start, near_the_end

from spades_env.cards import BLIND_NIL, DONE, KEEP, LOOK, REJECT
from spades_env.game import Game, Phase
from spades_env.rules import Rules

TWO, THREE, FOUR = (Rules.preset(name) for name in ("two_player", "cutthroat", "partnership"))
REJECTED = ("hidden", "drawer", "public")


def sight(game: Game, seat: int) -> tuple:
    """The cards that a seat may look at now: its hand once it has answered the blind question, its drawn card."""
    hand = game.hands[seat] if game.blind[seat] is not None else None
    return hand, game.drawn if game.seat == seat else None


def event(game: Game, seat: int, action: int) -> tuple:
    """What a seat sees of an action before it is carried out."""
    actor = game.seat
    if game.phase == Phase.EXCHANGE and actor == seat and action != DONE:
        return "gives", frozenset([action])
    if game.phase == Phase.EXCHANGE:
        return actor, action == DONE
    if game.phase == Phase.DRAFT:
        place = 2 * len(game.draft_choices)
        drawn, following = game.state["deck"][0, place : place + 2].tolist()
        rejected = drawn if action == REJECT else following
        drawer_sees = action == REJECT or game.rules.rejected == "drawer"
        shown = game.rules.rejected == "public" or (actor == seat and drawer_sees)
        return actor, action, rejected if shown else None
    return actor, action


def longer(history: tuple, happened: tuple, now_seen: tuple) -> tuple:
    """The history with one event more, and what is seen after it; cards given up are gathered in one set."""
    if happened[0] == "gives" and history[-1][0][0] == "gives":
        *history, (before, _) = history
        happened = "gives", before[1] | happened[1]
    return *history, (happened, now_seen)


def search(game: Game, depth: int, found: dict[int, list]) -> None:
    """Collect for every seat, at every position up to ``depth`` actions on, the View's bytes and the history."""
    seats = range(game.rules.players)

    def visit(game: Game, left: int, histories: list[tuple]) -> None:
        for seat in seats:
            found[seat].append((game.view(seat).to_bytes(), histories[seat]))
        for action in game.legal_actions() if left else []:
            following = game.clone()
            following.apply(action)
            if following.hand_number == game.hand_number:
                after = [longer(histories[seat], event(game, seat, action), sight(following, seat)) for seat in seats]
                visit(following, left - 1, after)

    visit(game, depth, [((("begin",), sight(game, seat)),) for seat in seats])


def check(games: list[Game], depth: int) -> None:
    found: dict[int, list] = defaultdict(list)
    for game in games:
        search(game, depth, found)
    for pairs in found.values():
        different = set(pairs)
        assert len({shown for shown, _ in pairs}) == len(different), "two histories, one View"
        assert len({history for _, history in pairs}) == len(different), "one history, two Views"
        assert len(different) > 10


@pytest.mark.parametrize("rejected", REJECTED)
def test_draft(rejected):
    rules = Rules.preset("two_player", rejected=rejected)
    check([at_start(rules).engine], 9)
    # Another order of the stock: the seats see other cards, and at first the same.
    deck = at_start(rules).engine.state["deck"][0].tolist()
    check([at_start(rules, deck=order).engine for order in (deck, deck[::-1], [*deck[:6], *deck[:5:-1]])], 6)


@pytest.mark.parametrize("rejected", REJECTED)
def test_two_exchanges_after_a_draft(rejected):
    rules = Rules.preset("two_player", rejected=rejected, exchange=2)
    start = at_start(rules, (BLIND_NIL, KEEP, BLIND_NIL, *[REJECT, KEEP] * 12, REJECT)).engine
    check([start], 3)
    for card in start.legal_actions()[:2]:
        start.apply(card)
    check([start], 2)


def test_bids():
    check([at_start(FOUR).engine], 4)
    check([at_start(FOUR, (LOOK, 55, BLIND_NIL)).engine], 5)


def test_dealt_pair_with_exchange():
    check([at_start(Rules(players=2, exchange=2)).engine], 3)


@pytest.mark.parametrize(
    "rules, seed, tricks, broken",
    [(TWO, 1, 4, True), (TWO, 4, 4, False), (THREE, 3, 3, False), (FOUR, 4, 3, True)],
)
def test_play(rules, seed, tricks, broken):
    check([near_the_end(rules, seed, tricks, broken).engine], 52)
