"""What a person can do in a match in the terminal: choose players, undo, claim, resume, be stopped, play again."""

from __future__ import annotations

import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time

import pytest
from rich.console import Console
from spades_agents import make_agent
from spades_command import fails, spades
from spades_training.terminal.claim import proven_claim
from spades_training.terminal.match import TerminalMatch
from spades_training.terminal.scores import score_sheet, statistics

from spades_env import Game, Record
from spades_env.cards import BID_0, LOOK, NUM_CARDS, parse_cards
from spades_env.rules import Rules


def test_partnership_unless_told_otherwise_then_the_last_choice(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPADES_CONFIG_DIR", str(tmp_path / "config"))
    spades("play", "--seed", "1", stdin="q\n")
    spades("play", "--seed", "2", "--rules", "solo,target=300", stdin="q\n")
    spades("play", "--seed", "3", stdin="q\n")
    assert Record.load("spades-partnership-1.json").rules.name == "partnership"
    assert Record.load(next(tmp_path.glob("spades-*-3.json"))).rules == Rules.preset("solo", target=300)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"rules": 3}', '{"rules": "bridge"}', '{"rules": "solo,target=0"}'])
def test_a_damaged_choice_is_ignored(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPADES_CONFIG_DIR", str(tmp_path))
    (tmp_path / "play.json").write_text(text)
    assert spades("play", "--seed", "1", stdin="q\n").exit_code == 0
    assert (tmp_path / "spades-partnership-1.json").exists()


def test_partner_and_opponents_are_chosen_apart(tmp_path):
    path = tmp_path / "x.json"
    args = ["--against", "random", "--partner", "heuristic", "--seat", "1", "--record", path]
    assert spades("play", *args, stdin="q\n").exit_code == 0
    assert Record.load(path).agents == ("random", "you", "random", "heuristic")
    fails("error: --partner needs rules with partners, such as partnership, got solo", "play", "--rules", "solo",
          "--partner", "random")  # fmt: skip


def test_quit_and_resume(tmp_path):
    path = tmp_path / "x.json"
    first = spades("play", "--seed", "4", "--partner", "random", "--record", path, stdin="l\n3\nq\n")
    assert f"spades play --resume {path}" in first.output
    second = spades("play", "--resume", path, stdin="last\nscore\nq\n")
    assert second.exit_code == 0, second.output
    assert "The match continues." in second.output
    record = Record.load(path)
    assert record.agents == ("you", "heuristic", "random", "heuristic")
    assert record.replay().bids[0] == 3
    fails("error: --seed cannot be changed with --resume", "play", "--resume", path, "--seed", "1")
    game = Game("solo", 1)
    game.record().save(tmp_path / "other.json")
    fails(f"error: {tmp_path / 'other.json'} is not a match of yours", "play", "--resume", tmp_path / "other.json")


def test_the_command_that_continues_a_match_can_be_copied(tmp_path):
    (tmp_path / "my games").mkdir()
    path = tmp_path / "my games" / "x.json"
    last = spades("play", "--seed", "1", "--record", path, stdin="q\n").output.splitlines()[-1]
    assert shlex.split(last) == ["continue:", "spades", "play", "--resume", str(path)]


def test_a_finished_match_is_not_resumed(tmp_path):
    path, player, game = tmp_path / "x.json", make_agent("random"), Game(Rules.preset("two_player", target=1), 1)
    player.reset(1)
    while not game.is_over:
        game.apply(player.act(game.view()))
    game.record(["you", "random"]).save(path)
    fails(f"error: the match in {path} is over", "play", "--resume", path)


def test_undo_takes_back_the_last_choice(tmp_path):
    path = tmp_path / "x.json"
    result = spades("play", "--rules", "solo", "--seed", "5", "--record", path, stdin="u\nl\n3\nu\n5\nq\n")
    assert "There is nothing to take back." in result.output
    assert "Your last move is taken back." in result.output
    assert Record.load(path).replay().bids[0] == 5


def test_undo_after_resuming(tmp_path):
    path = tmp_path / "x.json"
    spades("play", "--rules", "solo", "--seed", "5", "--record", path, stdin="l\n3\nq\n")
    spades("play", "--resume", path, stdin="undo\nnil\nq\n")
    assert Record.load(path).replay().bids[0] == 0


def dealt(*hands, played=(), rules="solo", bids=3):
    """A solo game with these cards in the hands, each completed from the rest, after a play by every seat in turn."""
    given = [parse_cards(hand) for hand in hands]
    rest = [card for card in range(NUM_CARDS) if not any(card in hand for hand in given)]
    for hand in given:
        while len(hand) < 13:
            hand.append(rest.pop(0))
    deck = [given[k % 4][k // 4] for k in range(NUM_CARDS)]
    game = Game(rules, 0, decks=[deck])
    for _ in range(4):
        game.apply(LOOK)
        game.apply(BID_0 + bids)
    for card in parse_cards(" ".join(played)):
        game.apply(card)
    return game


SPADES = "AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
OTHERS = ("AH KH QH JH TH 9H 8H 7H 6H 5H 4H 3H 2H", "AC KC QC JC TC 9C 8C 7C 6C 5C 4C 3C 2C",
          "AD KD QD JD TD 9D 8D 7D 6D 5D 4D 3D 2D")  # fmt: skip


def test_a_claim_is_proven_from_what_the_seat_knows():
    assert proven_claim(dealt(SPADES, *OTHERS).view()) == parse_cards(SPADES)
    # Seven top spades do not draw the six others if they are in one hand and hearts must be led first.
    hand = "AS KS QS JS TS 9S 8S AH KH QH JH TH 9H"
    rest = ("7S 6S 5S 4S 3S 2S 8H 7H 6H 5H 4H 3H 2H", *OTHERS[1:])
    assert proven_claim(dealt(hand, *rest).view()) is None
    # Where spades may be led at once, they draw all trumps, and six hearts from the top outlast the seven others.
    free = Rules.preset("solo", spades_must_break=False)
    assert proven_claim(dealt(hand, *rest, rules=free).view()) == parse_cards(hand)
    # Two spades fewer: the opponent may keep one of eight.
    hand, rest = "AS KS QS JS TS AH KH QH JH TH 9H 8H 7H", ("9S 8S 7S 6S 5S 4S 3S 2S 6H 5H 4H 3H 2H", *OTHERS[1:])
    assert proven_claim(dealt(hand, *rest, rules=free).view()) is None


def test_a_proven_claim_wins_every_trick_however_the_others_play():
    player, proven = make_agent("random"), 0
    for seed in range(40):
        player.reset(seed)
        game = Game("partnership" if seed % 2 else "two_player", seed)
        while game.hand_number == 0 and proven < 1000:
            view = game.view()
            cards = proven_claim(view) if len(view.legal_actions()) > 1 else None
            if cards is not None:
                proven += 1
                assert sorted(cards) == [card for card in range(52) if view.hand >> card & 1]
                claimed, mine, before = game.clone(), game.seat, game.tricks[game.seat]
                todo = list(cards)
                while todo:
                    claimed.apply(todo.pop(0) if claimed.seat == mine else player.act(claimed.view()))
                while claimed.hand_number == 0 and not claimed.is_over:
                    claimed.apply(player.act(claimed.view()))
                assert claimed.last_hand["tricks"][mine] == before + len(cards)
            game.apply(player.act(view))
    assert proven > 20


def test_claim_plays_the_rest(tmp_path):
    """A hand of all spades: one word plays thirteen tricks."""
    game = dealt(SPADES, *OTHERS)
    lines = iter(["claim", "q"])
    console = Console(width=60, record=True, file=io.StringIO())
    match = TerminalMatch(game, make_agent("random"), 0, console)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("builtins.input", lambda _: next(lines))
        assert match.play() is False
    text = console.export_text()
    assert "The claim is proven: you take all 13 tricks left." in text
    # 30 + 10 - 100: ten bags cost the penalty.
    penalty = "-60 points, the penalty for 10 bags included; now -60 points and 0 bags."
    assert f"You: bid 3, won 13: {penalty}" in " ".join(text.split())
    assert "You win the trick." in text


def test_score_sheet_and_statistics():
    game = dealt(SPADES, *OTHERS)
    assert score_sheet(game, 0) == ["No hand has been scored yet."]
    for _ in range(13):
        for _ in range(4):
            game.apply(game.legal_actions()[-1])
    sheet = [line.split() for line in score_sheet(game, 0)]
    assert sheet[1] == ["1", "you", "3", "13", "-60", "-60", "0"]
    assert sheet[2] == ["left", "opponent", "3", "0", "-30", "-30", "0"]
    text = " ".join(" ".join(statistics([game.record(["you", "a", "b", "c"])])).split())
    assert text.startswith("solo: 0 of 0 matches won, 1 unfinished; 1 hand, -60.0 points")
    assert "contracts made 1 of 1; your nils made 0 of 0." in text


def test_statistics_of_saved_matches(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert spades("play", "--stats").stdout == "There are no saved matches yet.\n"
    spades("play", "--rules", "solo", "--seed", "1", stdin="q\n")
    (tmp_path / "spades-damaged.json").write_text("{")
    assert spades("play", "--stats").stdout == "solo: 0 of 0 matches won, 1 unfinished; 0 hands.\n"


def test_forced_cards_are_played_unless_switched_off(tmp_path):
    """In a hand of spades only the last card is forced."""
    for args, asked in (([], False), (["--no-auto"], True)):
        path = tmp_path / f"{asked}.json"
        moves = "\n".join(f"{rank}S" for rank in "AKQJT98765432") + "\nq\n"
        dealt(SPADES, *OTHERS).record(["you", "random", "random", "random"]).save(path)
        result = spades("play", "--resume", path, *args, stdin=moves)
        assert ("You lead 2♠, your only legal card." in result.output) or asked
        assert ("trick 13 of 13" in result.output) == asked


def test_play_again_deals_another_match(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    game = dealt(SPADES, *OTHERS, rules=Rules.preset("solo", target=100), bids=10)
    game.record(["you", "random", "random", "random"]).save("x.json")
    result = spades("play", "--resume", "x.json", stdin="claim\ny\nq\n")
    assert "You win the match!" in result.output
    assert "Play again (y/n)?" in result.output
    files = sorted(path.name for path in tmp_path.glob("spades-*.json"))
    assert len(files) == 1
    assert Record.load(files[0]).agents == ("you", "random", "random", "random")


AGENT = """
class Odd:
    name = "odd"
    def reset(self, seed=None): pass
    def act(self, view): return view.legal_actions()[0] if view.phase.name == "BLIND" else {move}
"""


@pytest.mark.parametrize("move", [51, 99, -1, "'x'"])
def test_an_agents_illegal_move_is_one_line_and_the_match_is_saved(move, tmp_path):
    path, agent = tmp_path / "x.json", tmp_path / "odd.py"
    agent.write_text(AGENT.format(move=move))
    result = spades("play", "--rules", "two_player", "--against", f"{agent}:Odd", "--record", path, stdin="l\nk\n")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: player 'odd' made an illegal move: ")
    assert result.stderr.count("\n") == 1
    assert len(Record.load(path).replay().draft_choices) == 1


def test_a_player_that_cannot_play_the_rules_is_refused_before_the_first_card():
    message = "error: there are bidding models for two players and partnerships, not for solo"
    fails(message, "play", "--rules", "solo", "--against", "bidder")
    fails(message, "play", "--rules", "solo", "--hints", "bidder")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGHUP")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_save_the_match(number, tmp_path):
    path = tmp_path / "x.json"
    command = [sys.executable, "-u", "-m", "spades_training.cli", "play", "--seed", "5", "--record", str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "SPADES_CONFIG_DIR": os.devnull}
    with subprocess.Popen(command, **pipes, env=env) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("l\n")
        process.stdin.flush()
        for line in process.stdout:
            if "Your cards:" in line:
                break
        time.sleep(0.2)
        process.send_signal(number)
        rest = process.stdout.read()
        assert process.wait(60) == 128 + number
    assert rest.endswith(f"record saved: {path}\ncontinue: spades play --resume {path}\n")
    assert Record.load(path).replay().blind[0] is False


def test_the_choice_is_a_small_json_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPADES_CONFIG_DIR", str(tmp_path / "a" / "b"))
    spades("play", "--rules", "cutthroat", "--seed", "1", stdin="q\n")
    assert json.loads((tmp_path / "a" / "b" / "play.json").read_text()) == {"rules": "cutthroat"}


def test_the_bids_of_the_next_hand_stand_apart(tmp_path):
    path = tmp_path / "x.json"
    game, player = Game("partnership", 2), make_agent("heuristic")
    while not (game.hand_number == 0 and len(game.played) == 51):
        game.apply(player.act(game.view()))
    game.record(("you", *["heuristic"] * 3)).save(path)
    lines = spades("play", "--resume", path, stdin="q\n", columns=60).output.splitlines()
    end = next(k for k, line in enumerate(lines) if "hand 1 is over" in line)
    following = next(k for k, line in enumerate(lines) if "hand 2, " in line)
    blank = lines.index("", end)
    assert "Opponents: bid" in " ".join(lines[end:blank])
    assert all(" bids " in line for line in lines[blank + 1 : following] if line)
