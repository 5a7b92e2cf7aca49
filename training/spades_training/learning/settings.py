"""What the settings of both learners share: their checks, and the settings that are lists in a text."""

from __future__ import annotations

import dataclasses
from dataclasses import field
from typing import Any, ClassVar

from spades_env.checks import check_int
from spades_training.options import parse_rules


def setting(default: Any, text: str, low: float | None = None, high: float | None = None) -> Any:
    """A field with a default, the help of its option and, for a number, its least and greatest value.

    Without them, an integer is at least 1 and a float is in 0..1.
    """
    if type(default) is int:
        low, high = 1 if low is None else low, 10**12 if high is None else high
    elif type(default) is float:
        low, high = 0 if low is None else low, 1 if high is None else high
    return field(default=default, metadata={"help": text, "low": low, "high": high})


class RunSettings:
    """Base class of the dataclasses of settings, whose fields are made by :func:`setting`.

    Attributes:
        LEARNER: the name of the learner, as ``spades train --learner`` takes it.
    """

    LEARNER: ClassVar[str]
    rules: str
    opponents: str
    eval_opponents: str

    def check(self) -> None:
        """Check the types and ranges of all settings; a float may be given as an int.

        Raises:
            ValueError: if a value is invalid.
        """
        for known in dataclasses.fields(self):  # type: ignore[arg-type]
            name, value, default = known.name, getattr(self, known.name), known.default
            if isinstance(default, float) and type(value) is int:
                object.__setattr__(self, name, float(value))
            elif type(value) is not type(default):
                raise ValueError(f"{name} must be of type {type(default).__name__}, got {value!r}")
            low, high = known.metadata["low"], known.metadata["high"]
            if type(default) is int:
                check_int(name, value, low, high)
            elif low is not None and not low <= value <= high:
                raise ValueError(f"{name} must be in {low:g}..{high:g}, got {value!r}")
        parse_rules(self.rules)
        self.opponent_weights()

    def sizes(self, name: str) -> list[int]:
        """The numbers in the setting ``name``, sizes of hidden layers."""
        text = getattr(self, name)
        try:
            return [check_int(name, int(part), 1, 65_536) for part in text.split(",")]
        except ValueError:
            raise ValueError(f"{name} must be sizes separated by commas, such as 256,256, got {text!r}") from None

    def opponent_weights(self) -> dict[str, float]:
        """``opponents`` as shares that sum to 1."""
        weights: dict[str, float] = {}
        for part in self.opponents.split(","):
            name, colon, weight = part.strip().rpartition(":")
            try:
                value = float(weight)
            except ValueError:
                value = -1.0
            if not colon or not name or not 0 <= value < float("inf"):
                text = "must be name:weight pairs separated by commas, such as self:5,random:1"
                raise ValueError(f"opponents {text}, got {part.strip()!r}")
            weights[name] = value
        total = sum(weights.values())
        if total <= 0:
            raise ValueError(f"opponents must have a weight above 0, got {self.opponents!r}")
        return {name: weight / total for name, weight in weights.items() if weight > 0}

    def frozen_opponents(self) -> list[str]:
        """``eval_opponents`` as a list."""
        return [name.strip() for name in self.eval_opponents.split(",") if name.strip()]

    def command(self) -> str:
        """The command that starts a run with these settings."""
        options = []
        for known in dataclasses.fields(self):  # type: ignore[arg-type]
            value, option = getattr(self, known.name), known.name.replace("_", "-")
            if isinstance(value, bool) and value != known.default:
                options.append(f"--{option}" if value else f"--no-{option}")
            elif value != known.default:
                options.append(f"--{option} {value}")
        return " ".join([f"spades train --learner {self.LEARNER}", *options])
