"""spades benchmark: a card of a tiny field, its figures, and every kind of tampering with it."""

from __future__ import annotations

import json
import shutil

import pytest
from spades_agents.registry import make_agent
from spades_command import fails, spades
from spades_training.benchmark.archive import RECORDS, digest, read_archive, write_archive
from spades_training.benchmark.card import markdown, run_benchmark
from spades_training.benchmark.field import FIELD, Field, behavior, digest_of
from spades_training.benchmark.figures import figures
from spades_training.benchmark.matches import Pairing, read_records, seats
from spades_training.benchmark.verify import verify
from spades_training.evaluation.evaluate import evaluate
from spades_training.maintenance.freeze import freeze

from spades_env.game import Game
from spades_env.records.format import seal
from spades_env.records.record import Record
from spades_env.rules import PRESETS, Rules

SHORT = {"target": 60, "loss": -60}
AGENT = "odd_agents:Dice"
PLAYERS = {
    "random": {"pairs": 2, "probe": 2, "probe_hands": 2, "reference_pairs": 3},
    "heuristic": {"pairs": 3, "probe": 2, "probe_hands": 2, "reference_pairs": 3},
}
PLAN = {
    "format": "spades-benchmark field",
    "name": "tiny 1",
    "seed": 5,
    "max_hands": 4,
    "time_limit": 20,
    "reference": "heuristic",
    "games": {
        "two_player": {"rules": Rules.preset("two_player", **SHORT).to_dict(), "players": PLAYERS},
        "cutthroat": {"rules": Rules.preset("cutthroat", **SHORT).to_dict(), "players": PLAYERS},
    },
}
RULES = Rules.from_dict(PLAN["games"]["two_player"]["rules"])
NAME = "two_player/heuristic/0001.json"


@pytest.fixture(scope="module")
def field(tmp_path_factory):
    """A file with a field of two players and two games."""
    folder = tmp_path_factory.mktemp("field")
    path = folder / "tiny_1.json"
    path.write_text(json.dumps(freeze(PLAN, folder / "freeze", workers=1)))
    return path


@pytest.fixture(scope="module")
def original(tmp_path_factory, field):
    """The folder of a card, and what the command printed."""
    folder = tmp_path_factory.mktemp("benchmark") / "dice"
    done = spades("benchmark", AGENT, "--field", field, "--workers", 1, "--out", folder)
    assert done.exit_code == 0, done.output
    return folder, done.stdout


@pytest.fixture
def folder(original, tmp_path):
    return shutil.copytree(original[0], tmp_path / "copy")


def checked(folder, field, *options):
    return spades("benchmark", "--verify", folder / "card.json", "--field", field, "--workers", 1, *options)


def refused(folder, field, *messages):
    """The card is refused with one line that holds the messages, and code 1."""
    done = checked(folder, field)
    assert (done.exit_code, done.stdout) == (1, ""), done.output
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    for message in messages:
        assert message in done.stderr
    return done.stderr


def sealed(folder, card, texts=None):
    """Write a card with correct digests and the Markdown that belongs to it, and the records."""
    if texts is not None:
        write_archive(folder / RECORDS, texts)
        card["records"] = {"matches": len(texts), "digest": digest(texts)}
    card["digest"] = digest_of({name: value for name, value in card.items() if name != "digest"})
    (folder / "card.json").write_text(json.dumps(card))
    (folder / "card.md").write_text(markdown(card))


def load(folder):
    return json.loads((folder / "card.json").read_text()), read_archive(folder / RECORDS)


def with_record(folder, text, name=NAME):
    """Put another record in the place of one, with digests that fit."""
    card, texts = load(folder)
    sealed(folder, card, {**texts, name: text})


