"""Puzzles for a person: the position, an answer, then the right one with the reason."""

from __future__ import annotations

import sys

from rich.console import Console
from spades_agents.puzzles import Puzzle

from spades_training.terminal.board import Seats, board, show, wrapped
from spades_training.terminal.guide import prompt
from spades_training.terminal.hints import action_words
from spades_training.terminal.moves import parse_move


def solve_puzzles(puzzles: tuple[Puzzle, ...], console: Console) -> None:
    """Show the puzzles one by one and ask for the answers, until the person quits.

    If nothing can be typed, all positions are shown with their answers and reasons.
    """
    right = tried = 0
    typed = True
    for number, puzzle in enumerate(puzzles, 1):
        view = puzzle.game().view()
        title = f"Puzzle {number} of {len(puzzles)}: {puzzle.name} ({puzzle.theme})"
        seats = Seats(view.rules, view.observer)
        numbers = ", ".join(f"{seat} {seats[seat]}" for seat in range(view.rules.players))  # the reasons use them
        show(console, ["", *wrapped(title), *wrapped(f"Seats: {numbers}."), *board(view)])
        action = _answer(puzzle, console) if typed else None
        if action is None and typed:
            if tried or sys.stdin.isatty():
                break
            typed = False
        answer = " or ".join(map(action_words, puzzle.answer))
        if action is None:
            text = f"Answer: {answer}."
        elif action < 0:
            text = f"Skipped. The answer is {answer}."
        else:
            tried += 1
            right += action in puzzle.answer
            text = "Right." if action in puzzle.answer else f"No: the answer is {answer}."
        show(console, wrapped(f"{text} {puzzle.reason}"))
    if tried:
        show(console, ["", f"{right} of {tried} right."])


def _answer(puzzle: Puzzle, console: Console) -> int | None:
    """The action typed; -1 to skip the puzzle, None to quit or at the end of the input."""
    view = puzzle.game().view()
    show(console, wrapped(f"{prompt(view, hint=False)}   s:\u00a0skip, q:\u00a0quit"))
    while True:
        try:
            text = input("> ")
        except (EOFError, KeyboardInterrupt):
            console.print()
            return None
        word = text.strip().lower()
        if word in ("q", "quit", "exit"):
            return None
        if word in ("s", "skip"):
            return -1
        if word in ("?", "help"):
            show(console, wrapped("Type the move that you think is best; the reason follows."))
        elif word:
            try:
                return parse_move(text, view)
            except ValueError as error:
                show(console, wrapped(str(error)))
