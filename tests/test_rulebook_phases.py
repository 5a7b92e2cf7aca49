"""The rulebook's phases before the first trick, on both implementations of the rules."""

import pytest
from tabletop import (
    CLUB_CARDS,
    DIAMOND_CARDS,
    HEART_CARDS,
    SPADE_CARDS,
    act,
    deal,
    discards_seen,
    finish_hand,
    hands_of,
    legal,
    on_both,
    phase_of,
    plan,
    turn,
)

from spades_env.cards import parse_cards
from spades_env.rules import Rules

pytestmark = on_both
PLAIN_DRAFT = Rules.preset("two_player", blind_nil=0)
DEALT_PAIR = Rules(players=2, exchange=3)

# Whose turn it is


@pytest.mark.parametrize("preset, players", [("two_player", 2), ("partnership", 4), ("solo", 4), ("cutthroat", 3)])
def test_the_opener_moves_clockwise(make, preset, players):
    rules = Rules.preset(preset)
    everything = (rules.hand_size,) + (0,) * (players - 1)
    game = make(rules, decks=[deal(rules, plan(rules, everything), opener=players - 1)], opener=players - 1)
    assert (game.opener, game.seat, game.hand_number) == (players - 1, players - 1 if rules.bids_first == 0 else 1, 0)
    finish_hand(game, (1,) * players, plan(rules, everything))
    assert (game.opener, game.hand_number) == (0, 1)


@pytest.mark.parametrize("opener", range(4))
@pytest.mark.parametrize("bids_first", range(4))
@pytest.mark.parametrize("leads_first", [0, 1, 3])
def test_first_bidder_and_leader(make, opener, bids_first, leads_first):
    game = make(Rules(bids_first=bids_first, leads_first=leads_first, blind_nil=0), opener=opener)
    bidders = []
    while phase_of(game) == "bid":
        bidders.append(game.seat)
        act(game, "BID_3")
    assert bidders == [(opener + bids_first + k) % 4 for k in range(4)]
    assert game.seat == (opener + leads_first) % 4


@pytest.mark.parametrize("bids_first, leads_first", [(1, 1), (0, 0), (0, 1), (1, 0)])
def test_two_players_draw_bid_and_lead(make, bids_first, leads_first):
    game = make(Rules.preset("two_player", blind_nil=0, bids_first=bids_first, leads_first=leads_first))
    drawers = []
    while phase_of(game) == "draft":
        drawers.append(game.seat)
        act(game, "KEEP")
    assert drawers == [0, 1] * 13
    assert turn(game) == ("bid", bids_first)
    act(game, "BID_4 BID_4")
    assert turn(game) == ("play", leads_first)


# The deal and the draft


@pytest.mark.parametrize("opener", range(3))
def test_card_k_goes_to_seat_opener_plus_k(make, opener):
    game = make("cutthroat", decks=[list(range(51, 0, -1))], opener=opener)
    assert hands_of(game)[opener] == list(range(3, 52, 3))
    assert hands_of(game)[(opener + 1) % 3] == list(range(2, 51, 3))


def test_cutthroat_has_no_two_of_clubs(make):
    hands = hands_of(make("cutthroat"))
    assert [len(hand) for hand in hands] == [17, 17, 17]
    assert sorted(card for hand in hands for card in hand) == list(range(1, 52))


def test_keep_and_reject(make):
    game = make(PLAIN_DRAFT, decks=[range(52)])
    assert legal(game) == "KEEP REJECT"
    act(game, "KEEP")  # 2C, and 3C is discarded
    act(game, "REJECT")  # 4C is discarded, and 5C kept
    act(game, "REJECT")
    act(game, "KEEP")
    assert hands_of(game) == [parse_cards("2C 7C"), parse_cards("5C 8C")]
    act(game, "KEEP REJECT " * 11)
    assert turn(game) == ("bid", 1)
    assert [len(hand) for hand in hands_of(game)] == [13, 13]
    # From the third round on seat 0 keeps the first card of its pair and seat 1 the second of its own.
    assert hands_of(game)[0] == [0, 5, *range(8, 52, 4)]
    assert hands_of(game)[1] == [3, 6, *range(11, 52, 4)]


# Seat 0 keeps 2C, and 3C goes to the pile; seat 1 rejects 4C and keeps 5C.
SEEN = [("hidden", "", "4C"), ("drawer", "3C", "4C"), ("public", "3C 4C", "3C 4C")]


@pytest.mark.parametrize("rejected, by_first, by_second", SEEN)
def test_who_sees_the_rejected_cards(make, rejected, by_first, by_second):
    game = make(Rules.preset("two_player", blind_nil=0, rejected=rejected), decks=[range(52)])
    act(game, "KEEP REJECT")
    assert [discards_seen(game, seat) for seat in (0, 1)] == [parse_cards(by_first), parse_cards(by_second)]


# Blind nil


