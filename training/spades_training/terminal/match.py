"""A match in the terminal between a person at one seat and an agent at all others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.console import Console
from rich.text import Text
from spades_agents.base import Agent, legal_move
from spades_agents.heuristic import HeuristicAgent

from spades_env.cards import (
    BID_0,
    BID_17,
    BLIND_NIL,
    DONE,
    KEEP,
    LOOK,
    REJECT,
    action_name,
    hand_text,
    mask_of,
    parse_action,
    parse_card,
)
from spades_env.game import Game, Phase, View
from spades_env.picture.ansi import ansi, card_text
from spades_env.rules import Rules

_WORDS: dict[Phase, dict[str, int]] = {
    Phase.BLIND: {"b": BLIND_NIL, "blind": BLIND_NIL, "blind nil": BLIND_NIL, "l": LOOK, "look": LOOK},
    Phase.DRAFT: {"k": KEEP, "keep": KEEP, "r": REJECT, "reject": REJECT},
    Phase.EXCHANGE: {"d": DONE, "done": DONE},
    Phase.BID: {"nil": BID_0},
    Phase.PLAY: {},
}
_PROMPTS = {
    Phase.BLIND: "blind nil (b) or look at your cards (l)",
    Phase.DRAFT: "keep it (k) or reject it (r)",
    Phase.EXCHANGE: "a card to give up, such as 7D, or done (d)",
    Phase.BID: "your bid, a number; 0 is nil",
    Phase.PLAY: "a card to play, such as AS or TD",
}
_HELP = "?: a hint   q: quit and save"


def parse_move(text: str, view: View) -> int:
    """Parse the move that a person typed.

    Args:
        text: a card (``AS``, ``10d``), a number for a bid, ``k`` or ``r`` in the draft, ``b`` or ``l`` for blind nil or
            looking, ``d`` to end the exchange, or any name from :func:`spades_env.cards.action_name`.
        view: the person's view; the person must be on turn.

    Returns:
        The action.

    Raises:
        ValueError: if the text is not a legal move; the message lists the legal ones.
    """
    word = " ".join(text.lower().split())
    phase = view.phase
    if word in _WORDS[phase]:
        action = _WORDS[phase][word]
    elif phase == Phase.BID and word.removeprefix("bid").strip().isdecimal():
        action = BID_0 + min(int(word.removeprefix("bid")), BID_17 - BID_0 + 1)
    else:
        action = _named(word)
    if action is None or action not in view.legal_actions():
        raise ValueError(f"{text.strip()!r} is not a legal move: {allowed_text(view)}")
    return action


def _named(word: str) -> int | None:
    for parse in (parse_card, parse_action):
        try:
            return parse(word)
        except ValueError:
            pass
    return None


def allowed_text(view: View) -> str:
    """The legal moves as a person would type them."""
    legal = view.legal_actions()
    if view.phase == Phase.PLAY:
        return f"you may play {hand_text(mask_of(legal))}"
    if view.phase == Phase.BID:
        return f"bid {legal[0] - BID_0} to {legal[-1] - BID_0}"
    return _PROMPTS[view.phase]


def free_path(rules: Rules, seed: int) -> Path:
    """The first unused file name in ``spades-two_player-7.json``, ``spades-two_player-7-2.json`` and so on."""
    stem = f"spades-{rules.name}-{seed}"
    path, number = Path(f"{stem}.json"), 1
    while path.exists():
        number += 1
        path = Path(f"{stem}-{number}.json")
    return path


class TerminalMatch:
    """A match of a person against an agent.

    Args:
        game: the game.
        agent: plays all other seats, including a partner's.
        seat: the person's seat.
        console: where to print.
    """

    def __init__(self, game: Game, agent: Agent, seat: int, console: Console) -> None:
        self.game, self.agent, self.seat, self.console = game, agent, seat, console
        self.hints = HeuristicAgent()
        agent.reset(int(np.random.SeedSequence(game.seed).generate_state(1, np.uint64)[0]))

    def play(self) -> bool:
        """Play until the match is over, the person quits or the input ends; returns whether the match is over."""
        game = self.game
        while not game.is_over:
            hand = game.hand_number
            if game.seat == self.seat:
                action = self._ask()
                if action is None:
                    return False
            else:
                action = legal_move(self.agent, game.view())
                self._print_action(action)
            game.apply(action)
            if game.hand_number > hand:
                self._print_hand()
        self._show(ansi(game.view(self.seat)))
        won = game.winner == game.rules.side_of(self.seat)
        self.console.print("[bold green]You win the match![/]" if won else "[bold]You lose the match.[/]")
        return True

    def _show(self, text: str) -> None:
        found = Text(text)
        found.highlight_regex("[♥♦]", "red")
        found.highlight_regex("──.*──", "bold")
        self.console.print(found, soft_wrap=True)

    def _ask(self) -> int | None:
        """Ask the person for a move; returns None to quit."""
        view = self.game.view(self.seat)
        self.console.print()
        self._show(ansi(view))
        self.console.print(f"{_PROMPTS[view.phase]}   [dim]{_HELP}[/]", highlight=False)
        while True:
            try:
                text = input("> ")
            except (EOFError, KeyboardInterrupt):
                self.console.print()
                return None
            word = text.strip().lower()
            if word in ("q", "quit"):
                return None
            if word == "?":
                hint = action_name(self.hints.act(view))
                self._show(f"the scripted player would choose {hint}; {allowed_text(view)}")
            elif word:
                try:
                    return parse_move(text, view)
                except ValueError as error:
                    self._show(str(error))

    def _print_action(self, action: int) -> None:
        """Print the public part of what another seat does."""
        phase = self.game.phase
        if phase == Phase.PLAY:
            text = f"plays {card_text(action)}"
        elif phase == Phase.BID:
            text = "bids nil" if action == BID_0 else f"bids {action - BID_0}"
        elif phase == Phase.EXCHANGE:
            text = "ends the exchange" if action == DONE else "gives up a card"  # which card is secret
        else:
            texts = {BLIND_NIL: "bids blind nil", LOOK: "looks at its cards"}
            text = {**texts, KEEP: "keeps the card it drew", REJECT: "rejects the card it drew"}[action]
        self._show(f"seat {self.game.seat} {text}")

    def _print_hand(self) -> None:
        """Print the result of the hand that has just ended."""
        last = self.game.last_hand
        seats = [
            f"seat {k} bid {bid}, won {won}"
            for k, (bid, won) in enumerate(zip(last["bids"], last["tricks"], strict=True))
        ]
        self.console.rule()
        points = " : ".join(f"{points:+}" for points in last["points"])
        score = " : ".join(map(str, self.game.scores))
        self.console.print(f"{'; '.join(seats)}. Points {points}, score {score}.", highlight=False)
