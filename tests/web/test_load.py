"""Clicks are answered quickly while many tables are in use and search players think at others."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time

import aiohttp
import numpy as np
import pytest
from spades_training.web.tables.store import ALL_HANDS, GameStore
from web_server import PlainPage, WebServer, run_async, saved_game

from spades_env.rules import Rules

TABLES, SEARCHED, SECONDS = 50, 5, 40


@pytest.mark.long
def test_clicks_are_answered_while_search_players_think(tmp_path, report):
    path = tmp_path / "games.sqlite"
    store = GameStore(path)
    rules = Rules.preset("partnership")
    links = [saved_game(store, rules, ["", *["heuristic"] * 3], k, pace=0.1).link(0) for k in range(TABLES)]
    searched = [saved_game(store, rules, ["pimc"] * 4, k, pace=0.05).link(ALL_HANDS) for k in range(SEARCHED)]
    store.close()
    times: list[float] = []

    async def person(page: PlainPage, end: float) -> None:
        """Click every two seconds, and measure until the page has changed."""
        await asyncio.sleep(random.random() * 2)
        while time.monotonic() < end:
            choices = page.choices()
            if choices:
                clicked = time.perf_counter()
                await page.click(*choices[len(choices) // 2])
                while page.choices()[:1] == choices[:1] and time.perf_counter() - clicked < 10:
                    page.changed.clear()
                    await asyncio.wait_for(page.changed.wait(), 10)
                times.append(time.perf_counter() - clicked)
            await asyncio.sleep(2)

    async def everybody(address: str) -> int:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
            watchers = [await PlainPage(http, address, f"/watch/{link}").open() for link in searched]
            pages = [await PlainPage(http, address, f"/seat/{link}").open() for link in links]
            while min(len(page.texts) for page in watchers) < 10:  # until the search is compiled and thinks
                await asyncio.sleep(0.5)
            before = sum(len(page.texts) for page in watchers)
            end = time.monotonic() + SECONDS
            await asyncio.gather(*(person(page, end) for page in pages))
            after = sum(len(page.texts) for page in watchers)
            for page in (*watchers, *pages):
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(page.close(), 2)
            return after - before

    with WebServer(path) as server:
        searches = run_async(everybody(server.address))
    median, late = np.percentile(times, [50, 95])
    report(
        f"{len(times)} clicks at {TABLES} tables: median {1000 * median:.0f} ms, 95th percentile {1000 * late:.0f} ms; "
        f"{searches} messages from {SEARCHED} tables of pimc meanwhile"
    )
    assert len(times) > 8 * TABLES
    assert searches > 0
    assert late < 0.2
