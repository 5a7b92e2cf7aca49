"""The application: its pages, its assets, and the server that runs them."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from nicegui import ui
from starlette.middleware.trustedhost import TrustedHostMiddleware

from spades_training.web import home
from spades_training.web.frame import NAVIGATION
from spades_training.web.server import Server

ASSETS = Path(__file__).parent / "assets"
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#1a5c43"/>'
    '<text x="16" y="25" font-size="26" text-anchor="middle" fill="#fff">♠</text></svg>'
)
# Title, path in the navigation, and the function that registers the page.
_PAGES = (("Play", "/", home.register),)


def create_app(server: Server, host: str = "127.0.0.1") -> FastAPI:
    """The application with all pages.

    Args:
        server: what the pages share.
        host: the address that it will listen on.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    if _is_loopback(host):
        # A foreign page could otherwise reach the server under a name of its own that resolves to this address.
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=["localhost", "127.0.0.1", "[::1]", host])
    app.mount("/assets", StaticFiles(directory=ASSETS), name="assets")
    ui.add_head_html(
        '<link rel="stylesheet" href="/assets/style.css"><script src="/assets/page.js"></script>', shared=True
    )
    for title, path, register in _PAGES:
        NAVIGATION[path] = title
        register(server)
    ui.run_with(app, title="Spades", favicon=_ICON, language="en-US", tailwind=False, show_welcome_message=False)
    return app


def run(app: FastAPI, host: str, port: int) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    uvicorn.run(app, host=host, port=port, log_level="warning", ws_max_size=2**20, timeout_graceful_shutdown=2)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
