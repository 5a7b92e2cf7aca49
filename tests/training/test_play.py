"""Matches in the terminal, with typed input."""

from __future__ import annotations

import pytest
from spades_command import fails, spades
from spades_training.terminal.match import parse_move

from spades_env import Game, Record
from spades_env.cards import BID_0, BLIND_NIL, DONE, KEEP, LOOK, REJECT, hand_text, parse_action


def after(*actions, rules="two_player", seed=0):
    game = Game(rules, seed)
    for action in actions:
        game.apply(action)
    return game


def test_moves_as_people_type_them():
    blind = after().view()
    assert [parse_move(text, blind) for text in ("b", "Blind  nil", "l", "LOOK")] == [BLIND_NIL, BLIND_NIL, LOOK, LOOK]
    draft = after(LOOK).view()
    assert [parse_move(text, draft) for text in ("k", "keep", " R ", "reject")] == [KEEP, KEEP, REJECT, REJECT]
    bid = after(LOOK, rules="solo").view()
    assert [parse_move(text, bid) for text in ("4", "bid 0", "nil", "BID_13", " 7 ")] == [
        BID_0 + n for n in (4, 0, 0, 13, 7)
    ]
    play = after(*[LOOK, BID_0 + 3] * 4, rules="solo").view()
    card = play.legal_actions()[0]
    name = hand_text(1 << card)
    assert [parse_move(text, play) for text in (name, name.lower(), f" {name} ")] == [card] * 3


@pytest.mark.parametrize(
    "text,actions,message",
    [
        ("k", [], r"'k' is not a legal move: blind nil \(b\) or look at your cards \(l\)"),
        ("AS", [LOOK], r"'AS' is not a legal move: keep it \(k\) or reject it \(r\)"),
        ("", [LOOK], "'' is not a legal move"),
    ],
)
def test_invalid_moves(text, actions, message):
    with pytest.raises(ValueError, match=message):
        parse_move(text, after(*actions).view())


def test_bids_out_of_range_and_cards_not_held():
    with pytest.raises(ValueError, match="'99' is not a legal move: bid 0 to 13"):
        parse_move("99", after(LOOK, rules="solo").view())
    view = after(*[LOOK, BID_0 + 3] * 4, rules="solo").view()
    missing = next(card for card in range(52) if not view.hand >> card & 1)
    with pytest.raises(ValueError, match="is not a legal move: you may play "):
        parse_move(hand_text(1 << missing), view)


def test_exchange_words():
    game = after(BLIND_NIL)
    while game.phase.name == "DRAFT" or game.phase.name == "BLIND":
        game.apply(KEEP if KEEP in game.legal_actions() else LOOK)
    assert parse_move("done", game.view()) == DONE
    assert parse_move(hand_text(1 << game.legal_actions()[0]), game.view()) == game.legal_actions()[0]


def test_the_end_of_the_input_saves(tmp_path):
    path = tmp_path / "match.json"
    result = spades("play", "--rules", "two_player", "--seed", "3", "--record", path, stdin="l\nk\n?\nnonsense\nr\n")
    assert result.exit_code == 0
    assert "The scripted player would choose" in result.output
    assert "'nonsense' is not a legal move" in result.output
    record = Record.load(path)
    assert record.agents == ("you", "heuristic")
    assert record.replay().draft_choices[0] == (0, True)
    assert f"record saved: {path}" in result.output.replace("\n", "")


def test_quit_saves_under_a_new_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("spades-solo-5.json", "spades-solo-5-2.json"):
        assert spades("play", "--rules", "solo", "--seed", "5", "--against", "random", stdin="q\n").exit_code == 0
        assert Record.load(name).rules.name == "solo"


def test_nothing_hidden_is_shown(tmp_path):
    """The output names no card of another hand before it is played."""
    path = tmp_path / "match.json"
    result = spades("play", "--rules", "solo", "--seed", "5", "--seat", "1", "--record", path, stdin="l\n3\nq\n")
    game = Record.load(path).replay()
    for card in range(52):
        name = hand_text(1 << card, symbols=True)
        if name.replace(" ", "") in result.output and not game.hands[1] >> card & 1:
            assert game.plays[0] >> card & 1


def test_a_whole_match_by_the_hints(tmp_path):
    """Typing the hint at every turn plays the match to its end."""
    path = tmp_path / "match.json"
    rules = "two_player,target=40"
    moves: list[str] = []
    from spades_agents import make_agent

    # The scripted player is deterministic, so its moves against itself are the hints.
    agent, game = make_agent("heuristic"), Game("two_player", 0)
    from spades_training.options import parse_rules

    game = Game(parse_rules(rules), 1)
    while not game.is_over:
        action = agent.act(game.view())
        if game.seat == 0:
            moves += ["?", parse_name(action)]
        game.apply(action)
    result = spades("play", "--rules", rules, "--seed", "1", "--record", path, stdin="\n".join(moves) + "\n")
    assert result.exit_code == 0, result.output
    assert "the match" in result.output
    record = Record.load(path)
    assert record.replay().is_over
    assert record.replay().winner == game.winner
    shown = spades("replay", path)
    assert shown.exit_code == 0
    assert "every deck, move and result checked" in shown.stdout


def parse_name(action):
    from spades_env.cards import action_name

    assert parse_action(action_name(action)) == action
    return action_name(action)


@pytest.mark.parametrize(
    "args,message",
    [
        (["play", "--seat", "7"], "error: seat must be an int in 0..3, got 7"),
        (["play", "--against", "best"], "error: unknown agent 'best'"),
        (["play", "--record", "no/such/folder/x.json"], "error: there is no folder no/such/folder for the record"),
        (["play", "--seed", "-2"], "error: seed must be an int"),
        (["replay", "none.json"], "error: cannot read none.json: No such file or directory"),
        (["replay", "bad.json"], "error: "),
        (["play", "--record", "bad.json"], "error: the file bad.json exists: choose another one for the record"),
    ],
)
def test_bad_input_is_one_line_and_code_2(args, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_text("{}")
    fails(message, *args)
