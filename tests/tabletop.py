"""Hands that come out as planned, and one way to look at both implementations of the rules.

`plan` deals so that every seat wins as many tricks as asked for. Each trick is set out beforehand: all its
cards are of one suit and its winner holds the highest, so whoever leads it, all follow. What is left over are
deuces, which make one trick that the deuce of spades wins.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from spades_env.cards import (
    BID_0,
    BLIND_NIL,
    DONE,
    KEEP,
    LOOK,
    SPADES,
    action_name,
    cards_in,
    parse_action,
    parse_cards,
    suit_of,
)
from spades_env.game import Game
from spades_env.reference import Reference
from spades_env.rules import as_rules

IMPLEMENTATIONS = {"reference": Reference, "engine": Game}
on_both = pytest.mark.parametrize("make", IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS)
BLIND = "blind nil"
CLUB_CARDS, DIAMOND_CARDS, HEART_CARDS, SPADE_CARDS = (range(13 * suit, 13 * suit + 13) for suit in range(4))


@dataclass(frozen=True)
class Hand:
    """A hand to play: for each seat its bid (a number or BLIND) and the tricks it is to win."""

    bids: tuple
    won: tuple[int, ...]


def play(make, rules, hands, **start):
    """A match of `make` (an implementation) in which `hands` have been played."""
    rules = as_rules(rules)
    opener = start.get("opener", 0)
    plans = [plan(rules, hand.won) for hand in hands]
    decks = [deal(rules, cards, (opener + number) % rules.players) for number, cards in enumerate(plans)]
    game = make(rules, decks=decks, **start)
    for hand, cards in zip(hands, plans, strict=True):
        finish_hand(game, hand.bids, cards)
    return game


def finish_hand(game, bids, cards):
    """Play the current hand out: all drawn cards are kept, none exchanged, and trick t takes cards[seat][t]."""
    number = game.hand_number
    while not game.is_over and game.hand_number == number:
        phase, bid = phase_of(game), bids[game.seat]
        if phase == "play":
            game.apply(cards[game.seat][sum(game.tricks)])
        elif phase == "bid":
            game.apply(BID_0 + bid)
        elif phase == "blind":
            game.apply(BLIND_NIL if bid == BLIND else LOOK)
        else:
            game.apply({"draft": KEEP, "exchange": DONE}[phase])


def plan(rules, won):
    """For each seat its cards in the order of the tricks, so that it wins `won[seat]` of them."""
    players = rules.players
    assert sum(won) == rules.hand_size, "every trick has a winner"
    suited = [
        [13 * suit + rank for rank in range(first, first + players)]
        for suit in range(4)
        for first in range(1, 13, players)
    ]
    winners = [seat for seat in range(players) for _ in range(won[seat])]
    if players == 2:
        # 39 cards below the spades, 26 to play with: no seat needs a spade.
        return _by_seat(zip(suited[:13], winners, strict=True), players)
    side_suits = [trick for trick in suited if suit_of(trick[0]) != SPADES]
    spades = [trick for trick in suited if suit_of(trick[0]) == SPADES]
    deuces = [card for card in rules.deck if card % 13 == 0]
    if max(won) == rules.hand_size:
        return _by_seat(zip([*side_suits, *spades, deuces], winners, strict=True), players)
    # Whoever leads to the deuces must not hold the one spade among them: it may not be led before it has broken
    # spades. So two seats win the last suited trick and the deuces.
    last, deuce = [seat for seat in range(players) if won[seat]][:2]
    winners.remove(last)
    winners.remove(deuce)
    winners[len(side_suits) - 1 : len(side_suits) - 1] = [last, deuce]
    return _by_seat(zip([*side_suits, deuces, *spades], winners, strict=True), players)


def _by_seat(tricks, players):
    """Hands from tricks of (cards ascending, winner): the winner holds the last card, the others the rest in order."""
    hands = [[] for _ in range(players)]
    for cards, winner in tricks:
        others = [seat for seat in range(players) if seat != winner]
        for seat, card in zip([*others, winner], cards, strict=True):
            hands[seat].append(card)
    return hands


def deal(rules, hands, opener=0):
    """A deck that gives each seat these cards (a list, or text), topped up with the lowest cards nobody was promised.

    In a draft game that is when both keep every card drawn.
    """
    rules = as_rules(rules)
    hands = [parse_cards(hand) if isinstance(hand, str) else list(hand) for hand in hands]
    promised = {card for hand in hands for card in hand}
    rest = [card for card in rules.deck if card not in promised]
    for hand in hands:
        while len(hand) < rules.hand_size:
            hand.append(rest.pop(0))
    in_turn = [
        hands[(opener + seat) % rules.players][k] for k in range(rules.hand_size) for seat in range(rules.players)
    ]
    if rules.draft:
        return [card for pair in zip(in_turn, rest, strict=True) for card in pair]
    return in_turn + rest


def at_first_lead(make, rules, hands, **start):
    """A dealt game with these hands, everyone having bid 1."""
    game = make(rules, decks=[deal(rules, hands, start.get("opener", 0))], **start)
    while phase_of(game) != "play":
        act(game, "LOOK" if phase_of(game) == "blind" else "BID_1")
    return game


def act(game, names):
    """Apply actions given by their names, separated by spaces."""
    for name in names.split():
        game.apply(parse_action(name))


def legal(game):
    """The names of the legal actions, in the order of their ids."""
    return " ".join(action_name(action) for action in game.legal_actions())


def turn(game):
    return phase_of(game), game.seat


def phase_of(game):
    return game.phase if isinstance(game.phase, str) else game.phase.name.lower()


def hands_of(game):
    """The cards each seat holds, ascending."""
    return [sorted(hand) if isinstance(game, Reference) else cards_in(hand) for hand in game.hands]


def discards_seen(game, seat):
    """The cards that a seat has seen go to the discard pile, ascending."""
    return sorted(game.seen_discards[seat]) if isinstance(game, Reference) else cards_in(game.view(seat).discards_seen)


def public_state(game):
    """All that both implementations tell of a game, in the same form."""
    return {
        "phase": phase_of(game),
        "seat": None if game.is_over else game.seat,
        "legal": list(game.legal_actions()),
        "hands": hands_of(game),
        "bids": list(game.bids),
        "tricks": list(game.tricks),
        "scores": list(game.scores),
        "bags": list(game.bags),
        "opener": game.opener,
        "hand_number": game.hand_number,
        "winner": game.winner,
    }
