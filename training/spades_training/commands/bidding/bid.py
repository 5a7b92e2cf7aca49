"""The command ``spades bid``."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from spades_agents.bidder.advice import Advice, BidValue, advise
from spades_agents.bidder.model import BiddingModel

from spades_env.cards import hand_text, parse_hand
from spades_training import options
from spades_training.terminal.table import FittedTable


def bid(
    hand: Annotated[str, typer.Argument(help="The cards: 'AS KS 4S AH ...', or '♠AK4 ♥A...', or 'AK4.A72.K93.T5'.")],
    rules: options.RulesOption = "two_player",
    score: Annotated[str, typer.Option(help="Points of your side and of the other side: 380-410.")] = "0-0",
    bags: Annotated[str, typer.Option(help="Bags of your side and of the other side: 7-2.")] = "0-0",
    heard: Annotated[str, typer.Option(help="Bids made before yours, in order: '4 nil 3'.")] = "",
    model: Annotated[Path | None, typer.Option(help="Model of spades bidding-fit; default: the package's.")] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Estimate the value of every bid with a hand, in points and in the chance of winning the match.

    The estimates come from a model fitted to hands between scripted players. The
    rules must be those of a game for two players or partners.
    """
    game = options.parse_rules(rules)
    fitted = None if model is None else BiddingModel.load(model)
    cards = parse_hand(hand)
    advice = advise(cards, game, _pair("--score", score), _pair("--bags", bags), _heard(heard), fitted)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(advice)))
        return
    before = f"after {heard}" if heard else "bidding first"
    _print(advice, f"{hand_text(cards, symbols=True)}   score {score}, bags {bags}, {before}")


def _pair(name: str, text: str) -> tuple[int, int]:
    found = re.fullmatch(r"\s*(-?\d+)\s*[-: ,]\s*(-?\d+)\s*", text)
    if not found:
        raise ValueError(f"{name}: expected two numbers, your side's first, as in 380-410, got {text!r}")
    return int(found[1]), int(found[2])


def _heard(text: str) -> list[int]:
    bids = []
    for word in text.replace(",", " ").split():
        if word.lower() != "nil" and not word.isdecimal():
            raise ValueError(f"--heard: {word!r} is not a bid (a number or nil)")
        bids.append(0 if word.lower() == "nil" else int(word))
    return bids


def _bid_name(number: int) -> str:
    return "nil" if number == 0 else str(number)


def _print(advice: Advice, title: str) -> None:
    table = FittedTable(("bid", "match win %", "made %", "points", "their points"), title=title)

    def add_row(name: str, value: BidValue, style: str | None) -> None:
        chances = f"{100 * value.win:.1f}", f"{100 * value.made:.1f}"
        table.add_row(name, *chances, f"{value.points:+.1f}", f"{value.their_points:+.1f}", style=style)

    for number in advice.tried:
        add_row(_bid_name(number), advice.bids[number], "bold" if number == advice.best else None)
    if advice.blind is not None:
        table.add_section()
        add_row("blind nil", advice.blind, None)
    console = Console(highlight=False)
    console.print(table)
    console.print(f"bid [bold]{_bid_name(advice.best)}[/bold]; the scripted player bids {_bid_name(advice.scripted)}.")
    if advice.blind is not None:
        verdict = "pays" if advice.blind_pays else "does not pay"
        console.print(
            f"Before you see your cards, the chance of winning is {100 * advice.look:.1f} %: a blind nil {verdict}."
        )
    console.print(
        "Points charge each bag its share of the penalty. Other bids are left out: the model's data have none of them "
        "with hands like this.",
        style="dim",
    )
