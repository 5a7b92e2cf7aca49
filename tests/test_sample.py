from __future__ import annotations

import itertools
import math
from collections import Counter
from random import Random

import numpy as np
import pytest
from random_rules import MIXES, random_rules
from tabletop import CLUB_CARDS, SPADE_CARDS, act, at_first_lead, deal
from walks import finish_hand, state_of, walk

from spades_env.cards import SPADES_MASK, cards_in, mask_of, suit_of
from spades_env.engine.single import sample_view
from spades_env.game import Game, Phase
from spades_env.records.record import Record
from spades_env.reference import Reference, playable
from spades_env.rules import Rules


class Sampler:
    """Many worlds of one view, as one record that is written again and again."""

    def __init__(self, view, seed=0):
        self.view = view
        self.state = np.empty_like(view.state)
        self.rng = np.array([seed], np.uint64)

    def draw(self):
        sample_view(self.view.state, self.view.rules_array, self.view.observer, self.rng, self.state)
        return self.state[0]


def played_by_the_reference(world):
    """The hand of a world as the reference plays it: it asserts that every action was legal."""
    (hand,) = world.record().hands
    start = world.record().start
    reference = Reference(
        world.rules,
        decks=[hand.deck],
        scores=start.scores,
        bags=start.bags,
        opener=start.opener,
        draw=lambda pile, count: hand.received[reference.seat],
    )
    for action in hand.actions:
        assert action in reference.legal_actions()
        reference.apply(action)
    return reference


def check_world(view, world):
    assert world.view(view.observer) == view
    again = Record.from_bytes(world.record().to_bytes()).replay()
    assert state_of(again) == state_of(world)
    reference = played_by_the_reference(world)
    assert [mask_of(hand) for hand in reference.hands] == world.hands
    assert reference.seat == (None if world.is_over else world.seat)


@pytest.mark.parametrize("mix", MIXES)
def test_worlds_agree_with_all_that_was_seen(mix):
    for seed in range(2):
        for step, game in enumerate(walk(seed, MIXES[mix])):
            for seat in range(game.rules.players):
                view = game.view(seat)
                world = view.sample(step)
                assert world.view(seat) == view
                if step % 5 == seat:
                    check_world(view, world)


@pytest.mark.parametrize("seed", range(25))
def test_worlds_of_random_rules_agree_with_all_that_was_seen(seed):
    for step, game in enumerate(walk(seed, random_rules(Random(seed)))):
        if step % 7 == seed % 7 or game.phase in (Phase.EXCHANGE, Phase.OVER):
            for seat in range(game.rules.players):
                check_world(game.view(seat), game.view(seat).sample(step))


@pytest.mark.parametrize("dealt", [False, True], ids=["draft", "dealt"])
@pytest.mark.parametrize("exchange", [1, 3, 7, 13])
def test_both_exchange(exchange, dealt):
    rules = Rules(players=2, draft=not dealt, exchange=exchange, target=10_000, loss=None)
    rng = Random(exchange)
    for seed in range(2):
        game = Game(rules, seed=seed)
        while not game.hand_number:
            for seat in range(2):
                check_world(game.view(seat), game.view(seat).sample(seed))
            blind = "BLIND_NIL" if game.phase == Phase.BLIND else None
            act(game, blind) if blind else game.apply(rng.choice(game.legal_actions()[: exchange * 13]))


def test_a_view_and_a_seed_name_one_world_whatever_is_hidden():
    for mix, rules in MIXES.items():
        for step, game in enumerate(walk(5, rules, hands=1)):
            if step % 9 == 4:
                view = game.view()
                world = view.sample(1)
                other = world.view(view.observer)  # the same view of other cards
                assert other.sample(1).record() == world.record(), mix
                assert state_of(view.sample(np.random.default_rng(1))) == state_of(world)
                assert state_of(view.sample(2)) != state_of(world)


def test_without_a_seed_worlds_differ():
    view = Game("solo", seed=0).view()
    assert len({state_of(view.sample()) for _ in range(20)}) == 20
    rng = np.random.default_rng(0)
    assert len({state_of(view.sample(rng)) for _ in range(20)}) == 20


@pytest.mark.parametrize("rng", [-1, 1.5, "1", True, 2**64, Random(1)])
def test_a_seed_that_is_none_is_refused(rng):
    with pytest.raises(ValueError, match="rng must be"):
        Game("solo", seed=0).view().sample(rng)


@pytest.mark.parametrize("mix", MIXES)
def test_a_world_is_a_game_that_goes_on(mix):
    rules = MIXES[mix]
    for step, game in enumerate(walk(2, rules)):
        if step % 17 == 3 and not game.is_over:
            world = game.view().sample(step)
            scores = list(world.scores)
            assert scores == game.scores
            assert world.hand_number == game.hand_number
            finish_hand(world)
            assert world.hand_number == game.hand_number + 1
            assert [a - b for a, b in zip(world.scores, scores, strict=True)] == world.last_hand["points"]
            if not world.is_over:
                finish_hand(world, seed=1)
            assert state_of(Game.from_bytes(world.to_bytes())) == state_of(world)


