"""Threads for studies, apart from those of the games that are being played."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")

# Kernels release the interpreter's lock, so that a page is answered while they run. Few threads leave cores to the
# players of games; long work has a thread of its own, so that what somebody waits for does not queue behind it.
_SHORT = ThreadPoolExecutor(2, thread_name_prefix="study")
_LONG = ThreadPoolExecutor(1, thread_name_prefix="study-long")


async def in_thread(work: Callable[..., Result], *args: Any, long: bool = False) -> Result:
    """``work(*args)``, run in a thread while the event loop goes on.

    Args:
        work: the function.
        args: its arguments.
        long: whether it takes more than a few seconds.
    """
    return await asyncio.get_running_loop().run_in_executor(_LONG if long else _SHORT, work, *args)
