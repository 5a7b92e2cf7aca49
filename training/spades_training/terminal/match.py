"""A match in the terminal between a person at one seat and agents at all others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from spades_agents.base import Agent, legal_move

from spades_env.cards import LOOK
from spades_env.game import Game, Phase, View
from spades_env.rules import Rules
from spades_training.terminal.board import Seats, board, show, tricks_text, wrapped
from spades_training.terminal.claim import proven_claim
from spades_training.terminal.guide import HELP, introduction, prompt
from spades_training.terminal.hints import Hints
from spades_training.terminal.moves import parse_move
from spades_training.terminal.scores import hand_result, saved_records, score_sheet, statistics
from spades_training.terminal.telling import before_last_choice, consequences_told, move_told


def free_path(rules: Rules, seed: int) -> Path:
    """The first unused file name in ``spades-two_player-7.json``, ``spades-two_player-7-2.json`` and so on."""
    stem = f"spades-{rules.name}-{seed}"
    path, number = Path(f"{stem}.json"), 1
    while path.exists():
        number += 1
        path = Path(f"{stem}-{number}.json")
    return path


class TerminalMatch:
    """A match of a person against agents.

    Args:
        game: the game, new or resumed.
        agents: the player at each seat, or one for all seats but the person's.
        seat: the person's seat.
        console: where to print.
        hints: who gives hints; by default the scripted player.
        auto: whether the only legal move is made without asking.
        folder: where the person's other matches are saved, for the statistics.
    """

    def __init__(
        self,
        game: Game,
        agents: Agent | Sequence[Agent],
        seat: int,
        console: Console,
        hints: Hints | None = None,
        auto: bool = True,
        folder: Path | None = None,
    ) -> None:
        self.game, self.seat, self.console, self.auto = game, seat, console, auto
        self.agents = list(agents) if isinstance(agents, Sequence) else [agents] * game.rules.players
        self.seats = Seats(game.rules, seat)
        self.hints = hints or Hints("heuristic")
        self.folder = folder or Path()
        self._claimed: list[int] = []
        seeds = np.random.SeedSequence(game.seed).generate_state(game.rules.players, np.uint64)
        for agent, number in zip(self.agents, seeds, strict=True):
            agent.reset(int(number))

    def play(self) -> bool:
        """Play until the match is over, the person quits or the input ends; returns whether the match is over.

        Raises:
            ValueError: if an agent's move is illegal; the message names the agent, its seat and the legal moves.
        """
        if not self.game.is_over:
            self._show(introduction(self.game, self.seats))
        while not self.game.is_over:
            hand = self.game.hand_number
            mine = self.game.seat == self.seat
            action = self._own_action() if mine else self._agents_action()
            if action is None:
                return False
            if action == _UNDONE:
                continue
            self._apply(action, mine)
            if self.game.hand_number > hand or self.game.is_over:
                self._end_hand(hand)
        won = self.game.winner == self.game.rules.side_of(self.seat)
        self._show(score_sheet(self.game, self.seat))
        self.console.print("[bold green]You win the match![/]" if won else "[bold]You lose the match.[/]")
        return True

    def _agents_action(self) -> int:
        return legal_move(self.agents[self.game.seat], self.game.view())

    def _own_action(self) -> int | None:
        """The person's move: one of a claim, the only legal one, or the answer; None to quit."""
        view = self.game.view(self.seat)
        if self._claimed:
            return self._claimed.pop(0)
        legal = view.legal_actions()
        if self.auto and len(legal) == 1:
            return legal[0]
        return self._ask(view)

    def _apply(self, action: int, mine: bool) -> None:
        """Make a move and print it, with what the person learns from it."""
        game, before = self.game, self.game.view(self.seat)
        phase = game.phase
        only = mine and len(before.legal_actions()) == 1 and phase == Phase.PLAY
        game.apply(action)
        after = game.view(self.seat)
        said = move_told(before, after, self.seats, action)
        if only:
            said = said[:-1] + ", your only legal card."
        # The person has just typed its own bids, and that somebody does not bid blind nil is no news.
        if (not mine and action != LOOK) or phase in (Phase.PLAY, Phase.DRAFT):
            self._show(wrapped(said, "  "))
        for line in consequences_told(before, after, self.seats, action):
            self._show(wrapped(line, "" if line.endswith("the trick.") else "  "))

    def _end_hand(self, hand: int) -> None:
        self._claimed = []
        self.console.print()
        self._show([f"── hand {hand + 1} is over ──", *hand_result(self.game, self.seat)])
        if self.hints.rates:
            self._show(self.hints.mistakes_text(self.game, self.seat, hand))
        if not self.game.is_over:
            self.console.print()  # the bids of the next hand may follow

    def _show(self, lines: Sequence[str]) -> None:
        show(self.console, lines)

    def _ask(self, view: View) -> int | None:
        """Ask the person for a move; returns None to quit, ``_UNDONE`` after a command that changed the game."""
        self._show(board(view))
        self._show(wrapped(prompt(view)))
        while True:
            try:
                text = input("> ")
            except (EOFError, KeyboardInterrupt):
                self.console.print()
                return None
            word = " ".join(text.lower().split())
            if word in ("q", "quit", "exit"):
                return None
            if word in ("u", "undo"):
                if self._undo():
                    return _UNDONE
            elif word == "claim":
                if cards := self._claim(view):
                    return cards
            elif not self._answer(word, view) and word:
                try:
                    return parse_move(text, view)
                except ValueError as error:
                    self._show(wrapped(str(error)))

    def _answer(self, word: str, view: View) -> bool:
        """Carry out a command that leaves the game as it is; returns whether the word is one."""
        name, _, rest = word.partition(" ")
        if word in ("?", "hint", "h"):
            lines = self.hints.text(view) + (["Type help for all commands."] if word == "?" else [])
        elif name in ("last", "tricks") and (not rest or rest.isdecimal()):
            lines = tricks_text(view, int(rest or (1 if name == "last" else 99)))
        elif word in ("help", "score", "stats", "table", "auto"):
            lines = getattr(self, f"_{word}")(view)
        else:
            return False
        self._show(lines)
        return True

    def _help(self, view: View) -> list[str]:
        return [*HELP, *wrapped(prompt(view))]

    def _score(self, view: View) -> list[str]:
        return score_sheet(self.game, self.seat)

    def _stats(self, view: View) -> list[str]:
        return statistics(saved_records(self.folder))

    def _table(self, view: View) -> list[str]:
        return board(view)

    def _auto(self, view: View) -> list[str]:
        self.auto = not self.auto
        return [f"A move without a choice is {'made for you' if self.auto else 'asked for'} from now on."]

    def _undo(self) -> bool:
        """Go back to the person's last decision that was a choice; returns whether there was one."""
        earlier = before_last_choice(self.game, self.seat)
        if earlier is None:
            self._show(["There is nothing to take back."])
            return False
        self.game, self._claimed = earlier, []
        self._show(["Your last move is taken back."])
        return True

    def _claim(self, view: View) -> int | None:
        """The first card of a proven claim of all tricks left; the others are then played without asking."""
        cards = proven_claim(view)
        if cards is None:
            why = (
                "a card that another seat may hold could beat one of yours"
                if view.phase == Phase.PLAY
                else "play first"
            )
            self._show(wrapped(f"The claim of all tricks left is not certain: {why}."))
            return None
        self._show(wrapped(f"The claim is proven: you take all {view.hand.bit_count()} tricks left."))
        self._claimed = cards[1:]
        return cards[0]


_UNDONE = -1
