"""The score sheet of a match, and statistics over saved matches."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from spades_env.game import Game
from spades_env.game.log import HandResult
from spades_env.records.record import Record
from spades_env.rules import Rules
from spades_training.terminal.board import Seats, bid_text, capital, wrapped

YOU = "you"  # the person's name in records


def score_sheet(game: Game, me: int) -> list[str]:
    """The match hand by hand: bids, tricks, points, score and bags of every side."""
    seats = Seats(game.rules, me)
    results = [hand.result for hand in game.log.hands if hand.result]
    if not results:
        return ["No hand has been scored yet."]
    lines = [f"{'hand':<5}{'side':<17}{'bid':>11}{'won':>6}{'points':>8}{'score':>7}{'bags':>5}"]
    for number, result in enumerate(results, game.log.start.hand_number + 1):
        for k, side in enumerate(seats.sides()):
            members = _members(game.rules, side, me)
            bids = "+".join(_short_bid(result, seat) for seat in members)
            won = "+".join(str(result.tricks[seat]) for seat in members)
            score, bags = result.scores[side], result.bags[side]
            name = f"{'' if k else number:<5}{seats.side(side):<17}"
            lines.append(f"{name}{bids:>11}{won:>6}{result.points[side]:>+8}{score:>7}{bags:>5}")
    return lines


def hand_result(game: Game, me: int) -> list[str]:
    """What the hand that has just ended brought to every side, in words."""
    seats, start = Seats(game.rules, me), game.log.start
    *earlier, result = [hand.result for hand in game.log.hands if hand.result]
    bags_before = earlier[-1].bags if earlier else start.bags
    lines = []
    for side in seats.sides():
        members = _members(game.rules, side, me)
        bids = " + ".join(bid_text(result.bids[seat], result.blind[seat]) for seat in members)
        won = " + ".join(str(result.tricks[seat]) for seat in members)
        text = f"{capital(seats.side(side))}: bid {bids}, won {won}: {result.points[side]:+} points"
        if _penalised(game.rules, result, members, bags_before[side]):
            text += f", the penalty for {game.rules.bag_limit} bags included"
        lines += wrapped(f"{text}; now {result.scores[side]} points and {result.bags[side]} bags.", "  ")
    return lines


def _penalised(rules: Rules, result: HandResult, members: list[int], bags: int) -> bool:
    """Whether the overtricks of a side completed a penalty; ``bags`` is its counter before the hand."""
    bidders = [seat for seat in members if result.bids[seat]]
    over = sum(result.tricks[seat] - result.bids[seat] for seat in bidders)
    return bool(bidders and rules.bag_limit and over > 0 and bags + over >= rules.bag_limit)


def _members(rules: Rules, side: int, me: int) -> list[int]:
    """The seats of a side, the person or the left opponent first."""
    return sorted(range(side, rules.players, rules.sides), key=lambda seat: (seat - me) % rules.players)


def _short_bid(result: HandResult, seat: int) -> str:
    return {"nil": "nil", "blind nil": "blind"}.get(text := bid_text(result.bids[seat], result.blind[seat]), text)


def saved_records(folder: Path) -> list[Record]:
    """The matches of a person in the files ``spades-*.json`` of a folder; unreadable ones are skipped."""
    records = []
    for path in sorted(folder.glob("spades-*.json")):
        try:
            record = Record.load(path)
        except (OSError, ValueError):
            continue
        if record.agents and YOU in record.agents:
            records.append(record)
    return records


def statistics(records: Iterable[Record]) -> list[str]:
    """What the person achieved in matches, for each kind of rules."""
    games: dict[str, list[Record]] = {}
    for record in records:
        games.setdefault(record.rules.name, []).append(record)
    if not games:
        return ["There are no saved matches yet."]
    lines = []
    for name, played in games.items():
        lines += _of_one_game(name, played)
    return lines


def _of_one_game(name: str, records: list[Record]) -> list[str]:
    over = won = hands = bids = made = nils = nils_made = points = tricks = 0
    for record in records:
        me = (record.agents or ()).index(YOU)
        side = record.rules.side_of(me)
        over += record.winner is not None
        won += record.winner == side
        for result in [hand.result for hand in record.hands if hand.result]:
            hands += 1
            points += result.points[side]
            tricks += result.tricks[me]
            nils += result.bids[me] == 0
            nils_made += result.bids[me] == 0 and result.tricks[me] == 0
            members = [seat for seat in range(side, record.rules.players, record.rules.sides) if result.bids[seat]]
            contract = sum(result.bids[seat] for seat in members)
            bids += contract > 0
            made += contract > 0 and sum(result.tricks[seat] for seat in members) >= contract
    unfinished = f", {len(records) - over} unfinished" if len(records) > over else ""
    text = f"{name}: {won} of {over} matches won{unfinished}; {hands} hand{'' if hands == 1 else 's'}"
    if hands:
        text += f", {points / hands:+.1f} points and {tricks / hands:.1f} tricks of yours per hand"
        text += f"; contracts made {made} of {bids}; your nils made {nils_made} of {nils}"
    return wrapped(text + ".", "  ")