def test_the_card_has_the_figures_of_evaluations(original):
    card, texts = load(original[0])
    assert list(card["games"]) == ["two_player", "cutthroat"]
    assert len(texts) == card["records"]["matches"] == (2 + 3) * 2 + (2 + 3) * 3
    for game, found in card["games"].items():
        rules = Rules.from_dict(PLAN["games"][game]["rules"])
        for row, (name, player) in zip(found["opponents"], PLAYERS.items(), strict=True):
            result = evaluate(AGENT, name, rules, matches=player["pairs"] * rules.sides, seed=5, max_hands=4)
            assert row["name"] == name
            assert row["win_rate"]["value"] == pytest.approx(result.win_rate.value, abs=1e-6)
            assert row["points_per_hand"]["value"] == pytest.approx(result.points_per_hand.value, abs=1e-6)
            assert row["points_per_hand"]["low"] == pytest.approx(result.points_per_hand.low, abs=1e-5)
            assert row["truncated"] == result.truncated
    assert card["games"]["two_player"]["agent"]["mean_bid"] == 3  # Dice always bids 3
    assert card["agent_digest"] is not None
    assert set(card["versions"]) == {"spades_env", "python", "numpy", "numba"}


def test_what_the_command_prints_and_writes(original):
    folder, out = original
    assert sorted(path.name for path in folder.iterdir()) == ["card.json", "card.md", RECORDS]
    text = (folder / "card.md").read_text()
    assert text in out
    assert "| `random` | 4 | " in text
    assert f"{AGENT}: tiny 1, two_player: rating " in out


def test_a_right_card_is_verified(original, field):
    done = checked(original[0], field)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.endswith("card.json: every match, figure and digest checked\n")
    done = checked(original[0], field, "--no-moves")
    assert "not checked: the opponents' moves\n" in done.stdout


def test_records_are_those_of_the_project(original, tmp_path):
    _, texts = load(original[0])
    record = Record.from_json(texts[NAME])
    assert record.seed == (5, 0, 0)
    assert record.agents == ("heuristic", AGENT)
    (tmp_path / "one.json").write_text(texts[NAME])
    assert "every deck, move and result checked" in spades("replay", tmp_path / "one.json").stdout


@pytest.mark.long
def test_workers_make_no_difference(original, field, tmp_path):
    card = run_benchmark(AGENT, tmp_path, Field.load(field), ["two_player"], workers=2)
    assert card["games"]["two_player"] == load(original[0])[0]["games"]["two_player"]


def test_a_changed_figure(folder, field):
    card, _ = load(folder)
    card["games"]["two_player"]["opponents"][1]["win_rate"]["value"] += 0.01
    sealed(folder, card)
    refused(folder, field, "figures are not those of the records: two_player.opponents[1].win_rate.value ")


def test_a_changed_rating(folder, field):
    card, _ = load(folder)
    card["games"]["cutthroat"]["rating"]["low"] += 1
    sealed(folder, card)
    refused(folder, field, "cutthroat.rating.low ")


@pytest.mark.parametrize("change", [{"date": "2020-01-01"}, {"code": "0" * 64}, {"timing": {}}])
def test_a_change_of_what_the_records_do_not_hold(folder, field, change):
    card, _ = load(folder)
    (folder / "card.json").write_text(json.dumps(card | change))
    refused(folder, field, "the card was changed: its digest is not that of its values")


def test_a_changed_text(folder, field):
    text = (folder / "card.md").read_text()
    (folder / "card.md").write_text(text.replace("Rating ", "Rating +"))
    refused(folder, field, "card.md: line 7 is not what the card says")


def test_a_changed_card_in_a_record(folder, field):
    _, texts = load(folder)
    raw = json.loads(texts[NAME])
    last = raw["hands"][0]["actions"]
    last[-1] = " ".join(reversed(last[-1].split()))
    with_record(folder, json.dumps(seal(raw)))
    refused(folder, field, f"{NAME}: ", "found ", "expected one of ")


def test_a_dropped_match(folder, field):
    card, texts = load(folder)
    del texts[NAME]
    sealed(folder, card, texts)
    refused(folder, field, f"{NAME}: the record is missing")


def test_a_further_match(folder, field):
    card, texts = load(folder)
    sealed(folder, card, texts | {"two_player/heuristic/0099.json": texts[NAME]})
    refused(folder, field, "two_player/heuristic/0099.json: there is no such match")


