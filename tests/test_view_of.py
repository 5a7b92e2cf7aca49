"""`View.of`: a view from what a seat knows is that of the game, and what contradicts itself is refused."""

from __future__ import annotations

import copy
from random import Random

import numpy as np
import pytest
from random_rules import MIXES, Player
from spades_agents.base import plays
from spades_agents.registry import make_agent
from told import Told

from spades_env import PRESETS, Rules, View
from spades_env.game import Phase

KEEN = Player(blind=0.5, nil=0.2, wild=0.2, stop=0.4, spade=0.5)  # often blind, so that exchanges come up


@pytest.mark.parametrize("mix", MIXES)
def test_equals_the_view_of_the_game(mix):
    rules = MIXES[mix]
    phases = set()
    for seed in range(4):
        told = Told(seed, rules, KEEN if seed < 3 else None)
        for game in told.walk(2):
            phases.add(game.phase)
            for seat in range(rules.players):
                built = View.of(rules, seat, **told.to(seat, text=seed % 2 == 0))
                view = game.view(seat)
                assert built == view
                assert built.to_bytes() == view.to_bytes()
                assert (built.observation() == view.observation()).all()
                assert built.legal_actions() == view.legal_actions()
    assert phases >= {Phase.BID, Phase.PLAY}
    assert (Phase.BLIND in phases) == (rules.blind_nil > 0)
    assert (Phase.DRAFT in phases) == rules.draft
    assert (Phase.EXCHANGE in phases) == (rules.exchange > 0 and rules.blind_nil > 0)


def test_any_rules():
    for seed in range(100, 130):
        told = Told(seed)
        for game in told.walk(2):
            seat = game.seat
            assert View.of(game.rules, seat, **told.to(seat)) == game.view(seat)


@pytest.mark.parametrize("rules", PRESETS)
def test_players_decide_alike(rules):
    players = [make_agent(name) for name in ("heuristic", "bidder", "learned", "pimc:worlds=3,seed=5")]
    players = [player for player in players if plays(player, Rules.preset(rules))]
    decisions = 0
    told = Told(7, Rules.preset(rules))
    for k, game in enumerate(told.walk(1)):
        if k % 3 or game.is_over:
            continue
        for player in players:
            assert player.act(View.of(rules, game.seat, **told.to(game.seat))) == player.act(game.view())
            decisions += 1
    assert decisions >= 30


def built(rules, seat, arguments):
    """The view, or the message of the refusal."""
    try:
        return View.of(rules, seat, **arguments)
    except ValueError as error:
        return str(error)


