"""Situations with one right answer for the scripted player."""

from __future__ import annotations

import numpy as np
import pytest
from spades_agents import make_agent
from spades_agents.certain import sure_tricks

from spades_env.cards import ALL_CARDS, BID_0, action_name, card_name, cards_in, mask_of, parse_action, parse_cards
from spades_env.engine.state import BLIND_BID, LOOKED, Phase
from spades_env.game import Game
from spades_env.rules import Rules


def chosen(game: Game) -> str:
    """Name of the scripted player's action."""
    action = make_agent("heuristic").act(game.view())
    assert action in game.legal_actions()
    return action_name(action)


def ending(
    rules: str | Rules, hands: list[str], bids: list[int], tricks: list[int], trick: str = "", out: str = "", **start
) -> Game:
    """A table in the last tricks: seat 0 leads, and ``trick`` is what was played to its trick.

    Args:
        rules: as for Game.
        hands: the cards that each seat holds before the trick begins.
        bids: by seat.
        tricks: by seat.
        trick: cards to play, seat 0 first.
        out: with two players, cards that nobody has played and nobody holds; all others were played.
        start: scores and bags.
    """
    game = Game(rules, seed=0, **start)
    held = [mask_of(parse_cards(hand)) for hand in hands]
    done = game.rules.hand_size - len(cards_in(held[0]))
    away = mask_of(parse_cards(out)) if out else 0
    rest = [card for card in cards_in(ALL_CARDS & ~sum(held) & ~away) if card in game.rules.deck]
    state = game.state[0]
    for seat in range(game.rules.players):
        state["hands"][seat] = held[seat]
        state["plays"][seat] = mask_of(rest[seat * done : (seat + 1) * done])
        state["bids"][seat] = bids[seat]
        state["tricks"][seat] = tricks[seat]
        state["blind"][seat] = LOOKED
    if game.rules.players == 2:
        # what is neither held, out nor played lies in the pile, and each seat has seen it
        state["seen"][:] = mask_of(rest[2 * done :])
    state["phase"] = Phase.PLAY
    state["seat"] = state["leader"] = 0
    state["broken"] = 1
    state["played"] = game.rules.players * done
    state["order"][: state["played"]] = rest[: state["played"]]
    for card in parse_cards(trick) if trick else []:
        game.apply(card)
    return game


def bidding(rules: str | Rules, hand: str, heard: list[int] | None = None, **start) -> Game:
    """A dealt game before the bid of the seat that holds ``hand``; it has looked, and ``heard`` the bids before."""
    rules = Rules.preset(rules) if isinstance(rules, str) else rules
    heard = heard or []
    mine = parse_cards(hand)
    rest = [card for card in rules.deck if card not in mine]
    others = rules.players - 1
    seats = [rest[k::others][: rules.hand_size] for k in range(others)]
    seats.insert(len(heard), mine)
    deck = [card for cards in zip(*seats, strict=True) for card in cards]
    game = Game(rules, seed=0, decks=[deck + [card for card in rules.deck if card not in deck]], **start)
    for bid in [*heard, None]:
        if game.phase == Phase.BLIND:
            game.apply(parse_action("LOOK"))
        if bid is not None:
            game.apply(parse_action(f"BID_{bid}"))
    return game


DEALT = Rules(players=2, blind_nil=0, loss=None)


# Play.


def test_the_contract_comes_first():
    game = ending("two_player", ["9C 5D 4D", "KC 2D 3H"], bids=[4, 5], tricks=[6, 4], trick="9C")
    # another trick costs nobody anything yet, the missing one fifty points
    assert chosen(game) == "KC"


def test_a_bag_is_ducked_with_the_highest_loser():
    game = ending("two_player", ["9C 5C 4D", "KC 8C 2C"], bids=[3, 5], tricks=[5, 5], trick="9C", bags=[0, 8])
    assert chosen(game) == "8C"


def test_a_contract_is_denied_at_the_price_of_a_bag():
    game = ending("two_player", ["9C", "KC"], bids=[6, 6], tricks=[5, 7], trick="9C")
    assert chosen(game) == "KC"
    game = ending("two_player", ["9C 3D", "KC 8C"], bids=[6, 5], tricks=[5, 6], trick="9C")
    assert chosen(game) == "KC"


def test_the_cheapest_winner_is_enough():
    hands = ["JC 5D 4D 2H", "KC QC 3C 2C"]
    game = ending("two_player", hands, bids=[5, 6], tricks=[5, 4], trick="JC", out="AC")
    assert chosen(game) == "QC"


