"""Sets of bits in a uint64, and random streams: the primitives under every kernel.

``spread`` and ``popcount`` are written in LLVM's portable vector types, which compile to one or two
instructions on machines that have them (``vpmovm2b`` with AVX-512, ``cnt`` on ARM).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from spades_env.engine.jit import jit

U64 = np.uint64
LINE = 64  # bytes in a cache line
_BITS = ir.VectorType(ir.IntType(1), 64)
_BYTES = ir.VectorType(ir.IntType(8), 64)


def _primitive(definition: Callable[..., Any]) -> Callable[..., Any]:
    """Numba's ``intrinsic``, with the type that kernels see: without the typing context."""
    return intrinsic(definition)


@_primitive
def popcount(typingctx: Any, word: Any) -> Any:
    """The number of set bits of a uint64, as an int64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@_primitive
def lowest(typingctx: Any, word: Any) -> Any:
    """The index of the lowest set bit of a uint64 (64 if there is none), as an int64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@_primitive
def highest(typingctx: Any, word: Any) -> Any:
    """The index of the highest set bit of a uint64 (-1 if there is none), as an int64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.int64(types.uint64), codegen


def _spread(nontemporal: bool) -> Callable[..., Any]:
    def definition(typingctx: Any, row: Any, start: Any, word: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array, offset, bits = args
            data = context.make_array(signature.args[0])(context, builder, array).data
            target = builder.bitcast(builder.gep(data, [offset]), _BYTES.as_pointer())
            zeros_and_ones = builder.zext(builder.bitcast(bits, _BITS), _BYTES)
            store = builder.store(zeros_and_ones, target, align=LINE if nontemporal else 1)
            if nontemporal:
                store.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)]))
            return context.get_dummy_value()

        if not (isinstance(row, types.Array) and row.dtype == types.int8 and row.ndim == 1):
            return None
        return types.void(row, types.int64, types.uint64), codegen

    return _primitive(definition)


# spread(row, start, word) writes the 64 bits of `word` as 64 bytes of 0 or 1 to row[start:start + 64] (row: 1-D int8,
# contiguous). The non-temporal variant bypasses the caches: row[start] must be the start of a cache line, and fence()
# must be called before another thread reads it.
spread = _spread(nontemporal=False)
spread_nontemporal = _spread(nontemporal=True)


@_primitive
def gather(typingctx: Any, row: Any, start: Any) -> Any:
    """The inverse of ``spread``: a uint64 with bit ``k`` set where ``row[start + k]`` is not 0, for k below 64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, offset = args
        data = context.make_array(signature.args[0])(context, builder, array).data
        found = builder.load(builder.bitcast(builder.gep(data, [offset]), _BYTES.as_pointer()), align=1)
        set_ones = builder.icmp_unsigned("!=", found, ir.Constant(_BYTES, None))
        return builder.bitcast(set_ones, ir.IntType(64))

    return types.uint64(row, types.int64), codegen


@_primitive
def fence(typingctx: Any) -> Any:
    """A full memory barrier: earlier writes become visible to other threads."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), codegen


@_primitive
def blank(typingctx: Any, row: Any, visible: Any) -> Any:
    """Set ``row[k]`` to -1 wherever bit ``k`` of ``visible`` is clear, for k below 64 (row: 1-D int8, contiguous)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, bits = args
        data = context.make_array(signature.args[0])(context, builder, array).data
        place = builder.bitcast(data, _BYTES.as_pointer())
        hidden = builder.sext(builder.bitcast(builder.not_(bits), _BITS), _BYTES)
        builder.store(builder.or_(builder.load(place, align=1), hidden), place, align=1)
        return context.get_dummy_value()

    return types.void(row, types.uint64), codegen


@_primitive
def prefetch(typingctx: Any, rows: Any, row: Any, offset: Any) -> Any:
    """Prefetch the cache line ``offset`` bytes into ``rows[row]`` for writing: a hint, harmless past the end."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        number, byte = ir.IntType(32), ir.IntType(8).as_pointer()
        (stride, *_) = cgutils.unpack_tuple(builder, array.strides)
        place = builder.add(builder.mul(args[1], stride), args[2])
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        to_write, keep, data = (ir.Constant(number, value) for value in (1, 3, 1))
        builder.call(function, [builder.gep(builder.bitcast(array.data, byte), [place]), to_write, keep, data])
        return context.get_dummy_value()

    return types.void(rows, types.intp, types.intp), codegen


def stack_words(count: int) -> Callable[..., Any]:
    """A primitive that returns a pointer to ``count`` uint64 on the caller's stack, not cleared.

    Unlike an array argument, they cannot overlap anything else, so the compiler keeps them in registers.
    """

    @_primitive
    def allocate(typingctx: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return cgutils.alloca_once(builder, ir.IntType(64), size=count)

        return types.CPointer(types.uint64)(), codegen

    return allocate


@jit
def bit(index):
    """A uint64 with only bit ``index`` set."""
    return U64(1) << U64(index)


@jit
def ones(count, most):
    """The lowest ``count`` bits set, with ``count`` clipped to 0..most."""
    return bit(min(max(count, 0), most)) - U64(1)


@jit
def suit_mask(suit):
    """The set of all cards in a suit."""
    return U64(0x1FFF) << U64(13 * suit)


@_primitive
def deposit(typingctx: Any, low: Any, word: Any) -> Any:
    """Move the low bits of ``low`` to the set bits of ``word``: the x86 instruction ``pdep`` (BMI2)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function_type = ir.FunctionType(ir.IntType(64), [ir.IntType(64)] * 2)
        pdep = cgutils.get_or_insert_function(builder.module, function_type, "llvm.x86.bmi.pdep.64")
        return builder.call(pdep, args)

    return types.uint64(types.uint64, types.uint64), codegen


if get_host_cpu_features().get("bmi2", False):

    @jit
    def select(word, n):
        """The index of the set bit of ``word`` that has ``n`` set bits below it (Pandey et al. 2017, with ``pdep``)."""
        return lowest(deposit(bit(n), word))

else:

    @jit
    def select(word, n):
        """The index of the set bit of ``word`` that has ``n`` set bits below it: six halvings, no branch."""
        index = 0
        for half in (32, 16, 8, 4, 2, 1):
            low = popcount(word & ((U64(1) << U64(half)) - U64(1)))
            skip = half if n >= low else 0
            n -= low if n >= low else 0
            word >>= U64(skip)
            index += skip
        return index


@jit
def mix(word):
    """A bijective hash of a uint64: the output function of SplitMix64 (Steele, Lea and Flood 2014)."""
    word = (word ^ (word >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> U64(27))) * U64(0x94D049BB133111EB)
    return word ^ (word >> U64(31))


GOLDEN = U64(0x9E3779B97F4A7C15)


@jit
def stream_key(seed, index):
    """The key of stream ``index`` of ``seed``, which does not depend on the batch."""
    return mix(mix(U64(seed) + GOLDEN) ^ (U64(index) * GOLDEN + GOLDEN))


@jit
def random_word(rng):
    """The next word of the SplitMix64 stream whose state is ``rng[0]``."""
    rng[0] += GOLDEN
    return mix(rng[0])


@jit
def scaled(word, n):
    """Map the high half of a random word to 0..n-1 by multiply and shift (Lemire 2019).

    The bias is below n / 2**32.
    """
    return np.int64(((word >> U64(32)) * U64(n)) >> U64(32))


@jit
def below(rng, n):
    """A uniform random number in 0..n-1 from the stream whose state is ``rng[0]``."""
    return scaled(random_word(rng), n)
