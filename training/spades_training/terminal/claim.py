"""A claim of all tricks left, and its proof from what one seat knows."""

from __future__ import annotations

from spades_env.cards import ALL_CARDS, SPADES, SUIT_MASKS, cards_in, mask_of, suit_of
from spades_env.game import Phase, View


def proven_claim(view: View) -> list[int] | None:
    """The cards with which the observer, who is on turn, takes all tricks left, however the other cards lie.

    It plays its spades from the top, then its side suits from the top. The proof assumes the worst: one opponent holds
    every card that is not known to be elsewhere. So it can miss a claim that a search would find, but proves no wrong
    one.

    Returns:
        The cards in order of play, or None if the claim is not proven.
    """
    if view.phase != Phase.PLAY or view.seat != view.observer:
        return None
    out = _cards_out(view)
    hand = view.hand
    first: list[int] = []
    if view.trick:
        winning = [card for card in view.legal_actions() if _surely_wins(view, card, out)]
        if not winning:
            return None
        first = [min(winning, key=lambda card: (suit_of(card) == SPADES, card))]
        hand &= ~mask_of(first)
    spades, theirs = hand & SUIT_MASKS[SPADES], out & SUIT_MASKS[SPADES]
    if not _runs(spades, theirs) or (hand != spades and theirs and spades.bit_count() < theirs.bit_count()):
        return None
    broken = view.spades_broken or any(suit_of(card) == SPADES for card in first) or not view.rules.spades_must_break
    if hand != spades and spades and theirs and not broken:
        return None
    suits = [SPADES, 0, 1, 2] if broken or hand == spades else [0, 1, 2, SPADES]
    if not all(_runs(hand & SUIT_MASKS[suit], out & SUIT_MASKS[suit]) for suit in suits):
        return None
    return first + [card for suit in suits for card in reversed(cards_in(hand & SUIT_MASKS[suit]))]


def _cards_out(view: View) -> int:
    """The cards that another seat may hold."""
    out = mask_of(view.rules.deck) & ALL_CARDS & ~view.hand
    for plays in view.plays:
        out &= ~plays
    others = [seat for seat in range(view.rules.players) if seat != view.observer]
    for suit in range(4):
        if all(view.voids[seat] >> suit & 1 for seat in others):
            out &= ~SUIT_MASKS[suit]
    return out


def _runs(mine: int, theirs: int) -> bool:
    """Whether all cards of one suit, led from the top, win against every lie of the cards of that suit."""
    out = cards_in(theirs)
    for card in reversed(cards_in(mine)):
        if out and out[-1] > card:
            return False
        out = out[1:]  # at worst, the lowest one is played
    return True


def _surely_wins(view: View, card: int, out: int) -> bool:
    """Whether a card wins the current trick whatever the seats yet to play hold."""
    led = suit_of(view.trick[0][1])
    suit = suit_of(card)
    rank = (suit == SPADES, card) if suit in (led, SPADES) else (False, -1)
    if any((suit_of(c) == SPADES, c) > rank for _, c in view.trick if suit_of(c) in (led, SPADES)):
        return False
    if len(view.trick) == view.rules.players - 1:
        return True
    higher = out & SUIT_MASKS[suit] & ~((1 << card) - 1)
    ruffs = 0 if suit == SPADES else out & SUIT_MASKS[SPADES]
    return not higher and not ruffs
