"""What may differ from table to table: the :class:`Rules` value and its presets."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, get_args

from spades_env.cards import NUM_CARDS

Rejected = Literal["hidden", "drawer", "public"]
FailedNil = Literal["ignore", "one_bag", "bags", "contract"]


def _check_range(field: str, value: Any, low: int, high: int, or_none: bool = False) -> None:
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{field} must be {'None or ' if or_none else ''}an int in {low}..{high}, got {value!r}")


def _check_choice(field: str, value: Any, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{field} must be one of {', '.join(map(repr, allowed))}, got {value!r}")


@dataclass(frozen=True)
class Rules:
    """The rules of one table. Every value is checked; a bad value or mix raises ``ValueError`` naming the field.

    Attributes:
        players: seats at the table, 2 to 4. With three the 2 of clubs is left out and each seat holds
            17 cards; otherwise 13.
        partners: seats {0, 2} play against {1, 3}; needs four players.
        draft: two players draw from the stock by turns, keep or reject; otherwise cards are dealt.
        rejected: who sees the card that goes to the discard pile in the draft: nobody, the drawer, or both.
        bids_first: how many seats after the opener the first bidder sits.
        leads_first: how many seats after the opener the first leader sits.
        spades_must_break: spades may not be led before they are broken, unless the hand is all spades.
        target: a side with so many points or more ends the match.
        loss: a side with so many points or fewer ends the match; ``None`` for no lower limit.
        nil: points for a made nil, lost for a missed one.
        blind_nil: the same for a blind nil; 0 if it is not offered.
        exchange: how many cards a blind-nil bidder may replace from the discard pile (two players only).
        failed_nil: what a missed nil's tricks do: ``"ignore"`` nothing, ``"one_bag"`` one bag,
            ``"bags"`` a bag each, ``"contract"`` count toward the partner's contract.
        bag_limit: so many bags cost ``bag_penalty`` points; 0 switches this off.
        bag_penalty: points lost each time the bag counter reaches ``bag_limit``.
    """

    players: int = 4
    partners: bool = False
    draft: bool = False
    rejected: Rejected = "hidden"
    bids_first: int = 0
    leads_first: int = 0
    spades_must_break: bool = True
    target: int = 500
    loss: int | None = -200
    nil: int = 100
    blind_nil: int = 200
    exchange: int = 0
    failed_nil: FailedNil = "one_bag"
    bag_limit: int = 10
    bag_penalty: int = 100

    def __post_init__(self) -> None:
        _check_range("players", self.players, 2, 4)
        for field in ("partners", "draft", "spades_must_break"):
            if not isinstance(getattr(self, field), bool):
                raise ValueError(f"{field} must be True or False, got {getattr(self, field)!r}")
        _check_choice("rejected", self.rejected, get_args(Rejected))
        _check_choice("failed_nil", self.failed_nil, get_args(FailedNil))
        _check_range("bids_first", self.bids_first, 0, self.players - 1)
        _check_range("leads_first", self.leads_first, 0, self.players - 1)
        _check_range("target", self.target, 1, 10_000)
        if self.loss is not None:
            _check_range("loss", self.loss, -10_000, -1, or_none=True)
        _check_range("nil", self.nil, 0, 1_000)
        _check_range("blind_nil", self.blind_nil, 0, 1_000)
        _check_range("exchange", self.exchange, 0, 13)
        _check_range("bag_limit", self.bag_limit, 0, 100)
        _check_range("bag_penalty", self.bag_penalty, 0, 1_000)
        if self.partners and self.players != 4:
            raise ValueError(f"partners needs players=4, got players={self.players}")
        if self.draft and self.players != 2:
            raise ValueError(f"draft needs players=2, got players={self.players}")
        if self.rejected != "hidden" and not self.draft:
            raise ValueError(f"rejected={self.rejected!r} needs draft=True: without a draft no card is rejected")
        if self.exchange and self.players != 2:
            raise ValueError(f"exchange must be 0 with players={self.players}: there is no discard pile")

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Rules:
        """The preset ``name`` with some fields changed: ``Rules.preset("two_player", target=300)``.

        Raises:
            ValueError: if there is no such preset or field, or the mix makes no sense.
        """
        if name not in PRESETS:
            raise ValueError(f"unknown rules {name!r}: use one of {', '.join(PRESETS)}, or a Rules value")
        return cls.from_dict({**PRESETS[name].to_dict(), **changes})

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Rules:
        """The rules of a dict of fields, as :meth:`to_dict` gives it; a missing field keeps its default.

        Raises:
            ValueError: if a field is unknown or its value makes no sense.
        """
        if not isinstance(fields, dict):
            raise ValueError(f"rules must be a preset's name or a dict of fields, got {type(fields).__name__}")
        known = [field.name for field in dataclasses.fields(cls)]
        for name in fields:
            if name not in known:
                raise ValueError(f"unknown field of Rules {name!r}: use one of {', '.join(known)}")
        return cls(**fields)

    def to_dict(self) -> dict[str, Any]:
        """Every field and its value; JSON can hold it."""
        return dataclasses.asdict(self)

    @property
    def name(self) -> str:
        """The name of the preset that these rules are, else ``"custom"``."""
        return next((name for name, preset in PRESETS.items() if preset == self), "custom")

    @property
    def hand_size(self) -> int:
        """Cards (and tricks) of a hand: 13, or 17 with three players."""
        return 17 if self.players == 3 else 13

    @property
    def deck(self) -> tuple[int, ...]:
        """The card ids in play, ascending: all 52, or 51 without the 2 of clubs with three players."""
        return tuple(range(1 if self.players == 3 else 0, NUM_CARDS))

    @property
    def sides(self) -> int:
        """How many sides keep a score: 2 with partners, else one for each seat."""
        return 2 if self.partners else self.players

    def side_of(self, seat: int) -> int:
        """The side that ``seat`` scores for."""
        return seat % self.sides


# Below the checks, which building a preset calls.
PRESETS: dict[str, Rules] = {
    "two_player": Rules(players=2, draft=True, bids_first=1, leads_first=1, loss=None, exchange=3, failed_nil="ignore"),
    "partnership": Rules(players=4, partners=True),
    "solo": Rules(players=4),
    "cutthroat": Rules(players=3),
}


def as_rules(rules: str | Rules) -> Rules:
    """``rules`` itself, or the preset of that name.

    Raises:
        ValueError: if it is neither.
    """
    if isinstance(rules, Rules):
        return rules
    if not isinstance(rules, str):
        raise ValueError(f"rules must be a preset's name or a Rules value, got {type(rules).__name__}")
    return Rules.preset(rules)
