"""What a person reads in the terminal: the table, hints and their reasons, input forms, ASCII."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from spades_agents import Rating, make_agent
from spades_command import spades
from spades_training.cli import app
from spades_training.options import parse_rules
from spades_training.terminal.board import WIDTH, Seats, board, draw_text, tricks_text, wrapped
from spades_training.terminal.encoding import plain
from spades_training.terminal.guide import introduction, prompt
from spades_training.terminal.hints import Hints
from spades_training.terminal.moves import parse_move
from spades_training.terminal.reasons import scripted_reason
from typer.testing import CliRunner

from spades_env import Game
from spades_env.cards import BID_0, KEEP, LOOK, REJECT, card_name, parse_card, trick_winner
from spades_env.rules import PRESETS, Rules


def views(rules, seed=0, hands=1):
    """Every view of a decision in some hands of the scripted player."""
    player, game = make_agent("heuristic"), Game(rules, seed)
    while not game.is_over and game.hand_number < hands:
        view = game.view()
        yield view
        game.apply(player.act(view))


def playing(rules="partnership", seed=0):
    return next(view for view in views(rules, seed) if view.phase.name == "PLAY")


@pytest.mark.parametrize(
    "form", ["5H", "h5", "5h", "♥5", "5♥", "♥️5", "5 of hearts", "FIVE of Hearts", "hearts 5", "5 h"]
)
def test_every_usual_form_of_a_card(form):
    for view in views("solo", 3):
        if view.phase.name == "PLAY" and parse_card("5H") in view.legal_actions():
            assert parse_move(form, view) == parse_card("5H")
            return
    raise AssertionError("nobody held it")


@pytest.mark.parametrize("form", ["TD", "10d", "d10", "♦T", "10 of diamonds", "ten of diamonds", "dt"])
def test_every_usual_form_of_a_ten(form):
    for view in views("solo", 3):
        if view.phase.name == "PLAY" and parse_card("TD") in view.legal_actions():
            assert parse_move(form, view) == parse_card("TD")
            return
    raise AssertionError("nobody held it")


def test_a_rank_alone_names_the_only_legal_card_of_that_rank():
    single = several = 0
    for seed in range(3):
        for view in views("solo", seed):
            if view.phase.name != "PLAY":
                continue
            legal = view.legal_actions()
            for card in legal:
                same = [other for other in legal if other % 13 == card % 13]
                rank = card_name(card)[0]
                if len(same) == 1:
                    single += 1
                    assert parse_move(rank, view) == card
                else:
                    several += 1
                    with pytest.raises(ValueError, match=f"'{rank}' could be .* or .*: name the suit"):
                        parse_move(rank, view)
    assert min(single, several) > 20


@pytest.mark.parametrize("rules", list(PRESETS))
def test_no_line_is_longer_than_60_and_the_text_has_an_ascii_form(rules):
    for seed in range(3):
        for view in views(rules, seed, hands=2):
            lines = board(view) + tricks_text(view, 17)
            assert max(map(len, lines)) <= WIDTH
            assert plain("\n".join(lines)).isascii()
            assert "?" not in plain("\n".join(lines)).replace("nil?", "")


@pytest.mark.parametrize("rules", [*PRESETS, "partnership,nil=0", "partnership,spades_must_break=false"])
def test_the_introduction_states_the_rules_of_the_game(rules):
    game = Game(parse_rules(rules), 1)
    lines = introduction(game, Seats(game.rules, 0))
    assert max(map(len, lines)) <= 60
    text = " ".join(lines)
    assert "The highest card of that suit wins, or the highest spade if there is one; the winner leads." in text
    assert ("until one has been played (spades are broken)" in text) == game.rules.spades_must_break
    assert ("A bid of 0, nil, is worth 100 points" in text) == (game.rules.nil == 100)
    assert ("The first at 500 wins, a side at -200 loses." in text) == (game.rules.loss == -200)
    assert "with your partner" in text if game.rules.partners else "for yourself" in text


@pytest.mark.parametrize("rules", list(PRESETS))
def test_the_key_of_the_hint_is_not_broken(rules):
    game, player = Game(rules, 3), make_agent("heuristic")
    while game.hand_number == 0:
        assert any(line.endswith("?: hint") for line in wrapped(prompt(game.view())))
        game.apply(player.act(game.view()))


def test_the_other_seats_are_named_from_the_persons_seat():
    assert Seats(PRESETS["partnership"], 1).short == ["right", "you", "left", "partner"]
    assert Seats(PRESETS["solo"], 0).short == ["you", "left", "opposite", "right"]
    assert Seats(PRESETS["cutthroat"], 2).short == ["left", "right", "you"]
    assert Seats(PRESETS["two_player"], 1).short == ["opponent", "you"]
    lines = "\n".join(board(playing()))
    for name in (
        "you ",
        "left opponent",
        "partner",
        "right opponent",
        "You and partner: 0 points",
        "Opponents: 0 points",
    ):
        assert name in lines


def test_bids_stand_against_tricks_and_the_leader_is_named():
    game = Game("partnership", 1)
    for bid in (4, 0, 3, 2):
        game.apply(LOOK)
        game.apply(BID_0 + bid)
    for _ in range(4):
        game.apply(game.legal_actions()[0])
    game.apply(game.legal_actions()[0])
    view = game.view()
    text = "\n".join(board(view))
    won = sum(game.tricks[seat] for seat in (0, 2))
    ours = f"{won} won of 7 bid" if view.observer % 2 == 0 else f"{game.tricks[3]} won of 2 bid"
    assert ours in text
    leader, card = view.trick[0]
    assert f"This trick: {Seats(view.rules, view.observer).short[leader]} led {card_name(card)[0]}" in text


def test_the_card_taken_after_a_reject_is_announced():
    for rejected, seen in (("hidden", ""), ("drawer", " goes to the discard pile.")):
        game = Game(Rules.preset("two_player", rejected=rejected), 3)
        game.apply(LOOK)
        for action in (REJECT, KEEP):
            before, seat = game.view(), game.seat
            game.apply(action)
            after = game.view(seat)
            text = draw_text(before, after, action)
            [card] = [card for card in range(52) if after.hand >> card & 1 and not before.hand >> card & 1]
            name = plain(text)
            if action == REJECT:
                assert name == f"You take the next card, {card_name(card)}."
            else:
                assert name.startswith(f"You keep {card_name(card)}.")
                assert name.endswith(seen)
            if game.phase.name == "BLIND":
                game.apply(LOOK)


def test_the_draw_is_announced_in_play(tmp_path):
    result = spades("play", "--rules", "two_player", "--seed", "3", "--record", tmp_path / "x.json", stdin="l\nr\nq\n")
    assert "You take the next card, " in result.output


def test_the_scripted_reason_goes_with_the_scripted_action():
    """Hints name the move that the scripted player makes, in all phases of all games, and give a reason."""
    player = make_agent("heuristic")
    for rules in PRESETS:
        for view in views(rules, 5):
            action, reason = scripted_reason(view)
            assert action == player.act(view)
            assert reason[0].isupper()
            assert reason.endswith(".")


def test_reasons_state_what_is_true():
    """Each clause is checked against the position from which it comes."""
    found = set()
    for rules in ("partnership", "solo"):
        for seed in range(8):
            for view in views(rules, seed):
                if view.phase.name != "PLAY" or len(view.legal_actions()) == 1:
                    continue
                action, reason = scripted_reason(view)
                game_after = [*view.trick, (view.seat, action)]
                wins = trick_winner(game_after) == view.seat
                if "beats" in reason:
                    found.add("beats")
                    assert wins
                if "ruffs and beats" in reason:
                    found.add("ruffs")
                    assert action >= 39
                    assert view.trick[0][1] < 39
                if "You cannot beat" in reason:
                    found.add("cannot")
                    assert all(trick_winner([*view.trick, (view.seat, c)]) != view.seat for c in view.legal_actions())
                if "nobody plays after you" in reason:
                    found.add("last")
                    assert len(view.trick) == 3
                if "Your nil is alive" in reason:
                    found.add("nil")
                    assert (view.bids[view.seat], view.tricks[view.seat]) == (0, 0)
                if "for your side" in reason:
                    found.add("partner")
                    assert trick_winner(view.trick) == (view.seat + 2) % 4
                if "you need" in reason:
                    found.add("need")
    assert found == {"beats", "ruffs", "cannot", "last", "nil", "partner", "need"}


def test_a_bid_is_explained_with_the_expected_tricks_and_the_nil():
    view = next(view for view in views("partnership", 3) if view.phase.name == "BID")
    action, reason = scripted_reason(view)
    assert plain(reason).startswith("Your hand promises 2.4 tricks; a nil would succeed 39% of the time. It estimates")
    assert action == BID_0 + 2
    found = re.search(r"with 2 (.+)%, with 1 (.+)% and 3 (.+)%\.", plain(reason))
    assert found
    two, one, three = map(float, found.groups())
    assert two >= max(one, three)


class Rater:
    """Rates the legal actions 0.5, 0.49, ... from the lowest."""

    name = "rater"

    def reset(self, seed=None):
        pass

    def act(self, view):
        return view.legal_actions()[0]

    def rate(self, view):
        return {action: Rating(0.5 - 0.01 * k, 0.0, "win") for k, action in enumerate(view.legal_actions())}

    def rate_batch(self, tables, rows):
        raise AssertionError  # hints are about one table


@pytest.fixture
def rating_hints(monkeypatch):
    monkeypatch.setattr("spades_training.terminal.hints.make_agent", lambda spec: Rater())
    return Hints("rater")


def test_ratings_are_a_table_with_the_key_of_the_best(rating_hints):
    view = playing()
    legal = view.legal_actions()
    lines = [plain(line) for line in rating_hints.text(view)]
    assert lines[0] == "rater rates your moves by the chance to win the match:"
    assert lines[1].split() == [card_name(legal[0]), "50.0%", "<-", "best:", "type", card_name(legal[0])]
    assert lines[2].split() == [card_name(legal[1]), "49.0%"]
    assert len(lines) == 1 + len(legal)


def test_the_review_lists_what_was_given_away_most(rating_hints):
    """The person always takes the highest legal action, which the rater rates lowest."""
    game = Game("solo", 2)
    player = make_agent("heuristic")
    while game.hand_number == 0:
        game.apply(
            game.legal_actions()[-1] if game.seat == 1 and game.phase.name == "PLAY" else player.act(game.view())
        )
    found = rating_hints.mistakes(game, 1, 0)
    assert len(found) == 3
    assert found[0].loss >= found[1].loss >= found[2].loss >= 0.005
    for mistake in found:
        legal = mistake.view.legal_actions()
        assert mistake.best == legal[0]
        assert mistake.loss == pytest.approx(0.01 * legal.index(mistake.action))
    text = "\n".join(rating_hints.mistakes_text(game, 1, 0))
    assert text.startswith(
        "Where you gave away most in this hand, by the chance to win\nthe match that rater sees after a move:"
    )
    assert "better" in text


def test_another_player_only_names_its_choice_and_the_key():
    hints = Hints("random")
    assert not hints.rates
    text = " ".join(hints.text(playing()))
    assert text.startswith("random would choose ")
    assert ": type " in text


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "cp1252"])
@pytest.mark.parametrize(
    "args,stdin",
    [
        (["play", "--seed", "1"], "l\n?\nhelp\n4\n?\n♠5\nq\n"),
        (["puzzles", "--theme", "draft"], ""),
        (["bid", "--help"], ""),
        (["--help"], ""),
        (["bid", "AS KS QS 4S AH KH 3H 2H AD 4D 3D 2D 2C"], ""),
    ],
)
def test_terminals_that_are_not_utf_8(args, stdin, encoding, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    env = {"COLUMNS": "60", "SPADES_CONFIG_DIR": os.devnull}
    result = CliRunner(charset=encoding).invoke(app, args, input=stdin.encode(), env=env)
    assert result.exit_code == 0, result.output
    text = result.stdout_bytes.decode(encoding)
    assert not any(symbol in text for symbol in "♠♥♦♣")
    if args[0] != "bid":
        assert max(map(len, text.splitlines())) <= 62  # "> " and a line


def test_a_process_in_ascii(tmp_path):
    """The streams of a real process fall back, too."""
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONIOENCODING": "ascii",
        "SPADES_CONFIG_DIR": os.devnull,
    }
    command = [sys.executable, "-m", "spades_training.cli", "play", "--seed", "1"]
    done = subprocess.run(command, input="l\n♠5\nq\n".encode(), capture_output=True, env=env, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Your cards:  S A Q J 9  H A Q J" in done.stdout


def test_ascii_on_request(tmp_path):
    result = spades("play", "--ascii", "--seed", "1", "--record", tmp_path / "x.json", stdin="l\n?\nq\n", columns=60)
    assert result.output.isascii()
    assert "-- hand 1, bids ---" in result.output


def test_every_character_of_other_texts_has_an_ascii_form():
    assert plain("A♠ K♥ ── │ ┌┐ ╭╮ ━ █ µ é × … ≥") == "AS KH -- | ++ ++ - # u e x . >="
    assert plain("日") == "?"


def test_a_newcomer_finishes_a_partnership_hand_by_the_hints(tmp_path):
    """Typing what each hint says to type plays the hand; nothing is refused and no line is too long."""
    path, typed = tmp_path / "x.json", []
    spades("play", "--seed", "2", "--record", path, stdin="q\n")
    for _ in range(40):
        result = spades("play", "--resume", path, stdin="?\nq\n", columns=60)
        keys = re.search(r"type\s+(\w+)\.", result.output)
        assert keys
        typed.append(keys[1])
        result = spades("play", "--resume", path, stdin=f"{keys[1]}\nq\n", columns=60)
        assert "is not a legal move" not in result.output
        lines = [line for line in result.output.splitlines() if str(path) not in line]
        assert max(map(len, lines)) <= 62  # the prompt "> " stands before the first answer
        if "hand 1 is over" in result.output:
            break
    assert "hand 1 is over" in result.output
    assert typed[0] == "l"