def test_blind_is_asked_at_the_first_draw(make):
    game = make("two_player", decks=[range(52)])
    assert (turn(game), legal(game)) == (("blind", 0), "BLIND_NIL LOOK")
    act(game, "LOOK")
    assert turn(game) == ("draft", 0)
    act(game, "REJECT")
    assert turn(game) == ("blind", 1)
    assert hands_of(game) == [[1], []]
    act(game, "BLIND_NIL")
    assert (turn(game), list(game.bids)) == (("draft", 1), [None, 0])
    act(game, "KEEP " * 24)
    assert turn(game) == ("draft", 1)
    act(game, "KEEP")
    assert turn(game) == ("exchange", 1)
    act(game, "DONE")
    assert turn(game) == ("bid", 0)
    act(game, "BID_5")
    assert (turn(game), list(game.bids)) == (("play", 1), [5, 0])


def test_blind_is_asked_at_the_turn_to_bid(make):
    game = make("partnership")
    steps = [(("blind", 0), "LOOK"), (("bid", 0), "BID_4"), (("blind", 1), "BLIND_NIL"), (("blind", 2), "LOOK")]
    steps += [(("bid", 2), "BID_0"), (("blind", 3), "BLIND_NIL")]
    for expected, action in steps:
        assert turn(game) == expected
        act(game, action)
    assert (turn(game), list(game.bids)) == (("play", 0), [4, 0, 0, 0])


def test_no_blind_nil_no_question(make):
    assert turn(make(PLAIN_DRAFT)) == ("draft", 0)
    game = make(Rules.preset("partnership", blind_nil=0))
    assert turn(game) == ("bid", 0)
    assert list(game.blind) == [False] * 4


# The exchange


def both_blind(make, exchange, opener=0, bids_first=1):
    rules = Rules.preset("two_player", exchange=exchange, bids_first=bids_first)
    game = make(rules, decks=[deal(rules, [CLUB_CARDS, SPADE_CARDS], opener)], opener=opener)
    act(game, "BLIND_NIL KEEP BLIND_NIL" + " KEEP" * 25)
    return game


@pytest.mark.parametrize("opener, bids_first, first", [(0, 1, 1), (0, 0, 0), (1, 1, 0), (1, 0, 1)])
def test_both_exchange_in_bidding_order(make, opener, bids_first, first):
    game = both_blind(make, 3, opener, bids_first)
    assert turn(game) == ("exchange", first)
    act(game, "DONE")
    assert turn(game) == ("exchange", 1 - first)
    act(game, "DONE")
    assert turn(game)[0] == "play"


def test_named_cards_leave_the_hand_and_are_replaced_at_once(make):
    game = both_blind(make, 3)
    assert legal(game) == "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS DONE"
    act(game, "AS KS")
    assert legal(game) == "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS DONE"
    assert hands_of(game)[1] == list(SPADE_CARDS[:11])
    act(game, "QS")
    assert turn(game) == ("exchange", 0)
    held = set(hands_of(game)[1])
    assert held > set(SPADE_CARDS[:10])
    assert len(held) == 13
    assert held - set(SPADE_CARDS) <= {*DIAMOND_CARDS, *HEART_CARDS}


@pytest.mark.parametrize("named", ["", "AS", "AS 2S"])
def test_done_ends_the_exchange_early(make, named):
    game = both_blind(make, 3)
    act(game, f"{named} DONE")
    assert turn(game) == ("exchange", 0)
    assert len(hands_of(game)[1]) == 13
    assert set(SPADE_CARDS) - set(hands_of(game)[1]) == set(parse_cards(named))


def test_the_pile_is_the_discards_of_both_and_nothing_given_up(make):
    # Both exchange everything: 13 of the 26 discards, then the other 13.
    game = both_blind(make, 13)
    act(game, "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS")
    assert turn(game) == ("exchange", 0)
    assert set(hands_of(game)[1]) < {*DIAMOND_CARDS, *HEART_CARDS}
    act(game, "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC")
    assert turn(game) == ("play", 1)
    assert sorted(card for hand in hands_of(game) for card in hand) == [*DIAMOND_CARDS, *HEART_CARDS]


def test_a_dealt_pair_exchanges_right_after_the_blind_bid(make):
    rules = Rules(players=2, exchange=13)
    game = make(rules, decks=[deal(rules, [HEART_CARDS, SPADE_CARDS])])
    act(game, "BLIND_NIL")
    assert turn(game) == ("exchange", 0)
    act(game, "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
    assert turn(game) == ("blind", 1)
    assert set(hands_of(game)[0]) < {*CLUB_CARDS, *DIAMOND_CARDS}
    act(game, "BLIND_NIL")
    assert turn(game) == ("exchange", 1)
    act(game, "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS")
    assert turn(game) == ("play", 0)
    assert sorted(card for hand in hands_of(game) for card in hand) == [*CLUB_CARDS, *DIAMOND_CARDS]


def test_who_looks_does_not_exchange(make):
    game = make(DEALT_PAIR)
    act(game, "LOOK")
    assert turn(game) == ("bid", 0)
    act(game, "BID_0")
    assert turn(game) == ("blind", 1)


def test_no_exchange_where_it_is_0(make):
    assert turn(both_blind(make, 0)) == ("play", 1)


# Bids


@pytest.mark.parametrize("preset, most", [("two_player", 13), ("partnership", 13), ("cutthroat", 17)])
def test_bids_are_0_to_the_number_of_cards(make, preset, most):
    game = make(Rules.preset(preset, blind_nil=0))
    while phase_of(game) == "draft":
        act(game, "KEEP")
    assert legal(game) == " ".join(f"BID_{bid}" for bid in range(most + 1))
