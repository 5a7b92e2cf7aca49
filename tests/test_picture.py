"""Pictures: what is on them, that nothing covers anything else, and the same picture from every interface."""

from __future__ import annotations

import copy
import pickle
import sys
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled
from PIL import ImageFont
from random_rules import MIXES
from scripted import endless
from walks import walk

from spades_env import PRESETS, Game, Phase, SpadesEnv, SpadesVectorEnv, spades_v0
from spades_env.cards import BID_0, LOOK, cards_in
from spades_env.picture import image, rgb_array, scene, svg
from spades_env.picture.panel import LEFT
from spades_env.picture.seats import held, read_seats
from spades_env.picture.shapes import HEIGHT, WIDTH, Box, Label, Polygon
from spades_env.picture.window import Window

presets = pytest.mark.parametrize("rules", PRESETS)


def labels(shapes):
    return [shape.text for shape in shapes if isinstance(shape, Label)]


def played(rules, actions, seed=0):
    game = Game(rules, seed)
    for action in actions:
        game.apply(action)
    return game


def words_box(label):
    """Left, top, right and bottom of a label as it is drawn."""
    width = ImageFont.load_default(label.size).getlength(label.text) + label.bold
    left = label.x - {"start": 0, "middle": width / 2, "end": width}[label.anchor]
    return left, label.y - 0.74 * label.size, left + width, label.y


@pytest.mark.parametrize("mix", MIXES)
def test_everything_is_inside_and_no_words_cover_others(mix):
    seen = set()
    rules = replace(MIXES[mix], target=10_000, loss=None)
    names = [f"a-player-with-a-long-name-{k}" for k in range(rules.players)]
    for k, game in enumerate(walk(2, rules, hands=3)):
        seen.add(game.phase)
        if k % 7 and game.phase in (Phase.DRAFT, Phase.PLAY):
            continue
        shapes = scene(game if k % 2 else game.view(), names if k % 3 == 0 else None)
        for shape in shapes:
            corners = shape.points if isinstance(shape, Polygon) else [(shape.x, shape.y)]
            corners += ((shape.x + shape.width, shape.y + shape.height),) if isinstance(shape, Box) else ()
            assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in corners), shape
        boxes = [(words_box(shape), shape) for shape in shapes if isinstance(shape, Label)]
        for n, ((left, top, right, bottom), label) in enumerate(boxes):
            assert left >= 0, label
            assert right <= (LEFT if label.x < LEFT else WIDTH), label
            for (left2, top2, right2, bottom2), other in boxes[:n]:
                apart = right <= left2 or right2 <= left or bottom <= top2 or bottom2 <= top
                assert apart, (game, label, other)
    assert seen >= {Phase.PLAY} | ({Phase.DRAFT} if rules.draft else set())


@presets
def test_every_seat_holds_as_many_cards_as_are_drawn(rules):
    for game in walk(5, endless(rules), hands=3):
        assert [held(game, seat) for seat in range(game.rules.players)] == [len(cards_in(hand)) for hand in game.hands]


@presets
def test_hands_are_face_up_where_the_viewer_may_see_them(rules):
    for k, game in enumerate(walk(6, endless(rules), hands=2)):
        if k % 5 or game.is_over:
            continue
        players = game.rules.players
        for seat, shown in enumerate(read_seats(game, None, None)):
            assert sorted(shown.cards) == cards_in(game.hands[seat])
        observer = k % players
        view = game.view(observer)
        own, *others = read_seats(view, None, None)
        assert own.place == "bottom"
        assert sorted(own.cards, key=lambda card: card or 0) == (cards_in(view.hand) or [None] * held(game, observer))
        for turn, other in enumerate(others, 1):
            assert other.cards == [None] * held(game, (observer + turn) % players)


def test_what_the_picture_says():
    game = played("partnership", [LOOK, BID_0 + 4, LOOK, BID_0, LOOK, BID_0 + 2, LOOK, BID_0 + 3])
    card = game.legal_actions()[0]
    game.apply(card)
    said = labels(scene(game))
    for text in (
        "Spades, partnership",
        "hand 1, trick 1 of 13",
        "seats 0 and 2",
        "bags 0/10",
        "first to 500, out at -200",
    ):
        assert text in said
    for text in ("bid 4, won 0", "nil, won 0", "bid 2, won 0", "bid 3, won 0", "leads", "spades not broken", "to play"):
        assert text in said
    following = game.legal_actions()[0]
    said = labels(scene(game, ["a", "b", "c", "d"], following))
    assert any(text.startswith("plays ") for text in said)
    assert {"0: a", "1: b", "2: c", "3: d"} <= set(said)
    _, left, *_ = read_seats(game, None, following)
    assert following not in left.cards
    assert len(left.cards) == 12


def test_between_hands_and_at_the_end():
    game = played("solo", [LOOK, BID_0 + 1] * 4)
    while game.hand_number == 0:
        game.apply(game.legal_actions()[0])
    last = game.last_hand
    texts = [f"{last['points'][seat]:+}: bid 1 won {last['tricks'][seat]}" for seat in range(4)]
    assert set(texts) <= set(labels(scene(game)))
    over = Game("solo", 1, scores=[495, 0, 0, 0])
    while not over.is_over:
        over.apply(over.legal_actions()[-1 if over.phase == Phase.BLIND else 0])
    assert f"seat {over.winner} wins the match" in labels(scene(over))


