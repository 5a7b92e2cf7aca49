"""A server of the tests in a process of its own, and a plain client of its websocket."""

from __future__ import annotations

import asyncio
import html
import json
import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import aiohttp
import socketio
from spades_training.web.tables.store import ALL_HANDS, BYSTANDER, GameStore, SavedGame

from spades_env.rules import Rules

Result = TypeVar("Result")


def saved_game(store: GameStore, rules: Rules, players: list[str], seed: int, **options: Any) -> SavedGame:
    """A new game in the file, with no pause between moves; ``""`` is a person."""
    names = tuple(player or f"person {seat}" for seat, player in enumerate(players))
    saved = SavedGame(rules, (seed, 0, 0), tuple(players), names, {"pace": 0.0, "auto": False, **options})
    persons = [seat for seat, player in enumerate(players) if not player]
    store.add(saved, [*persons, BYSTANDER] if persons else [ALL_HANDS])
    return saved


class WebServer:
    """``spades serve`` with a file of games; a context manager."""

    def __init__(self, games: Path, port: int = 0) -> None:
        self.games, self._port = games, port

    def __enter__(self) -> WebServer:
        left_out = ("PYTEST_CURRENT_TEST",)  # NiceGUI takes it as a sign that it runs in the process of the test
        env = {name: value for name, value in os.environ.items() if name not in left_out}
        command = [sys.executable, "-m", "spades_training.cli", "serve", "--no-browser"]
        command += ["--port", str(self._port), "--games", str(self.games)]
        self._log = self.games.with_suffix(".log").open("a")
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=env | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"},
        )
        assert self._process.stdout
        line = self._process.stdout.readline()
        self.address = re.findall(r"http://\S+:\d+", line)[0]
        self._port = int(self.address.rpartition(":")[2])
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.end(signal.SIGTERM)

    def end(self, how: signal.Signals) -> None:
        """End the process with a signal, and wait for its end."""
        self._process.send_signal(how)
        self._process.wait(20)
        if self._process.stdout:
            self._process.stdout.close()
        self._log.close()

    def log(self) -> str:
        """What the server has written to stderr."""
        return self.games.with_suffix(".log").read_text()


class PlainPage:
    """A page of the server without a browser: everything that is sent to it, and what it sends.

    Attributes:
        texts: the page itself without the sheet of card faces, then every message, in order.
    """

    def __init__(self, http: aiohttp.ClientSession, address: str, path: str) -> None:
        self._http, self._address, self._path = http, address, path
        self.client = socketio.AsyncClient(http_session=http, reconnection=False)
        self.texts: list[str] = []
        self.elements: dict[str, Any] = {}
        self.changed = asyncio.Event()
        self.client.on("*", self._received)
        self.client.on("disconnect", self._lost)
        self.lost = ""

    async def open(self) -> PlainPage:
        """Load the page and connect to its websocket."""
        async with self._http.get(self._address + self._path) as response:
            page = await response.text()
            assert response.status == 200, page[:500]
        raw = re.findall(r"parseElements\(String\.raw`(.*?)`\)", page, re.DOTALL)[0]
        self.elements = json.loads(html.unescape(raw))
        query = json.loads(re.findall(r"query: (\{.*?\}),\n", page)[0].replace("'", '"').replace("True", "true"))
        self.client_id = query["client_id"]
        self.texts.append(json.dumps([element for element in self.elements.values() if not is_sheet(element)]))
        query |= {"tab_id": str(uuid.uuid4()), "document_id": str(uuid.uuid4())}
        await self.client.connect(
            self._address + "?" + "&".join(f"{name}={str(value).lower()}" for name, value in query.items()),
            socketio_path="/_nicegui_ws/socket.io",
            transports=["websocket"],
            wait_timeout=30,
        )
        return self

    async def _lost(self, reason: str) -> None:
        self.lost = reason

    async def _received(self, event: str, data: Any = None) -> None:
        self.texts.append(json.dumps([event, data], ensure_ascii=False))
        if event == "update":
            for number, element in data.items():
                if isinstance(element, dict):
                    self.elements[number] = element
            self.changed.set()

    def content(self) -> str:
        """The HTML of all elements as they are now."""
        return "\n".join(
            str(e.get("props", {}).get("innerHTML", "")) for e in self.elements.values() if not is_sheet(e)
        )

    def hand(self) -> tuple[int, str]:
        """The ids of the element with the cards, and of its listener for clicks."""
        for number, element in self.elements.items():
            if "data-keys" in element.get("props", {}):
                return int(number), next(event["listener_id"] for event in element["events"])
        raise AssertionError("the page has no hand")

    def choices(self) -> list[tuple[int, int]]:
        """(action, move number) of every legal click."""
        hand = [e for e in self.elements.values() if "own" in e.get("class", ())]
        content = str(hand[0]["props"].get("innerHTML", "")) if hand else ""
        found = re.findall(r'data-do="(\d+)" data-move="(\d+)"([^>]*)>', content)
        return [(int(action), int(moves)) for action, moves, rest in found if "aria-disabled" not in rest]

    async def click(self, action: int, moves: int, client_id: str | None = None) -> None:
        """Send a click, as the page does."""
        element, listener = self.hand()
        message = {"id": element, "client_id": client_id or self.client_id, "listener_id": listener}
        assert not self.lost, f"the connection was lost: {self.lost}"
        await self.client.emit("event", message | {"args": [json.dumps(str(action)), json.dumps(str(moves))]})

    async def close(self) -> None:
        """Disconnect."""
        await self.client.disconnect()


def is_sheet(element: Any) -> bool:
    """Whether an element is the sheet of all card faces, which every page has."""
    return isinstance(element, dict) and "<symbol" in str(element.get("props", {}).get("innerHTML", ""))


def run_async(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine, run in a thread of its own: Playwright keeps a loop in the thread of the tests."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
