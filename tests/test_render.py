"""Tables as text: one match followed as a person would, and nothing on a seat's screen that it may not know."""

from __future__ import annotations

import pytest
from scripted import MATCHES, Scripted
from test_leaks import leaks

from spades_env import PRESETS, Game, SpadesEnv, View, spades_v0
from spades_env.engine.state import rules_array
from spades_env.picture.ansi import ansi


def after(match, steps):
    """The game of a hand-worked match after so many decisions, or at its end."""
    game, player = Game(match.rules, 0, **match.options), Scripted(match)
    while steps and not game.is_over:
        game.apply(player.act(game.view()))
        steps -= 1
    return game


def test_the_whole_table_during_the_play():
    assert ansi(after(MATCHES["partnership"], 14)).splitlines() == [
        "── partnership, hand 1, play ──",
        "seats 0 and 2: 470 points, 0/10 bags",
        "seats 1 and 3: 395 points, 8/10 bags",
        "  seat 0: bid 4, won 1 | ♠ J 7 3  ♥ A 7 3  ♣ A 2  ♦ J 7 3 | opener | leads",
        "  seat 1: bid 3, won 0 | ♠ Q 8 4 2  ♥ J 8 4  ♣ J  ♦ Q T 6",
        "> seat 2: bid 2, won 0 | ♠ K 9 5  ♥ Q 9 5  ♣ Q 8  ♦ A 8 4 2",
        "  seat 3: bid 3, won 0 | ♠ A T 6  ♥ K T 6 2  ♣ K 9  ♦ K 9 5",
        "last trick: 0:6♣ 1:3♣ 2:4♣ 3:5♣, won by seat 0",
        "trick: 0:T♣ 1:7♣",
        "spades are not broken",
        "turn: seat 2, to play",
    ]


def test_the_same_as_one_seat_sees_it():
    assert ansi(after(MATCHES["partnership"], 14).view(2)).splitlines() == [
        "── partnership, hand 1, play, seen by seat 2 ──",
        "seats 0 and 2: 470 points, 0/10 bags",
        "seats 1 and 3: 395 points, 8/10 bags",
        "  seat 0: bid 4, won 1 | opener | leads",
        "  seat 1: bid 3, won 0",
        "> seat 2 (you): bid 2, won 0 | ♠ K 9 5  ♥ Q 9 5  ♣ Q 8  ♦ A 8 4 2",
        "  seat 3: bid 3, won 0",
        "last trick: 0:6♣ 1:3♣ 2:4♣ 3:5♣, won by seat 0",
        "trick: 0:T♣ 1:7♣",
        "spades are not broken",
        "turn: seat 2 (you), to play",
    ]


def test_after_a_hand_and_after_the_match():
    assert ansi(after(MATCHES["partnership"], 60)).splitlines()[:3] == [
        "── partnership, hand 2, blind ──",
        "seats 0 and 2: 410 points, 0/10 bags (last hand -60: bid 4 won 4, 2 won 1)",
        "seats 1 and 3: 357 points, 0/10 bags (last hand -38: bid 3 won 3, 3 won 5)",
    ]
    assert ansi(after(MATCHES["partnership"], 999)).splitlines() == [
        "── partnership, hand 2, over ──",
        "seats 0 and 2: 510 points, 0/10 bags (last hand +100: bid 5 won 6, 5 won 4)",
        "seats 1 and 3: 417 points, 0/10 bags (last hand +60: bid nil won 0, 4 won 3)",
        "last trick: 3:A♠ 0:J♠ 1:Q♠ 2:K♠, won by seat 3",
        "the match is won by seats 0 and 2",
    ]


def test_the_draft():
    assert ansi(after(MATCHES["two_player"], 7).view(1)).splitlines()[3:] == [
        "  seat 0: no bid yet | opener",
        "> seat 1 (you): no bid yet | ♣ 5 3 | will lead",
        "draft (+ kept, - rejected): seat 0 +++, seat 1 (you) ++",
        "turn: seat 1 (you), to keep or reject the drawn card: 7♣",
    ]
    assert ansi(after(MATCHES["two_player"], 7).view(0)).endswith("turn: seat 1, to keep or reject the drawn card")


def test_environments_show_the_table(capsys):
    env = spades_v0.env("solo", render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == ansi(env.unwrapped.game)
    alone = SpadesEnv("solo", seat=1, render_mode="ansi")
    alone.reset(seed=1)
    assert alone.render() == ansi(alone.game.view(1))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("rules", PRESETS)
def test_a_seats_screen_shows_only_what_it_may_know(rules):
    record = rules_array(PRESETS[rules])
    phases, found = leaks(PRESETS[rules], lambda states, seat: ansi(View(PRESETS[rules], record, states, seat)))
    assert phases >= {"blind", "bid", "play"}
    assert found == []
