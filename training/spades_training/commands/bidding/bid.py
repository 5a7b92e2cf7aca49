"""The command ``spades bid``."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from spades_agents.bidder.advice import Advice, advise
from spades_agents.bidder.model import BiddingModel

from spades_env.cards import hand_text, parse_hand
from spades_training import options
from spades_training.bidding.shown import NOTE, bid_rows, blind_verdict, verdict
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


def _print(advice: Advice, title: str) -> None:
    table = FittedTable(("bid", "match win %", "made %", "points", "their points"), title=title)
    for row in bid_rows(advice):
        if row.bid is None:
            table.add_section()
        value = row.value
        chances = f"{100 * value.win:.1f}", f"{100 * value.made:.1f}"
        points = f"{value.points:+.1f}", f"{value.their_points:+.1f}"
        table.add_row(row.name, *chances, *points, style="bold" if row.best else None)
    console = Console(highlight=False)
    console.print(table)
    console.print(verdict(advice))
    blind = blind_verdict(advice)
    if blind is not None:
        console.print(blind)
    console.print(NOTE, style="dim")
