"""The rules of a table: :class:`Rules` and its presets."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from spades_env.cards import NUM_CARDS, card_name, parse_cards
from spades_env.checks import check_choice, check_int, check_list

Rejected = Literal["hidden", "drawer", "public"]
FailedNil = Literal["ignore", "one_bag", "bags", "contract"]
MOST_REMOVED = 12


def _check_range(field: str, value: Any, low: int, high: int, or_none: bool = False) -> None:
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{field} must be {'None or ' if or_none else ''}an int in {low}..{high}, got {value!r}")


@dataclass(frozen=True)
class Rules:
    """The rules of one table.

    Attributes:
        players: number of seats, 2 to 4.
        removed: cards left out of the deck in a dealt game, at most 12: names or ids, or text such as ``"2C 2D"``;
            kept as a tuple of names. With three players it is the 2 of clubs if no card is named. :attr:`hand_size`
            says how many of the others are dealt.
        partners: whether seats {0, 2} play against {1, 3}; needs four players.
        draft: whether the two players draft their hands from the stock; otherwise cards are dealt.
        rejected: who sees the discarded card of each draw: nobody (``"hidden"``), the ``"drawer"``, or both
            players (``"public"``). The drawer always sees a card that it has rejected.
        bids_first: the first bidder, in seats after the opener.
        leads_first: the first leader, in seats after the opener.
        spades_must_break: whether spades may only be led once they are broken or from a hand of only spades.
        target: the match ends when a side has at least this many points.
        loss: the match ends when a side has at most this many points; ``None`` for no lower limit.
        nil: points won by making a nil and lost by failing one.
        blind_nil: points won by making a blind nil and lost by failing one; 0 if blind nil is not offered.
        exchange: number of cards that a blind nil bidder may exchange with the discard pile; two players only.
        failed_nil: the effect of a failed nil's tricks: ``"ignore"`` for none, ``"one_bag"`` for one bag,
            ``"bags"`` for a bag each, ``"contract"`` to count them toward the partner's contract.
        bag_limit: every ``bag_limit`` bags cost ``bag_penalty`` points; 0 for no bag penalty.
        bag_penalty: points lost each time the bag counter reaches ``bag_limit``.

    Raises:
        ValueError: if a value or a combination of values is invalid; the message names the field.

    Example:
        >>> rules = Rules.preset("two_player", target=300)
        >>> rules.name, rules.target, rules.exchange
        ('two_player,target=300', 300, 3)
        >>> Rules(players=3, partners=True)
        Traceback (most recent call last):
        ...
        ValueError: partners needs players=4, got players=3
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
    removed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_range("players", self.players, 2, 4)
        for field in ("partners", "draft", "spades_must_break"):
            if not isinstance(getattr(self, field), bool):
                raise ValueError(f"{field} must be True or False, got {getattr(self, field)!r}")
        check_choice("rejected", self.rejected, get_args(Rejected))
        check_choice("failed_nil", self.failed_nil, get_args(FailedNil))
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
        removed = _removed(self.removed)
        if removed and self.draft:
            raise ValueError("removed must be empty with draft=True: the draft takes all 52 cards")
        if self.players == 3 and removed == ("2C",):
            removed = ()
        object.__setattr__(self, "removed", removed)
        undealt = len(self.deck) - self.players * self.hand_size
        if not self.draft and 2 * self.exchange > undealt:
            raise ValueError(
                f"exchange must be at most {undealt // 2} with {len(self.deck)} cards: only {undealt} are not dealt"
            )

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Rules:
        """The preset ``name`` with some fields changed, as in ``Rules.preset("two_player", target=300)``.

        Raises:
            ValueError: if the preset or a field is unknown, or the rules are invalid.
        """
        if name not in PRESETS:
            raise ValueError(f"unknown rules {name!r}: use one of {', '.join(PRESETS)}, or a Rules object")
        return cls.from_dict({**PRESETS[name].to_dict(), **changes})

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Rules:
        """Rules from a dict of fields, as :meth:`to_dict` returns it; missing fields have their defaults.

        Raises:
            ValueError: if a field is unknown or the rules are invalid.
        """
        if not isinstance(fields, dict):
            raise ValueError(f"rules must be a dict of fields, got {type(fields).__name__}")
        known = [field.name for field in dataclasses.fields(cls)]
        for name in fields:
            if name not in known:
                raise ValueError(f"unknown field {name!r} of Rules: use one of {', '.join(known)}")
        return cls(**fields)

    def to_dict(self) -> dict[str, Any]:
        """Every field and its value, as a dict that JSON can represent; without ``removed`` if no card is removed."""
        fields = dataclasses.asdict(self)
        removed = fields.pop("removed")
        return fields | ({"removed": list(removed)} if removed else {})

    @property
    def name(self) -> str:
        """The name of the most similar preset, followed by what differs from it: ``"two_player,nil=50"``."""
        changes = {name: _changes(preset, self) for name, preset in PRESETS.items()}
        name = min(changes, key=lambda name: len(changes[name]))
        return ",".join([name, *changes[name]])

    @property
    def hand_size(self) -> int:
        """The number of cards, and of tricks, in a hand.

        It is 13, or 17 with three players. If cards are removed, three and four players are dealt as many cards as
        there are for all of them, and the rest of the deck stays unseen.
        """
        share = len(self.deck) // self.players
        return min(share, 13) if self.players == 2 else share

    @cached_property
    def deck(self) -> tuple[int, ...]:
        """The ids of the cards in play, ascending."""
        removed = self.removed or (("2C",) if self.players == 3 else ())
        return tuple(card for card in range(NUM_CARDS) if card_name(card) not in removed)

    @property
    def sides(self) -> int:
        """The number of sides (2 with partners, else one per seat)."""
        return 2 if self.partners else self.players

    def side_of(self, seat: int) -> int:
        """The side that ``seat`` scores for."""
        return seat % self.sides

    def side_name(self, side: int) -> str:
        """The seats of a side in words: ``"seat 1"`` or ``"seats 1 and 3"``."""
        return f"seats {side} and {side + 2}" if self.partners else f"seat {side}"