# Every world, and each as often as the others


def is_even(counts, expected_kinds, spread=4.5):
    """Whether counts of equally likely kinds look it: chi-square, by Wilson and Hilferty's normal approximation."""
    total = sum(counts.values())
    mean = total / expected_kinds
    assert mean >= 5
    chi = sum((count - mean) ** 2 for count in counts.values()) / mean + mean * (expected_kinds - len(counts))
    freedom = expected_kinds - 1
    if not freedom:
        return True
    z = ((chi / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom))
    return z < spread


def past_plays_are_legal(game, hands):
    """Whether every play of the current hand was legal if the seats hold `hands` now; `voids` are not looked at."""
    rules, plays = game.rules, game.played
    held = [set(cards_in(hand)) | {card for seat, card in plays if seat == owner} for owner, hand in enumerate(hands)]
    broken = False
    for n, (seat, card) in enumerate(plays):
        trick = plays[n - n % rules.players : n]
        if card not in playable(held[seat], trick, broken, rules.spades_must_break):
            return False
        if suit_of(card) == 3:
            broken |= bool(trick) and suit_of(trick[0][1]) != 3
            broken |= not trick and all(suit_of(other) == 3 for other in held[seat])
        held[seat].remove(card)
    return True


def deals(cards, sizes):
    """All ways to deal `cards` to hands of these sizes, as tuples of masks."""
    if not sizes:
        yield ()
        return
    for hand in itertools.combinations(cards, sizes[0]):
        rest = [card for card in cards if card not in hand]
        for others in deals(rest, sizes[1:]):
            yield (mask_of(hand), *others)


def worlds_of_dealt(game, observer):
    """All hands that agree with what `observer` has seen, three or four players: a set of tuples."""
    others = [seat for seat in range(game.rules.players) if seat != observer]
    hidden = [card for seat in others for card in cards_in(game.hands[seat])] + cards_in(game.discard_pile)
    found = set()
    for dealt in deals(hidden, [game.hands[seat].bit_count() for seat in others]):
        hands = list(game.hands)
        for seat, hand in zip(others, dealt, strict=True):
            hands[seat] = hand
        if past_plays_are_legal(game, hands):
            found.add(tuple(hands))
    return found


def endings(rules, tricks_left, seeds):
    """Positions of random matches in which so many tricks are left."""
    for seed in seeds:
        for game in walk(seed, rules, hands=1):
            if game.phase == Phase.PLAY and sum(game.tricks) == rules.hand_size - tricks_left:
                yield game
                break


@pytest.mark.parametrize("mix", [name for name, rules in MIXES.items() if rules.players > 2])
def test_endings_of_dealt_games_are_uniform(mix):
    sizes = []
    few, more = (3, 5) if MIXES[mix].players == 3 else (2, 3)
    if MIXES[mix].removed:  # cards that were not dealt are hidden too
        few, more = (2, 3) if MIXES[mix].players == 3 else (1, 2)
    for left, seeds in ((few, range(6)), (more, range(2))):
        for game in endings(MIXES[mix], left, seeds):
            for observer in range(game.rules.players):
                worlds = worlds_of_dealt(game, observer)
                sampler = Sampler(game.view(observer), len(sizes))
                counts = Counter(
                    tuple(sampler.draw()["hands"][: game.rules.players].tolist()) for _ in range(20 * len(worlds))
                )
                assert set(counts) <= worlds
                assert is_even(counts, len(worlds))
                sizes.append(len(worlds))
    assert len(set(sizes)) > 3
    assert max(sizes) > 100


def worlds_of_two(game, observer):
    """All (hand, given, received) of the other seat that agree with what `observer` has seen.

    Straight from the rules: R came from the pile, G and K made the first hand, and K and R played as was seen.
    """
    other = 1 - observer
    view = game.view(observer)
    own = {*cards_in(view.hand | view.plays[observer] | view.given)}
    received = {*cards_in(view.received)}
    seen = {*cards_in(view.discards_seen)} - received
    hidden = {*range(52)} - own - received - seen
    played = {*cards_in(view.plays[other])}
    count = view.exchanged[other]
    found = set()
    for got in itertools.combinations(sorted(seen | hidden), count):
        if played & seen - set(got):
            continue
        for gave in itertools.combinations(sorted(hidden - set(got)), count):
            kept = played - set(got)
            if kept & set(gave):
                continue
            free = sorted(hidden - set(got) - set(gave) - kept)
            for more in itertools.combinations(free, 13 - count - len(kept)):
                hands = list(game.hands)
                hands[other] = mask_of({*kept, *more, *got} - played)
                if past_plays_are_legal(game, hands):
                    found.add((hands[other], mask_of(gave), mask_of(got)))
    return found


