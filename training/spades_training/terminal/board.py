"""A table as a person at it sees it: text of at most 60 columns, with the other seats named from theirs."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from spades_env.cards import (
    BID_0,
    BLIND_NIL,
    DONE,
    KEEP,
    LOOK,
    NUM_CARDS,
    SUITS,
    hand_text,
    mask_of,
    trick_winner,
)
from spades_env.game import Game, Phase, View
from spades_env.picture.ansi import card_text
from spades_env.rules import Rules
from spades_training.terminal.moves import SUIT_NAMES

WIDTH = 60
_JOINED = "\u00a0"  # a no-break space, at which lines are not wrapped


class Seats:
    """The names of seats and sides for the person at seat ``me``."""

    def __init__(self, rules: Rules, me: int) -> None:
        others = {2: ["opponent"], 3: ["left", "right"], 4: ["left", "opposite", "right"]}[rules.players]
        if rules.partners:
            others[1] = "partner"
        self.rules, self.me = rules, me
        self.short = ["you"] * rules.players
        for k, name in enumerate(others, 1):
            self.short[(me + k) % rules.players] = name

    def __getitem__(self, seat: int) -> str:
        """The name within a sentence: ``you``, ``partner``, ``left opponent``."""
        name = self.short[seat]
        return f"{name} opponent" if name in ("left", "right", "opposite") else name

    def does(self, seat: int, verb: str, third: str = "") -> str:
        """A seat and what it does, as the start of a sentence: ``You win``, ``Partner wins``."""
        return f"{capital(self[seat])} {verb if seat == self.me else third or verb + 's'}"

    def side(self, side: int) -> str:
        """The name of a side: ``you and partner``, ``opponents``, or that of its only seat."""
        if not self.rules.partners:
            return self[side]
        return "you and partner" if side == self.me % 2 else "opponents"

    def order(self) -> list[int]:
        """All seats clockwise, the person first."""
        return [(self.me + k) % self.rules.players for k in range(self.rules.players)]

    def sides(self) -> list[int]:
        """All sides, the person's first."""
        first = self.rules.side_of(self.me)
        return [(first + k) % self.rules.sides for k in range(self.rules.sides)]


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def wrapped(text: str, indent: str = "", width: int = WIDTH) -> list[str]:
    """The lines of a sentence; no word is broken, nor a group of words joined by no-break spaces."""
    lines = textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_JOINED, " ") for line in lines]


def show(console: Console, lines: Sequence[str]) -> None:
    """Print lines as they are, with red suits in red and headings in bold."""
    text = Text("\n".join(lines))
    text.highlight_regex("[♥♦]", "red")
    text.highlight_regex("──.*──", "bold")
    console.print(text, soft_wrap=True)


def bid_text(bid: int | None, blind: bool | None) -> str:
    """A bid in a word or two."""
    return "-" if bid is None else str(bid) if bid else "blind nil" if blind else "nil"


def cards_text(cards: int) -> str:
    """A hand by suits, none of which :func:`wrapped` breaks."""
    return "  ".join(suit.replace(" ", _JOINED) for suit in hand_text(cards, symbols=True).split("  "))


def board(view: View) -> list[str]:
    """What the person on turn needs: bids and tricks of all seats, scores, the trick, the cards."""
    seats = Seats(view.rules, view.observer)
    lines = ["", _title(view)]
    lines += _seat_table(view, seats)
    lines += [line for side in seats.sides() for line in _side_line(view, seats, side)]
    lines += _draft_line(view, seats)
    if view.phase == Phase.PLAY:
        lines += _trick(view, seats)
    lines += _hand(view)
    return lines


def _title(view: View) -> str:
    if view.phase == Phase.PLAY:
        what = f"trick {len(view.played) // view.rules.players + 1} of {view.rules.hand_size}"
    else:
        what = {Phase.BLIND: "blind nil?", Phase.DRAFT: "draft", Phase.EXCHANGE: "exchange"}.get(view.phase, "bids")
    text = f"── hand {view.hand_number + 1}, {what} "
    name = f" {view.rules.name} ──"
    return text + "─" * (WIDTH - len(text) - len(name)) + name


def _seat_table(view: View, seats: Seats) -> list[str]:
    lines = [f"  {'':<16}{'bid':>10}{'won':>5}"]
    for seat in seats.order():
        bid = view.bids[seat]
        won = "" if bid is None else str(view.tricks[seat])
        notes = [SUIT_NAMES[suit] for suit in range(len(SUITS)) if view.voids[seat] >> suit & 1]
        notes = [f"no {', '.join(notes)}"] if notes else []
        if view.exchanged[seat]:
            notes.append(f"gave up {view.exchanged[seat]}")
        if seat == view.leader and view.phase in (Phase.BID, Phase.BLIND):
            notes.append("leads first")
        row = f"  {seats[seat]:<16}{bid_text(bid, view.blind[seat]):>10}{won:>5}   {', '.join(notes)}".rstrip()
        lines += wrapped_row(row, 36)
    return lines


def wrapped_row(row: str, indent: int) -> list[str]:
    """A row of a table, whose last column continues below itself."""
    if len(row) <= WIDTH:
        return [row]
    rest = textwrap.wrap(row[indent:], WIDTH - indent, break_long_words=False, break_on_hyphens=False)
    return [row[:indent] + rest[0], *(" " * indent + line for line in rest[1:])]