@presets
def test_pixels(rules):
    game = Game(rules, 3)
    first = rgb_array(game)
    assert (first.dtype, first.shape) == (np.uint8, (512, 768, 3))
    assert (rgb_array(game) == first).all()
    game.apply(LOOK)
    assert (rgb_array(game) != first).any()
    assert image(game).size == (768, 512)


def test_the_pixels_are_those_of_the_shapes():
    """Colours where shapes lie that nothing covers: the felt, the panel, the front of the drawn card."""
    game = played("two_player", [LOOK])
    shapes, pixels = scene(game), rgb_array(game)
    front = next(shape for shape in shapes if isinstance(shape, Box) and shape.fill == "#ffffff" and shape.width == 64)
    assert pixels[int(front.y) + 8, int(front.x) + 55].tolist() == [255, 255, 255]
    for x, y in ((5, 500), (760, 300)):
        below = [s for s in shapes if isinstance(s, Box) and s.x <= x <= s.x + s.width and s.y <= y <= s.y + s.height]
        assert "#" + pixels[y, x].tobytes().hex() == below[-1].fill


@presets
def test_svg(rules):
    game = Game(rules, 3)
    for table in (game, game.view(1)):
        text = svg(table, names=["<&>"] * game.rules.players)
        root = ElementTree.fromstring(text)
        assert root.attrib["viewBox"] == "0 0 768 512"
        assert len(root) == len(scene(table))
        texts = (svg(table, ["<&>"] * game.rules.players, part=part) for part in ("table", "panel"))
        parts = [ElementTree.fromstring(part) for part in texts]
        assert [part.get("viewBox") for part in parts] == [f"0 0 {LEFT} {HEIGHT}", f"{LEFT} 0 {WIDTH - LEFT} {HEIGHT}"]
        whole = [ElementTree.tostring(shape) for shape in root]
        assert whole == [ElementTree.tostring(shape) for part in parts for shape in part]
        said = [node.text for node in root if node.tag.endswith("text")]
        assert said == labels(scene(table, ["<&>"] * game.rules.players))
        assert table._repr_html_() == svg(table)


def test_environments_return_the_same_picture():
    env = spades_v0.env("solo", render_mode="rgb_array")
    env.reset(seed=1)
    assert (env.render() == rgb_array(env.unwrapped.game)).all()
    alone = SpadesEnv("solo", seat=1, render_mode="rgb_array")
    alone.reset(seed=1)
    assert (alone.render() == rgb_array(alone.game.view(1))).all()
    many = SpadesVectorEnv(2, "solo", seat=1, render_mode="rgb_array")
    many.reset(seed=1)
    pictures = many.render()
    assert len(pictures) == 2
    assert (pictures[0] == alone.render()).all()


class Watched(Window):
    """Notes what it is to show."""

    def __init__(self):
        super().__init__("test", 1000)
        self.shown = []

    def show(self, table, action=None):
        self.shown.append((scene(table, None, action), table.hand_number, action))


def test_a_window_follows_every_move(monkeypatch):
    """At the end of a hand also the last card, which the next deal sweeps away."""
    env = SpadesEnv("cutthroat", seat=1, episode="hand", render_mode="human")
    window = env._window = Watched()
    env.reset(seed=2)
    over = False
    while not over:
        *_, over, _, _ = env.step(env.game.legal_actions()[-1])
    log = env.game.record().hands[0].actions
    assert len(window.shown) == 1 + len(log) + 1
    assert [action for *_, action in window.shown if action is not None] == log[-1:]
    assert window.shown[-2][1:] == (0, log[-1])
    assert window.shown[-1][1:] == (1, None)
    assert all("(you)" in " ".join(labels(shapes)) for shapes, *_ in window.shown)
    env.close()

    env = spades_v0.raw_env("solo", episode="hand", render_mode="human")
    window = env._window = Watched()
    env.reset(seed=2)
    while not any(env.terminations.values()):
        env.step(env.game.legal_actions()[-1])
    assert len(window.shown) == 1 + len(env.game.record().hands[0].actions) + 1
    env.close()


def test_a_person_may_close_the_window():
    import pygame

    window, game = Window("test", 1000), Game("solo", 1)
    window.show(game)
    screen = window._screen
    assert (pygame.surfarray.array3d(screen).swapaxes(0, 1) == rgb_array(game)).all()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(game)
    assert window._screen is None
    window.show(game)
    assert window._screen is None
    window.close()
    window.show(game)
    assert window._screen is not None
    window.close()


def test_copies_of_an_environment_have_a_window_of_their_own():
    for make in (spades_v0.raw_env, SpadesEnv):
        env = make(render_mode="human")
        env._window.fps = 1000
        env.reset(seed=1)
        for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
            assert other._window is not env._window
            assert other._window._screen is None
            assert other.game.to_bytes() == env.game.to_bytes()
        env.close()


@pytest.mark.parametrize("module,package", [("pygame", "pygame-ce"), ("PIL", "Pillow")])
def test_what_is_missing_is_named(module, package, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    for name in [name for name in sys.modules if name.startswith(f"{module}.")]:
        monkeypatch.setitem(sys.modules, name, None)
    message = rf"render_mode=\"human\" needs {package}: pip install 'spades-env\[render\]'"
    for make in (spades_v0.raw_env, SpadesEnv):
        with pytest.raises(DependencyNotInstalled, match=message):
            make(render_mode="human")
    if module == "PIL":
        with pytest.raises(DependencyNotInstalled, match="rgb_array needs Pillow"):
            rgb_array(Game())
    assert svg(Game()).startswith("<svg")
