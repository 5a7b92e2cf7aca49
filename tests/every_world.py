"""What each card is worth in the last tricks, by plain search of every world that a player cannot tell apart.

Nothing here is shared with the players: worlds are enumerated, not sampled; play is searched to the end without
bounds, tables or ordering; the hand is scored by the reference rules.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numba
import numpy as np

from spades_env.cards import ALL_CARDS, SUIT_MASKS, cards_in, mask_of
from spades_env.game import View
from spades_env.reference import match_winner, score_side
from spades_env.rules import Rules

MOST_WORLDS = 2000


@numba.njit("u8(u8[:], i8, i8, i8, b1, b1)")
def _legal(hands, seat, in_trick, led, broken, must_break):
    hand = hands[seat]
    spades = np.uint64(0x1FFF << 39)
    if in_trick == 0:
        if must_break and not broken and hand & ~spades:
            return hand & ~spades
        return hand
    suit = np.uint64(0x1FFF) << np.uint64(13 * led)
    return hand & suit if hand & suit else hand


@numba.njit("void(u8[:], i8, i8, i8, i8, i8, b1, b1, i8, f8[:, :], f8[:])")
def _search(hands, seat, in_trick, led, best_card, best_seat, broken, must_break, code, utility, out):
    """Everybody plays, with open cards, for their own utility; ``code`` has three bits for the tricks of each seat."""
    players = hands.size
    if in_trick == players:
        code += 1 << (3 * best_seat)
        seat, in_trick, led, best_card, best_seat = best_seat, 0, -1, -1, -1
    if in_trick == 0 and hands[seat] == 0:
        for k in range(players):
            out[k] = utility[code, k]
        return
    legal = _legal(hands, seat, in_trick, led, broken, must_break)
    found = np.empty(players)
    first = True
    for card in range(52):
        bit = np.uint64(1) << np.uint64(card)
        if not legal & bit:
            continue
        suit = card // 13
        wins = in_trick == 0 or (card > best_card if suit == best_card // 13 else suit == 3)
        only_spades = in_trick == 0 and suit == 3
        off_suit = in_trick > 0 and suit == 3 and led != 3
        hands[seat] ^= bit
        _search(
            hands,
            (seat + 1) % players,
            in_trick + 1,
            suit if in_trick == 0 else led,
            card if wins else best_card,
            seat if wins else best_seat,
            broken or only_spades or off_suit,
            must_break,
            code,
            utility,
            found,
        )
        hands[seat] ^= bit
        if first or found[seat] > out[seat]:
            out[:] = found
            first = False


@numba.njit
def _values(worlds, cards, seat, in_trick, led, best_card, best_seat, broken, must_break, utility, values):
    out = np.empty(worlds.shape[1])
    for w in range(len(worlds)):
        hands = worlds[w].copy()
        for k in range(len(cards)):
            card = cards[k]
            suit = card // 13
            wins = in_trick == 0 or (card > best_card if suit == best_card // 13 else suit == 3)
            spade = suit == 3 and (in_trick == 0 or led != 3)
            hands[seat] ^= np.uint64(1) << np.uint64(card)
            _search(
                hands,
                (seat + 1) % len(hands),
                in_trick + 1,
                suit if in_trick == 0 else led,
                card if wins else best_card,
                seat if wins else best_seat,
                broken or spade,
                must_break,
                0,
                utility,
                out,
            )
            hands[seat] ^= np.uint64(1) << np.uint64(card)
            values[w, k] = out[seat]


@dataclass(frozen=True)
class Stakes:
    """What players are taken to want of a hand.

    Attributes:
        bag: points that a bag on the counter is worth less than nothing.
        match: points that winning the match is worth, and losing it costs.
        hostile: all who are not on the observer's side play against it; else each side plays for its own lead
            over the others.
    """

    bag: float
    match: float
    hostile: bool


ALL_STAKES = [
    Stakes(bag, match, hostile) for bag in (2.0, 9.0) for match in (100.0, 400.0) for hostile in (False, True)
]


def unseen(view: View) -> int:
    """The cards that the observer has not seen."""
    seen = view.hand | view.discards_seen | view.given | mask_of(set(range(52)) - set(view.rules.deck))
    for cards in view.plays:
        seen |= cards
    return ALL_CARDS & ~seen


def worlds(view: View) -> Iterator[list[int]]:
    """The hands of all seats in every world that agrees with a view of a hand without exchange."""
    others = [seat for seat in range(view.rules.players) if seat != view.observer]
    hands = [0] * view.rules.players
    hands[view.observer] = view.hand
    size = {seat: view.rules.hand_size - len(cards_in(view.plays[seat])) for seat in others}

    def place(seats: Sequence[int], left: int) -> Iterator[list[int]]:
        if not seats:
            yield list(hands)
            return
        seat = seats[0]
        barred = sum(SUIT_MASKS[suit] for suit in range(4) if view.voids[seat] >> suit & 1)
        for chosen in itertools.combinations(cards_in(left & ~barred), size[seat]):
            hands[seat] = mask_of(chosen)
            yield from place(seats[1:], left & ~hands[seat])

    yield from place(others, unseen(view))


def some_worlds(view: View, most: int = MOST_WORLDS) -> np.ndarray:
    """All worlds of a view as rows of sets (uint64), or every so manieth if they are more than ``most``."""
    rows = []
    step = 1
    for count, row in enumerate(worlds(view)):
        if count % step == 0:
            rows.append(row)
            if len(rows) > 2 * most:
                rows, step = rows[::2], 2 * step
    return np.array(rows, np.uint64)


def utilities(view: View, stakes: Stakes) -> np.ndarray:
    """For each count of tricks still to be won (three bits a seat), what it is worth to each seat."""
    rules, players = view.rules, view.rules.players
    left = rules.hand_size - sum(view.tricks)
    table = np.full((8**players, players), np.nan)
    mine = rules.side_of(view.observer)
    for more in itertools.product(range(left + 1), repeat=players):
        if sum(more) != left:
            continue
        tricks = [won + extra for won, extra in zip(view.tricks, more, strict=True)]
        worth = side_values(rules, view, tricks, stakes)
        row = sum(extra << 3 * seat for seat, extra in enumerate(more))
        lead = [value - (sum(worth) - value) / (rules.sides - 1) for value in worth]
        for seat in range(players):
            side = rules.side_of(seat)
            table[row, seat] = -lead[mine] if stakes.hostile and side != mine else lead[side]
    return table


def side_values(rules: Rules, view: View, tricks: Sequence[int], stakes: Stakes) -> list[float]:
    """What each side has when the hand ends with these tricks: points, price of bags, the match."""
    bids = [bid or 0 for bid in view.bids]
    scores, worth = list(view.scores), []
    for side in range(rules.sides):
        points, taken = score_side(rules, side, bids, view.blind, tricks)
        bags = view.bags[side] + taken
        penalties, bags = divmod(bags, rules.bag_limit) if rules.bag_limit else (0, bags)
        scores[side] += points - penalties * rules.bag_penalty
        worth.append(scores[side] - stakes.bag * bags)
    winner = match_winner(rules, scores)
    if winner is not None:
        return [stakes.match if side == winner else -stakes.match for side in range(rules.sides)]
    return worth


def card_values(view: View, rows: np.ndarray, stakes: Stakes) -> tuple[list[int], np.ndarray]:
    """The legal cards, and what each is worth to the observer in each of the worlds ``rows``."""
    cards = view.legal_actions()
    best_card, best_seat, led = -1, -1, -1
    for seat, card in view.trick:
        if best_card < 0:
            led = card // 13
        if best_card < 0 or (card > best_card if card // 13 == best_card // 13 else card // 13 == 3):
            best_card, best_seat = card, seat
    values = np.empty((len(rows), len(cards)))
    arguments = (view.seat, len(view.trick), led, best_card, best_seat, view.spades_broken)
    _values(rows, np.array(cards), *arguments, view.rules.spades_must_break, utilities(view, stakes), values)
    return cards, values