def test_a_swapped_deck(folder, field):
    _, texts = load(folder)
    raw, other = (json.loads(texts[f"two_player/heuristic/000{k}.json"]) for k in (1, 3))
    raw["hands"][0]["deck"] = other["hands"][0]["deck"]
    with_record(folder, json.dumps(seal(raw)))
    refused(folder, field, f"{NAME}: ", "the shuffle of the seed has")


def test_lucky_decks(folder, field):
    """A match that was played rightly, but with decks of another seed."""
    with_record(folder, played_match((6, 0)))
    refused(folder, field, f"{NAME}: seed (6, 0, 0), the field prescribes (5, 0, 0)")


def test_decks_that_were_fixed(folder, field):
    deck = Game(RULES, seed=9).log.current.deck
    with_record(folder, played_match((5, 0), decks=[deck]))
    refused(folder, field, f"{NAME}: fixed decks True, the field prescribes False")


def test_swapped_seats(folder, field):
    _, texts = load(folder)
    with_record(folder, texts["two_player/heuristic/0000.json"])
    refused(folder, field, f"{NAME}: seats ({AGENT!r}, 'heuristic'), the field prescribes ('heuristic', {AGENT!r})")


def test_a_match_that_ends_early(folder, field):
    with_record(folder, played_match((5, 0), moves=20))
    refused(folder, field, f"{NAME}: the match ends early, and the card says of no forfeit")


def test_an_invented_forfeit(folder, field):
    card, _ = load(folder)
    row = card["games"]["two_player"]["opponents"][1]
    row["forfeits"] = [{"match": 1, "kind": "crash", "message": ""}]
    sealed(folder, card)
    refused(folder, field, f"{NAME}: the card says that the agent forfeited it, but it was played to its end")


def test_an_opponent_that_was_made_weaker(folder, field):
    """Everything fits together, but the opponent's moves are not those of the player that it is said to be."""
    card, texts = load(folder)
    texts[NAME] = played_match((5, 0), opponent="random")
    part = Field.load(field).part("two_player")
    pairings = []
    for opponent in part.opponents:
        own = [text for name, text in sorted(texts.items()) if name.startswith(f"two_player/{opponent.name}/")]
        played = read_records(RULES, 5, AGENT, opponent.name, 0, own)
        assert isinstance(played, list)
        pairings.append(Pairing(opponent, played=played))
    card["games"]["two_player"] = figures(AGENT, pairings, part, Field.load(field)) | {"differs": []}
    sealed(folder, card, texts)
    assert checked(folder, field, "--no-moves").exit_code == 0
    refused(folder, field, "two_player, heuristic: match 1, hand 1: seat 0 plays ", "heuristic here plays ")


