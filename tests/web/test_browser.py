"""A person plays in a real browser: by clicks and by keys, on a large screen and on a phone."""

from __future__ import annotations

import json
import signal

import pytest
from spades_agents import make_agent
from spades_training.terminal.claim import proven_claim
from spades_training.web.tables.store import GameStore
from web_server import WebServer, saved_game

from spades_env import Game, Record
from spades_env.cards import BID_0, LOOK
from spades_env.rules import PRESETS, Rules

WIDE, NARROW = (1280, 900), (360, 780)
LEGAL = "[data-keys] [data-do]:not([aria-disabled])"


@pytest.fixture(scope="module")
def play(tmp_path_factory):
    """A server, and a link for each size and preset, and for further tests; matches end after one hand."""
    path = tmp_path_factory.mktemp("web") / "games.sqlite"
    store, links = GameStore(path), {}
    for name in PRESETS:
        rules = Rules.preset(name, target=1, loss=-1)
        for size in (WIDE, NARROW):
            players = ["", *["heuristic"] * (rules.players - 1)]
            links[name, size] = f"/seat/{saved_game(store, rules, players, seed=11, auto=True).link(0)}"
    solo = Rules.preset("solo")
    for name in ("keys", "undo", "reload"):
        links[name] = f"/seat/{saved_game(store, solo, ['', *['heuristic'] * 3], seed=3, auto=True).link(0)}"
    links["claim"] = f"/seat/{before_a_claim(store).link(0)}"
    store.close()
    with WebServer(path) as server:
        yield server, links


def before_a_claim(store: GameStore):
    """A partnership game in which seat 0 is on turn and can prove that it takes at least three tricks more."""
    rules, player = Rules.preset("partnership", target=1, loss=-1), make_agent("heuristic")
    for seed in range(100):
        game = Game(rules, seed)
        while not game.is_over:
            view = game.view()
            if game.seat == 0 and view.hand.bit_count() >= 3 and proven_claim(view):
                saved = saved_game(store, rules, ["", *["heuristic"] * 3], seed)
                saved.actions = bytes(action for hand in game.log.hands for action in hand.actions)
                store.save(saved)
                return saved
            game.apply(player.act(view))
    raise AssertionError("no such game")


def legal(page):
    return page.locator(LEGAL)


def play_to_the_end(page, act) -> int:
    """Call ``act`` whenever the seat is asked, until the match is over; returns the number of decisions."""
    for count in range(200):
        page.wait_for_selector(f"{LEGAL}, .result")
        if page.locator(".result").count():
            return count
        moves = legal(page).first.get_attribute("data-move")
        act(page)
        page.wait_for_selector(f"[data-do]:not([data-move='{moves}']), .result", state="attached")
    raise AssertionError("the match did not end")


def saved_record(page, address: str) -> Record:
    path = page.locator("a", has_text="Save the record").get_attribute("href")
    response = page.request.get(address + path)
    assert response.ok, response.text()
    return Record.from_json(response.text())


# Every preset at one size; the other sizes take as long again.
SIZES = {"wide": WIDE, "narrow": NARROW}
HANDS = [
    pytest.param(name, size, id=f"{name}-{width}", marks=[pytest.mark.long] * ((number + shift) % 2))
    for number, name in enumerate(PRESETS)
    for shift, (width, size) in enumerate(SIZES.items())
]


@pytest.mark.parametrize("name,size", HANDS)
def test_a_hand_by_clicks(name, size, play, new_page):
    server, links = play
    page = new_page(*size)
    page.goto(server.address + links[name, size])
    count = play_to_the_end(page, lambda page: legal(page).last.click())
    assert count >= 10
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    record = saved_record(page, server.address)
    assert record.replay().is_over
    assert record.rules == Rules.preset(name, target=1, loss=-1)


def test_a_hand_by_keys(play, new_page):
    server, links = play
    page = new_page(*WIDE)
    page.goto(server.address + links["keys"])
    page.wait_for_selector(LEGAL)

    def act(page):
        page.keyboard.press("ArrowRight")  # to the first choice, or the one after the last
        for _ in range(15):
            focused = page.evaluate(
                "(() => { const e = document.activeElement; return [e.dataset.do, e.ariaDisabled]; })()"
            )
            if focused[0] and not focused[1]:
                break
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")

    for _ in range(8):
        page.wait_for_selector(LEGAL)
        moves = legal(page).first.get_attribute("data-move")
        act(page)
        page.wait_for_selector(f"[data-do]:not([data-move='{moves}'])", state="attached")
    # The rest is typed: any letter goes to the input.
    for _ in range(30):
        page.wait_for_selector(f"{LEGAL}, .sheet")
        if page.locator(".sheet").count():
            break
        card = legal(page).first
        moves, words = card.get_attribute("data-move"), card.get_attribute("aria-label")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.type(words)
        page.keyboard.press("Enter")
        page.wait_for_selector(f"[data-do]:not([data-move='{moves}']), .sheet", state="attached")
    assert page.locator(".sheet tbody tr").count() == 4  # one hand, four sides


