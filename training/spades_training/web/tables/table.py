"""A table of the server: the game, who sits at it, and what they may do."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from spades_agents.base import Agent

from spades_env.cards import NUM_ACTIONS, NUM_CARDS, action_name
from spades_env.game import Game, Phase
from spades_training.terminal.board import Seats, action_text
from spades_training.terminal.claim import proven_claim
from spades_training.terminal.hints import Hints
from spades_training.terminal.moves import allowed_text, why_not
from spades_training.terminal.scores import hand_result
from spades_training.terminal.telling import before_last_choice, consequences_told, move_told
from spades_training.web.tables.agents import Thinkers
from spades_training.web.tables.store import ALL_HANDS, GameStore, SavedGame

log = logging.getLogger("spades.web")
Listener = Callable[[list[str]], None]


class Refused(ValueError):
    """A request that the table does not carry out; the message says why."""


class Onlooker(Seats):
    """The names of seats for somebody who does not sit at the table."""

    def __init__(self, saved: SavedGame) -> None:
        super().__init__(saved.rules, 0)
        self.me = -1
        self.short = [f"seat {seat}" for seat in range(saved.rules.players)]

    def sides(self) -> list[int]:
        """All sides in order."""
        return list(range(self.rules.sides))


@dataclass
class Pace:
    """How fast a table goes on by itself.

    Attributes:
        seconds: time between two moves of agents.
        paused: whether agents wait.
        steps: moves that they still make while paused.
    """

    seconds: float
    paused: bool = False
    steps: int = 0


class Table:
    """One game and everybody who looks at it. All methods run in the event loop.

    Args:
        saved: the game as it is stored.
        store: where it is written after every action.
        thinkers: where agents decide.
    """

    def __init__(self, saved: SavedGame, store: GameStore, thinkers: Thinkers) -> None:
        self.saved = saved
        self.game: Game = saved.game()
        self.pace = Pace(float(saved.options.get("pace", 0.6)))
        self.auto = bool(saved.options.get("auto", True))
        self.problem = ""
        self._store, self._thinkers = store, thinkers
        self._listeners: dict[Listener, int] = {}
        self._agents: dict[int, Agent] = {}
        self._hints: Hints | None = None
        self._claimed: dict[int, list[int]] = {}
        self._task: asyncio.Task[None] | None = None
        self._changes = 0

    @property
    def persons(self) -> list[int]:
        """The seats of persons."""
        return [seat for seat, player in enumerate(self.saved.players) if not player]

    @property
    def moves(self) -> int:
        """The number of actions so far. An action is only carried out if its sender has seen this number."""
        return len(self.saved.actions)

    @property
    def watched(self) -> bool:
        """Whether any page shows the table."""
        return bool(self._listeners)

    def seats(self, role: int) -> Seats:
        """The names of the seats for a role: a seat, or a role of the store."""
        return Seats(self.game.rules, role) if role >= 0 else Onlooker(self.saved)

    def listen(self, listener: Listener, role: int) -> None:
        """Call ``listener`` with sentences after every change; they tell what the role may know."""
        self._listeners[listener] = role
        self.wake()

    def leave(self, listener: Listener) -> None:
        """Call ``listener`` no more."""
        self._listeners.pop(listener, None)

    def close(self) -> None:
        """Tell nobody any more, and make no more moves."""
        self._listeners.clear()

    def act(self, seat: int, action: int, moves: int) -> None:
        """Carry out an action of the person at a seat.

        Args:
            seat: the seat whose page sent it.
            action: the action.
            moves: :attr:`moves` when the page was drawn, so that a second click does not decide the next question.

        Raises:
            Refused: if it is not this seat's turn, or the action is not legal.
        """
        game = self.game
        if self.saved.ended or game.is_over:
            raise Refused("The game is over.")
        if seat not in self.persons or game.seat != seat:
            raise Refused("It is not your turn.")
        if moves != self.moves:
            raise Refused("The table has changed since: look again.")
        view = game.view(seat)
        if action not in view.legal_actions():
            raise Refused(self.why_illegal(seat, action))
        self._apply(action)
        self.wake()

    def why_illegal(self, seat: int, action: int) -> str:
        """Why an action is not legal for a seat that is on turn."""
        view = self.game.view(seat)
        if not 0 <= action < NUM_ACTIONS:
            return "There is no such action."
        why = why_not(view, action) if action < NUM_CARDS else ""
        return f"{action_name(action)} is not possible: {why or allowed_text(view)}."

    def undo(self, seat: int) -> None:
        """Go back to the last choice of the person at a seat.

        Raises:
            Refused: if there is none, or other persons sit at the table.
        """
        self._alone(seat, "Taking back")
        earlier = before_last_choice(self.game, seat)
        if earlier is None:
            raise Refused("There is nothing to take back.")
        self.game = earlier
        self._claimed.clear()
        self._keep()
        self._tell(lambda role: ["Your last move is taken back."])
        self.wake()

    def claim(self, seat: int) -> str:
        """Let the person at a seat take all tricks left, if that is proven; returns what happens.

        Raises:
            Refused: if it is not.
        """
        if self.game.seat != seat or seat not in self.persons or self.game.phase != Phase.PLAY:
            raise Refused("You can claim when it is your turn to play a card.")
        view = self.game.view(seat)
        cards = proven_claim(view)
        if cards is None:
            raise Refused("The claim is not certain: a card that another seat may hold could beat one of yours.")
        self._claimed[seat] = cards
        self.wake()
        return f"The claim is proven: you take all {view.hand.bit_count()} tricks left."

    async def hint(self, seat: int) -> list[str]:
        """Advice for the person at a seat, who is on turn.

        Raises:
            Refused: if it is not.
        """
        if self.game.seat != seat or self.game.is_over:
            raise Refused("A hint is for the seat on turn.")
        view = self.game.view(seat)

        def asked() -> list[str]:
            self._hints = self._hints or Hints(str(self.saved.options.get("hints", "heuristic")))
            return self._hints.text(view)

        return await self._thinkers.call(asked)

    def end(self, seat: int) -> None:
        """End a match that is not over, for somebody who plays alone; it can then be reviewed.

        Raises:
            Refused: if other persons sit at the table.
        """
        self._alone(seat, "Ending the game")
        self.saved.ended = True
        self._keep()
        self._tell(lambda role: ["The game is ended."])

    def record(self, role: int) -> Any:
        """The record of the match, with every card.

        Raises:
            Refused: as long as the match goes on.
        """
        if not (self.saved.ended or self.game.is_over) and role != ALL_HANDS:
            raise Refused("The record shows every card: it is available once the match is over.")
        return self.game.record(self.saved.names)

    def wake(self) -> None:
        """Let agents go on, if any is on turn."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._go_on())

    def _alone(self, seat: int, what: str) -> None:
        if self.persons != [seat]:
            raise Refused(f"{what} is only possible if you are the only person at the table.")

    async def _go_on(self) -> None:
        """Make moves until a person has to decide, the match is over, or nobody looks."""
        try:
            while not (self.game.is_over or self.saved.ended) and self.watched:
                if self.pace.paused and not self.pace.steps:
                    return
                known = self._changes
                action = await self._next()
                if action is None:
                    return
                # Taken back while an agent was thinking, or nobody looks any more: the file may then be read again.
                if known != self._changes or not self.watched:
                    continue
                self.pace.steps = max(self.pace.steps - 1, 0)
                self._apply(action)
                await asyncio.sleep(self._rest())
            self.problem = ""
        except Exception as error:  # an agent of the user may raise anything
            log.warning("table %s: %s", self.saved.number, error)
            self.problem = f"{type(error).__name__}: {error}"
            self._tell(lambda role: [f"The player at seat {self.game.seat} failed. {self.problem}"])

    async def _next(self) -> int | None:
        """The next move that needs no person; None if one has to decide."""
        game, seat = self.game, self.game.seat
        spec = self.saved.players[seat]
        if spec:
            if seat not in self._agents:
                self._agents[seat] = agent = await self._thinkers.seat(spec, game.rules)
                seeds = np.random.SeedSequence(game.seed).generate_state(game.rules.players, np.uint64)
                agent.reset(int(seeds[seat]))
            return await self._thinkers.decide(spec, self._agents[seat], game.view())
        claimed = self._claimed.get(seat)
        if claimed:
            return claimed.pop(0)
        legal = game.legal_actions()
        return legal[0] if self.auto and len(legal) == 1 else None

    def _rest(self) -> float:
        """Seconds until the next move; longer after a trick, so that it can be seen."""
        trick_over = self.game.phase == Phase.PLAY and not self.game.trick and bool(self.game.played)
        return self.pace.seconds * (2 if trick_over else 1)

    def _apply(self, action: int) -> None:
        """Carry out a legal action, keep it, and tell everybody."""
        game = self.game
        roles = set(self._listeners.values())
        before = {role: game.view(max(role, 0)) for role in roles}
        hand = game.hand_number
        game.apply(action)
        self._keep()
        if game.hand_number > hand:
            self._claimed.clear()

        def told(role: int) -> list[str]:
            seats, after = self.seats(role), game.view(max(role, 0))
            if role < 0:
                # Nobody's cards: what seat 0 draws or receives is not for an onlooker.
                return [action_text(before[role], seats, action)]
            lines = [move_told(before[role], after, seats, action)]
            lines += consequences_told(before[role], after, seats, action)
            if game.hand_number > hand or game.is_over:
                lines += [" ".join(line.split()) for line in hand_result(game, role)]
            return lines

        self._tell(told)

    def _keep(self) -> None:
        self._changes += 1
        saved = self.saved
        saved.actions = bytes(action for hand in self.game.log.hands for action in hand.actions)
        saved.ended = saved.ended or self.game.is_over
        self._store.save(saved)

    def _tell(self, told: Callable[[int], list[str]]) -> None:
        lines = {role: told(role) for role in set(self._listeners.values())}
        for listener, role in list(self._listeners.items()):
            try:
                listener(lines[role])
            except Exception:  # one broken page must not stop the game of the others
                log.exception("table %s: a page failed", self.saved.number)
