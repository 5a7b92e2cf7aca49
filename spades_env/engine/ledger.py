"""The points and bags of a side, as the zeros and ones of ``spades_env.observation``."""

from __future__ import annotations

from spades_env.engine.bits import U64, bit
from spades_env.engine.jit import jit
from spades_env.observation import FIELDS, TARGET_STEP

_TO_TARGET, _BAGS, _BAG_ROOM = (
    FIELDS[name].start - FIELDS["score"].start for name in ("to_target", "bags", "bag_room")
)


@jit
def ones(count, most):
    """The lowest ``count`` bits set, with ``count`` clipped to 0..most."""
    return bit(min(max(count, 0), most)) - U64(1)


@jit
def side_block(r, score, bags):
    """The block of a side: score, to_target, bags and bag_room, in this order."""
    block = U64(min(max(score, -32768), 32767) & 0xFFFF)
    block |= ones((r.target - score + TARGET_STEP - 1) // TARGET_STEP, 16) << U64(_TO_TARGET)
    block |= U64(min(bags, 127)) << U64(_BAGS)
    return block | ones(r.bag_limit - bags, 10) << U64(_BAG_ROOM)
