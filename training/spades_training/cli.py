"""The ``spades`` command; each subcommand is a module of :mod:`spades_training.commands`."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from spades_env import __version__
from spades_training.agent_errors import agent_trace, raised_by_agent
from spades_training.cluster.executor import ClusterError
from spades_training.commands.agents import agents
from spades_training.commands.bench import bench
from spades_training.commands.bidding.bid import bid
from spades_training.commands.bidding.data import bidding_data
from spades_training.commands.bidding.fit import bidding_fit
from spades_training.commands.comparing.benchmark import benchmark
from spades_training.commands.comparing.evaluate import evaluate
from spades_training.commands.comparing.exploit import exploit
from spades_training.commands.comparing.league import league
from spades_training.commands.comparing.tournament import tournament
from spades_training.commands.playing.engine import engine
from spades_training.commands.playing.play import play
from spades_training.commands.playing.replay import replay
from spades_training.commands.playing.review import review
from spades_training.commands.playing.serve import serve
from spades_training.commands.puzzles import puzzles
from spades_training.commands.solve import solve
from spades_training.commands.train import train
from spades_training.commands.warm import warm
from spades_training.options import fail
from spades_training.terminal.encoding import write_plain


class _OneLineErrors(TyperGroup):
    """Reports bad input in one line with code 2, and an exception in an agent by its lines with code 1.

    Characters that the terminal cannot show are written in ASCII.
    """

    def main(self, *args: Any, **kwargs: Any) -> Any:
        write_plain()
        return super().main(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            if raised_by_agent(error):
                fail(f"an agent raised {type(error).__name__}: {error}", code=1, trace=agent_trace(error))
            if isinstance(error, ClusterError):
                fail(str(error), code=1)
            # Wrong usage raises click's UsageError; some versions of typer bring their own copy of click.
            usage = getattr(error, "format_message", None)
            if isinstance(error, BrokenPipeError) or (usage is None and not isinstance(error, (ValueError, OSError))):
                raise
            fail(str(usage() if usage else error), trace=agent_trace(error))


app = typer.Typer(
    name="spades", cls=_OneLineErrors, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"spades-env {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Spades for reinforcement learning."""


_COMMANDS = {
    "Train and compare": (train, evaluate, tournament, league, benchmark, exploit),
    "Play": (play, serve, replay, review, engine),
    "Study": (bid, bidding_data, bidding_fit, solve, puzzles),
    "About this installation": (agents, bench, warm),
}
for _panel, _commands in _COMMANDS.items():
    for _command in _commands:
        app.command(rich_help_panel=_panel)(_command)


if __name__ == "__main__":
    app()
