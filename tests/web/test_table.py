"""Tables without pages: who may do what, storage, and what a page of a seat shows."""

from __future__ import annotations

import asyncio

import pytest
from spades_agents import make_agent
from spades_training.web.rules_form import field_help
from spades_training.web.server import NewGame, Server
from spades_training.web.tables.agents import Thinkers, check_allowed
from spades_training.web.tables.felt import Shown, felt_html
from spades_training.web.tables.hand import hand_html
from spades_training.web.tables.store import ALL_HANDS, BYSTANDER, GameStore
from spades_training.web.tables.table import Refused
from web_server import run_async

from spades_env import Game
from spades_env.cards import BID_0, LOOK
from spades_env.rules import Rules

PERSON_AND_BOTS = ["", "heuristic", "heuristic", "heuristic"]


def with_table(path, wanted: NewGame, use, local: bool = True):
    """Call ``use(table, heard)`` with a new table and what seat 0 is told, in an event loop."""

    async def run():
        server = Server(path, local)
        try:
            saved = await server.create(wanted)
            found = server.open(saved.link(0))
            assert found
            table, role = found
            heard: list[str] = []
            table.listen(heard.extend, role)
            return await use(table, heard)
        finally:
            server.close()

    return run_async(run())


async def until_asked(table, seat: int = 0) -> None:
    for _ in range(2000):
        if table.game.is_over or (table.game.seat == seat and len(table.game.legal_actions()) > 1):
            return
        await asyncio.sleep(0.005)
    raise AssertionError("the seat was not asked")


def test_bots_play_until_the_person_is_asked(tmp_path):
    async def use(table, heard):
        assert table.game.legal_actions() == [70, LOOK]
        table.act(0, LOOK, 0)
        table.act(0, BID_0 + 3, 1)
        await until_asked(table)
        assert table.game.phase.name == "PLAY"
        assert [bid is not None for bid in table.game.bids] == [True] * 4
        assert heard[:3] == ["You look at your cards.", "You bid 3.", "Left opponent looks at its cards."]

    with_table(tmp_path / "g", NewGame(Rules.preset("partnership"), PERSON_AND_BOTS, seed=7, pace=0), use)


def test_what_is_refused(tmp_path):
    async def use(table, heard):
        for seat, action, moves, message in (
            (1, LOOK, 0, "It is not your turn"),
            (BYSTANDER, LOOK, 0, "It is not your turn"),
            (ALL_HANDS, LOOK, 0, "It is not your turn"),
            (0, LOOK, 3, "The table has changed"),
            (0, BID_0, 0, "BID_0 is not possible"),
            (0, 51, 0, "AS is not possible"),
            (0, 9999, 0, "There is no such action"),
        ):
            with pytest.raises(Refused, match=message):
                table.act(seat, action, moves)
        with pytest.raises(Refused, match="nothing to take back"):
            table.undo(0)
        with pytest.raises(Refused, match="when it is your turn to play"):
            table.claim(0)
        with pytest.raises(Refused, match="once the match is over"):
            table.record(0)
        assert (table.moves, heard) == (0, [])

    with_table(tmp_path / "g", NewGame(Rules.preset("partnership"), PERSON_AND_BOTS, seed=7, pace=0), use)


def test_nobody_takes_back_where_others_sit(tmp_path):
    async def use(table, heard):
        table.act(0, LOOK, 0)
        for forbidden in (table.undo, table.end):
            with pytest.raises(Refused, match="only possible if you are the only person"):
                forbidden(0)

    with_table(tmp_path / "g", NewGame(Rules.preset("solo"), ["", "", "random", "random"], pace=0), use)


@pytest.mark.parametrize("name", ["two_player", "cutthroat"])
def test_undo_and_a_restart_leave_the_same_game(name, tmp_path):
    """The game in the file equals the one at the table, also after moves were taken back and made otherwise."""
    rules = Rules.preset(name)

    async def use(table, heard):
        for step in range(12):
            await until_asked(table)
            legal = table.game.legal_actions()
            table.act(0, legal[step % len(legal)], table.moves)
            if step % 4 == 3:
                await until_asked(table)
                table.undo(0)
                assert heard[-1] == "Your last move is taken back."
        await until_asked(table)
        return table.saved.number, table.game.to_bytes()

    players = ["", *["heuristic"] * (rules.players - 1)]
    number, before = with_table(tmp_path / "g", NewGame(rules, players, seed=5, pace=0), use)
    store = GameStore(tmp_path / "g")
    assert store.load(number).game().to_bytes() == before
    store.close()