def test_a_damaged_archive(folder, field):
    data = (folder / RECORDS).read_bytes()
    (folder / RECORDS).write_bytes(data[: len(data) // 2])
    refused(folder, field, f"{RECORDS} is damaged")


def test_a_card_without_a_field(folder, field):
    card, _ = load(folder)
    del card["games"]["cutthroat"]["opponents"]
    (folder / "card.json").write_text(json.dumps(card))
    refused(folder, field, "the card lacks a field or has a value of another type")


def test_a_card_of_another_field(folder):
    done = spades("benchmark", "--verify", folder / "card.json")
    assert done.exit_code == 1
    assert "the card is of tiny 1 of digest " in done.stderr


def test_an_opponent_that_is_no_longer_that_of_the_field(field, tmp_path):
    raw = json.loads(field.read_text())
    raw["games"]["two_player"]["players"]["random"]["behavior"] = "0" * 64
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(raw))
    done = spades(
        "benchmark", AGENT, "--field", changed, "--rules", "two_player", "--workers", 1, "--out", tmp_path / "card"
    )
    assert "**Not comparable:** random differs from tiny 1." in done.stdout
    refused(tmp_path / "card", changed, "two_player: random differs from tiny 1, as the card says")
    card, _ = load(tmp_path / "card")
    card["games"]["two_player"]["differs"] = []
    sealed(tmp_path / "card", card)
    assert verify(tmp_path / "card" / "card.json", Field.load(changed), workers=1) == [
        "the moves of random in two_player: in this installation it differs from tiny 1"
    ]


def test_a_crash_is_a_forfeit(field, tmp_path):
    done = spades(
        *("benchmark", "odd_agents:Crashes", "--field", field, "--rules", "two_player"),
        *("--workers", 1, "--out", tmp_path / "card", "--json"),
    )
    rows = json.loads(done.stdout)["games"]["two_player"]["opponents"]
    forfeits = [forfeit for row in rows for forfeit in row["forfeits"]]
    assert forfeits
    assert {(one["kind"], one["message"]) for one in forfeits} == {("crash", "RuntimeError: no idea what to play")}
    assert all(row["losses"] >= len(row["forfeits"]) for row in rows)
    assert checked(tmp_path / "card", field).exit_code == 0


def test_a_player_of_the_field_does_not_meet_itself(field, tmp_path):
    card = run_benchmark("heuristic", tmp_path, Field.load(field), ["two_player"], workers=1)
    assert [row["name"] for row in card["games"]["two_player"]["opponents"]] == ["random"]
    result = evaluate("heuristic", "random", RULES, matches=4, seed=5, max_hands=4).a
    own = card["games"]["two_player"]["agent"]
    for name in ("points_per_hand", "contract_made", "nil_tried", "blind_nil_made", "bags_per_hand", "mean_tricks"):
        assert own[name] == pytest.approx(getattr(result, name), abs=1e-6)
    assert verify(tmp_path / "card.json", Field.load(field), workers=1) == []


def test_bad_input(tmp_path, field):
    fails("error: give a player to benchmark, or --verify CARD", "benchmark")
    fails("error: give a player to benchmark, or --verify CARD", "benchmark", "random", "--verify", "x")
    fails("error: spades-benchmark 1 has no game 'bridge': use one of ", "benchmark", "random", "--rules", "bridge")
    fails("error: unknown agent 'best'", "benchmark", "best", "--field", field)
    fails("error: cannot read ", "benchmark", "--verify", tmp_path / "none.json")
    (tmp_path / "list.json").write_text("[]")
    fails(f"error: {tmp_path / 'list.json'} is not a card", "benchmark", "--verify", tmp_path / "list.json")
    fails("error: not the file of a field", "benchmark", "random", "--field", tmp_path / "list.json")


def test_the_field_that_is_shipped():
    """Published fields never change: a new one gets a file and a number of its own."""
    field = Field.load(FIELD)
    assert field.name == "spades-benchmark 1"
    assert sorted(field.games) == sorted(PRESETS)
    for game in field.games:
        part = field.part(game)
        assert part.rules == PRESETS[game]
        assert field.reference in [opponent.name for opponent in part.opponents]
        for opponent in part.opponents:
            assert len(opponent.behavior) == 64
            pairs = 0 if opponent.name == field.reference else opponent.reference_pairs
            assert len(opponent.wins) == len(opponent.losses) == pairs


@pytest.mark.parametrize("game", PRESETS)
def test_the_fast_players_are_still_those_of_the_field(game):
    """If this fails, the player has changed: docs/benchmark.md says how the next field is made."""
    field = Field.load(FIELD)
    part = field.part(game)
    for one in part.opponents:
        if one.name in ("random", "heuristic", "learned"):
            found = behavior(one.name, part.rules, field.seed, one.probe, one.probe_hands)
            assert found == one.behavior, f"{one.name} differs from {field.name}"


def played_match(seed, decks=(), moves=10_000, opponent="heuristic"):
    """The text of match 1 against the heuristic, in which the agent's moves are those of the random player."""
    game = Game(RULES, seed=seed, decks=decks)
    players = make_agent(opponent), make_agent("random")
    for player in players:
        player.reset(1)
    for _ in range(moves):
        if game.is_over or len(game.log.finished) == PLAN["max_hands"]:
            break
        game.apply(players[game.seat].act(game.view()))
    return game.record(seats(AGENT, "heuristic", 1, RULES)).to_json()
