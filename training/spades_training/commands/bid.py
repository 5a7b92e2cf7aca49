"""The command ``spades bid``: what every bid with a hand is worth."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from spades_env.cards import hand_text, mask_of, parse_cards
from spades_training.options import parse_rules

__all__ = ["bid"]


def bid(
    hand: Annotated[str, typer.Argument(help="The cards: 'AS KS QS JS 4S AH 7H 2H KD 9D 3D TC 5C'.")],
    rules: Annotated[str, typer.Option(help="two_player or partnership, with changes if need be.")] = "two_player",
    score: Annotated[str, typer.Option(help="Points of the own and the other side: 380-410.")] = "0-0",
    bags: Annotated[str, typer.Option(help="Their bags: 7-2.")] = "0-0",
    heard: Annotated[str, typer.Option(help="The bids before one's own, in order: '4 nil 3'.")] = "",
    model: Annotated[Path | None, typer.Option(help="A model of spades bidding-fit; default: the package's.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines instead.")] = False,
) -> None:
    """What every bid with a hand is worth, in points and in the chance to win the match.

    By a model fitted to hands between scripted players.
    """
    from spades_agents.bidder.advice import advise
    from spades_agents.bidder.model import BiddingModel

    game = parse_rules(rules)
    fitted = None if model is None else BiddingModel.load(model)
    pairs = (_pair("--score", score), _pair("--bags", bags))
    advice = advise(mask_of(parse_cards(hand)), game, *pairs, _heard(heard), fitted)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(advice)))
    else:
        _print(advice, hand_text(mask_of(parse_cards(hand)), symbols=True), score, bags, heard)


def _pair(name: str, text: str) -> tuple[int, int]:
    found = re.fullmatch(r"\s*(-?\d+)\s*[-: ,]\s*(-?\d+)\s*", text)
    if not found:
        raise ValueError(f"{name}: expected two numbers, own and other, as in 380-410, got {text!r}")
    return int(found[1]), int(found[2])


def _heard(text: str) -> list[int]:
    bids = []
    for word in text.replace(",", " ").split():
        if word.lower() != "nil" and not word.isdecimal():
            raise ValueError(f"--heard: {word!r} is not a bid (a number or nil)")
        bids.append(0 if word.lower() == "nil" else int(word))
    return bids


def _print(advice: Any, hand: str, score: str, bags: str, heard: str) -> None:
    from rich.console import Console
    from rich.table import Table

    before = f"after {heard}" if heard else "bidding first"
    table = Table(title=f"{hand}   score {score}, bags {bags}, {before}", title_justify="left")
    table.add_column("bid")
    for column in ("made %", "points", "their points", "match win %"):
        table.add_column(column, justify="right")

    def line(name: str, value: Any, style: str | None) -> None:
        numbers = f"{100 * value.made:.1f}", f"{value.points:+.1f}", f"{value.their_points:+.1f}"
        table.add_row(name, *numbers, f"{100 * value.win:.1f}", style=style)

    for number, value in enumerate(advice.bids):
        style = "bold" if number == advice.best else None if number in advice.tried else "dim"
        line("nil" if number == 0 else str(number), value, style)
    if advice.blind is not None:
        table.add_section()
        line("blind nil", advice.blind, None)
    console = Console(highlight=False)
    console.print(table)
    name = "nil" if advice.best == 0 else str(advice.best)
    scripted = "nil" if advice.scripted == 0 else str(advice.scripted)
    console.print(f"bid [bold]{name}[/bold]; the scripted player bids {scripted}.")
    if advice.blind is not None:
        verdict = "pays" if advice.blind_pays else "does not pay"
        console.print(
            f"Before the cards are seen the chance to win is {100 * advice.look:.1f} %: a blind nil {verdict}."
        )
    tried = ", ".join("nil" if number == 0 else str(number) for number in advice.tried)
    console.print(
        f"Points count a bag at its share of the penalty. The model has seen {tried} tried with such hands; "
        "other bids are extrapolated.",
        style="dim",
    )
