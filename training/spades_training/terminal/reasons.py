"""Why the scripted player decides as it does, in words, from the numbers of the decision itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from spades_agents.certain import bid_range, sure_tricks
from spades_agents.heuristic.bidding import expected_tricks, made_nil
from spades_agents.heuristic.draft import CARD_GAIN, mean_gain
from spades_agents.heuristic.notes import known_cards
from spades_agents.heuristic.outlook import chance_with, look_around
from spades_agents.heuristic.scripted import new_scratch, scripted_action
from spades_agents.heuristic.trick import beats

from spades_env.cards import (
    ALL_CARDS,
    BID_0,
    BLIND_NIL,
    DONE,
    KEEP,
    SPADES,
    rank_of,
    suit_of,
    trick_winner,
)
from spades_env.game import Phase, View
from spades_env.picture.ansi import card_text
from spades_training.terminal.board import Seats, capital
from spades_training.terminal.moves import SUIT_NAMES


def scripted_reason(view: View) -> tuple[int, str]:
    """The scripted player's action for the observer, who is on turn, and the reason in one or more sentences."""
    scratch = new_scratch()
    action = int(scripted_action(view.state, 0, view.rules_array, scratch))
    legal = view.legal_actions()
    if len(legal) == 1:
        return action, "It is your only legal move."
    reason = {
        Phase.BLIND: _blind_reason,
        Phase.DRAFT: _draft_reason,
        Phase.EXCHANGE: _exchange_reason,
        Phase.BID: _bid_reason,
    }.get(view.phase)
    return action, reason(view, action) if reason else " ".join(_play_reasons(view, action, scratch.notes[0]))


def _blind_reason(view: View, action: int) -> str:
    if action == BLIND_NIL:
        return "An opponent is about to win, and a blind nil that you make closes the gap."
    return (
        f"About one blind nil in ten is made, and a missed one costs {view.rules.blind_nil} points. "
        "It pays only when the match is nearly lost."
    )


def _draft_reason(view: View, action: int) -> str:
    card = view.drawn
    assert card is not None  # the observer draws
    verb = "Keep" if action == KEEP else "Reject"
    if view.blind[view.observer]:
        than = "safer" if action == KEEP else "more dangerous"
        return f"{verb} it: {card_text(card)} is {than} for your blind nil than an average unseen card."
    s, r = view.state[0], view.rules_array[0]
    out = np.uint64(ALL_CARDS & ~int(known_cards(s, r, view.observer)) & ~(1 << card))
    gain = CARD_GAIN[int(suit_of(card) == SPADES), rank_of(card)]
    text = f"{verb} it: {card_text(card)} adds {gain:+.2f} tricks to a hand"
    return f"{text}, an unseen card {mean_gain(out):+.2f} on average."


def _exchange_reason(view: View, action: int) -> str:
    if action == DONE:
        return "No card of yours endangers the nil more than an average unseen card would."
    return f"{card_text(action)} endangers your nil most, more than an average unseen card would."


def _bid_reason(view: View, action: int) -> str:
    s, r = view.state[0], view.rules_array[0]
    bid = action - BID_0
    tricks, nil = float(expected_tricks(s, r)), float(made_nil(s, r))
    sure = int(sure_tricks(np.uint64(view.hand)))
    least, most = bid_range(s, r)
    heard = " and the bids so far" if any(other is not None for other in view.bids) else ""
    text = f"Your hand{heard} promise{'' if heard else 's'} {tricks:.1f} tricks"
    if sure:
        text += f", {sure} of them for certain"
    elif view.rules.nil:
        text += f"; a nil would succeed {nil:.0%} of the time"
    if least == most:
        return f"{text}. No other bid makes sense."
    outlook = look_around(s, r)

    def chance(other: int) -> float:
        return float(chance_with(r, outlook, other, tricks if other else 0.0, sure if other else 0, nil))

    near = (
        [other for other in (bid - 1, bid + 1) if least <= other <= most] if bid else [min(max(round(tricks), 1), most)]
    )
    others = " and ".join(f"{_bid_name(other)} {chance(other):.1%}" for other in near)
    return (
        f"{text}. It estimates the chance of winning the match: with {_bid_name(bid)} {chance(bid):.1%}, with {others}."
    )


def _bid_name(bid: int) -> str:
    return str(bid) if bid else "nil"


