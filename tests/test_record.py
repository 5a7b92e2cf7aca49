from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
import re
import zlib
from random import Random

import pytest
from random_rules import MIXES
from tabletop import CLUB_CARDS, DIAMOND_CARDS, HEART_CARDS, SPADE_CARDS, act, deal
from walks import finish_hand, random_game, state_of, walk

from spades_env.cards import parse_cards
from spades_env.game import Game
from spades_env.game.log import Start
from spades_env.records import format as record_format
from spades_env.records.record import Record, RecordError, replay
from spades_env.rules import Rules

SEEDS = range(12)
# Seat 0 drafts all clubs, seat 1 all spades; the diamonds and hearts are discarded in ascending order.
SUITS = deal("two_player", [CLUB_CARDS, SPADE_CARDS])
DRAFT = "BLIND_NIL KEEP LOOK KEEP" + 24 * " KEEP"


def replayed(game):
    return Record.from_json(game.record().to_json()).replay()


@pytest.mark.parametrize("mix", MIXES)
def test_every_form_gives_the_same_game_back_and_it_goes_on_alike(mix):
    phases = set()
    for step, game in enumerate(walk(7, MIXES[mix])):
        if step % 4 and game.phase in phases:
            continue
        record = game.record()
        text = record.to_json()
        assert Record.from_json(text) == record
        assert Record.from_json(text).to_json() == text
        assert Record.from_bytes(record.to_bytes()) == record
        if game.phase not in phases:
            phases.add(game.phase)
            for other in (replayed(game), pickle.loads(pickle.dumps(game)), copy.deepcopy(game), replay(record)):
                assert state_of(other) == state_of(game)
                assert other.record() == record
                assert state_of(finish_hand(other)) == state_of(finish_hand(game.clone()))
    assert len(phases) >= 3


@pytest.mark.parametrize("seed", SEEDS)
def test_random_matches_come_back_from_bytes(seed):
    for step, game in enumerate(walk(seed, hands=4)):
        if step % 11 == 0 or game.is_over:
            again = Game.from_bytes(game.to_bytes())
            assert state_of(again) == state_of(game)
            assert again.record() == game.record()
            assert again.to_bytes() == game.to_bytes()


def test_a_record_stays_as_it_is_when_its_game_goes_on():
    game = random_game(Random(1), Rules())
    record, text = game.record(), game.record().to_json()
    finish_hand(game)
    assert record.to_json() == text


def test_a_clone_goes_its_own_way():
    game = Game("two_player", seed=1)
    act(game, "LOOK")
    copied = game.clone()
    act(copied, "KEEP")
    assert (len(game.record().hands[0].actions), len(copied.record().hands[0].actions)) == (1, 2)
    assert game.drawn is not None
    assert state_of(game) != state_of(copied)


def test_decks_that_were_not_reached_yet_survive():
    rules = Rules(loss=None, target=10_000)
    decks = [Random(k).sample(rules.deck, 52) for k in range(3)]
    game = Game(rules, seed=5, decks=decks)
    again = replayed(game)
    assert again.record().decks == (decks[1], decks[2])
    for hand in range(3):
        assert again.record().hands[hand].deck == decks[hand]
        finish_hand(again)
    assert not again.record().hands[3].given


def test_positions_show_every_decision():
    game = Game("cutthroat", seed=4)
    expected = []
    while game.hand_number == 0:
        action = game.legal_actions()[-1]
        expected.append((game.phase, game.seat, action))
        game.apply(action)
    seen = [(game.phase, game.seat, action) for game, action in game.record().positions()]
    assert seen[:-1] == expected
    assert seen[-1] == (game.phase, game.seat, None)


@pytest.mark.parametrize("stop", ["", " 3C", " 3C 2C", " DONE", " 3C DONE", " 4C 3C 2C"])
def test_an_exchange_can_be_saved_at_any_point(stop):
    game = Game("two_player", seed=9, decks=[SUITS])
    act(game, DRAFT + stop)
    again = replayed(game)
    assert state_of(again) == state_of(game)
    assert again.record().hands[0].actions == game.record().hands[0].actions
    assert state_of(finish_hand(again)) == state_of(finish_hand(game))


def test_the_order_in_which_cards_are_given_up_is_kept():
    game = Game("two_player", seed=9)
    act(game, DRAFT)
    names = game.legal_actions()[2::-1]
    for card in names:
        game.apply(card)
    assert replayed(game).record().hands[0].actions[-3:] == names