def test_hint_undo_and_an_illegal_card(play, new_page):
    server, links = play
    page = new_page(*WIDE)
    page.goto(server.address + links["undo"])
    page.click(f"[data-do='{LOOK}']")
    page.click('[data-command="hint"]')
    page.wait_for_function("document.querySelector('.said').innerText.includes('The scripted player would choose')")
    page.click(f"[data-do='{BID_0 + 2}']")
    page.wait_for_selector("button.in-hand")
    page.click('[data-command="undo"]')
    page.wait_for_selector(f"[data-do='{BID_0 + 5}']")
    assert "taken back" in page.inner_text(".said")
    page.click(f"[data-do='{BID_0 + 5}']")
    page.wait_for_selector("button.in-hand")
    assert "bid 5" in page.inner_text(".seat-bottom .plate-line")
    for _ in range(13):  # until a suit must be followed
        page.wait_for_selector(LEGAL)
        off = page.locator("button.in-hand[aria-disabled]")
        if off.count():
            break
        legal(page).first.click()
        page.wait_for_timeout(200)
    why = off.first.get_attribute("title")
    assert why.startswith(("you must follow suit in", "spades are not broken"))
    moves = off.first.get_attribute("data-move")
    off.first.click(force=True)  # Playwright waits until a button is enabled
    page.wait_for_function("document.querySelector('.refused') !== null")
    assert why in page.inner_text(".said")
    assert off.first.get_attribute("data-move") == moves


def test_reload_then_kill_and_restart(tmp_path, new_page):
    path = tmp_path / "games.sqlite"
    store = GameStore(path)
    saved = saved_game(store, Rules.preset("solo"), ["", *["heuristic"] * 3], seed=3, auto=True)
    link = f"/seat/{saved.link(0)}"
    store.close()
    page = new_page(*WIDE)
    with WebServer(path) as server:
        page.goto(server.address + link)
        page.click(f"[data-do='{LOOK}']")
        page.click(f"[data-do='{BID_0 + 3}']")
        for _ in range(3):
            page.wait_for_selector("button.in-hand:not([aria-disabled])")
            moves = legal(page).first.get_attribute("data-move")
            legal(page).first.click()
            page.wait_for_selector(f"[data-do]:not([data-move='{moves}'])", state="attached")
        page.wait_for_selector(LEGAL)
        before = page.inner_text(".own"), page.inner_text(".felt"), legal(page).first.get_attribute("data-move")
        page.reload()
        page.wait_for_selector(LEGAL)
        assert before == (
            page.inner_text(".own"),
            page.inner_text(".felt"),
            legal(page).first.get_attribute("data-move"),
        )
        server.end(signal.SIGKILL)
        page.errors.clear()  # the page notices that the server is gone
    page.context.close()
    page = new_page(*WIDE)
    with WebServer(path) as server:
        page.goto(server.address + link)
        page.wait_for_selector(LEGAL)
        assert before == (
            page.inner_text(".own"),
            page.inner_text(".felt"),
            legal(page).first.get_attribute("data-move"),
        )
        play_on = legal(page).first
        play_on.click()
        page.wait_for_selector(f"[data-do]:not([data-move='{before[2]}'])", state="attached")
    page.errors.clear()


def test_claim(play, new_page):
    server, links = play
    page = new_page(*NARROW)
    page.goto(server.address + links["claim"])
    page.wait_for_selector(LEGAL)
    page.click('[data-command="claim"]')
    page.wait_for_selector(".result")
    record = saved_record(page, server.address)
    assert record.replay().is_over


def test_a_new_game_from_the_first_page(play, new_page):
    server, _ = play
    page = new_page(*NARROW)
    page.goto(server.address)
    page.get_by_text("Cutthroat (three)").click()
    page.get_by_text("All rules").click()
    page.get_by_label("target", exact=True).fill("20000")
    page.click("[data-start]")
    page.wait_for_selector("[role=alert]:not(:empty)")
    assert "target must be an int in 1..10000, got 20000" in page.inner_text("[role=alert]")
    page.get_by_label("target", exact=True).fill("300")
    page.get_by_label("Seed").fill("8")
    page.click("[data-start]")
    page.wait_for_selector(LEGAL)
    assert page.locator(".seat").count() == 3
    assert "to 300" in page.inner_text(".facts")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_watch_bots_step_by_step(play, new_page):
    server, _ = play
    page = new_page(*NARROW)
    page.goto(server.address + "/watch")
    page.click("[data-start]")
    page.wait_for_selector(".felt")
    page.get_by_role("button", name="Step").click()
    page.get_by_role("button", name="Go on").wait_for()
    page.wait_for_timeout(500)
    cards = page.locator(".fan use").evaluate_all("all => all.map(e => e.getAttribute('href'))")
    assert len(cards) == 52
    assert len({*cards} - {"#card-back"}) == 52  # all hands are open
    said = page.inner_text(".said")
    page.get_by_role("button", name="Step").click()
    page.wait_for_function(f"document.querySelector('.said').innerText !== {json.dumps(said)}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
