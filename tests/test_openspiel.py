"""Against OpenSpiel's spades: the same deal, bids and cards, one partnership hand at a time.

OpenSpiel's rules are met by `RULES` below as far as a `Rules` value can. Where it plays differently, `test_differs_*`
holds what it does and what the rulebook says: a release that changes that fails here, and the list gets shorter.
"""

from __future__ import annotations

import sys
from random import Random

import pytest

from spades_env.cards import BID_0, SPADES, suit_of
from spades_env.game import Game
from spades_env.rules import Rules

if sys.version_info >= (3, 11):
    import pyspiel
else:
    pyspiel = pytest.importorskip("pyspiel", reason="not compared with OpenSpiel: open-spiel has none for Python 3.10")

HANDS = 1500
# A missed nil's tricks count toward the contract; there is no blind nil; the bags are those of the score's last digit.
RULES = Rules(partners=True, blind_nil=0, failed_nil="contract", target=10_000, loss=None)


class Table:
    """A hand at both tables. OpenSpiel deals card k to seat k mod 4, seat 0 bids and leads first: as `Game` does."""

    def __init__(self, deck, scores=(0, 0), bags=None, rules=RULES, settings=""):
        self.theirs = pyspiel.load_game("spades" + settings).new_initial_state()
        for card in deck:
            self.theirs.apply_action(card)
        self.theirs.set_current_scores(list(scores))
        bags = [score % 10 for score in scores] if bags is None else bags
        self.ours = Game(rules, decks=[deck], scores=list(scores), bags=bags)
        self.scores = list(scores)

    def apply(self, *actions):
        for action in actions:
            assert self.theirs.current_player() == self.ours.seat
            self.theirs.apply_action(action)
            self.ours.apply(action)

    def bid(self, *bids):
        self.apply(*[BID_0 + bid for bid in bids])

    def legal(self):
        """The legal actions of both, ours first."""
        return self.ours.legal_actions(), sorted(self.theirs.legal_actions())

    def play_out(self, rng, spades=False):
        """Play the hand to its end; `spades`: lead them where only we allow it (OpenSpiel takes any card held)."""
        while not self.theirs.is_terminal():
            ours, theirs = self.legal()
            self.apply(rng.choice(ours if spades else theirs))

    def points(self):
        """Score changes of the sides in the hand, ours first."""
        ours = [new - old for new, old in zip(self.ours.scores, self.scores, strict=True)]
        return ours, [int(points) for points in self.theirs.returns()[:2]]


def random_bids(rng):
    """Bids that both allow and score alike: partners together at most 13, not both nil."""
    while True:
        bids = [max(0, round(rng.gauss(3, 2))) if rng.random() < 0.8 else 0 for _ in range(4)]
        if all(0 < bids[side] + bids[side + 2] <= 13 for side in range(2)):
            return bids


def test_hands_agree(report):
    rng = Random(1)
    compared = missed_nils = spade_leads = 0
    for _ in range(HANDS):
        deck = rng.sample(range(52), 52)
        table = Table(deck, scores=[rng.randrange(400) for _ in range(2)])
        bids = random_bids(rng)
        table.bid(*bids)
        while not table.theirs.is_terminal():
            ours, theirs = table.legal()
            leads = not table.ours.trick
            if leads and table.ours.spades_broken:
                # The first difference below: they never allow what breaking spades allows.
                others = [card for card in ours if suit_of(card) != SPADES]
                assert theirs == (others or ours)
            else:
                assert theirs == ours
            card = rng.choice(ours)
            spade_leads += leads and card not in theirs
            missed_nils += leads and any(bids[k] == 0 and table.ours.tricks[k] for k in range(4))
            table.apply(card)
            compared += 1
        ours, theirs = table.points()
        assert ours == theirs
    assert compared == 52 * HANDS
    assert missed_nils > 1000
    assert spade_leads > 1000
    report(f"engine = OpenSpiel at {compared:,} cards of {HANDS:,} hands")


DECK = list(range(52))  # seat 0 holds cards 0, 4, 8, ...