DEALT = {"hand": "AS QS 7S KH 9H 4H AC TC 6C 3C JD 8D 2D", "bids": [4, 3, 4, 2]}
LATER = DEALT | {"hand": "AS QS 7S KH 9H 4H AC TC 6C 3C JD 8D", "plays": "QD KD 2D AD"}
DRAFT = {"draft": ["KEEP AS", "REJECT", "REJECT 2C KH", "KEEP", "QD"]}
WRONG = [
    ("partnership", 4, DEALT, "seat must be an int in 0..3, got 4"),
    ("partnership", 2, DEALT | {"hand": "AS QS 7S KH 9H 4H AC TC 6C 3C JD 8D 2D 5D"},
     "hand: seat 2 must hold 13 cards, got 14"),
    ("partnership", 2, LATER | {"hand": DEALT["hand"]}, "2D is in the hand of seat 2 and played by seat 2 in plays[2]"),
    ("partnership", 2, LATER | {"hand": "AS QS"}, "hand: seat 2 must hold 12 cards after 1 play, got 2"),
    ("partnership", 2, DEALT | {"hand": "AS AS"}, "hand: AS appears twice"),
    ("partnership", 2, DEALT | {"hand": ["AS", "1S"]},
     "hand[1]: not a card: '1S' (a rank of 23456789TJQKA, then a suit of CDHS, as in AS or TD)"),
    ("partnership", 2, DEALT | {"hand": [3, 52]}, "hand[1] must be an int in 0..51, got 52"),
    ("partnership", 2, DEALT | {"hand": 7}, "hand must be a list, got 7"),
    ("cutthroat", 2, {"hand": "2C"}, "hand[0]: 2C is not in the deck of cutthroat"),
    ("partnership", 2, DEALT | {"bids": [4, 3, 14, 2]},
     "bids[2] must be an int in 0..13, got 14"),
    ("partnership", 2, DEALT | {"bids": [4, 3, "KEEP", 2]},
     "bids[2] must be None, an int in 0..13, BLIND_NIL, LOOK or a bid's name, got 'KEEP'"),
    ("partnership", 2, DEALT | {"bids": [4, 3, 2]}, "bids must hold 4 bids, one for each seat, got 3"),
    ("partnership", 2, DEALT | {"bids": [4, None, 2, None]},
     "bids[2]: seat 2 cannot have made BID_2: seat 1 is on turn in phase BLIND"),
    ("partnership", 2, DEALT | {"bids": [4, None, None, None]},
     "hand: seat 2 has not looked at its cards, since it has not been asked about blind nil; "
     "leave hand out, or use rules with blind_nil=0"),
    ("partnership", 2, DEALT | {"hand": None}, "hand must hold the cards of seat 2, which has looked at them"),
    ("partnership", 2, DEALT | {"scores": [1, 2, 3, 4]}, "scores must hold 2 ints, one for each side, got 4"),
    ("partnership", 2, DEALT | {"bags": [10, 0]}, "bags[0] must be an int in 0..9, got 10"),
    ("partnership", 2, DEALT | {"opener": 4}, "opener must be an int in 0..3, got 4"),
    ("partnership", 2, LATER | {"bids": [4, 3, 4, None]},
     "plays[0]: no card can have been played: seat 3 is on turn in phase BLIND"),
    ("partnership", 2, LATER | {"plays": "QD KD QD AD"}, "plays: QD appears twice"),
    ("partnership", 2, LATER | {"plays": ["QD", "KD", "2D", "QD"]},
     "QD is played by seat 0 in plays[0] and played by seat 3 in plays[3]"),
    ("partnership", 2, LATER | {"plays": [(0, "QD"), (2, "2D")]}, "plays[1]: seat 1 is on turn, not seat 2"),
    ("partnership", 2, LATER | {"plays": "QD KD 2D AS"},
     "AS is in the hand of seat 2 and played by seat 3 in plays[3]"),
    ("partnership", 2, DEALT | {"hand": "AS QS 7S KH 9H 4H AC TC 6C JD 8D 2D", "plays": "QD KD 3C"},
     "plays[2]: seat 2 plays 3C, but it can follow suit (a revoke): its legal cards were JD 8D 2D"),
    ("partnership", 2, LATER | {"plays": "QD KC 2D AD 5D 2H 4D"},
     "plays[6]: seat 1 plays 4D, but with plays[1] it showed a void in diamonds (a revoke)"),
    ("partnership", 0, DEALT | {"hand": "AS QS KH 9H 4H AC TC 6C 3C JD 8D 2D", "plays": "7S"},
     "plays[0]: seat 0 plays 7S, but spades are not broken: its legal cards were KH 9H 4H AC TC 6C 3C JD 8D 2D"),
    ("partnership", 2, LATER | {"draft": ["KEEP"]}, "draft must be empty: partnership has no draft"),
    ("partnership", 2, LATER | {"gone": ["2C"]}, "gone must be empty: partnership has no exchange"),
    ("partnership", 2, LATER | {"last_hand": {}},
     "last_hand must be None with hand_number=0: there was no hand before this one"),
    ("two_player", 0, {"draft": ["KEEP AS", "KEEP 2C"]},
     "draft[1]: of a KEEP of seat 1 seat 0 sees 0 cards with rejected='hidden', got 1"),
    ("two_player", 0, {"draft": ["REJECT AS"]},
     "draft[0]: of a REJECT of seat 0 seat 0 sees 2 cards with rejected='hidden', got 1"),
    ("two_player", 0, {"draft": ["KEEP AS", "KEEP", "KEEP AS"]}, "draft[2]: AS was drawn before, in draft[0]"),
    ("two_player", 0, {"draft": ["AS", "KEEP"]},
     "draft[0] must begin with KEEP or REJECT: only the last draw can be undecided"),
    ("two_player", 0, {"draft": ["TAKE AS"]},
     "draft[0] must begin with KEEP or REJECT, or be the card just drawn, got 'TAKE AS'"),
    ("two_player", 0, {"draft": ["KEEP AS", "KEEP"]},
     "draft: seat 0 is on turn to keep or reject a card; end draft with that card"),
    ("two_player", 0, DRAFT | {"hand": "AS"}, "hand lacks KH, which seat 0 took in the draft"),
    ("two_player", 0, DRAFT | {"hand": "AS KH QH"}, "hand or plays: seat 0 did not take QH in the draft"),
    ("two_player", 0, DRAFT | {"bids": [3, None]},
     "bids[0]: seat 0 cannot have made BID_3: seat 0 is on turn in phase DRAFT"),
    ("two_player", 0, {"bids": ["BLIND_NIL", None], "draft": DRAFT["draft"], "gone": ["AS"]},
     "gone[0]: no exchange is due: seat 0 is on turn in phase DRAFT"),
    ("two_player", 0, DRAFT | {"plays": "AC"},
     "plays[0]: no card can have been played: seat 0 is on turn in phase DRAFT"),
]  # fmt: skip


