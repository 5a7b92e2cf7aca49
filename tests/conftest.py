"""Which tests run: those marked ``long`` or ``optional`` only when asked for, and never left out silently."""

from __future__ import annotations

import os

import pytest

from spades_env.compiling import progress

# Tests that look at stderr do not depend on what is cached.
progress.PATIENCE = float("inf")

# Windows are drawn, but not shown.
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

ON_REQUEST = {
    "long": "run the tests that take minutes",
    "optional": "run the tests that need packages which the test extra does not install",
}

_left_out: dict[str, int] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    for mark, text in ON_REQUEST.items():
        parser.addoption(f"--{mark}", action="store_true", help=f"also {text}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("-m"):  # the caller chose by mark
        return
    for mark in ON_REQUEST:
        if config.getoption(f"--{mark}"):
            continue
        left_out = [item for item in items if item.get_closest_marker(mark)]
        if left_out:
            _left_out[mark] = len(left_out)
            items[:] = [item for item in items if item not in left_out]
            config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    # Under pytest-xdist only the workers collect; each finds the same tests.
    _left_out.update(node.workeroutput.get("left_out", {}) if hasattr(node, "workeroutput") else {})


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = _left_out


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for mark, count in _left_out.items():
        terminalreporter.write_line(f"{count} tests marked {mark} left out: --{mark} runs them", yellow=True)
    for outcome in ("passed", "failed"):
        for result in terminalreporter.getreports(outcome):
            for name, line in result.user_properties:
                if name == "report":
                    terminalreporter.write_line(f"{result.nodeid.split('::')[-1]}: {line}")


@pytest.fixture
def report(request: pytest.FixtureRequest):
    """A function that adds a line to the summary of the run: how much was compared, how fast it was."""
    return lambda line: request.node.user_properties.append(("report", line))
