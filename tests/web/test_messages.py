"""Forged and malformed messages and links are refused and logged, change nothing, and the server goes on."""

from __future__ import annotations

import asyncio
import random
import string
import urllib.parse
from typing import Any

import aiohttp
import pytest
import socketio
from spades_training.web.tables.store import BYSTANDER, GameStore
from web_server import PlainPage, WebServer, run_async, saved_game

from spades_env.cards import BID_0, LOOK
from spades_env.rules import Rules


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A server, and the links of the two persons and the bystander at its only table."""
    path = tmp_path_factory.mktemp("web") / "games.sqlite"
    store = GameStore(path)
    saved = saved_game(store, Rules.preset("partnership"), ["", "", "heuristic", "heuristic"], seed=5)
    links = {role: f"/seat/{link}" for link, role in saved.links.items()}
    store.close()
    with WebServer(path) as server:
        yield server, links


REFUSED = '<span class="refused">It is not your turn.</span>'


async def settled() -> None:
    await asyncio.sleep(0.5)


def test_only_the_seat_on_turn_can_act(table):
    server, links = table

    async def run() -> None:
        async with aiohttp.ClientSession() as http:
            first, second, public = [await PlainPage(http, server.address, links[k]).open() for k in (0, 1, BYSTANDER)]
            await settled()
            assert first.choices() == [(70, 0), (LOOK, 0)]
            assert second.choices() == public.choices() == []
            before = public.content()

            await second.click(LOOK, 0)
            await public.click(LOOK, 0)
            await settled()
            assert "It is not your turn" in second.content()
            assert public.content().replace(REFUSED, "") == before
            await second.click(LOOK, 0, client_id=first.client_id)  # the page of another seat
            await first.click(BID_0 + 3, 0)  # a bid before looking
            await settled()
            assert "BID_3 is not possible: blind nil" in first.content()
            await first.click(LOOK, 7)  # for another move
            await settled()
            assert "The table has changed since" in first.content()
            assert first.choices() == [(70, 0), (LOOK, 0)]

            await first.click(LOOK, 0)
            await settled()
            assert len(first.choices()) == 14
            assert "looks at its cards" in public.content()
            for page in (first, second, public):
                await page.close()

    run_async(run())
    assert "it is for a page that this connection has not opened" in server.log()


def test_guessed_links_get_nothing(table):
    server, links = table
    token = links[0].removeprefix("/seat/")
    swapped = token[:-1] + ("A" if token[-1] != "A" else "B")
    guesses = [
        "",
        "x",
        swapped,
        token[:-1],
        token + "A",
        token.swapcase(),
        "%00",
        "..%2f..%2fetc",
        "a" * 5000,
        "' OR 1=1--",
    ]

    async def run() -> None:
        async with aiohttp.ClientSession() as http:
            for kind in ("seat", "watch"):
                for guess in guesses:
                    async with http.get(f"{server.address}/{kind}/{urllib.parse.quote(guess, safe='%')}") as response:
                        assert response.status == (200 if (kind, guess) == ("watch", "") else 404), (kind, guess)
                        assert token not in await response.text()
            async with http.get(f"{server.address}/watch/{token}") as response:
                assert response.status == 404  # a seat's link does not open all hands
            for guess in guesses[1:4]:
                async with http.get(f"{server.address}/seat/{guess}/record") as response:
                    assert response.status == 404
            async with http.get(f"{server.address}{links[0]}/record") as response:
                assert response.status == 403  # every card, before the end
                assert "once the match is over" in await response.text()
            async with http.get(server.address, headers={"Host": "elsewhere.example"}) as response:
                assert response.status == 400

    run_async(run())


def odd_value(rng: random.Random, depth: int = 0) -> Any:
    """Something that a message may hold instead of what it should."""
    text = "".join(rng.choice(string.printable + "é♠\x00") for _ in range(rng.randrange(12)))
    kinds = [None, True, rng.randrange(-(2**53), 2**53), rng.random(), text, "x" * rng.choice([1, 3000]), [], {}]
    if depth < 2:
        kinds += [[odd_value(rng, depth + 1) for _ in range(3)], {text: odd_value(rng, depth + 1)}]
    return rng.choice(kinds)


def odd_message(rng: random.Random, page: PlainPage) -> tuple[str, Any]:
    """An event whose message is wrong in one or more places."""
    element, listener = page.hand()
    good = {"id": element, "client_id": page.client_id, "listener_id": listener, "args": ['"71"', '"0"']}
    kind = rng.choice(["event", "event", "event", "javascript_response", "ack", "log", "handshake", "none_such"])
    if rng.random() < 0.15:
        return kind, odd_value(rng)
    fields = rng.sample(list(good), rng.randrange(1, 4))
    wrong = good | {field: odd_value(rng) for field in fields}
    if rng.random() < 0.5:
        wrong = good | {
            "args": rng.choice(
                [[], ['"71"'], ["{"], ["71", "0"], ['"1e3"', '"0"'], ['"-1"', '"0"'], ['"99999"', '"9"']]
            )
        }
    if rng.random() < 0.3:
        del wrong[rng.choice(list(wrong))]
    return kind, wrong


def test_malformed_messages_are_refused_and_the_server_goes_on(table, report):
    server, links = table
    rng = random.Random(1)

    async def run() -> None:
        async with aiohttp.ClientSession() as http:
            page = await PlainPage(http, server.address, links[1]).open()
            await settled()
            before = page.content().count("Right opponent")
            for _ in range(2000):
                kind, message = odd_message(rng, page)
                await page.client.emit(kind, message)
            raw = socketio.AsyncClient(http_session=http, reconnection=False)
            await raw.connect(server.address, socketio_path="/_nicegui_ws/socket.io", transports=["websocket"])
            await raw.emit("event", {"id": 1})
            await raw.disconnect()
            await asyncio.sleep(3)
            # Still the same game, and the page still works.
            fresh = await PlainPage(http, server.address, links[0]).open()
            await settled()
            assert fresh.choices()
            assert page.content().count("Right opponent") == before
            await page.close()
            await fresh.close()

    log = server.log()
    run_async(run())
    new = server.log()[len(log) :]
    assert "Traceback" not in new, new[-3000:]
    assert new.count("refused") > 1000
    report(f"2,000 malformed messages: {new.count('refused')} refused by the guard, no exception")
