"""Shipped players: the weights' file, the card, what is refused, and how they bid."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise

import numpy as np
import pytest
import safetensors.numpy
from spades_agents import make_agent
from spades_agents.policy.network import PolicyNetwork
from spades_agents.policy.policy_input import check_hint, layout_digest
from spades_agents.policy.safetensors import pack_tensors, unpack_tensors
from spades_agents.policy.shipped import FOLDER, FORMAT, GAMES, pack_network, read_card, read_shipped
from spades_training.evaluation.evaluate import evaluate

from spades_env import Tables
from spades_env.cards import BID_0, BLIND_NIL
from spades_env.game import Phase
from spades_env.observation import SIZE
from spades_env.rules import PRESETS

TENSORS = {
    "one": np.arange(6, dtype=np.float16).reshape(2, 3),
    "two": np.array([-1.5, 2.5], np.float32),
    "three": np.array([[7], [-8]], np.int32),
}


def make_network(sizes=(30, 16, 75)):
    rng = np.random.default_rng(1)
    layers = [(rng.normal(size=pair).astype(np.float16), rng.normal(size=pair[1])) for pair in pairwise(sizes)]
    return PolicyNetwork(np.sort(rng.permutation(SIZE)[: sizes[0]]), layers)


@pytest.fixture
def folder(tmp_path):
    """A shipped player of random weights."""
    weights = pack_network(make_network())
    card = {"format": FORMAT, "layout": layout_digest(), "rules": PRESETS["two_player"].to_dict()}
    card |= {"activation": "relu", "hint": "", "sha256": hashlib.sha256(weights).hexdigest()}
    (tmp_path / "two_player.safetensors").write_bytes(weights)
    (tmp_path / "two_player.json").write_text(json.dumps(card))
    return tmp_path


def test_the_file_is_what_the_safetensors_library_reads_and_writes():
    read = safetensors.numpy.load(pack_tensors(TENSORS))
    back = unpack_tensors(safetensors.numpy.save(TENSORS, {"made": "elsewhere"}))
    for found in (read, back, unpack_tensors(pack_tensors(TENSORS))):
        assert found.keys() == TENSORS.keys()
        for name, tensor in TENSORS.items():
            assert found[name].dtype == tensor.dtype
            np.testing.assert_array_equal(found[name], tensor)
    with pytest.raises(ValueError, match="tensor 'x' is of type float64: use"):
        pack_tensors({"x": np.zeros(2)})


def test_a_network_comes_back_as_it_was(folder):
    network, rules = read_shipped("two_player", folder)
    observations = (np.random.default_rng(2).random((20, SIZE)) < 0.3).astype(np.int8)
    np.testing.assert_allclose(network.logits(observations), make_network().logits(observations), rtol=1e-6)
    assert rules == PRESETS["two_player"]


def change(card, **changes):
    card.write_text(json.dumps({**json.loads(card.read_text()), **changes}))


def test_what_is_refused(folder):
    weights, card = folder / "two_player.safetensors", folder / "two_player.json"
    whole, text = weights.read_bytes(), card.read_text()
    for damaged in (whole[:-1], whole[:100], whole[:3], b"", whole.replace(b"inputs", b"imputs")):
        weights.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"two_player\.safetensors are damaged, or not those of the card"):
            read_shipped("two_player", folder)
        change(card, sha256=hashlib.sha256(damaged).hexdigest())
        with pytest.raises(ValueError, match=r"two_player\.safetensors are damaged: "):
            read_shipped("two_player", folder)
    weights.unlink()
    with pytest.raises(ValueError, match=r"cannot read the weights .*: No such file"):
        read_shipped("two_player", folder)
    card.write_text(text)
    change(card, layout="0123")
    with pytest.raises(ValueError, match=r"another version of the observation, layout 0123; this version has"):
        read_shipped("two_player", folder)
    card.write_text(text)
    change(card, features="0123")
    with pytest.raises(ValueError, match=r"another version of the card features, layout 0123; this version has"):
        read_shipped("two_player", folder)
    change(card, format="something")
    with pytest.raises(ValueError, match="is not the card of a player"):
        read_shipped("two_player", folder)
    card.write_text(text[:40])
    with pytest.raises(ValueError, match=r"two_player\.json is damaged"):
        read_shipped("two_player", folder)
    card.write_text("[" * 100_000)
    with pytest.raises(ValueError, match=r"two_player\.json is damaged"):
        read_shipped("two_player", folder)
    with pytest.raises(ValueError, match=r"cannot read the card .*: No such file"):
        read_shipped("partnership", folder)


@pytest.mark.parametrize("header", [b"\xff", b"[" * 100_000, b'{"x":"\xb6"}'])
def test_a_damaged_header_is_told_without_quoting_the_file(header):
    data = len(header).to_bytes(8, "little") + header + bytes(1000)
    with pytest.raises(ValueError, match=r"^damaged header: not JSON$"):
        unpack_tensors(data)


def test_options_that_make_no_sense():
    with pytest.raises(ValueError, match="seed must be an int"):
        make_agent("learned:seed=x")
    with pytest.raises(ValueError, match="deterministic must be true or false, got 3"):
        make_agent("learned:deterministic=3")
    with pytest.raises(ValueError, match=r"hint must be one of 'heuristic', 'bidder', got \[1\]"):
        check_hint([1])


def test_the_shipped_player():
    """It fits this version, is small, and its card says what it is; single and batch decisions agree."""
    for game in GAMES:
        card = read_card(game)
        assert card["rules"] == PRESETS[game].to_dict()
        assert {"commands", "seed", "steps", "date", "strength"} <= set(card)
        assert (FOLDER / f"{game}.safetensors").stat().st_size < 4 << 20
        agent, tables = make_agent("learned"), Tables(game, 8, 5)
        for _ in range(30):
            actions = agent.act_batch(tables, np.arange(8))
            assert agent.act(tables.view(3)) == actions[3]
            tables.step(actions)
        assert evaluate(agent, "random", game, matches=20).points_per_hand.low > 40


def test_probabilities():
    """They are those of the softmax of the logits over the actions to choose from, and the likeliest is played."""
    agent, tables, rows = make_agent("learned"), Tables("two_player", 8, 5), np.arange(8)
    for _ in range(40):
        actions = agent.act_batch(tables, rows)
        found = agent.probabilities(tables, rows)
        assert found.sum(1) == pytest.approx(np.ones(8), abs=1e-5)
        assert not found[tables.action_mask == 0].any()
        assert (found.argmax(1) == actions).all()
        tables.step(actions)
    sampler = make_agent("learned:deterministic=false")
    sampler.reset(3)
    shares = np.bincount(sampler.act_batch(tables, np.zeros(4000, np.int64)), minlength=75) / 4000
    assert shares == pytest.approx(agent.probabilities(tables, [0])[0], abs=0.04)


SITUATIONS = {  # points and bags: of the side on turn, of the other one
    "470-470": ((470, 470), (0, 0)),
    "nine bags": ((9, 0), (9, 0)),
    "nine bags each": ((9, 9), (9, 9)),
    "200 behind": ((100, 300), (0, 0)),
    "200 ahead": ((300, 100), (0, 0)),
}


def bids_of(agent, game, scores, bags, deals=600):
    """The bids, (deals, place in the bidding order), -1 after a blind nil; and as many bools: who bid blind nil.

    The shipped player leads the hands to each decision at 0-0; the scores are changed for the decision alone, so the
    hands and the bids before it are the same at all scores.
    """
    driver, rows = make_agent("learned"), np.arange(deals)
    tables, asked = Tables(game, deals, 7), Tables(game, deals, 7)
    players, sides = tables.rules.players, tables.rules.sides
    found, blind = np.full((deals, players), -1), np.zeros((deals, players), bool)
    while (bidding := np.flatnonzero(tables.states["phase"] < Phase.PLAY)).size:
        asked.states[:] = tables.states
        own = (tables.states["seat"] % sides)[:, None] == np.arange(sides)
        asked.set_scores(np.where(own, *scores), np.where(own, *bags))
        for phase in (Phase.BID, Phase.BLIND):
            on = rows[tables.states["phase"] == phase]
            if on.size:
                actions = agent.act_batch(asked, on)
                place = (tables.states["seat"][on] - tables.states["opener"][on] - tables.rules.bids_first) % players
                if phase == Phase.BID:
                    found[on, place] = actions - BID_0
                else:
                    blind[on, place] = actions == BLIND_NIL
        tables.advance(driver.act_batch(tables, bidding), bidding)
    return found, blind


def shifts(agent, game):
    """For each situation how bids and the share of nils differ from 0-0, and the share of blind nils, by place."""
    even, _ = bids_of(agent, game, (0, 0), (0, 0))
    made = np.where(even >= 0, 1.0, np.nan)
    found = {}
    for name, (scores, bags) in SITUATIONS.items():
        bids, blind = bids_of(agent, game, scores, bags)
        nils = (bids == 0).astype(int) - (even == 0)
        found[name] = np.nanmean(made * (bids - even), 0), np.nanmean(made * nils, 0), blind.mean(0)
    return found


def test_two_players_bids_shift_with_scores_and_bags():
    """In brackets: what a search by rollouts for the chance to win (rollout:worlds=60, 300 deals) does, nils left out.

    The first to bid bids higher at 470-470, by 0.51 (0.43): who then makes the greater contract wins. 200 behind it
    bids lower, by 0.82 (0.83), with nine bags by 0.12 (0.23), while the second bids 0.03 higher (0.06). Nils are not
    tested: the search, first to bid, bids nil in 18% of the hands at 470-470 and in 20% when 200 behind, the network
    hardly ever.
    """
    found = shifts(make_agent("learned"), "two_player")
    assert found["470-470"][0][0] > 0.25
    assert found["200 behind"][0][0] < -0.4
    assert found["nine bags"][0][0] < -0.05
    assert abs(found["nine bags"][0][1]) < 0.15


def test_partners_bids_and_nils_shift_with_scores_and_bags():
    """At 470-470 the first two bid higher, with nine bags on both sides all bid lower; nils go with the need for them.

    They bid 0.65 and 0.39 higher, 0.05 to 0.14 lower; of 100 hands 5 more are nils at 470-470, 5 to 10 more 200 behind,
    4 to 9 fewer 200 ahead. The last to bid then bids blind nil in 3 of 100 hands when behind, and never when ahead.
    """
    found = shifts(make_agent("learned"), "partnership")
    assert found["470-470"][0][:2].min() > 0.25
    assert found["nine bags each"][0].mean() < -0.05
    assert found["470-470"][1].mean() > 0.03
    assert found["200 behind"][1].min() > 0.02
    assert found["200 ahead"][1].max() < -0.02
    assert found["200 behind"][2][3] > 0.01
    assert not found["200 ahead"][2].any()


@pytest.mark.parametrize("rules", ["solo", "two_player_dealt"])
def test_games_without_a_player_are_refused(rules):
    text = f"agent 'learned' plays only two_player, partnership and cutthroat, not {rules}"
    with pytest.raises(ValueError, match=text):
        make_agent("learned").act(Tables(rules).view(0))
