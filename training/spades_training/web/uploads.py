"""A limit on what a browser may send."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from spades_training.web.study.opened import MOST_BYTES

_AROUND = 10_000  # bytes of a form around its file


class LimitUploads:
    """Refuses requests with a long body, or one of unknown length, before anything of it is read.

    The limit of the upload field only binds browsers that obey it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with status 411 or 413, or let the application answer."""
        if scope["type"] == "http" and scope["method"] in ("POST", "PUT", "PATCH"):
            length = Headers(scope=scope).get("content-length", "")
            if not length.isdecimal():
                await PlainTextResponse("The length of the body is missing.", 411)(scope, receive, send)
                return
            if int(length) > MOST_BYTES + _AROUND:
                await PlainTextResponse("The body is too long.", 413)(scope, receive, send)
                return
        await self.app(scope, receive, send)
