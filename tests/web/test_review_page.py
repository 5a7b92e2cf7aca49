"""Review in a browser: open, step, ratings, mistakes, exports, and what is not opened."""

from __future__ import annotations

import io
import json
import re
import socket
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from PIL import Image
from spades_agents import make_agent
from spades_agents.review import review
from spades_training.terminal.hints import action_words
from spades_training.web.study.opened import MOST_BYTES, open_record
from spades_training.web.tables.store import GameStore
from web_server import WebServer, saved_game

from spades_env.game import Game
from spades_env.records.record import Record
from spades_env.rules import Rules

RULES = Rules.preset("two_player_dealt", blind_nil=0)
SEED = 3


def played(game: Game, actions: int) -> Game:
    player = make_agent("random")
    player.reset(0)
    for _ in range(actions):
        game.apply(player.act(game.view()))
    return game


@pytest.fixture(scope="module")
def record() -> Record:
    """A hand of 28 actions between two players."""
    return played(Game(RULES, SEED), 28).record(["Ann <b>", "Bob"])


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Iterator[WebServer]:
    """A server with a finished game of a person and one that goes on, at ``site.over`` and ``site.running``."""
    path = tmp_path_factory.mktemp("review") / "games.sqlite"
    store = GameStore(path)
    links = []
    for seed, ended in ((11, True), (12, False)):
        saved = saved_game(store, RULES, ["", "heuristic"], seed)
        saved.actions, saved.ended = bytes(played(saved.game(), 10).log.current.actions), ended
        store.save(saved)
        links.append(saved.link(0))
    store.close()
    with WebServer(path) as server:
        server.over, server.running = links
        yield server


def opened(page, site, text: str, name: str = "record.json"):
    page.goto(f"{site.address}/review")
    upload(page, text, name)
    page.wait_for_selector(".study-picture svg")
    return page


def upload(page, text: str, name: str = "record.json") -> None:
    file = {"name": name, "mimeType": "application/json", "buffer": text.encode()}
    page.set_input_files("input[type=file]", file)


def told(page) -> str:
    return page.inner_text(".study-told")


def is_told(page, start: str) -> None:
    """Wait until this is what happens."""
    page.locator(".study-told", has_text=re.compile("^" + re.escape(start))).wait_for()


def cells(page, row: str) -> list[str]:
    return page.locator(f".study {row} > *").all_inner_texts()


def download(page, button: str) -> bytes:
    with page.expect_download() as event:
        page.get_by_role("button", name=button, exact=True).click()
    return event.value.path().read_bytes()


def test_step_rate_find_mistakes_and_export(new_page, site, record):
    page = opened(new_page(), site, record.to_json())
    assert told(page).startswith("hand 1, bids: seat 0 (Ann <b>) bids ")
    expected = {(one.index): one for one in review(record, "pimc:worlds=60")}
    first = expected[0]
    page.wait_for_selector(".study tr.played")
    best = f"{100 * first.ratings[first.best].value:.1f} %"
    assert cells(page, "tr.best")[1] == best
    assert action_words(first.action) in cells(page, "tr.played")[0]
    assert page.locator(".study tr.best, .study tr.best ~ tr").count() == len(first.ratings)
    # the belief: both hands of the others are 13 of 39 cards
    assert page.locator(".where caption").all_inner_texts() == ["seat 1 (Bob)", "in nobody's hand"]

    page.keyboard.press("ArrowRight")
    is_told(page, "hand 1, bids: seat 1 (Bob) bids ")
    page.keyboard.press("Shift+ArrowRight")
    is_told(page, "hand 1, trick 1: seat ")
    page.get_by_role("button", name="Step back").click()
    is_told(page, "hand 1, bids: seat 1")

    page.get_by_role("button", name="Find mistakes").click()
    worst = max(expected.values(), key=lambda one: one.cost)
    page.wait_for_selector(".study-mistake >> nth=9")
    page.get_by_role("button", name="Find mistakes").wait_for()
    texts = page.locator(".study-mistake").all_inner_texts()
    assert texts[0].startswith(f"{100 * worst.cost:.1f} % ± {100 * worst.error:.1f}: hand 1, ")
    assert texts[0].endswith(f"{action_words(worst.action)}; better {action_words(worst.best)}")
    page.locator(".study-mistake").first.click()
    is_told(page, texts[0].partition(": ")[2].partition(";")[0])
    assert f"step {worst.index + 1} of 29" in page.content()
    page.locator(".study tr.best", has_text=f"{100 * worst.ratings[worst.best].value:.1f} %").wait_for()

    assert Record.from_json(download(page, "Record").decode()) == record
    ElementTree.fromstring(download(page, "SVG"))
    with Image.open(io.BytesIO(download(page, "GIF of this hand"))) as gif:
        assert (gif.format, gif.size, gif.n_frames) == ("GIF", (768, 512), 28)