def test_agents_are_named_by_seat(tmp_path):
    record = Game("solo", seed=1).record(["a", "b", "c", "ü"])
    assert Record.from_json(record.to_json()).agents == ("a", "b", "c", "ü")
    for agents in (["a"], "abcd", [1, 2, 3, 4]):
        with pytest.raises(ValueError, match="agents"):
            Game("solo", seed=1).record(agents)


def test_a_file_is_written_whole(tmp_path, monkeypatch):
    path = tmp_path / "match.json"
    record = Game("solo", seed=1).record()
    record.save(path)
    assert Record.load(path) == record
    assert path.read_text("utf8") == record.to_json()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        Game("two_player", seed=2).record().save(path)
    assert Record.load(path) == record
    assert os.listdir(tmp_path) == ["match.json"]


def sorted_keys(text):
    return json.dumps(json.loads(text), sort_keys=True)


@pytest.mark.parametrize(
    "change",
    {
        "sorted": sorted_keys,
        "sorted and indented": lambda text: json.dumps(json.loads(text), sort_keys=True, indent=2),
        "on one line": lambda text: json.dumps(json.loads(text), separators=(",", ":")),
        "byte-order mark": lambda text: "\ufeff" + text,
        "line ends": lambda text: text.replace("\n", "\r\n"),
        "all of them": lambda text: (
            "\ufeff" + json.dumps(json.loads(text), sort_keys=True, indent=4).replace("\n", "\r\n")
        ),
    }.items(),
    ids=lambda item: item[0],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("mix", ["two_player", "partnership"])
def test_a_record_as_another_program_leaves_it(mix, change, encoding, tmp_path):
    *_, game = walk(7, Rules.preset(mix))
    record = game.record(agents=["é"] * game.rules.players)
    path = tmp_path / "match.json"
    path.write_bytes(change[1](record.to_json()).encode(encoding))
    assert Record.load(path) == record
    assert Record.load(path).replay().to_bytes() == game.to_bytes()
    assert Record.from_json(change[1](record.to_json())).to_json() == record.to_json()


def test_what_was_changed_is_found_in_sorted_text_too():
    raw = json.loads(a_match().record().to_json())
    raw["hands"][0]["given"] = not raw["hands"][0]["given"]
    with pytest.raises(RecordError, match=r"line \d+: hand 1, (given|deck)"):
        Record.from_json(json.dumps(raw, sort_keys=True, indent=1))


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
@pytest.mark.parametrize("mask, mode", [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_files_have_the_users_usual_permissions(mask, mode, tmp_path):
    before = os.umask(mask)
    try:
        a_match().record().save(tmp_path / "match.json")
        assert (tmp_path / "match.json").stat().st_mode & 0o777 == mode
        (tmp_path / "match.json").chmod(0o640)
        a_match().record().save(tmp_path / "match.json")
        assert (tmp_path / "match.json").stat().st_mode & 0o777 == 0o640  # replaced, as it was
    finally:
        os.umask(before)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "match.json"
    path.write_bytes(b'{\n "format": "\xff"}')
    with pytest.raises(RecordError, match=r"line 2: .*UTF-8"):
        Record.load(path)


def test_text_to_read():
    rules = Rules.preset("two_player", target=300)
    deck = deal(rules, ["2C 4C 6C 8C TC QC AC 3D 5D 7D 9D JD KD", "3C 5C 7C 9C JC KC 2D 4D 6D 8D TD QD AD"])
    game = Game(rules, seed=(3, 4, 5), decks=[deck], scores=[-20, 95], bags=[0, 9])
    act(game, "BLIND_NIL REJECT LOOK KEEP")
    act(game, 24 * "KEEP ")
    assert game.record(["cat", "dog"]).to_text().splitlines()[1:10] == [
        "seed 3, table 4, match 5, spades_env 0.1.0",
        "seat 0: cat",
        "seat 1: dog",
        "",
        "Hand 1: seat 0 opens, score -20 : 95, bags 0 : 9",
        "  Draw 1: seat 0 rejects 2C, takes 2H",
        "  Draw 2: seat 1 keeps 3C, 3H is discarded",
        "  Draw 3: seat 0 keeps 4C, 4H is discarded",
        "  Draw 4: seat 1 keeps 5C, 5H is discarded",
    ]
    game = Game("two_player", seed=9, decks=[SUITS])
    act(game, DRAFT + " 3C 2C DONE BID_13 2S")
    received = " ".join(game.record().to_dict()["hands"][0]["received"][0].split())
    text = game.record().to_text()
    assert "  Blind: seat 0 bids blind nil, seat 1 looks\n" in text
    assert "  Seat 0 holds AC KC QC JC TC 9C 8C 7C 6C 5C 4C 3C 2C\n" in text
    assert f"  Exchange: seat 0 gives up 3C 2C, gets {received}\n" in text
    assert "  Bids: seat 1 bids 13\n" in text
    assert text.endswith("  Trick 1: seat 1 2S, ...\n")


def test_text_of_a_match_that_is_won():
    game = Game(
        "partnership",
        seed=1,
        scores=[495, 0],
        decks=[deal("partnership", [SPADE_CARDS, CLUB_CARDS, DIAMOND_CARDS, HEART_CARDS])],
    )
    act(game, "LOOK BID_13 LOOK BID_0 LOOK BID_0 BLIND_NIL 2S 2C")
    assert "  Bids: seat 0 looks, seat 0 bids 13, seat 1 looks, seat 1 bids nil, " in game.record().to_text()
    finish_hand(game)
    ending = game.record().to_text().splitlines()[-9:]
    assert ending[0].startswith("  Trick 13: seat 0 ")
    assert ending[0].endswith(": seat 0 wins it")
    assert ending[1:] == [
        "  Seat 0 bid 13 and won 13",
        "  Seat 1 bid nil and won 0",
        "  Seat 2 bid nil and won 0",
        "  Seat 3 bid blind nil and won 0",
        "  Seats 0 and 2: +230 points, score 725, bags 0",
        "  Seats 1 and 3: +300 points, score 300, bags 0",
        "",
        "seats 0 and 2 won the match",
    ]


# What is wrong is named


def line_of(error):
    found = re.match(r"line (\d+): ", str(error))
    assert found, error
    assert "\n" not in str(error)
    return int(found[1])


def altered(line, rng):
    """The line with one letter or digit changed to another of its kind."""
    places = [k for k, letter in enumerate(line) if letter.isalnum()]
    if not places:
        return None
    k = rng.choice(places)
    kind = next(kind for kind in ("0123456789", "ABCDEFHJKQST", "abcdefgh") if line[k] in kind or kind[0] == "a")
    return line[:k] + rng.choice(kind.replace(line[k], "")) + line[k + 1 :]


@pytest.mark.parametrize("mix", MIXES)
def test_any_change_is_refused_where_it_was_made(mix):
    *_, game = walk(3, MIXES[mix])
    lines = game.record(["a"] * game.rules.players).to_json().splitlines()
    rng = Random(0)
    for n, line in enumerate(lines):
        for _ in range(3):
            changed = altered(line, rng)
            if changed is not None:
                with pytest.raises(RecordError) as error:
                    Record.from_json("\n".join([*lines[:n], changed, *lines[n + 1 :]]))
                assert line_of(error.value) == n + 1, (line, changed)
        with pytest.raises(RecordError) as error:
            Record.from_json("\n".join([*lines[: n + 1], *lines[n:]]))
        assert line_of(error.value) == n + 2, ("twice", line)
        with pytest.raises(RecordError) as error:
            Record.from_json("\n".join([*lines[:n], *lines[n + 1 :]]))
        assert abs(line_of(error.value) - n - 1) <= 1, ("left out", line)
        with pytest.raises(RecordError) as error:
            Record.from_json("\n".join(lines[:n]))
        assert line_of(error.value) == max(n, 1), ("cut", line)


def a_match():
    """A hand with an exchange and a fixed deck, one that was shuffled, and the trick in which the third stands."""
    game = Game("two_player", seed=9, decks=[SUITS])
    act(game, DRAFT + " 3C 2C DONE BID_13")
    finish_hand(game)
    finish_hand(game)
    act(game, "LOOK REJECT LOOK KEEP")
    return game


def change_word(path, n, word):
    def change(raw):
        *above, last = path
        for key in above:
            raw = raw[key]
        words = raw[last].split()
        words[n] = word
        raw[last] = " ".join(words)

    return change


def put(path, value):
    def change(raw):
        *above, last = path
        for key in above:
            raw = raw[key]
        raw[last] = value

    return change


def append(path, value):
    def change(raw):
        for key in path:
            raw = raw[key]
        raw.append(value)

    return change


def drop(path):
    def change(raw):
        *above, last = path
        for key in above:
            raw = raw[key]
        del raw[last]

    return change


HAND = ("hands", 0)
WRONG = {
    "a card that is not held": (change_word((*HAND, "actions", 3), 1, "AS"), "hand 1, action 34: found AS, expected"),
    "a bid of 13 in a draft": (change_word((*HAND, "actions", 0), 5, "BID_13"), "hand 1, action 6: found BID_13, exp"),
    "actions after the end": (
        append((*HAND, "actions"), "2C 3C"),
        "hand 1, action 59: found 2C, expected the end of the hand",
    ),
    "a hand that does not end": (drop((*HAND, "actions", -1)), "hand 1, actions: end before the hand is over"),
    "a deck that was not shuffled": (
        put(
            ("hands", 1, "deck"),
            " ".join(reversed(Game("solo", seed=1).record().to_dict()["hands"][0]["deck"].split())),
        ),
        "hand 2, deck: found .. in place 1, the shuffle of the seed has ..",
    ),
    "another seed": (put(("seed",), [8, 0, 0]), "hand 2, deck: found .. in place 1"),
    "a fixed deck after a shuffled one": (
        put(("hands", 2, "given"), True),
        "hand 3, given: found true, expected false",
    ),
    "cards of nobody": (
        put((*HAND, "received"), ["AC AS", ""]),
        "hand 1, received: seat 0: found AC AS, expected 2 of",
    ),
    "too few cards": (put((*HAND, "received"), ["2H", ""]), "hand 1, received: seat 0: found 2H, expected 2 of"),
    "cards for seat 1": (put((*HAND, "received", 1), "4H"), r"hand 1, received: found \['.. ..', '4H'\], expected \["),
    "no cards": (drop((*HAND, "received")), "hand 1, received: seat 0: found , expected 2 of"),
    "wrong points": (put((*HAND, "result", "points"), [1, 2]), r"hand 1, result: points found \[1, 2\], expected"),
    "wrong tricks": (put((*HAND, "result", "tricks"), [13, 0]), r"hand 1, result: tricks found \[13, 0\], expected"),
    "no result": (drop((*HAND, "result")), "hand 1, actions: found the last trick of the hand, but no result"),
    "a winner too early": (put(("winner",), 1), "winner: found 1, expected None"),
    "a hand too few": (drop(("hands", 2)), "hands: found 2, expected 3"),
    "no hand": (put(("hands",), []), "hands: found none"),
    "decks after a shuffled hand": (put(("decks",), [" ".join(["AS"])]), "decks"),
    "fields unknown to rules": (put(("rules", "joker"), 1), "field 'joker': there is no such field"),
    "rules left out": (drop(("rules", "nil")), "rules: field 'nil' is missing"),
    "rules that make no sense": (put(("rules", "partners"), True), "rules: partners needs players=4"),
    "another rule": (put(("rules", "blind_nil"), 137), "hand 1, result: points found"),
    "other scores at the start": (put(("start", "scores"), [10, 0]), "hand 1, result: scores found"),
    "an opener out of range": (put(("start", "opener"), 2), r"start: opener must be an int in 0\.\.1, got 2"),
    "a result before the first hand": (put(("start", "last"), {}), "start: found a hand before the first"),
    "a float": (put(("start", "opener"), 0.0), r"start: opener must be an int in 0\.\.1, got 0\.0"),
    "true for one": (put(("format_version",), True), "format_version: found True, this version of spades_env reads 1"),
    "a later version": (put(("format_version",), 2), "format_version: found 2, this version of spades_env reads 1"),
    "another format": (put(("format",), "chess"), "format: found 'chess', expected 'spades-env match'"),
    "a seed of two": (put(("seed",), [1, 2]), r"seed: found \[1, 2\], expected \[seed, table, match\]"),
    "three agents": (put(("agents",), ["a", "b", "c"]), "agents: agents must hold 2 names"),
    "a bid of a card": (put((*HAND, "actions", 2), "BID_18"), "hand 1, actions: not an action: 'BID_18'"),
    "actions that are no list": (put((*HAND, "actions"), "AS"), "hand 1, actions: found 'AS', expected a list"),
    "a hand that is none": (put(("hands", 1), 5), "hand 2: found 5, expected fields"),
    "blind as numbers": (put((*HAND, "result", "blind"), [1, 0]), "hand 1, result: blind must hold true or false"),
    "short bids": (put((*HAND, "result", "bids"), [1]), "hand 1, result: bids must hold 2 ints"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_match_that_cannot_have_been_is_refused_even_with_a_right_digest(wrong):
    change, message = WRONG[wrong]
    raw = a_match().record().to_dict()
    change(raw)
    packed = zlib.compress(json.dumps(raw).encode())
    with pytest.raises(RecordError, match=f"^{message}"):
        Game.from_bytes(b"spades1\n" + hashlib.sha256(packed).digest() + packed)
    text = record_format.to_text(record_format.seal(raw))
    with pytest.raises(RecordError, match=rf"^line \d+: {message}") as error:
        Record.from_json(text).replay()
    assert "\n" not in str(error.value)


def test_a_hand_with_a_fixed_deck_may_have_drawn_other_cards_of_the_pile():
    raw = a_match().record().to_dict()
    raw["hands"] = raw["hands"][:1]
    hand = raw["hands"][0]
    hand["actions"] = hand["actions"][:3]
    del hand["result"]
    hand["received"] = ["2H AH", ""]
    game = Record.from_json(record_format.to_text(record_format.seal(raw))).replay()
    assert game.view(0).received == sum(1 << card for card in parse_cards("2H AH"))


def test_where_decks_are_shuffled_the_drawn_cards_are_the_seeds():
    game = Game("two_player", seed=1)
    act(game, DRAFT)
    for card in game.legal_actions()[:3]:
        game.apply(card)
    raw = game.record().to_dict()
    drawn = raw["hands"][0]["received"][0]
    raw["hands"][0]["received"][0] = "AS AC AH"
    with pytest.raises(RecordError, match=f"hand 1, received: seat 0: found AC AH AS, expected {drawn}"):
        Record.from_json(record_format.to_text(record_format.seal(raw))).replay()


def test_lines_are_named_in_any_layout():
    raw = a_match().record().to_dict()
    raw["winner"] = 1
    text = json.dumps(record_format.seal(raw), indent=4)
    with pytest.raises(RecordError, match="winner: found 1, expected None") as error:
        Record.from_json(text).replay()
    assert text.splitlines()[line_of(error.value) - 1].strip() == '"winner": 1,'
    assert Record.from_json(json.dumps(record_format.seal(a_match().record().to_dict()))) == a_match().record()


def test_a_record_may_begin_in_the_middle_of_a_match():
    whole = Game("solo", seed=6)
    finish_hand(whole)
    game = Game.from_start(
        whole.rules, (6, 0, 0), Start(whole.scores, whole.bags, 1, 1, whole.record().hands[0].result), []
    )
    assert state_of(game) == state_of(whole)
    assert state_of(replayed(game)) == state_of(whole)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{",
        '"',
        "{}",
        "[" * 100_000,
        '{"a":' * 100_000,
        "1" * 5000,
        "\x00",
        '{"format": NaN}',
        "\ud800",
    ],
)
def test_what_is_no_record_is_refused(text):
    with pytest.raises(RecordError):
        Record.from_json(text)


@pytest.mark.parametrize("data", [b"", b"spades1\n", "text", None, 5, pickle.dumps(1)])
def test_bytes_that_are_no_record_are_refused(data):
    with pytest.raises(RecordError):
        Game.from_bytes(data)


def test_damaged_bytes_are_refused():
    data = a_match().to_bytes()
    rng = Random(2)
    for _ in range(3000):
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 1, 5])):
            damaged[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        cut = bytes(damaged)[: rng.choice([None, None, rng.randrange(len(data))])]
        if cut != data:
            with pytest.raises(RecordError):
                Game.from_bytes(cut)


def test_texts_with_random_damage_are_refused_or_mean_the_same():
    record = a_match().record()
    text = record.to_json()
    rng = Random(3)
    pieces = [
        "null",
        "[",
        "]",
        "{",
        "}",
        '"',
        ",",
        "0",
        "-1",
        "1e9",
        "99999999999999999999",
        "true",
        "AS",
        "\\",
        "\n",
        "",
    ]
    refused = 0
    for _ in range(2000):
        at = rng.randrange(len(text))
        damaged = text[:at] + rng.choice(pieces) + text[at + rng.choice([0, 1, 1, 2, 7]) :]
        try:
            assert Record.from_json(damaged) == record
        except RecordError:
            refused += 1
    assert refused > 1900