def test_a_nil_is_broken_by_staying_below():
    game = ending("two_player", ["5C 9D 4D", "KC 3C 2H"], bids=[0, 5], tricks=[0, 10], trick="5C")
    assert chosen(game) == "3C"


def test_a_nil_is_attacked_with_low_cards():
    game = ending("two_player", ["AC 2C KH QH", "9C 8C 4H 3H"], bids=[5, 0], tricks=[9, 0])
    assert chosen(game) == "2C"


def test_a_nil_bidder_sheds_the_highest_card_that_loses():
    game = ending("two_player", ["TC 9D 4D", "KC 8C 2C"], bids=[5, 0], tricks=[10, 0], trick="TC")
    assert chosen(game) == "8C"


def test_a_nil_bidder_throws_away_the_danger():
    game = ending("two_player", ["TC 9D 4D", "KD 2H 3H"], bids=[5, 0], tricks=[10, 0], trick="TC", out="AH KH 5H")
    assert chosen(game) == "KD"


def test_the_partner_of_a_nil_covers_it():
    hands = ["4H 5D 6D", "9H 2D 3D", "3H 7D 8D", "QH 2H 9D"]
    game = ending("partnership", hands, bids=[3, 0, 3, 4], tricks=[3, 0, 3, 4], trick="4H 9H 3H")
    assert chosen(game) == "QH"


def test_no_ace_on_a_trick_that_the_partner_wins():
    hands = ["KH 5D 6D", "9H 2D 3D", "AH 2H 8D", "3H TH 9D"]
    game = ending("partnership", hands, bids=[4, 3, 3, 3], tricks=[3, 3, 2, 2], trick="KH 9H")
    assert chosen(game) == "2H"


def test_no_trump_on_a_trick_that_the_partner_wins():
    hands = ["AH 5D 6D", "9H 2D 3D", "2S 2C 8D", "3H TH 9D"]
    game = ending("partnership", hands, bids=[4, 3, 3, 3], tricks=[3, 3, 2, 2], trick="AH 9H")
    assert chosen(game) in ("2C", "8D")


def test_a_sure_winner_is_cashed_when_the_contract_needs_it():
    hands = ["AS 3C 2D", "KS 5C 6D"]
    game = ending("two_player", hands, bids=[6, 7], tricks=[5, 5], trick="")
    assert chosen(game) == "AS"


def test_a_last_hope_is_not_given_up_beside_a_nil():
    """Three tricks are needed of three: without this one the contract is lost for certain."""
    hands = ["KH 5D 6D", "9H 2D 3D", "3H TH 9D", "AC 4S 7D"]
    game = ending("partnership", hands, bids=[4, 0, 5, 4], tricks=[4, 0, 5, 1], trick="KH 9H 3H")
    assert chosen(game) == "4S"


def test_the_lowest_trump_ruffs_when_it_wins_for_certain():
    hands = ["KH 5D 4D 2H", "9S 3S AD 2C"]
    assert chosen(ending("two_player", hands, bids=[5, 8], tricks=[4, 5], trick="KH")) == "3S"
    hands = ["KH 5D 6D", "9H 2D 3D", "2H TH 9D", "9S 3S AC"]
    assert chosen(ending("partnership", hands, bids=[3, 4, 3, 3], tricks=[3, 3, 2, 2], trick="KH 9H 2H")) == "3S"


def test_a_partner_who_wins_for_certain_is_not_overtrumped():
    """Nor does a high card go on that trick."""
    hands = ["KH 5D 6D 2C", "QS 2D 3D 4C", "2H TH 9D 5C", "KS JS AC 6C"]
    game = ending("partnership", hands, bids=[3, 4, 3, 4], tricks=[3, 2, 2, 2], trick="KH QS 2H")
    assert chosen(game) == "6C"


