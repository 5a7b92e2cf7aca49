"""Agents for the tests of tournaments, created by name in other processes; some of them are faulty."""

from __future__ import annotations

import faulthandler
import os
import time

import numpy as np
from spades_agents.random_agent import RandomAgent, UniformAgent

from spades_env.cards import BID_0, DONE, LOOK
from spades_env.game import Phase


class Dice:
    """Plays at random, one table at a time; always bids 3."""

    name = "dice"

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def reset(self, seed=None):
        self.rng = np.random.default_rng(seed)

    def act(self, view):
        if view.phase == Phase.BID:
            return BID_0 + 3
        if view.phase == Phase.BLIND:
            return LOOK
        if view.phase == Phase.PLAY and view.hand_number == 1:
            self.in_the_second_hand(view)
        return int(self.rng.choice(view.legal_actions()))

    def in_the_second_hand(self, view):
        pass


class Ponders(Dice):
    """Takes 20 ms to bid, so that its tournaments last long enough to be killed."""

    name = "ponders"
    seconds = 0.02

    def act(self, view):
        if view.phase == Phase.BID:
            time.sleep(self.seconds)
        return super().act(view)


class Notes(Ponders):
    """Appends its process and the seed to a file whenever it is reset.

    While there is a second file, it waits after a few resets in each process, so that no tournament comes to its end.
    """

    name = "notes"
    seconds = 0.12
    held = 0

    def reset(self, seed=None):
        super().reset(seed)
        if "SPADES_TEST_NOTES" in os.environ:
            with open(os.environ["SPADES_TEST_NOTES"], "a") as file:
                file.write(f"{os.getpid()} {seed}\n")
            hold = f"{os.environ['SPADES_TEST_NOTES']}.hold"
            Notes.held += os.path.exists(hold)
            while Notes.held > 5 and os.path.exists(hold):
                time.sleep(0.05)


class Crashes(Dice):
    def in_the_second_hand(self, view):
        raise RuntimeError("no idea\nwhat to play")


class Cheats(Dice):
    def act(self, view):
        return DONE if view.phase == Phase.PLAY else super().act(view)


class AnswersInWords(Dice):
    def act(self, view):
        return "ace of spades"


class Dies(Dice):
    def in_the_second_hand(self, view):
        faulthandler._sigsegv()


class Exits(Dice):
    def in_the_second_hand(self, view):
        os._exit(3)


class Dozes(Dice):
    def in_the_second_hand(self, view):
        time.sleep(0.6)


class Hangs(Dice):
    def in_the_second_hand(self, view):
        while True:
            pass


class CannotBeMade(Dice):
    def __init__(self):
        if os.environ.get("SPADES_TEST_PARENT") != str(os.getpid()):
            raise OSError("no such model")


class DiesWhenMade(Dice):
    def __init__(self):
        if os.environ.get("SPADES_TEST_PARENT") != str(os.getpid()):
            os._exit(4)


class CrashesAhead(RandomAgent):
    """Acts in batches, and crashes in the second hand if it is ahead."""

    name = "crashes ahead"

    def act_batch(self, tables, rows):
        states = tables.states[rows]
        sides = states["seat"].astype(int) % tables.rules.sides
        ahead = states["scores"][np.arange(len(states)), sides] > states["scores"][np.arange(len(states)), 1 - sides]
        if (ahead & (states["hand_number"] == 1)).any():
            raise ZeroDivisionError("ahead")
        return super().act_batch(tables, rows)


class VeryLongNameOfAnAgentThatIsTheTwinOfUniform(UniformAgent):
    pass
