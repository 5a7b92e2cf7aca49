"""The command ``spades serve``."""

from __future__ import annotations

import socket
import threading
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from spades_training.options import interruptible, needs

_HOST = "Address to listen on. 0.0.0.0 lets everybody on your network reach the pages; 127.0.0.1 only this machine."


def serve(
    host: Annotated[str, typer.Option(help=_HOST)] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.", min=0, max=65535)] = 8080,
    games: Annotated[Path, typer.Option(help="SQLite file that keeps the games.")] = Path("spades-games.sqlite"),
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
) -> None:
    """Open a table in the browser, to play and to watch."""
    with needs("web", "spades serve"):
        from spades_training.web.app import create_app, is_loopback, run
        from spades_training.web.server import Server
    with _listen(host, port) as listening:
        local = is_loopback(host)
        app = create_app(Server(games, local), local)
        port = listening.getsockname()[1]
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
        address = f"http://{shown}:{port}/"
        typer.echo(f"Spades is at {address}   (Ctrl-C stops it; the games are kept in {games})")
        if not local:
            typer.echo("Everybody on your network can reach it: give the links of seats only to those who sit there.")
        if not no_browser:
            threading.Timer(1.0, webbrowser.open, [address]).start()
        with interruptible(f"the games are kept in {games}"):
            run(app, listening)


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, at a free port if ``port`` is 0.

    Raises:
        ValueError: if the server cannot listen there.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise ValueError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from None