def exchange_ending(rules, seed, tricks_left, given):
    """A hand with so many tricks left in which both bid blind nil and exchanged these numbers of cards."""
    rng = Random(seed)
    game = Game(rules, seed=seed)
    exchanged = [0, 0]
    while game.phase != Phase.PLAY or sum(game.tricks) < 13 - tricks_left:
        legal = game.legal_actions()
        if game.phase == Phase.BLIND:
            act(game, "BLIND_NIL" if given[game.seat] is not None else "LOOK")
        elif game.phase == Phase.EXCHANGE:
            if exchanged[game.seat] == given[game.seat]:
                act(game, "DONE")
            else:
                exchanged[game.seat] += 1
                game.apply(rng.choice(legal[:-1]))
        else:
            game.apply(rng.choice(legal))
    return game


# rules, tricks left, cards given up by the seats (None: not blind)
TWO = {
    "hidden": (Rules.preset("two_player"), 2, (None, None)),
    "drawer": (Rules.preset("two_player", rejected="drawer"), 3, (None, None)),
    "public": (Rules.preset("two_player", rejected="public"), 3, (None, None)),
    "dealt": (Rules(players=2), 2, (None, None)),
    "public, one exchanges": (Rules.preset("two_player", rejected="public"), 3, (1, None)),
    "public, both exchange": (Rules.preset("two_player", rejected="public"), 3, (1, 1)),
    "public, more": (Rules.preset("two_player", rejected="public"), 2, (2, 1)),
    "drawer, both exchange": (Rules.preset("two_player", rejected="drawer"), 1, (1, 1)),
    "hidden, both exchange": (Rules.preset("two_player", spades_must_break=False), 1, (1, 1)),
    "dealt, one exchanges": (Rules(players=2, exchange=1), 1, (1, None)),
}


@pytest.mark.parametrize("case", TWO)
def test_endings_of_two_players_are_uniform(case):
    rules, tricks_left, given = TWO[case]
    sizes = []
    for seed in range(2):
        game = exchange_ending(rules, seed, tricks_left, given)
        for observer in range(2):
            worlds = worlds_of_two(game, observer)
            other = 1 - observer
            sampler = Sampler(game.view(observer), seed)
            counts = Counter()
            for _ in range(max(500, 6 * len(worlds))):
                state = sampler.draw()
                counts[tuple(int(state[field][other]) for field in ("hands", "given", "received"))] += 1
            assert set(counts) <= worlds
            assert is_even(counts, len(worlds))
            sizes.append(len(worlds))
    assert max(sizes) > 1 or case == "public"


def ways(cards, sizes, voids):
    """How many ways there are to deal cards to hands of these sizes that hold nothing of their voids."""
    if not sizes:
        return 1
    counts = Counter(map(suit_of, cards))
    room = [min(counts[suit], sizes[0]) if not voids[0] >> suit & 1 else 0 for suit in range(4)]
    total = 0
    for taken in itertools.product(*(range(most + 1) for most in room)):
        if sum(taken) == sizes[0]:
            rest = [card for suit in range(4) for card in [13 * suit] * (counts[suit] - taken[suit])]
            here = math.prod(math.comb(counts[suit], taken[suit]) for suit in range(4))
            total += here * ways(rest, sizes[1:], voids[1:])
    return total


@pytest.mark.parametrize("mix", ["solo", "cutthroat", "partners, contract", "three, 50 cards"])
def test_every_possible_card_comes_as_often_as_it_should(mix):
    """The chance of each card in each hand in the middle of a hand, counted apart."""
    rules = MIXES[mix]
    checked = 0
    for seed in range(3):
        for game in itertools.islice(walk(seed, rules, hands=1), 10, None, 9):
            view = game.view()
            others = [seat for seat in range(rules.players) if seat != view.observer]
            hidden = [card for seat in others for card in cards_in(game.hands[seat])] + cards_in(game.discard_pile)
            sizes = [game.hands[seat].bit_count() for seat in others]
            voids = [view.voids[seat] for seat in others]
            if game.phase != Phase.PLAY or not any(voids) or not hidden:
                continue
            total = ways(hidden, sizes, voids)
            sampler, draws = Sampler(view, seed), 3000
            hands = np.array([sampler.draw()["hands"].copy() for _ in range(draws)])
            for k, seat in enumerate(others):
                for suit in {suit_of(card) for card in hidden}:
                    card = next(card for card in hidden if suit_of(card) == suit)
                    rest = [other for other in hidden if other != card]
                    fewer = [size - (n == k) for n, size in enumerate(sizes)]
                    chance = 0.0 if voids[k] >> suit & 1 or not sizes[k] else ways(rest, fewer, voids) / total
                    found = np.mean(hands[:, seat] >> np.uint64(card) & np.uint64(1))
                    assert abs(found - chance) <= 5 * math.sqrt(chance * (1 - chance) / draws), (game, card, seat)
                    checked += 1
    assert checked > 40