def _side_line(view: View, seats: Seats, side: int) -> list[str]:
    name = seats.side(side)
    limit = f" of {view.rules.bag_limit}" if view.rules.bag_limit else ""
    text = f"{capital(name)}: {view.scores[side]} points, {view.bags[side]}{limit} bags"
    members = range(side, view.rules.players, view.rules.sides)
    bids = [view.bids[seat] or 0 for seat in members]
    if view.rules.partners and all(view.bids[seat] is not None for seat in members) and sum(bids):
        won = sum(view.tricks[seat] for seat in members if view.bids[seat])
        text += f"; {won} won of {sum(bids)} bid"
    return wrapped(text, "  ")


def _draft_line(view: View, seats: Seats) -> list[str]:
    if view.phase not in (Phase.BLIND, Phase.DRAFT) or not view.draft_choices:
        return []
    kept = {seat: sum(keep for at, keep in view.draft_choices if at == seat) for seat in range(2)}
    drawn = {seat: sum(at == seat for at, _ in view.draft_choices) for seat in range(2)}
    texts = [f"{seats.does(seat, 'have', 'has')} kept {kept[seat]} of {drawn[seat]} draws." for seat in seats.order()]
    return wrapped(" ".join(texts), "  ")


def _trick(view: View, seats: Seats) -> list[str]:
    played, now = view.played, view.trick
    before = played[: len(played) - len(now)][-view.rules.players :]
    lines = [f"Spades are {'broken' if view.spades_broken else 'not broken yet'}."]
    if before:
        lines += wrapped(f"Last trick: {trick_text(before, seats)}", "  ")
    lines += wrapped(f"This trick: {trick_text(now, seats)}" if now else "This trick: you lead.", "  ")
    return lines


def trick_text(trick: list[tuple[int, int]], seats: Seats) -> str:
    """A trick in a sentence: who led, every card, and who won it or is winning it."""
    (leader, card), *rest = trick
    words = [f"{seats.short[leader]} led {card_text(card)}"]
    words += [f"{seats.short[seat]} {card_text(card)}" for seat, card in rest]
    best = seats.short[trick_winner(trick)]
    if len(trick) == seats.rules.players:
        return f"{', '.join(words)}: {best} won."
    winning = f"; {best} {'are' if best == 'you' else 'is'} winning" if rest else ""
    return f"{', '.join(words)}{winning}."


def tricks_text(view: View, count: int) -> list[str]:
    """The last ``count`` finished tricks of the hand, numbered, the latest one last."""
    seats, players = Seats(view.rules, view.observer), view.rules.players
    done = [view.played[at : at + players] for at in range(0, len(view.played) - players + 1, players)]
    if not done:
        return ["No trick has been finished in this hand."]
    lines = [f"{number}. {trick_text(trick, seats)}" for number, trick in enumerate(done, 1)][-count:]
    return [part for line in lines for part in wrapped(line, "   ")]


def _hand(view: View) -> list[str]:
    if view.blind[view.observer] is None:
        return ["Your cards are face down until you decide."]
    lines = wrapped(f"Your cards:  {cards_text(view.hand) or 'none yet'}", "  ")
    for what, cards in (("Discards seen", view.discards_seen), ("Given up", view.given), ("Received", view.received)):
        if cards:
            lines += wrapped(f"{what}:  {cards_text(cards)}", "  ")
    if view.drawn is not None:
        lines.append(f"You draw {card_text(view.drawn)}.")
    if view.phase == Phase.PLAY:
        legal = mask_of(view.legal_actions())
        if legal != view.hand:
            lines += wrapped(f"You may play:  {cards_text(legal)}", "  ")
    return lines


def action_text(game: Game | View, seats: Seats, action: int) -> str:
    """What the seat on turn does, in a sentence, as far as it is public."""
    seat = game.seat
    if game.phase == Phase.PLAY:
        return f"{seats.does(seat, 'play' if game.trick else 'lead')} {card_text(action)}."
    if game.phase == Phase.EXCHANGE:
        return seats.does(seat, "stop") + " exchanging." if action == DONE else seats.does(seat, "give") + " up a card."
    if action == BLIND_NIL:
        return seats.does(seat, "bid") + " blind nil."
    if action == LOOK:
        return seats.does(seat, "look") + f" at {'your' if seat == seats.me else 'its'} cards."
    if game.phase == Phase.DRAFT:
        kept = action == KEEP
        return seats.does(seat, "keep" if kept else "reject") + f" the card {'you' if seat == seats.me else 'it'} drew."
    return f"{seats.does(seat, 'bid')} {'nil' if action == BID_0 else action - BID_0}."


def draw_text(before: View, after: View, action: int) -> str:
    """What the person learned from its own draw: the card that it kept or took, and a discard that it saw."""
    taken = after.hand & ~before.hand
    seen = after.discards_seen & ~before.discards_seen
    text = f"{'You keep' if action == KEEP else 'You take the next card,'} {hand_cards(taken)}."
    if action == KEEP and seen:
        text += f" {hand_cards(seen)} goes to the discard pile."
    return text


def hand_cards(cards: int) -> str:
    """Cards in a sentence: ``A♠, 7♦``."""
    return ", ".join(card_text(card) for card in range(NUM_CARDS - 1, -1, -1) if cards >> card & 1)
