"""The rulebook's tricks, illegal actions and impossible starts, on both implementations of the rules."""

import pytest
from tabletop import (
    CLUB_CARDS,
    DIAMOND_CARDS,
    HEART_CARDS,
    SPADE_CARDS,
    Hand,
    act,
    at_first_lead,
    deal,
    legal,
    on_both,
    play,
    public_state,
)

from spades_env.cards import parse_card, parse_cards
from spades_env.rules import Rules

pytestmark = on_both


def test_follow_suit_if_you_can(make):
    game = at_first_lead(make, "solo", [[*CLUB_CARDS[:10], 26, 39, 40], "QC KC 2D", [*DIAMOND_CARDS[1:], 27], "AC"])
    act(game, "2C")
    assert legal(game) == "QC KC"
    act(game, "QC")
    assert game.legal_actions() == [*DIAMOND_CARDS[1:], 27]


TRICKS = [
    ("5H KH 2H AH", 3, "the highest of the suit led"),
    ("5H KH 2S AH", 2, "a spade beats it"),
    ("5H 3S 2S AH", 1, "the higher spade"),
    ("5H KD AC QC", 0, "other suits win nothing"),
    ("AH 2S QS KS", 3, "the highest of three spades"),
    ("2S AS KS 3S", 1, "spades led"),
    ("2S AH AD AC", 0, "a deuce of spades"),
]


@pytest.mark.parametrize("trick, winner, why", TRICKS, ids=[why for _, _, why in TRICKS])
@pytest.mark.parametrize("leader", range(4))
def test_the_winner_of_a_trick_leads_the_next(make, trick, winner, why, leader):
    cards = parse_cards(trick)
    followers = [k for k in range(4) if cards[k] // 13 == cards[0] // 13]
    hands = [[card] for card in cards]
    # The rest of the suit led goes to those who follow, so that the others may play what they like.
    rest = [card for card in range(52) if card not in cards]
    suit_led = [card for card in rest if card // 13 == cards[0] // 13]
    for n, card in enumerate(suit_led):
        hands[followers[n % len(followers)]].append(card)
    in_place = [hands[(seat - leader) % 4] for seat in range(4)]
    rules = Rules(leads_first=leader, spades_must_break=False)
    game = at_first_lead(make, rules, in_place)
    act(game, trick)
    won = (leader + winner) % 4
    assert game.seat == won
    assert list(game.tricks) == [int(seat == won) for seat in range(4)]


def test_spades_may_not_be_led_before_they_are_broken(make):
    game = at_first_lead(make, "solo", ["AS KS 2H", "AH KH 2S", DIAMOND_CARDS, CLUB_CARDS])
    assert legal(game) == "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH"
    act(game, "2H AH 2D 2C")
    # Nobody played a spade: seat 1 leads, spades still unbroken.
    assert (game.seat, legal(game)) == (1, "KH")


def test_a_spade_on_another_suit_breaks_them(make):
    game = at_first_lead(make, "solo", [[*CLUB_CARDS[:12], parse_card("2S")], "AC", "3S", ""])
    act(game, "2C AC")
    assert (game.seat, bool(game.spades_broken)) == (2, False)
    act(game, "3S")
    assert bool(game.spades_broken)


def test_broken_spades_may_be_led(make):
    game = at_first_lead(make, "solo", [CLUB_CARDS, "2S AH", HEART_CARDS[:12], DIAMOND_CARDS])
    assert game.seat == 0
    act(game, "2C 2S 2H 2D")
    assert game.seat == 1
    assert legal(game) == "AH 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"
    act(game, "KS")


def test_10_a_leader_with_only_spades_breaks_them(make):
    game = at_first_lead(make, "solo", [SPADE_CARDS, CLUB_CARDS, DIAMOND_CARDS, HEART_CARDS])
    assert game.legal_actions() == list(SPADE_CARDS)
    assert not game.spades_broken
    act(game, "2S")
    assert bool(game.spades_broken)


def test_where_spades_need_not_break(make):
    game = at_first_lead(make, Rules(spades_must_break=False), ["AS 2H", "AH 2S", DIAMOND_CARDS, CLUB_CARDS])
    assert legal(game) == "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AS"
    act(game, "AS")
    # She had hearts to lead: by the letter of the rule that breaks nothing.
    assert not game.spades_broken


REACH = {
    "blind": "",
    "draft": "LOOK",
    "exchange": "BLIND_NIL KEEP BLIND_NIL" + " KEEP" * 25 + " AS",
    "bid": "LOOK KEEP LOOK" + " KEEP" * 25 + " BID_7",
    "play": "LOOK KEEP LOOK" + " KEEP" * 25 + " BID_7 BID_0 2S",
}


@pytest.mark.parametrize("phase", REACH)
def test_an_illegal_action_changes_nothing(make, phase):
    game = make("two_player", decks=[deal("two_player", [CLUB_CARDS, SPADE_CARDS])])
    act(game, REACH[phase])
    before = public_state(game)
    assert before["phase"] == phase
    for action in {*range(-1, 76)} - set(before["legal"]):
        with pytest.raises(ValueError, match=r"legal|0\.\.74"):
            game.apply(action)
    assert public_state(game) == before


def test_nothing_is_legal_once_the_match_is_over(make):
    game = play(make, Rules.preset("two_player", target=50), [Hand((7, 5), (7, 6))])
    assert game.is_over
    for action in range(75):
        with pytest.raises(ValueError, match="over"):
            game.apply(action)
    assert (list(game.scores), game.winner) == ([70, 51], 0)


# What a match may start with

BAD_STARTS = {
    "decks: a card short": ("partnership", {"decks": [range(51)]}),
    "decks: a card twice": ("partnership", {"decks": [[0, *range(51)]]}),
    "decks: second one bad": ("partnership", {"decks": [range(52), [0, *range(51)]]}),
    "decks: the 2 of clubs with three": ("cutthroat", {"decks": [range(52)]}),
    "scores: too many": ("partnership", {"scores": [0, 0, 0]}),
    "scores: too few": ("solo", {"scores": [0, 0]}),
    "bags: too few": ("two_player", {"bags": [1]}),
    "bags: negative": ("two_player", {"bags": [-1, 0]}),
    "opener: no such seat": ("cutthroat", {"opener": 3}),
    "opener: negative": ("two_player", {"opener": -1}),
}


@pytest.mark.parametrize("preset, start", BAD_STARTS.values(), ids=BAD_STARTS)
def test_a_bad_start_is_refused_by_name(make, preset, start):
    with pytest.raises(ValueError, match="|".join(f"{name}|{name.rstrip('s')}" for name in start)):
        make(preset, **start)


def test_unknown_rules_are_refused(make):
    with pytest.raises(ValueError, match="unknown rules 'bridge'"):
        make("bridge")
