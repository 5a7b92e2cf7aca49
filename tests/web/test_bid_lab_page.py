"""The bid lab in a browser: from a typed or clicked hand to its bars."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from spades_agents.bidder.advice import advise
from spades_training.bidding.shown import bid_rows
from web_server import WebServer

from spades_env.cards import hand_text, parse_hand
from spades_env.rules import Rules

HAND = parse_hand("AS KS 4S AH 7H 2H KC 9C 3C TD 5D 4D 2D")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Iterator[WebServer]:
    with WebServer(tmp_path_factory.mktemp("lab") / "games.sqlite") as server:
        yield server


def shown(page) -> list[list[str]]:
    rows = page.locator(".study .bids tbody tr").all()
    return [[text.strip() for text in row.locator("> *").all_inner_texts()] for row in rows]


def wait_for(page, advice) -> None:
    """Wait until the table holds this advice."""
    expected = [
        [row.name, f"{100 * v.win:.1f}", f"{v.points:+.1f}", f"{100 * v.made:.1f}", f"{v.their_points:+.1f}"]
        for row in bid_rows(advice)
        for v in [row.value]
    ]
    page.wait_for_function(
        "rows => JSON.stringify([...document.querySelectorAll('.study .bids tbody tr')].map(row => "
        "[...row.cells].map(cell => cell.innerText.trim()))) == JSON.stringify(rows)",
        arg=expected,
    )


def test_from_a_typed_hand_to_the_bars(new_page, site):
    page = new_page()
    page.goto(f"{site.address}/bid-lab")
    page.get_by_text("choose 13 cards: 0 are chosen").wait_for()
    page.get_by_label("Hand, such as").fill("♠AK4 ♥A72 ♣K93 ♦T542")
    wait_for(page, advise(HAND, Rules.preset("two_player")))
    assert page.locator(".card-key[aria-pressed=true]").count() == 13
    page.wait_for_selector(".study .grid")
    assert page.locator(".study .grid").count() == 2

    page.get_by_label("Your points").fill("400")
    page.get_by_label("Their bags").fill("8")
    wait_for(page, advise(HAND, Rules.preset("two_player"), (400, 0), (0, 8)))
    page.get_by_label("Their bags").fill("10")
    page.get_by_text("their bags must be an int in 0..9, got 10").wait_for()
    assert not page.locator(".study .bids").is_visible()


def test_partners_and_bids_before(new_page, site):
    page = new_page()
    page.goto(f"{site.address}/bid-lab")
    page.get_by_label("Hand, such as").fill(hand_text(HAND))
    for label, choice in (
        ("Rules", "partnership"),
        ("You bid", "third"),
        ("Partner's bid", "nil"),
        ("Second bid", "5"),
    ):
        page.get_by_label(label, exact=True).click()
        page.get_by_role("option", name=choice, exact=True).click()
    wait_for(page, advise(HAND, Rules.preset("partnership"), heard=[0, 5]))
    page.get_by_role("button", name="5", exact=True).click()
    page.get_by_text("Tricks of your side above its contract if you bid 5").wait_for()


def test_on_a_phone_by_clicks_and_keys(new_page, site):
    page = new_page(360, 740)
    page.goto(f"{site.address}/bid-lab")
    page.get_by_role("button", name="A of spades").click()
    page.get_by_role("button", name="10 of diamonds").focus()
    page.keyboard.press("Enter")
    page.get_by_text("2 of 13 cards").wait_for()
    assert page.get_by_label("Hand, such as").input_value() == "AS TD"
    page.get_by_role("button", name="A of spades").click()
    page.get_by_text("1 of 13 cards").wait_for()
    page.get_by_label("Hand, such as").fill("AS XX")
    page.get_by_text("not a card: 'XX'").wait_for()
    page.get_by_role("button", name="Random hand").click()
    page.wait_for_selector(".study .grid")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