def test_differs_spades_are_never_broken():
    # Seat 1 has no clubs and breaks spades at once, wins, and leads.
    three = [[*range(13)], [*range(13, 22), *range(39, 43)], [*range(22, 26), *range(26, 35)]]
    hands = [*three, sorted(set(range(52)).difference(*three))]
    table = Table([hands[k % 4][k // 4] for k in range(52)])
    table.bid(3, 3, 3, 3)
    table.apply(0, 39, hands[2][0], hands[3][0])
    ours, theirs = table.legal()
    assert table.ours.spades_broken
    assert set(ours) - set(theirs) == {card for card in ours if suit_of(card) == SPADES} == {40, 41, 42}


def test_differs_partners_bid_at_most_13_together():
    table = Table(DECK)
    table.bid(10, 3)
    ours, theirs = table.legal()
    assert ours == list(range(BID_0, BID_0 + 14))
    assert theirs == list(range(BID_0, BID_0 + 4))


def test_differs_without_a_contract_tricks_are_points():
    """Both partners bid nil: OpenSpiel takes that for a contract of 0 and counts a point for each trick."""
    rng = Random(2)
    for _ in range(50):
        table = Table(rng.sample(range(52), 52))
        table.bid(0, 5, 0, 5)
        table.play_out(rng)
        ours, theirs = table.points()
        tricks = table.ours.last_hand["tricks"]
        assert theirs[0] - ours[0] == tricks[0] + tricks[2]
        assert ours[1] == theirs[1]


def test_differs_a_missed_nil_helps_the_partner():
    """`RULES` says so too, the presets do not: under `one_bag` the partner makes her contract alone or not at all."""
    rng = Random(5)
    helped = 0
    for _ in range(50):
        table = Table(rng.sample(range(52), 52), rules=Rules.preset("partnership", blind_nil=0))
        table.bid(0, 5, 4, 5)
        table.play_out(rng)
        ours, theirs = table.points()
        nil, _, partner, _ = table.ours.last_hand["tricks"]
        assert ours[0] == (-100 if nil else 100) + (40 + partner - 4 if partner >= 4 else -40)
        assert theirs[0] == (-100 if nil else 100) + (40 + nil + partner - 4 if nil + partner >= 4 else -40)
        helped += partner < 4 <= nil + partner
    assert helped > 5


def test_differs_bags_are_read_off_the_score():
    """Below zero C++ gives a negative last digit: at -47 OpenSpiel sees -7 bags, so that 11 overtricks cost nothing."""
    rng = Random(3)
    differing = 0
    for _ in range(50):
        table = Table(rng.sample(range(52), 52), scores=(-47, 0), bags=(3, 0))
        table.bid(1, 6, 1, 6)
        table.play_out(rng)
        ours, theirs = table.points()
        won = table.ours.last_hand["tricks"][0] + table.ours.last_hand["tricks"][2]
        over = max(won - 2, 0)
        assert ours[0] == (20 + over - 100 * (3 + over >= 10) if won >= 2 else -20)
        assert theirs[0] == (20 + over - 100 * (over - 7 >= 10) if won >= 2 else -20)
        differing += ours != theirs
    assert differing > 5


def test_differs_no_blind_nil():
    blind = Rules.preset("partnership")
    table = Table(DECK, rules=blind)
    ours, theirs = table.legal()
    assert ours != theirs
    assert theirs == list(range(BID_0, BID_0 + 14))
    assert pyspiel.load_game("spades").num_distinct_actions() == 52 + 14


def test_differs_a_match_never_ends():
    """The thresholds are parameters, but the state of a finished hand does not say that the match is over."""
    rng = Random(4)
    for scores in ((560, 100), (0, -400)):
        table = Table(rng.sample(range(52), 52), scores=scores, rules=Rules.preset("partnership", blind_nil=0))
        table.bid(1, 1, 1, 1)
        table.play_out(rng)
        assert table.ours.is_over
        assert table.theirs.is_terminal()
        assert not table.theirs.is_game_over()
