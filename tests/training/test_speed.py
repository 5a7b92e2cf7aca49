"""Large slowdowns, as ratios to fixed work measured in turn; absolute times are not tested.

The limits are a third of the measured ratios. A busy machine passes; a kernel that has fallen back to Python, compiles
in every call or makes needless copies fails.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from spades_training.bench.loops import aec_loop, gymnasium_loop, vector_loop
from spades_training.bench.nothing import NothingAEC, wrapped_nothing
from spades_training.bench.ours import random_loop, step_loop

from spades_env import SpadesEnv, SpadesVectorEnv, Tables, spades_v0

COUNT = 1024


def numpy_loop():
    """NumPy unpacks and counts the bits of 1,024 observations; each row counts as a decision."""
    packed = np.random.default_rng(0).integers(0, 256, (COUNT, 128), dtype=np.uint8)

    def loop() -> int:
        for _ in range(4):
            np.unpackbits(packed, axis=1).sum(1)
        return 4 * COUNT

    return loop


def tables(rules):
    return lambda: random_loop(Tables(rules, COUNT, 0), 4)


def vector():
    env = SpadesVectorEnv(COUNT, "two_player", "random")
    return vector_loop(
        lambda: env.reset(seed=0)[1]["action_mask"], lambda actions: env.step(actions)[4]["action_mask"], 2
    )


# (what, fixed work, ratio of their rates as measured)
PAIRS = {
    "Tables.step_random, partnership": (tables("partnership"), numpy_loop, 5.5),
    "Tables.step_random, two_player": (tables("two_player"), numpy_loop, 5.5),
    "Tables.step": (lambda: step_loop(Tables("partnership", COUNT, 0), 4), numpy_loop, 3.8),
    "SpadesVectorEnv": (vector, numpy_loop, 2.2),
    "spades_v0.env": (lambda: aec_loop(spades_v0.env()), lambda: aec_loop(wrapped_nothing()), 3.4),
    "spades_v0.raw_env": (lambda: aec_loop(spades_v0.raw_env()), lambda: aec_loop(NothingAEC()), 0.6),
    "SpadesEnv": (lambda: gymnasium_loop(SpadesEnv(opponents="random")), lambda: aec_loop(NothingAEC()), 0.19),
}


@pytest.mark.parametrize("what", PAIRS)
def test_no_slower_than_a_third_of_what_was_measured(what, report):
    make, make_fixed, measured = PAIRS[what]
    loops = make(), make_fixed()
    for loop in loops:
        loop()  # compiles
    best = [0.0, 0.0]
    for _ in range(7):
        for k, loop in enumerate(loops):
            start = time.process_time()  # excludes the time of other processes
            made = loop()
            best[k] = max(best[k], made / (time.process_time() - start))
    ratio = best[0] / best[1]
    report(f"{ratio:.2f} of the fixed work's rate")
    assert ratio > measured / 3