def test_hidden_cards_are_shown_only_on_request(new_page, site, record):
    page = opened(new_page(), site, record.to_json())
    page.wait_for_selector(".where")
    page.get_by_text("The table in words").click()
    words = page.locator(".study-words")
    assert words.inner_text().count("♠") == 1
    assert page.locator(".where td.true").count() == 0
    page.get_by_role("switch", name="Show all hands").click()
    page.wait_for_selector(".where td.true")
    assert page.locator(".where td.true").count() == 52 - 13
    assert words.inner_text().count("♠") == 2


def test_on_a_phone_by_keyboard_and_in_the_dark(new_page, site, record):
    page = new_page(360, 740)
    page.emulate_media(color_scheme="dark")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    opened(page, site, record.to_json())
    page.wait_for_selector(".study tr.played")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    is_told(page, "hand 1, trick 1: ")
    page.wait_for_selector(".where")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert {url.split(":")[0] for url in asked if not url.startswith(site.address)} <= {"data", "blob", "ws"}
    unnamed = page.locator("button:visible, [role=button]:visible, input:visible:not([tabindex='-1'])").evaluate_all(
        "all => all.filter(e => !e.ariaLabel && !e.innerText.trim() && !e.labels?.length).map(e => e.outerHTML)"
    )
    assert unnamed == []


def refusal(text: str) -> str:
    with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
        open_record(text.encode())
    return f"Not opened: {error.value}"


def test_bad_files_are_refused_and_the_page_goes_on(new_page, site, record):
    page = new_page()
    page.goto(f"{site.address}/review")
    text = record.to_json()
    changed = json.dumps(json.loads(text) | {"winner": 1})
    for bad, message in (
        ("not json", refusal("not json")),
        (changed, refusal(changed)),
        (text[: len(text) // 2], refusal(text[: len(text) // 2])),
        (" " * (MOST_BYTES + 1), f"Not opened: the file is not a .json file of at most {MOST_BYTES:,} bytes."),
    ):
        upload(page, bad)
        page.get_by_text(message, exact=True).wait_for()
    upload(page, text)
    page.wait_for_selector(".study-picture svg")
    assert not page.is_visible(".study-error")


@pytest.mark.parametrize(
    "header,status",
    [(f"Content-Length: {2 * MOST_BYTES}", 413), ("Content-Length: x", 400), ("Transfer-Encoding: chunked", 411)],
)
def test_a_long_body_is_refused_unread(site, header, status):
    host, _, port = site.address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        head = ["POST /_nicegui/client/x/upload/1 HTTP/1.1", f"Host: {host}", header, "", ""]
        connection.sendall("\r\n".join(head).encode())
        assert connection.recv(100).startswith(f"HTTP/1.1 {status} ".encode())


def test_games_of_the_server(new_page, site):
    """A finished one is opened by its link; one that goes on is not, neither by its link nor from a file."""
    page = new_page()
    page.goto(f"{site.address}/seat/{site.over}")
    page.get_by_role("link", name="Review the match").click()
    is_told(page, "hand 1, bids: seat 0 (person 0) bids ")
    assert "step 1 of 11" in page.content()

    for link in (site.running, "guessed"):
        page.goto(f"{site.address}/review?game={link}")
        page.wait_for_selector(".study-error")
        assert re.match(
            "Not opened: (The record shows every card|there is no such game)", page.inner_text(".study-error")
        )
        assert page.locator(".study-picture").count() == 0
    # somebody who knows the seed makes the record of the game himself
    page.goto(f"{site.address}/review")
    upload(page, played(Game(RULES, 12), 3).record().to_json())
    page.wait_for_selector(".study-error")
    assert page.inner_text(".study-error").startswith("Not opened: this game goes on at this server")
    assert page.locator(".study-picture").count() == 0
    # only the finished game is in the list
    page.get_by_label("Games of this server").click()
    page.get_by_role("option").first.wait_for()
    games = page.get_by_role("option").all_inner_texts()
    assert len(games) == 1
    assert re.fullmatch("Game 1: two_player_dealt.*, person 0, heuristic", games[0])
