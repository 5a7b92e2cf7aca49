"""Checks every message of a browser before NiceGUI handles it.

NiceGUI finds the page of an event by the id that the message names. A browser knows only the ids of its own pages, but
nothing else binds a connection to them. Here an event counts only for the pages that its connection has opened, and a
message of another form is refused instead of raising an exception.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import core

log = logging.getLogger("spades.web")
_MOST_TEXT = 100_000
# The fields that NiceGUI reads from each kind of message.
_FIELDS: dict[str, dict[str, type]] = {
    "event": {"client_id": str, "id": int, "listener_id": str, "args": list},
    "javascript_response": {"client_id": str, "request_id": str},
    "ack": {"client_id": str, "next_message_id": int},
    "log": {"client_id": str, "level": str, "message": str},
    "handshake": {"client_id": str, "tab_id": str, "document_id": str},
}


def install() -> None:
    """Put the checks before NiceGUI's handlers."""
    handlers = core.sio.handlers["/"]
    for name, fields in _FIELDS.items():
        core.sio.on(name, _checked(name, fields, handlers[name]))


def _checked(name: str, fields: dict[str, type], handler: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    async def check(sid: str, *messages: Any) -> Any:
        reason = _fault(name, fields, sid, messages)
        if reason:
            log.warning("refused %s from %s: %s", name, sid, reason)
            return False
        try:
            result = handler(sid, *messages)
            return await result if hasattr(result, "__await__") else result
        except Exception as error:
            log.warning("refused %s from %s: %s: %s", name, sid, type(error).__name__, error)
            return False

    return check


def _fault(name: str, fields: dict[str, type], sid: str, messages: tuple[Any, ...]) -> str:
    """What is wrong with a message, or an empty string."""
    if len(messages) != 1 or not isinstance(messages[0], dict):
        return "it is not one object"
    message = messages[0]
    for field, kind in fields.items():
        if not isinstance(message.get(field), kind):
            return f"{field} must be of type {kind.__name__}"
    if name == "handshake":
        return ""
    if message["client_id"] not in core.sio.rooms(sid):
        return "it is for a page that this connection has not opened"
    if name == "event" and not all(
        arg is None or (isinstance(arg, str) and len(arg) < _MOST_TEXT) for arg in message["args"]
    ):
        return "args must be short texts"
    return ""
