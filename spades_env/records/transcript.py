"""A record as readable text: hands, draft, bids, tricks with their winners, results."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spades_env.cards import BID_0, BLIND_NIL, DONE, KEEP, card_name, hand_text, trick_winner
from spades_env.engine.state import Phase
from spades_env.game.log import HandLog, HandResult
from spades_env.game.position import Position
from spades_env.rules import PRESETS, Rules

if TYPE_CHECKING:
    from spades_env.records.record import Record


@dataclass(frozen=True)
class _Moment:
    """What the text uses of one position; ``action`` is None at the end of the record."""

    hand: int
    phase: Phase
    seat: int
    action: int | None
    hands: Sequence[int]
    heading: str

    @classmethod
    def of(cls, hand: int, game: Position, action: int | None) -> _Moment:
        scores, bags = (" : ".join(map(str, values)) for values in (game.scores, game.bags))
        heading = f"Hand {game.hand_number + 1}: seat {game.opener} opens, score {scores}, bags {bags}"
        return cls(hand, game.phase, game.seat, action, game.hands, heading)


def transcript(record: Record) -> str:
    """The match as readable text; it is replayed and checked.

    Raises:
        RecordError: if the record is wrong, as for :meth:`Record.replay`.
    """
    last = len(record.hands) - 1
    moments = [
        _Moment.of(min(game.hand_number - record.start.hand_number, last), game, action)
        for game, action in record.positions()
    ]
    lines = list(_title(record))
    for hand, group in itertools.groupby(moments, lambda moment: moment.hand):
        lines += _hand(record.rules, record.hands[hand], list(group))
    if record.winner is not None:
        lines += ["", f"{record.rules.side_name(record.winner)} won the match"]
    return "\n".join(lines) + "\n"


def _title(record: Record) -> Iterator[str]:
    name = record.rules.name
    seed, table, match = record.seed
    yield f"Spades, {'preset' if name in PRESETS else 'rules'} {name}"
    yield f"seed {seed}, table {table}, match {match}, spades_env {record.version}"
    for seat, agent in enumerate(record.agents or ()):
        yield f"seat {seat}: {agent}"


def _hand(rules: Rules, log: HandLog, moments: list[_Moment]) -> Iterator[str]:
    yield ""
    yield moments[0].heading
    decisions = [(moment.phase, moment.seat, moment.action) for moment in moments if moment.action is not None]
    blind = {seat: action for phase, seat, action in decisions if phase == Phase.BLIND}
    if rules.draft:
        yield from _draft(log.deck, decisions)
    if rules.draft and blind:
        yield f"  Blind: {', '.join(f'seat {seat} {_blind_text(action)}' for seat, action in blind.items())}"
    dealt = [moment for moment in moments if not rules.draft or moment.phase > Phase.DRAFT]
    for seat, cards in enumerate(dealt[0].hands if dealt else []):
        if cards:
            yield f"  Seat {seat} holds {hand_text(cards)}"
    yield from _exchanges(log, decisions)
    bids = [
        f"seat {seat} {_blind_text(action) if phase == Phase.BLIND else _bid_text(action)}"
        for phase, seat, action in decisions
        if phase == Phase.BID or (phase == Phase.BLIND and not rules.draft)
    ]
    if bids:
        yield f"  Bids: {', '.join(bids)}"
    plays = [(seat, action) for phase, seat, action in decisions if phase == Phase.PLAY]
    for n, first in enumerate(range(0, len(plays), rules.players), start=1):
        trick = plays[first : first + rules.players]
        text = ", ".join(f"seat {seat} {card_name(card)}" for seat, card in trick)
        ending = f": seat {trick_winner(trick)} wins it" if len(trick) == rules.players else ", ..."
        yield f"  Trick {n}: {text}{ending}"
    if log.result is not None:
        yield from _result(rules, log.result)


def _blind_text(action: int) -> str:
    return "bids blind nil" if action == BLIND_NIL else "looks"


def _bid_text(action: int) -> str:
    return f"bids {action - BID_0 or 'nil'}"


def _draft(deck: list[int], decisions: list[tuple[Phase, int, int]]) -> Iterator[str]:
    draws = [(seat, action) for phase, seat, action in decisions if phase == Phase.DRAFT]
    for n, (seat, action) in enumerate(draws):
        drawn, following = map(card_name, deck[2 * n : 2 * n + 2])
        keeps = f"keeps {drawn}, {following} is discarded"
        yield f"  Draw {n + 1}: seat {seat} {keeps if action == KEEP else f'rejects {drawn}, takes {following}'}"


def _exchanges(log: HandLog, decisions: list[tuple[Phase, int, int]]) -> Iterator[str]:
    exchanges = [(seat, action) for phase, seat, action in decisions if phase == Phase.EXCHANGE]
    for seat in dict(exchanges):
        gave = [card_name(card) for giver, card in exchanges if giver == seat and card != DONE]
        got = [card_name(card) for card in log.received[seat]] if log.received else []
        ending = f", gets {' '.join(got)}" if got else ", ..."
        yield f"  Exchange: seat {seat} gives up {' '.join(gave) or 'nothing'}{ending if gave else ''}"


def _result(rules: Rules, result: HandResult) -> Iterator[str]:
    for seat in range(rules.players):
        bid = "blind nil" if result.blind[seat] else result.bids[seat] or "nil"
        yield f"  Seat {seat} bid {bid} and won {result.tricks[seat]}"
    for side in range(rules.sides):
        total = f"score {result.scores[side]}, bags {result.bags[side]}"
        yield f"  {rules.side_name(side).capitalize()}: {result.points[side]:+} points, {total}"
