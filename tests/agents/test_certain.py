"""What is certain about bids: the sure tricks, the bids that another one beats, and every player that minds them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from spades_agents import make_agent
from spades_agents.bidder.advice import advise
from spades_agents.certain import bid_range, sure_tricks

from spades_env.cards import BID_0, card_name, mask_of, parse_cards
from spades_env.engine.state import Phase
from spades_env.game import Game
from spades_env.rules import Rules

SPADES = "AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
SIDE = "2H 3H 4H 5H 6H 2D 3D 4D 5D 6D 2C 3C 4C"
PARTNERS = Rules.preset("partnership", blind_nil=0)


def hand_of(spades: str) -> str:
    """These spades and low cards of other suits."""
    return " ".join([*spades.split(), *SIDE.split()[: 13 - len(spades.split())]])


def before_bid(rules: str | Rules, hand: str, heard: list[int]) -> Game:
    """A game in which the seat on turn has this hand and has heard these bids."""
    game = Game(rules, seed=0)
    state = game.state[0]
    state["phase"] = Phase.BID
    state["blind"][:] = 1
    seat = state["seat"] = (game.rules.bids_first + len(heard)) % game.rules.players
    state["turn"] = len(heard)
    for place, bid in enumerate(heard):
        state["bids"][(game.rules.bids_first + place) % game.rules.players] = bid
    state["hands"][seat] = mask_of(parse_cards(hand))
    return game


@pytest.mark.parametrize(
    "spades,sure",
    [
        ("", 0),
        ("KS", 0),
        ("AS", 1),
        ("KS QS", 1),
        ("AS QS JS", 2),
        ("QS JS", 0),
        ("QS JS TS", 1),
        ("KS JS 9S", 0),
        (SPADES, 13),
    ],
)
def test_sure_tricks_by_hand(spades, sure):
    assert sure_tricks(np.uint64(mask_of(parse_cards(hand_of(spades))))) == sure


def test_sure_tricks_are_those_of_the_worst_case():
    """Against every way to let other seats' spades beat own ones, each at most one: the largest matching."""
    rng = np.random.default_rng(0)

    def beaten(mine, theirs):
        """The most own spades that can be beaten, over all pairings."""
        if not theirs:
            return 0
        first, rest = theirs[0], theirs[1:]
        return max([beaten(mine, rest)] + [1 + beaten(mine - {card}, rest) for card in mine if card < first])

    for _ in range(60):
        mine = set(rng.permutation(7)[: rng.integers(1, 6)].tolist())
        theirs = [rank for rank in range(7) if rank not in mine]
        cards = sum(1 << 39 + 6 + rank for rank in mine)  # the ranks of the seven highest spades
        assert sure_tricks(np.uint64(cards)) == len(mine) - beaten(mine, theirs)


@pytest.mark.parametrize(
    "rules,spades,heard,found",
    [
        (PARTNERS, "KS", [], (0, 13)),
        (PARTNERS, "AS", [], (1, 13)),
        (PARTNERS, "KS QS", [3, 4], (1, 10)),
        (PARTNERS, "KS", [10, 2], (0, 3)),
        (PARTNERS, "KS", [0, 2], (0, 13)),
        (PARTNERS, "KS", [13, 2], (0, 0)),
        (PARTNERS, "AS", [13, 2], (1, 1)),
        ("two_player", "KS", [11], (0, 13)),
        ("two_player", "AS KS QS", [3], (3, 13)),
        ("two_player", SPADES, [], (13, 13)),
        ("solo", "AS KS", [9, 9], (2, 13)),
        ("two_player,nil=0", "KS", [], (1, 13)),
        ("partnership,nil=0", "KS", [13, 0], (0, 0)),
    ],
)
def test_bids_that_make_sense(rules, spades, heard, found):
    if isinstance(rules, str) and "," in rules:
        rules = Rules.preset(rules.split(",")[0], nil=0)
    game = before_bid(rules, hand_of(spades), heard)
    assert bid_range(game.state[0], game.rules_array[0]) == found


@pytest.mark.parametrize("name", ["heuristic", "bidder", "learned", "learned:deterministic=false", "rollout:worlds=2"])
def test_players_stay_within(name):
    rng = np.random.default_rng(1)
    agent = make_agent(name)
    agent.reset(0)
    for _, heard in product(range(4 if "worlds" in name else 20), ([10, 2], [13, 1], [7, 0])):
        cards = " ".join(card_name(card) for card in rng.permutation(52)[:13])
        game = before_bid(PARTNERS, cards, heard)
        least, most = bid_range(game.state[0], game.rules_array[0])
        assert least <= agent.act(game.view()) - BID_0 <= most


def test_ratings_are_clipped_to_what_is_certain():
    spades = mask_of(parse_cards(SPADES))
    for rules in (Rules.preset("two_player"), PARTNERS):
        advice = advise(spades, rules)
        assert advice.tried[-1] == 13
        assert advice.bids[0].made == 0
    assert advise(spades, Rules.preset("two_player")).bids[13].made == pytest.approx(1)
    assert advise(spades, PARTNERS, heard=[0, 3]).bids[13].made == pytest.approx(1)
    ace = mask_of(parse_cards(hand_of("AS")))
    for rules in (Rules.preset("two_player"), PARTNERS):
        assert advise(ace, rules).bids[0].made == 0
        assert 0 not in advise(ace, rules).tried
    for rules in (Rules.preset("two_player", nil=0), Rules.preset("partnership", nil=0)):
        assert 0 not in advise(mask_of(parse_cards(hand_of("KS"))), rules).tried
    late = advise(ace, PARTNERS, heard=[10, 2])
    assert max(late.tried) == 3
    assert [value.made for value in late.bids[4:]] == pytest.approx([0] * 10)