def _changes(preset: Rules, rules: Rules) -> list[str]:
    """The fields that differ, as in ``nil=50``."""
    changes = []
    for field in dataclasses.fields(preset):
        value = getattr(rules, field.name)
        if value != getattr(preset, field.name):
            changes.append(f"{field.name}={''.join(value) if field.name == 'removed' else str(value).lower()}")
    return changes


def _removed(value: Any) -> tuple[str, ...]:
    """The removed cards as names, in the order of their ids."""
    items = [value] if isinstance(value, str) else check_list("removed", value)
    try:
        cards = [card for item in items for card in (parse_cards(item) if isinstance(item, str) else [item])]
    except ValueError as error:
        raise ValueError(f"removed: {error}") from None
    ids = [check_int(f"removed[{k}]", card, 0, NUM_CARDS - 1) for k, card in enumerate(cards)]
    for card in ids:
        if ids.count(card) > 1:
            raise ValueError(f"removed: {card_name(card)} appears twice")
    if len(ids) > MOST_REMOVED:
        raise ValueError(f"removed must hold at most {MOST_REMOVED} cards, got {len(ids)}")
    return tuple(map(card_name, sorted(ids)))


# Defined after Rules, which a preset is an instance of.
PRESETS: dict[str, Rules] = {
    "two_player": Rules(players=2, draft=True, bids_first=1, leads_first=1, loss=None, exchange=3, failed_nil="ignore"),
    "partnership": Rules(players=4, partners=True),
    "solo": Rules(players=4),
    "cutthroat": Rules(players=3),
    "two_player_dealt": Rules(players=2),
}


def as_rules(rules: str | Rules) -> Rules:
    """``rules`` itself, or the preset with that name.

    Raises:
        ValueError: if it is neither.
    """
    if isinstance(rules, Rules):
        return rules
    if not isinstance(rules, str):
        raise ValueError(f"rules must be a preset's name or a Rules object, got {type(rules).__name__}")
    return Rules.preset(rules)