@pytest.mark.parametrize("rules, seat, arguments, message", WRONG)
def test_what_contradicts_itself_is_named(rules, seat, arguments, message):
    assert built(rules, seat, arguments) == message


def test_cards_that_cannot_be_dealt():
    """Seats show voids in diamonds, and nobody else can hold those that are left."""
    partners, pair = Rules(partners=True, blind_nil=0), Rules(players=2, blind_nil=0)
    found = built(partners, 0, {"hand": range(12), "bids": [1, 1, 1, 1], "plays": "2D 3H 4H 5H"})
    reason = "seats 1, 2 and 3 hold 36 cards, but only 24 unseen ones can be there"
    assert found == f"no deal is possible: {reason}"
    # Seat 1 shows that it holds only spades, but seat 0 holds one.
    found = built(pair, 0, {"hand": [*range(12), 39], "bids": [1, 1], "opener": 1, "plays": "AS"})
    assert found == "no deal is possible: the unseen cards cannot make up the hand of seat 1"


def corrupted(rng, arguments):
    """The arguments with one thing changed: dropped, doubled, moved, or replaced by what does not belong there."""
    changed = copy.deepcopy(arguments)
    name = rng.choice(list(changed))
    junk = [
        None,
        -1,
        1.5,
        52,
        10**20,
        "",
        "XX",
        "AS",
        "KEEP",
        b"AS",
        [],
        {},
        [[]],
        (0, "AS"),
        True,
        float("nan"),
        object(),
        np.zeros(()),
    ]
    value = changed[name]
    lists = [key for key in changed if isinstance(changed[key], list) and changed[key]]
    kind = rng.randrange(5)
    if kind == 0 or not lists:
        changed[name] = rng.choice(junk)
        return changed
    name = rng.choice(lists)
    value = changed[name]
    place = rng.randrange(len(value))
    if kind == 1:
        value[place] = rng.choice(junk)
    elif kind == 2:
        value.insert(rng.randrange(len(value) + 1), value[place])
    elif kind == 3:
        del value[place]
    else:
        value[place] = (
            rng.randrange(52) if name in ("hand", "plays", "draft", "gone", "received") else rng.randrange(-20, 20)
        )
    return changed


def test_malformed_calls():
    """Each is refused with one line, or is a view that some world shows."""
    rng = Random(3)
    refused = accepted = seed = 0
    while refused < 5000:
        seed += 1
        rules = rng.choice(list(MIXES.values()))
        told = Told(seed, rules, KEEN)
        for _ in told.walk(1):
            if rng.random() < 0.8:
                continue
            seat = rng.randrange(rules.players)
            arguments = told.to(seat)
            for _ in range(8):
                found = built(rules, seat, corrupted(rng, arguments))
                if isinstance(found, str):
                    assert len(found.splitlines()) == 1
                    assert len(found) < 250
                    refused += 1
                else:
                    assert found.is_over or found.sample(seed).view(seat) == found
                    accepted += 1
    assert accepted < refused
