"""The command ``spades agents``."""

from __future__ import annotations

import inspect
import json

import typer
from rich.console import Console
from rich.markup import escape
from spades_agents.base import plays
from spades_agents.registry import AGENTS, agent_options, make_agent

from spades_env.rules import PRESETS
from spades_training import options
from spades_training.terminal.table import FittedTable

# What make_agent accepts besides the names in AGENTS.
OTHERS = (
    ("ppo:FILE", "its own", "Plays a model that spades train wrote: ppo:runs/x, or only runs/x/model.zip."),
    ("engine:COMMAND", "all, or its own", "A program in any language that speaks the protocol for engines."),
    ("file.py:Class", "all, or its own", "Your own class or function in a file, which can import its neighbors."),
    ("module:Class", "all, or its own", "The same in a module that Python finds, also in the current folder."),
)


def agents(as_json: options.JsonOption = False) -> None:
    """List the players that every command accepts, and the rules that each can play.

    Options follow the name: pimc:worlds=64,seed=1. A player plays the presets
    listed and rules that change them.
    """
    rows = []
    for name, target in AGENTS.items():
        if name == "ppo":
            continue
        agent = make_agent(name)
        games = [game for game, rules in PRESETS.items() if plays(agent, rules)]
        rules = "all" if len(games) == len(PRESETS) else ", ".join(games)
        text = (inspect.getdoc(type(agent)) or target).partition("\n\n")[0].replace("\n", " ").replace("``", "")
        rows.append({"agent": name, "rules": rules, "description": text, "options": agent_options(name)})
    rows += [{"agent": name, "rules": rules, "description": text, "options": []} for name, rules, text in OTHERS]
    if as_json:
        typer.echo(json.dumps(rows))
        return
    table = FittedTable(("agent", "rules", "description"), left=(1,), wrap=True)
    for row in rows:
        more = f" Options: {', '.join(row['options'])}." if row["options"] else ""
        table.add_row(row["agent"], row["rules"].replace(", ", "\n"), escape(row["description"] + more))
    Console(highlight=False).print(table)
