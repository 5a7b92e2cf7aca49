"""Records opened for review: what is refused, and how a page moves in one that is not."""

from __future__ import annotations

import json
import random

import pytest
from spades_agents import make_agent
from spades_training.web.study.opened import MOST_BYTES, open_record, opened, same_match

from spades_env.game import Game
from spades_env.records.record import Record
from spades_env.rules import Rules


def played(rules: str, hands: int, seed: int = 0) -> Game:
    game, player = Game(rules, seed), make_agent("random")
    player.reset(0)
    while not game.is_over and game.hand_number < hands:
        game.apply(player.act(game.view()))
    return game


@pytest.fixture(scope="module")
def record() -> Record:
    return played("two_player", 1).record(["Ann", "Bob"])


def mutations(text: str, count: int) -> list[bytes]:
    """Texts with a character, a line, a word or a value changed, and texts cut short."""
    rng = random.Random(0)
    lines, found = text.split("\n"), []
    for _ in range(count):
        kind, at = rng.randrange(7), rng.randrange(len(text))
        k, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        changed = list(lines)
        if kind == 0:
            found.append(text[:at] + chr(rng.randrange(32, 127)) + text[at + 1 :])
        elif kind == 1:
            found.append(text[:at])
        elif kind == 2:
            found.append(text[:at] + text[at + rng.randrange(1, 9) :])
        elif kind == 3:
            changed[k], changed[j] = changed[j], changed[k]
            found.append("\n".join(changed))
        elif kind == 4:
            del changed[k]
            found.append("\n".join(changed))
        elif kind == 5:
            changed.insert(k, changed[j])
            found.append("\n".join(changed))
        else:
            data = json.loads(text)
            place = rng.choice([data, data["rules"], data["start"], data["hands"][0]])
            values = (None, -1, 10**30, "", "AS", [], {}, True, 1.5, [[[]]])
            place[rng.choice(list(place))] = rng.choice(values)
            found.append(json.dumps(data))
    return [one.encode() for one in found]


def test_a_changed_record_is_refused_in_one_line(record, report):
    text = record.to_json()
    whole = open_record(text.encode())
    refused = 0
    for data in mutations(text, 500):
        try:
            found = open_record(data)
        except ValueError as error:
            refused += 1
            message = str(error)
            assert message.isprintable()
            assert 10 < len(message) < 400, message
        else:  # white space and the order of fields do not matter
            assert found.digest == whole.digest
    report(f"{refused} of 500 changed records refused, the others are the same match")
    assert refused > 450


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 100,
        b"\xff\xfe",
        b"null",
        b"[]",
        b"{}",
        b'{"format": "spades-env match"}',
        b"[" * 100_000,
        b"GIF89a",
        '{"format": "é'.encode("latin-1"),
        b"1" * 5000,
    ],
)
def test_other_files_are_refused_in_one_line(data):
    with pytest.raises(ValueError, match=r"^.{10,400}$"):
        open_record(data)


def test_a_large_file_is_not_read():
    with pytest.raises(ValueError, match=r"the file is 1,000,001 bytes long; records of up to 1,000,000 bytes"):
        open_record(b" " * (MOST_BYTES + 1))


def test_steps_are_the_positions_of_the_record(record):
    found = opened(record)
    assert len(found.steps) == len(record.hands[0].actions) + 1
    for step, (game, action) in zip(found.steps, record.positions(), strict=True):
        assert step.action == action
        assert step.view(1) == game.view(1)
        assert step.table.hands == game.hands


def test_told():
    """The last 26 actions of a hand are its cards."""
    game = played("two_player", 2)
    found = opened(game.record(["Ann", "Bob"]))
    hands = found.hands()
    assert list(hands) == [1, 2]
    assert hands[1] == 0
    assert found.hand_of(hands[2] - 1) == 1
    assert found.hand_of(len(found.steps) - 1) == 2
    first = found.record.hands[0].actions
    assert found.told(hands[2] - 1).startswith("hand 1, trick 13: seat ")
    assert found.told(len(first) - 26).startswith("hand 1, trick 1: seat ")
    assert " plays " in found.told(len(first) - 26)
    assert found.told(len(found.steps) - 1) == "the record ends here"
    over = opened(played("two_player_dealt", 100).record())
    assert over.told(len(over.steps) - 1) == f"the match is won by seat {over.record.winner}"
    assert over.hand_of(len(over.steps) - 1) == len(over.record.hands)
    first, second = over.steps[-1].table.scores
    bags = over.steps[-1].table.bags
    assert over.steps[-1].scores == f"seat 0: {first} points, {bags[0]} bags; seat 1: {second} points, {bags[1]} bags"


def test_next_part_moves_by_tricks_and_phases():
    """Without blind nil a dealt hand has 2 bids and 13 tricks of 2 cards."""
    game = Game(Rules.preset("two_player_dealt", blind_nil=0), 1)
    player = make_agent("random")
    player.reset(0)
    while game.hand_number < 1:
        game.apply(player.act(game.view()))
    found = opened(game.record())
    at, starts = 0, [0]
    while at < len(found.steps) - 1:
        at = found.next_part(at, 1)
        starts.append(at)
    assert starts == [0, *range(2, 28, 2), 28]
    assert [found.next_part(k, -1) for k in (28, 5, 4, 1, 0)] == [26, 4, 2, 0, 0]


def test_holders(record):
    """After the draft each of 52 cards is with seat 0, seat 1 or nobody."""
    found = opened(record)
    at = len(record.hands[0].actions) - 26
    holders = list(found.holders(at).values())
    assert [holders.count(seat) for seat in (0, 1, -1)] == [13, 13, 26]
    assert [list(found.holders(at + 4).values()).count(seat) for seat in (0, 1, -1)] == [11, 11, 26]


def test_same_match():
    game = played("solo", 1)
    earlier = Game("solo", 0)
    assert same_match(game.record(), earlier.record(["a", "b", "c", "d"]))
    assert not same_match(game.record(), Game("solo", 1).record())
    assert not same_match(game.record(), Game("partnership", 0).record())
