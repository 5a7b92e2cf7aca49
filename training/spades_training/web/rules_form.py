"""A form for the rules: a preset, and every field of Rules with its help."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, get_args

from nicegui import ui

from spades_env.rules import PRESETS, FailedNil, Rejected, Rules

_CHOICES = {"rejected": get_args(Rejected), "failed_nil": get_args(FailedNil)}
_TITLES = {
    "partnership": "Partnership",
    "two_player": "Two players, draft",
    "solo": "Solo",
    "cutthroat": "Cutthroat (three)",
    "two_player_dealt": "Two players, dealt",
}


def field_help() -> dict[str, str]:
    """What each field of Rules means, from its docstring."""
    text = (inspect.getdoc(Rules) or "").partition("Attributes:")[2].partition("Raises:")[0]
    found: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        start, colon, rest = line.strip().partition(": ")
        if line.startswith("    ") and not line.startswith("     ") and colon and start.isidentifier():
            name, found[start] = start, rest
        elif name and line.strip():
            found[name] += " " + line.strip()
    return {name: text.replace("``", "").replace(":attr:", "").replace("`", "") for name, text in found.items()}


class RulesForm:
    """The fields of the form; :meth:`rules` reads them.

    Args:
        changed: called when the preset changes, after all fields have its values.
    """

    def __init__(self, changed: Any = None) -> None:
        self._changed = changed
        self._preset = ui.toggle(
            {name: _TITLES.get(name, name) for name in sorted(PRESETS, key=list(_TITLES).index)},
            value="partnership",
            on_change=self._take_preset,
        )
        self._preset.props('no-caps unelevated aria-label="Rules"').classes("presets")
        self._fields: dict[str, Any] = {}
        with ui.expansion("All rules").classes("all-rules"), ui.element("div").classes("rule-grid"):
            helps = field_help()
            for field in dataclasses.fields(Rules):
                with ui.element("div").classes("rule"):
                    self._fields[field.name] = self._field(field.name)
                    ui.label(helps.get(field.name, "")).classes("faint rule-help")
        self._take_preset()

    def rules(self) -> Rules:
        """The rules as the form has them.

        Raises:
            ValueError: if a value or a combination is invalid; the message names the field.
        """
        changes: dict[str, Any] = {}
        for name, field in self._fields.items():
            value = field.value
            if isinstance(value, float):
                value = int(value) if value.is_integer() else value
            if name == "loss":
                value = None if value in (None, "") else value
            changes[name] = str(value or "").split() if name == "removed" else value
        return Rules.from_dict(changes)

    @property
    def players(self) -> int:
        """The number of seats, as the form has it."""
        return int(self._fields["players"].value or 2)

    def _field(self, name: str) -> Any:
        label = name.replace("_", " ")
        value = getattr(Rules(), name)
        if isinstance(value, bool):
            return ui.switch(label)
        if name in _CHOICES:
            return ui.select(list(_CHOICES[name]), label=label).props("dense outlined")
        if name == "removed":
            return ui.input(label).props("dense outlined")
        number = ui.number(label, step=1, on_change=self._players_changed if name == "players" else None)
        return number.props("dense outlined")

    def _players_changed(self) -> None:
        if self._changed and "removed" in self._fields and self._fields["players"].value in (2, 3, 4):
            self._changed()

    def _take_preset(self) -> None:
        preset = PRESETS[str(self._preset.value)]
        for name, field in self._fields.items():
            value = getattr(preset, name)
            field.set_value(" ".join(value) if name == "removed" else value)
        if self._changed and self._fields:
            self._changed()


def parse_seed(typed: object) -> int | None:
    """The seed that was typed, or None for an empty field.

    Raises:
        ValueError: if it is not a whole number from 0 on.
    """
    text = str(typed or "").strip()
    if text and not (text.isascii() and text.isdigit()):
        raise ValueError(f"the seed must be a whole number from 0 on, got {text[:40]!r}")
    return int(text) if text else None
