"""Clicks are answered quickly while many tables are in use and search players think at others."""

from __future__ import annotations

import asyncio
import time

import aiohttp
import numpy as np
import pytest
from spades_training.web.tables.store import ALL_HANDS, GameStore
from web_server import PlainPage, WebServer, saved_game

from spades_env.rules import Rules

TABLES, SEARCHED = 50, 5


@pytest.mark.long
def test_clicks_are_answered_while_search_players_think(tmp_path, report):
    path = tmp_path / "games.sqlite"
    store = GameStore(path)
    rules = Rules.preset("partnership")
    links = [saved_game(store, rules, ["", *["heuristic"] * 3], k, pace=0.1).link(0) for k in range(TABLES)]
    searched = [saved_game(store, rules, ["pimc"] * 4, k, pace=0.05).link(ALL_HANDS) for k in range(SEARCHED)]
    store.close()
    times: list[float] = []

    async def person(http: aiohttp.ClientSession, address: str, link: str, end: float) -> None:
        """Click once a second, and measure until the page has changed."""
        page = await PlainPage(http, address, f"/seat/{link}").open()
        while time.monotonic() < end:
            choices = page.choices()
            if choices:
                clicked = time.perf_counter()
                await page.click(*choices[len(choices) // 2])
                while page.choices()[:1] == choices[:1] and time.perf_counter() - clicked < 10:
                    await asyncio.sleep(0.002)
                times.append(time.perf_counter() - clicked)
            await asyncio.sleep(1)
        await page.close()

    async def everybody(address: str) -> tuple[int, int]:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as http:
            watchers = [await PlainPage(http, address, f"/watch/{link}").open() for link in searched]
            await asyncio.sleep(30)  # until the search is compiled and thinks
            before = sum(len(page.texts) for page in watchers)
            end = time.monotonic() + 60
            await asyncio.gather(*(person(http, address, link, end) for link in links))
            after = sum(len(page.texts) for page in watchers)
            for page in watchers:
                await page.close()
            return before, after

    with WebServer(path) as server:
        before, after = asyncio.run(everybody(server.address))
    median, late = np.percentile(times, [50, 95])
    report(
        f"{len(times)} clicks at {TABLES} tables: median {1000 * median:.0f} ms, 95th percentile {1000 * late:.0f} ms; "
        f"{after - before} messages from {SEARCHED} tables of pimc meanwhile"
    )
    assert len(times) > 10 * TABLES
    assert after > before
    assert late < 0.2
