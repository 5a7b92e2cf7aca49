"""Nobody is sent a card that its seat may not know, and nobody plays for another seat."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re

import aiohttp
import pytest
from spades_training.web.seat import EXAMPLES, HELP
from spades_training.web.tables.store import BYSTANDER, GameStore
from web_server import PlainPage, WebServer, run_async, saved_game

from spades_env import Record
from spades_env.cards import RANKS, SUITS, cards_in, parse_card
from spades_env.game import Phase
from spades_env.rules import PRESETS, Rules

RANK_WORDS = dict(zip(("jack", "queen", "king", "ace"), "JQKA", strict=True)) | {"10": "T"}
SUIT_WORDS = dict(zip(("clubs", "diamonds", "hearts", "spades"), "CDHS", strict=True))
SYMBOLS = dict(zip("♣♦♥♠", "CDHS", strict=True))
MENTION = re.compile(
    rf"card-([{RANKS}][{SUITS}])|\b(\d+|jack|queen|king|ace) of (clubs|diamonds|hearts|spades)|"
    rf"\b(10|[{RANKS}])([♣♦♥♠])|\b([{RANKS}][{SUITS}])\b|data-do=\\*\"(\d+)\\*\""
)


def mentioned(text: str) -> list[int]:
    """The cards that a text names in any way, in order."""
    found = []
    # An action may be written as its number.
    for reference, rank, suit, short, symbol, name, action in MENTION.findall(text):
        if action:
            found += [int(action)] if int(action) < 52 else []
        elif rank:
            found.append(parse_card(RANK_WORDS.get(rank, rank) + SUIT_WORDS[suit]))
        else:
            found.append(parse_card(reference or name or short + SYMBOLS[symbol]))
    return found


def test_every_way_to_name_a_card_is_found():
    text = 'card-AS, 10 of hearts, queen of clubs, T♦, 10♠, 5♣, KD <button data-do="51"> {\\"data-do=\\"3\\"}'
    assert [(c % 13, c // 13) for c in mentioned(text)] == [
        (12, 3), (8, 2), (10, 0), (8, 1), (8, 3), (3, 0), (11, 1), (12, 3), (3, 0)
    ]  # fmt: skip


def known_before_play(game: Record, seat: int) -> tuple[set[int], list[int]]:
    """In the first hand, the cards that a seat knows without any play of another one, and the others' plays."""
    known: set[int] = set()
    plays: list[int] = []
    for position, action in game.positions():
        if position.hand_number:
            break
        if seat >= 0:
            view = position.view(seat)
            for cards in (view.hand, view.discards_seen, view.given, view.received):
                known |= set(cards_in(cards))
            known |= {view.drawn} if view.drawn is not None else set()
        if position.phase == Phase.PLAY and action is not None and position.seat != seat:
            plays.append(action)
    return known, plays


def check_texts(texts: list[str], record: Record, seat: int) -> int:
    """Others' cards appear in the order in which they were played, and no other card appears at all.

    One message may tell several plays, in any order.
    """
    known, plays = known_before_play(record, seat)
    plays = [card for card in plays if card not in known]
    seen: set[int] = set()
    # A tie leads to another hand, in which the cards mean something else.
    later = [k for k, text in enumerate(texts) if "hand 2 ·" in text]
    for text in texts[: later[0]] if later else texts:
        new = set(mentioned(text)) - known - seen
        assert new == set(plays[len(seen) : len(seen) + len(new)])
        seen |= new
    assert later or len(seen) == len(plays)
    return len(seen)


async def play_hand(page: PlainPage, rng: random.Random) -> None:
    """Click something legal whenever the seat is asked, until the match is over."""
    for _ in range(4000):
        if "The match is over" in page.content():
            return
        choices = page.choices()
        if choices:
            await page.click(*rng.choice(choices))
            before = choices[0][1]
            for _ in range(400):
                if page.choices()[:1] != choices[:1] and not any(moves == before for _, moves in page.choices()):
                    break
                await asyncio.sleep(0.005)
        await asyncio.sleep(0.005)
    raise AssertionError("the hand did not end")


def one_hand(name: str) -> Rules:
    return Rules.preset(name, target=1, loss=-1)


def games_of(path, count: int) -> list[tuple[str, str, int]]:
    """Games of one hand, all presets in turn: the links of a seat and of a bystander, and the seat."""
    store, found = GameStore(path), []
    for k in range(count):
        rules = one_hand(list(PRESETS)[k % len(PRESETS)])
        seat = k % rules.players
        players = ["heuristic"] * rules.players
        players[seat] = ""
        saved = saved_game(store, rules, players, seed=100 + k)
        found.append((saved.link(seat), saved.link(BYSTANDER), seat))
    store.close()
    return found


@pytest.mark.parametrize("hands", [5, pytest.param(20, marks=pytest.mark.long)])
def test_no_hidden_card_is_sent_to_a_page(hands, tmp_path, report):
    path = tmp_path / "games.sqlite"
    games = games_of(path, hands)

    async def one(http, address: str, link: str, public: str, seat: int) -> int:
        page = await PlainPage(http, address, f"/seat/{link}").open()
        onlooker = await PlainPage(http, address, f"/seat/{public}").open()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(play_hand(page, random.Random(seat)), 100)
        await asyncio.sleep(0.3)
        async with http.get(f"{address}/seat/{link}/record") as response:
            assert response.status == 200, await response.text()
            record = Record.from_json(await response.text())
        assert record.replay().is_over
        assert json.dumps(record.seed) not in page.texts[0]
        # Before the first move nothing but the examples of the help names a card.
        page.texts[0] = page.texts[0].replace(HELP, "").replace(EXAMPLES, "")
        page.texts[1:] = [text.replace("A card to give up, such as 7D", "") for text in page.texts[1:]]
        assert not mentioned(page.texts[0] + onlooker.texts[0])
        found = check_texts(page.texts, record, seat)
        check_texts(onlooker.texts, record, -1)
        assert link not in "".join(onlooker.texts)
        await page.close()
        await onlooker.close()
        return found

    async def everything(address: str) -> int:
        async with aiohttp.ClientSession() as http:
            return sum([await one(http, address, *game) for game in games])

    with WebServer(path) as server:
        cards = run_async(everything(server.address))
    report(f"{hands} hands, {cards} cards of others seen only when they were played")
    assert cards >= 10 * hands
