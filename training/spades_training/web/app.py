"""The application: its pages, its assets, and the server that runs them."""

from __future__ import annotations

import ipaddress
import socket
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from nicegui import app as nicegui_app
from nicegui import ui
from starlette.middleware.trustedhost import TrustedHostMiddleware

from spades_training.web import bid_lab, guard, play, review, seat, watch
from spades_training.web.frame import NAVIGATION
from spades_training.web.server import Server
from spades_training.web.uploads import LimitUploads

ASSETS = Path(__file__).parent / "assets"
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#1a5c43"/>'
    '<text x="16" y="25" font-size="26" text-anchor="middle" fill="#fff">♠</text></svg>'
)
# Title, path in the navigation, and the function that registers the page.
_PAGES = (
    ("Play", "/", play.register),
    ("Watch", "/watch", watch.register),
    ("Review", "/review", review.register),
    ("Bid lab", "/bid-lab", bid_lab.register),
)


def create_app(server: Server, local: bool = True) -> FastAPI:
    """The application with all pages.

    Args:
        server: what the pages share.
        local: whether only this machine can reach it.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    if local:
        # A foreign page could otherwise reach the server under a name of its own that resolves to this address.
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=["localhost", "127.0.0.1", "::1", "[::1]"])
    app.add_middleware(LimitUploads)
    app.mount("/assets", StaticFiles(directory=ASSETS), name="assets")
    ui.add_head_html(
        '<link rel="stylesheet" href="/assets/style.css"><link rel="stylesheet" href="/assets/table.css">'
        '<script src="/assets/page.js"></script>',
        shared=True,
    )
    for title, path, register in _PAGES:
        NAVIGATION[path] = title
        register(server)
    seat.register(server)
    guard.install()
    nicegui_app.on_startup(server.warm)
    nicegui_app.on_shutdown(server.close)
    ui.run_with(
        app,
        title="Spades",
        favicon=_ICON,
        language="en-US",
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=30,  # a page survives a busy machine, and a phone that sleeps for a moment
    )
    return app


def run(app: FastAPI, listening: socket.socket) -> None:
    """Serve the connections of a socket until Ctrl-C or SIGTERM."""
    config = uvicorn.Config(app, log_level="warning", ws_max_size=2**20, timeout_graceful_shutdown=2)
    uvicorn.Server(config).run([listening])


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