@pytest.mark.parametrize("rules", ["two_player", "partnership", "cutthroat", "solo"])
def test_a_higher_card_of_a_suit_is_worth_no_less(rules):
    """So the lowest of several winners is played where tricks are wanted, and the highest loser where not."""
    game, agent = Game(rules, seed=4), make_agent("heuristic")
    seen = 0
    while seen < 60:
        view = game.view()
        if view.phase == Phase.PLAY and len(view.legal_actions()) > 1 and view.bids[view.seat] != 0:
            agent.act(view)
            seen += 1
            for suit in range(4):
                worth = [agent._scratch.notes[0]["worth"][card] for card in sorted(view.hand) if card // 13 == suit]
                assert worth == sorted(worth)
        game.apply(agent.act(view))


# Nil.

COVER = "JS 2S 6H 5H KC QC 4C AD KD QD 9D 6D 4D"
NIL = "4S 3S JH TH 4H 9C 7C 5C 2C 8D 7D 3D 2D"


def covering(*plays: str) -> Game:
    """Seat 0 leads and has bid three beside the nil of seat 2."""
    left = "AS QS TS 7S AH 9H 7H 2H AC TC 3C JD 5D"
    right = "KS 9S 8S 6S 5S KH QH 8H 3H JC 8C 6C TD"
    hands = [parse_cards(hand) for hand in (COVER, left, NIL, right)]
    game = Game("partnership", seed=0, decks=[[card for cards in zip(*hands, strict=True) for card in cards]], opener=0)
    for action in ["LOOK", "BID_3", "LOOK", "BID_3", "LOOK", "BID_0", "LOOK", "BID_4", *plays]:
        game.apply(parse_action(action))
    return game


def test_a_cover_leads_its_highest_cards_first():
    """A low heart is what the nil bidder, who holds the jack and the ten, cannot follow."""
    assert chosen(covering()) == "AD"
    assert chosen(covering("AD", "5D", "8D", "TD")) == "KD"


def test_a_nil_bidder_does_not_ruff():
    """However likely a low spade is to take a later trick, on this one it certainly does."""
    hands = ["4C 9S 8S 5S 7H", "AH AS QS 4S TH", "JS 6S 8H 2H 2D", "KS TS 3S 6H 9H"]
    game = ending("partnership", hands, bids=[4, 3, 0, 3], tricks=[4, 2, 0, 2], trick="4C AH")
    assert chosen(game) in ("2D", "2H", "8H")


def test_a_cover_does_not_lead_spades_below_the_nil():
    """The contract is made: only the nil counts, and the partner's lone spade may be the highest."""
    hands = ["7S 6S 4S 8D 4D 2D", "5S 3S TH 9C 8C 9D", "9S 5H 6H 5C 6C 7D", "AS KS JH TC KD 3D"]
    game = ending("partnership", hands, bids=[3, 3, 0, 4], tricks=[4, 1, 0, 2])
    assert chosen(game) in ("2D", "4D", "8D")


# Bids.


def test_nil_with_a_hand_that_cannot_win():
    assert chosen(bidding("partnership", "2S 3S 2H 3H 5H 2D 4D 6D 7D 2C 3C 5C 8C")) == "BID_0"


def test_no_nil_with_the_ace_of_spades():
    assert chosen(bidding("partnership", "AS 3S 2H 3H 5H 2D 4D 6D 7D 2C 3C 5C 8C")) != "BID_0"


@pytest.mark.parametrize("others", [[0, 4], [3, 0, 4]])
def test_an_ordinary_bid_beside_or_against_a_nil(others):
    hand = "AS QS 7S 4S AH 9H 3H KD 8D 5D JC 6C 2C"
    assert chosen(bidding("partnership", hand, others)) in ("BID_3", "BID_4", "BID_5")


def test_no_second_nil_on_a_side_without_need():
    weak = "7S 3S 4H 6H 9H 3D 7D 8D JD 2C 6C 9C TC"
    assert chosen(bidding("partnership", weak, [4, 4])) == "BID_0"
    assert chosen(bidding("partnership", weak, [0, 4])) == "BID_1"


def test_the_last_bidder_minds_what_is_left():
    hand = "AS QS 7S 4S AH 9H 3H KD 8D 5D JC 6C 2C"
    found = [parse_action(chosen(bidding(DEALT, hand, [other]))) - BID_0 for other in (3, 6, 9)]
    assert found == sorted(found, reverse=True)
    assert found[0] >= found[2] + 2
    assert found[2] + 9 <= 13


def test_a_low_bid_is_enough_at_470():
    hand = "AS KS QS 7S 4S AH KH 3H KD 8D 5D JC 6C"
    assert parse_action(chosen(bidding("partnership", hand))) > parse_action("BID_4")
    assert chosen(bidding("partnership", hand, scores=[470, 100])) == "BID_3"
    # not if the others may get there as well
    assert parse_action(chosen(bidding("partnership", hand, scores=[470, 460]))) > parse_action("BID_4")


SPADES = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS"


def test_thirteen_spades():
    assert chosen(bidding(DEALT, SPADES)) == "BID_13"
    assert chosen(bidding("partnership", SPADES)) == "BID_13"


@pytest.mark.parametrize("bags", [7, 8])
def test_seven_sure_tricks_are_not_underbid_with_many_bags(bags):
    """At 470 a bid of 3 is enough, but four bags more cost the penalty and the match."""
    hand = "AS KS QS JS TS 9S 8S 4H 3H 5D 4D 6C 5C"
    assert chosen(bidding(DEALT, hand, scores=[470, 300], bags=[bags, 0])) == "BID_7"


@pytest.mark.parametrize("partner", [10, 12, 13])
def test_no_contract_of_more_than_thirteen_tricks(partner):
    rng = np.random.default_rng(partner)
    for _ in range(40):
        hand = " ".join(card_name(card) for card in rng.permutation(52)[:13])
        assert parse_action(chosen(bidding("partnership", hand, [partner, 0]))) - BID_0 + partner <= 13 or (
            partner == 13 and sure_tricks(np.uint64(mask_of(parse_cards(hand)))) > 0
        )


def test_no_nil_that_scores_nothing():
    rules = Rules.preset("partnership", nil=0)
    assert chosen(bidding(rules, "2S 3S 2H 3H 5H 2D 4D 6D 7D 2C 3C 5C 8C")) == "BID_1"


# Blind nil, the exchange and the draft.


def test_blind_nil_only_when_the_match_is_all_but_lost():
    assert chosen(Game("partnership", seed=1)) == "LOOK"
    assert chosen(Game("partnership", seed=1, scores=[480, 120])) == "LOOK"
    assert chosen(Game("partnership", seed=1, scores=[280, 480])) == "BLIND_NIL"
    small = Rules.preset("partnership", blind_nil=50)
    assert chosen(Game(small, seed=1, scores=[280, 480])) == "LOOK"


def test_the_exchange_gives_up_the_dangerous_cards():
    rules = Rules(players=2, exchange=3, loss=None)
    hand = "AS KS 2S 2H 3H 5H 2D 4D 6D 2C 3C 5C AC"
    rest = [card for card in range(52) if card not in parse_cards(hand)]
    deck = [card for pair in zip(parse_cards(hand), rest, strict=False) for card in pair] + rest[13:]
    game = Game(rules, seed=0, decks=[deck])
    game.apply(parse_action("BLIND_NIL"))
    given = [chosen(game)]
    game.apply(parse_action(given[0]))
    given.append(chosen(game))
    assert set(given) == {"AS", "KS"}


def test_a_hand_made_for_nil_is_kept():
    rules = Rules(players=2, exchange=3, loss=None)
    hand = "2S 2H 3H 4H 5H 2D 3D 4D 5D 2C 3C 4C 5C"
    rest = [card for card in range(52) if card not in parse_cards(hand)]
    deck = [card for pair in zip(parse_cards(hand), rest, strict=False) for card in pair] + rest[13:]
    game = Game(rules, seed=0, decks=[deck])
    game.apply(parse_action("BLIND_NIL"))
    assert chosen(game) == "DONE"


@pytest.mark.parametrize(
    "card,blind,choice",
    [
        ("AS", False, "KEEP"),
        ("3C", False, "REJECT"),
        ("9S", False, "KEEP"),
        ("AS", True, "REJECT"),
        ("3C", True, "KEEP"),
    ],
)
def test_the_draft_keeps_what_the_plan_wants(card, blind, choice):
    first = parse_cards(card)
    game = Game("two_player", seed=0, decks=[first + [other for other in range(52) if other not in first]])
    game.apply(parse_action("BLIND_NIL" if blind else "LOOK"))
    assert game.state["blind"][0, 0] == (BLIND_BID if blind else LOOKED)
    assert chosen(game) == choice


def test_what_was_seen_in_the_draft_counts():
    """A middling card is kept once the better ones are known to be gone."""
    rules = Rules.preset("two_player", rejected="public")
    game = Game(rules, seed=0)
    state = game.state[0]
    state["phase"], state["blind"][:] = Phase.DRAFT, LOOKED
    state["deck"][2 * 10] = parse_cards("9H")[0]
    state["draws"] = 10
    assert chosen(game) == "REJECT"
    state["seen"][:] = mask_of(card for card in range(39, 52)) | mask_of(
        parse_cards("AH KH QH AD KD QD AC KC QC TH JH")
    )
    assert chosen(game) == "KEEP"
    assert np.array_equal(game.state["draws"], [10])