class Slow(Thinkers):
    """Decides a moment later."""

    async def decide(self, spec, agent, view):
        await asyncio.sleep(0.5)
        return await super().decide(spec, agent, view)


def test_a_table_that_everybody_has_left_makes_no_more_moves(tmp_path):
    async def run():
        server = Server(tmp_path / "g", thinkers=Slow())
        saved = await server.create(NewGame(Rules.preset("solo"), ["heuristic"] * 4, pace=0))
        token = saved.link(ALL_HANDS)
        found = server.open(token)
        assert found
        left = found[0]
        left.listen(print, ALL_HANDS)
        await asyncio.sleep(0.3)  # an agent is thinking now
        left.leave(print)
        other = await server.create(NewGame(Rules.preset("solo"), PERSON_AND_BOTS))
        assert server.open(other.link(0))
        again = server.open(token)
        assert again
        assert again[0] is not left  # it was read from the file again
        await asyncio.sleep(1)
        assert (left.moves, server.store.load(saved.number).actions) == (0, b"")
        server.close()

    run_async(run())


def test_one_server_a_file(tmp_path):
    store = GameStore(tmp_path / "g")
    with pytest.raises(ValueError, match="another server uses it"):
        GameStore(tmp_path / "g")
    store.close()
    GameStore(tmp_path / "g").close()


def test_links_are_secret_and_different(tmp_path):
    async def use(table, heard):
        links = table.saved.links
        assert sorted(links.values()) == [BYSTANDER, 0, 1]
        assert all(len(token) == 32 for token in links)

    with_table(tmp_path / "g", NewGame(Rules.preset("two_player"), ["", ""]), use)
    assert (tmp_path / "g").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "spec", ["ppo:model.zip", "model.zip", "engine:./x", "os:abort", "./x.py:X", "run:runs/x", "pimc:policy=ppo:x.zip"]
)
def test_others_cannot_run_programs_or_files(spec):
    check_allowed(spec, local=True)
    with pytest.raises(ValueError, match="is not allowed while others can reach this server"):
        check_allowed(spec, local=False)
    check_allowed("pimc:worlds=20", local=False)


@pytest.mark.parametrize(
    "change,message",
    [
        ({"players": ["", "heuristic"]}, "these rules need 4 players, got 2"),
        ({"players": ["", "bridge", "random", "random"]}, "unknown agent 'bridge'"),
        ({"pace": 99.0}, "the pace must be 0 to 10 seconds"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_games(change, message, tmp_path):
    wanted = NewGame(Rules.preset("solo"), PERSON_AND_BOTS)
    for name, value in change.items():
        setattr(wanted, name, value)
    with pytest.raises(ValueError, match=message):
        with_table(tmp_path / "g", wanted, None)


def test_a_name_is_text(tmp_path):
    async def use(table, heard):
        view = table.game.view(0)
        page = felt_html(Shown(view, table.seats(0), table.saved.names, own=True))
        assert "&lt;img src=x&gt;" in page
        assert "<img" not in page

    with_table(tmp_path / "g", NewGame(Rules.preset("two_player"), ["", ""], ["<img src=x>", ""]), use)


def test_illegal_cards_say_why():
    game, player = Game("partnership", 3), make_agent("heuristic")
    while not game.trick:
        game.apply(player.act(game.view()))
    view = game.view()
    page = hand_html(view, 8)
    legal = view.legal_actions()
    assert 0 < len(legal) < 13
    assert page.count('aria-disabled="true" title="you must follow suit in') == 13 - len(legal)
    for card in legal:
        assert f'data-do="{card}" data-move="8" aria-label="' in page


def test_every_rule_has_its_help():
    helps = field_help()
    assert set(helps) == set(Rules.__dataclass_fields__)
    assert helps["target"] == "the match ends when a side has at least this many points."