def _play_reasons(view: View, card: int, notes: Any) -> list[str]:
    seats, me = Seats(view.rules, view.observer), view.observer
    alive = [view.bids[seat] == 0 and view.tricks[seat] == 0 for seat in range(view.rules.players)]
    if alive[me]:
        reasons = [f"Your nil is alive: you must not win a trick. {_danger(view, card, notes)}"]
    else:
        reasons = [_stake(view, float(notes["value"][me]))]
    reasons.append(_lead(view, card, notes) if not view.trick else _follow(view, card, seats, alive))
    if not alive[me]:
        reasons += [
            f"{capital(seats[seat])}'s nil is alive."
            for seat in range(view.rules.players)
            if seat != me and alive[seat]
        ]
    return [reason for reason in reasons if reason]


def _danger(view: View, card: int, notes: Any) -> str:
    if view.trick and not _beats(view, card):
        return f"The risk that {card_text(card)} is forced to win a later trick is {float(notes['worth'][card]):.0%}."
    return ""


def _stake(view: View, value: float) -> str:
    """What the trick is worth to the observer's side, as the player has valued it."""
    side = view.rules.side_of(view.observer)
    members = range(side, view.rules.players, view.rules.sides)
    need = sum((view.bids[seat] or 0) - view.tricks[seat] for seat in members if view.bids[seat])
    goal = f"you need {need} more tricks" if need > 1 else "you need one more trick" if need == 1 else ""
    goal = goal or (
        "your contract is made" if any(view.bids[seat] for seat in members) else "your side has no contract"
    )
    if value >= 0.5:
        return f"Winning this trick is worth about {value:.0f} points to you: {goal}."
    if value <= -0.5:
        return f"Winning this trick costs you about {-value:.0f} points: {goal}."
    return f"This trick hardly matters: {goal}."


def _lead(view: View, card: int, notes: Any) -> str:
    suit = SUIT_NAMES[suit_of(card)]
    others = [seat for seat in range(view.rules.players) if seat != view.observer]
    if all(float(notes["clear"][4 * card + seat]) >= 1.0 for seat in others):
        return f"No higher card of {suit} is out."
    mine = [c for c in view.legal_actions() if suit_of(c) == suit_of(card)]
    if len(mine) > 1 and card in (mine[0], mine[-1]):
        return f"It is your {'lowest' if card == mine[0] else 'highest'} card of {suit}."
    return f"It is your only card of {suit}." if len(mine) == 1 else ""


def _follow(view: View, card: int, seats: Seats, alive: list[bool]) -> str:
    trick, legal = view.trick, view.legal_actions()
    seat = trick_winner(trick)
    best = next(c for s, c in trick if s == seat)
    winning = [c for c in legal if _beats(view, c)]
    whose = f"{seats[seat]}'s {card_text(best)}"
    if card in winning:
        same = [c for c in winning if suit_of(c) == suit_of(card)]
        ruffs = suit_of(card) == SPADES and suit_of(trick[0][1]) != SPADES
        what = f"{card_text(card)} {'ruffs and ' if ruffs else ''}beats {whose}"
        cheap = ", as cheaply as you can" if len(same) > 1 and card == same[0] else ""
        last = ", and nobody plays after you" if len(trick) == view.rules.players - 1 else ""
        return f"{what}{cheap}{last}."
    partner = view.rules.partners and seat == (view.observer + 2) % 4
    who = f"{capital(whose)} is winning"
    if not winning:
        text = f"You cannot beat {whose}"
    elif partner and not alive[seat]:
        text = f"{who} for your side"
    else:
        text = f"{who}, and you let it win"
        if alive[seat] and not partner:
            text += ", which breaks that nil"
    same = [c for c in legal if suit_of(c) == suit_of(card)]
    lowest = len(same) > 1 and card == same[0]
    highest = len(same) > 1 and card == [c for c in same if c not in winning][-1]
    extreme = f", so it plays the lowest of {SUIT_NAMES[suit_of(card)]}" if lowest else ""
    if not lowest and highest:
        extreme = f", so it gets rid of the highest of {SUIT_NAMES[suit_of(card)]} that loses"
    return f"{text}{extreme}."


def _beats(view: View, card: int) -> bool:
    winner = trick_winner(view.trick)
    best = next(c for s, c in view.trick if s == winner)
    return bool(beats(card, best))
