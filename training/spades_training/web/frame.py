"""The frame of every page: its title, the navigation, and the switch between light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui

NAVIGATION: dict[str, str] = {}
"""The pages in the header, title by path; :func:`spades_training.web.app.create_app` fills it."""


@contextmanager
def frame(title: str, here: str = "") -> Iterator[None]:
    """A page with header and navigation; the block fills its content.

    Args:
        title: title of the page in the browser.
        here: path of the page in the navigation.

    Example:
        ::

            @ui.page("/watch")
            def watch() -> None:
                with frame("Watch", "/watch"):
                    ui.label("...")
    """
    ui.page_title(f"{title} · Spades")
    ui.colors(primary="#24835a")
    dark = ui.dark_mode(value=None)  # as the system, until the person switches
    with ui.header().classes("frame-header"), ui.element("nav").props('aria-label="Pages"').classes("frame-nav"):
        ui.link("♠ Spades", "/").classes("frame-brand").props('aria-label="Spades, start"')
        for path, name in NAVIGATION.items():
            link = ui.link(name, path).classes("frame-link")
            if path == here:
                link.props('aria-current="page"')
        switch = ui.button(icon="contrast", on_click=lambda: dark.set_value(not dark.value))
        switch.props('flat round dense color=white aria-label="Switch between light and dark"').classes("frame-switch")
    with ui.element("main").classes("frame-main"):
        yield


def heading(text: str) -> None:
    """The heading of a panel."""
    ui.label(text).classes("panel-title").props("role=heading aria-level=2")