def count_places(view, places, draws=4000):
    """How often each card lies in each of some places of the deck, over many worlds."""
    sampler = Sampler(view, 1)
    decks = np.array([sampler.draw()["deck"].copy() for _ in range(draws)])
    return [Counter(decks[:, place].tolist()) for place in places]


def test_the_order_of_the_deck_is_uniform_before_cards_are_seen():
    for counts in count_places(Game("solo", seed=1).view(), [0, 17, 51]):
        assert is_even(counts, 52)
    for counts in count_places(Game("cutthroat", seed=1).view(), [0, 50]):
        assert is_even(counts, 51)
        assert 0 not in counts
    game = Game("two_player", seed=1)
    act(game, "LOOK REJECT LOOK KEEP")
    # Seat 0 has seen the first two cards and draws the fifth; seat 1 has seen its own third and fifth alike.
    for counts in count_places(game.view(), [2, 3, 5, 51]):
        assert is_even(counts, 49)


def test_the_order_within_a_hand_is_uniform():
    game = Game("partnership", seed=1)
    while sum(game.tricks) < 1:
        game.apply(game.legal_actions()[0])
    view = game.view(0)
    card = cards_in(view.plays[2])[0]
    sampler = Sampler(view, 3)
    places = Counter(int(np.nonzero(sampler.draw()["deck"] == card)[0][0]) for _ in range(2000))
    assert {place % 4 for place in places} == {2}
    assert is_even(places, 13)
    own = cards_in(view.hand)[0]
    places = Counter(int(np.nonzero(sampler.draw()["deck"] == own)[0][0]) for _ in range(2000))
    assert {place % 4 for place in places} == {0}
    assert is_even(places, 13)


def test_a_seat_that_has_not_looked_knows_nothing_of_an_exchange_before_it():
    game = Game(Rules(players=2, exchange=3), seed=1)
    act(game, "BLIND_NIL")
    for card in game.legal_actions()[:2]:
        game.apply(card)
    act(game, "DONE")
    view = game.view(1)
    sampler = Sampler(view, 5)
    counts = {name: Counter() for name in ("given", "received", "hand", "pile", "own")}
    for _ in range(3000):
        state = sampler.draw()
        counts["given"].update(cards_in(state["given"][0]))
        counts["received"].update(cards_in(state["received"][0]))
        counts["hand"].update(cards_in(state["hands"][0]))
        counts["own"].update(cards_in(state["hands"][1]))
        counts["pile"].update(cards_in(state["pile"]))
    assert [sum(count.values()) // 3000 for count in counts.values()] == [2, 2, 13, 24, 13]
    for count in counts.values():
        assert is_even(count, 52)


def test_what_is_given_up_before_new_cards_come_is_any_of_the_first_hand():
    game = Game(
        Rules.preset("two_player", rejected="public"), seed=1, decks=[deal("two_player", [CLUB_CARDS, SPADE_CARDS])]
    )
    act(game, "BLIND_NIL KEEP LOOK KEEP" + 24 * " KEEP" + " 2C 3C")
    view = game.view(1)
    sampler = Sampler(view, 6)
    counts = Counter()
    for _ in range(4000):
        state = sampler.draw()
        assert int(state["hands"][0] | state["given"][0]) == mask_of(CLUB_CARDS)
        counts[int(state["given"][0])] += 1
    assert is_even(counts, math.comb(13, 2))


def test_a_lead_from_only_spades_stays_secret_where_spades_may_be_led_at_any_time():
    rules = Rules(spades_must_break=False)
    hands = [SPADE_CARDS, "2H 3H", "4H 5H", "6H 7H"]
    game = at_first_lead(Game, rules, hands)
    act(game, "2S")
    assert game.spades_broken
    assert not game.view(1).spades_broken
    shares = Counter(
        (bool(world.spades_broken), world.hands[0] & ~SPADES_MASK == 0)
        for world in (game.view(1).sample(seed) for seed in range(50))
    )
    assert set(shares) <= {(True, True), (False, False)}
    # Once she can have nothing but spades left, the worlds know it.
    while sum(game.tricks) < 11:
        game.apply(game.legal_actions()[0])
    worlds = [game.view(1).sample(seed) for seed in range(30)]
    assert all(world.spades_broken == (world.plays[0] | world.hands[0] == SPADES_MASK) for world in worlds)
