"""Bad input of ``spades serve``; tests/web plays in its pages."""

from __future__ import annotations

import socket

import pytest
from spades_command import fails


@pytest.mark.parametrize(
    "options,message",
    [
        (["--host", "no.such.host.example"], "error: cannot listen on no.such.host.example"),
        (["--port", "70000"], "error: Invalid value for '--port'"),
    ],
)
def test_bad_options(options, message, tmp_path):
    fails(message, "serve", "--no-browser", "--games", tmp_path / "x.sqlite", *options)


def test_a_port_in_use(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        fails(f"error: cannot listen on 127.0.0.1, port {port}: Address already in use", "serve", "--port", port,
              "--games", tmp_path / "x.sqlite")  # fmt: skip


def test_a_file_that_is_not_one_of_games(tmp_path):
    path = tmp_path / "x.sqlite"
    path.write_text("not a database" * 100)
    fails(f"error: cannot open the file of games {path}: file is not a database", "serve", "--port", "0",
          "--no-browser", "--games", path)  # fmt: skip
