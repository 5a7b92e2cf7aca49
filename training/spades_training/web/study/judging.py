"""How a player rates the decisions of a record."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from spades_agents.base import check_plays
from spades_agents.registry import make_agent
from spades_agents.review import Judged, judge_decision

from spades_training.web.study.opened import Opened

# Only these are offered: a name that a page could choose freely may run any program on the server.
PLAYERS = {
    "pimc:worlds=60": "pimc, 60 worlds: chance to win",
    "pimc:worlds=200": "pimc, 200 worlds: chance to win",
    "pimc:worlds=60,match_value=false": "pimc, 60 worlds: points",
    "rollout:worlds=60": "rollout, 60 worlds: chance to win",
    "learned": "learned: probability of playing it",
}


class Judge:
    """Rates the decisions of one record with one player, each once. Its methods may be called from any thread.

    Args:
        record: the record.
        player: one of :data:`PLAYERS`.

    Raises:
        ValueError: if there is no such player, or it does not play the rules of the record.
    """

    def __init__(self, record: Opened, player: str) -> None:
        if player not in PLAYERS:
            raise ValueError(f"player must be one of {', '.join(PLAYERS)}, got {player!r:.80}")
        self.record, self.name = record, player
        self._player = make_agent(player)
        check_plays(self._player, record.record.rules)
        self._judged: dict[int, Judged | None] = {}
        self._lock = threading.Lock()  # the player's workspace serves one decision at a time

    def judge(self, step: int) -> Judged | None:
        """The ratings of all legal actions; None at the end and where there is no choice."""
        with self._lock:
            if step not in self._judged:
                found = self.record.steps[step]
                view = found.view()
                if found.action is None or len(view.legal_actions()) == 1:
                    self._judged[step] = None
                else:
                    self._judged[step] = judge_decision(self._player, view, found.action)
            return self._judged[step]

    def judge_all(self, progress: Callable[[int, int], bool]) -> None:
        """Judge every decision of the record.

        Args:
            progress: called with the number of steps done and the total; the work ends when it returns False.
        """
        total = len(self.record.steps)
        for step in range(total):
            self.judge(step)
            if not progress(step + 1, total):
                break
            # A step that somebody is waiting for gets its turn at the lock.
            time.sleep(0.001)

    def costliest(self, count: int) -> list[tuple[int, Judged]]:
        """The decisions judged so far that gave away most, with the indices of their steps, the costliest first."""
        found = [(step, judged) for step, judged in self._judged.copy().items() if judged and judged.cost > 0]
        return sorted(found, key=lambda one: (-one[1].cost, one[0]))[:count]


class Judges:
    """The judges in use on a server; those not used for longest are forgotten.

    Args:
        most: number of judges that are kept.
    """

    def __init__(self, most: int = 8) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[str, str], Judge] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, record: Opened, player: str) -> Judge:
        """The judge of this record by this player, with all ratings that it has already made."""
        with self._lock:
            key = record.digest, player
            if key not in self._kept:
                self._kept[key] = Judge(record, player)
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            return self._kept[key]


JUDGES = Judges()
"""The judges of all pages of this process."""
