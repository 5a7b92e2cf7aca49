"""Who takes the trick, and what that is worth, while no nil is alive."""

from spades_agents.compiler import jit
from spades_agents.heuristic.notes import above, chance_of_none
from spades_env.engine.bits import suit_mask
from spades_env.engine.play import led_suit


@jit
def beats(card, best):
    """Whether ``card`` takes the trick from ``best``, the best card of the trick so far."""
    if card // 13 == best // 13:
        return card > best
    return card // 13 == 3


@jit
def takes_trick(s, card):
    """Whether the seat on turn takes the trick, as far as it has been played, with ``card``."""
    return s.in_trick == 0 or beats(card, s.best_card)


@jit
def suit_to_follow(s, card):
    """The suit of the trick, if the seat on turn plays ``card``."""
    return card // 13 if s.in_trick == 0 else led_suit(s)


@jit
def chance_of_none_above(w, seat, best, own):
    """The chance that ``seat`` holds no higher card of its suit than ``best``; ``own``: a card of the seat on turn."""
    if own:
        return w.clear[4 * best + seat]
    return chance_of_none(w, seat, best // 13, above(w.out & suit_mask(best // 13), best))


@jit
def chance_to_beat(w, seat, led, best, clear):
    """The chance that a seat yet to play can take the trick from ``best``.

    ``clear`` is the chance that the seat holds no higher card of the suit of ``best``.
    """
    if best // 13 != led:
        return w.void[4 * seat + led] * (1.0 - clear)
    if led == 3:
        return 1.0 - clear
    return 1.0 - clear + w.void[4 * seat + led] * (1.0 - w.void[4 * seat + 3])


@jit
def trick_value(s, r, w, card):
    """Expected points from this trick if the seat on turn plays ``card``, over the seats that may take it."""
    seat = s.seat
    led = suit_to_follow(s, card)
    wins = takes_trick(s, card)
    best = card if wins else s.best_card
    value = w.value[seat] if wins else w.value[s.best_seat]
    for _ in range(r.players - 1 - s.in_trick):
        seat = seat + 1 if seat + 1 < r.players else 0
        clear = chance_of_none_above(w, seat, best, wins)
        value += chance_to_beat(w, seat, led, best, clear) * (w.value[seat] - value)
    return value
