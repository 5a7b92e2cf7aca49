"""A view in words, for a reader who knows neither the game nor this package, such as a language model."""

from __future__ import annotations

from spades_env.cards import NUM_CARDS, RANKS, SUITS, action_name, hand_text, mask_of, suit_of, trick_winner
from spades_env.engine.state import Phase
from spades_env.game.position import Position
from spades_env.rules import Rules

_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
_NUMBERS = {2: "two", 3: "three", 4: "four"}
_FAILED_NIL = {
    "ignore": "the tricks of a failed nil have no other effect",
    "one_bag": "a failed nil also counts as one bag, without its point",
    "bags": "each trick of a failed nil also counts as a bag, without its point",
    "contract": "the tricks of a failed nil count toward the partner's bid",
}
_TO_DO = {
    Phase.BLIND: "Before you see any card: BLIND_NIL bids blind nil, LOOK looks at your cards and bids later.",
    Phase.DRAFT: "You draw {drawn}. KEEP takes it into your hand, REJECT discards it and takes the next card.",
    Phase.EXCHANGE: "Give up a card for a random other one, or end the exchange with DONE.",
    Phase.BID: "Make your bid: BID_4 bids 4 tricks, BID_0 is nil.",
    Phase.PLAY: "Play a card.",
}


def words(view: Position, observer: int) -> str:
    """The rules that matter now, the position as ``observer`` knows it, and the legal actions, on about 30 lines.

    Args:
        view: a view; it has legal actions only if its observer is on turn.
        observer: whose view it is.
    """
    parts = [
        _opening(view.rules, observer),
        ["Rules:", *_items(_rules(view))],
        ["Position:", *_items(_position(view, observer))],
    ]
    if view.is_over:
        parts.append([f"The match is over; it was won by {view.rules.side_name(view.winner or 0)}."])
    elif view.seat != observer:
        parts.append([f"Seat {view.seat} is on turn."])
    else:
        drawn = "" if view.drawn is None else action_name(view.drawn)
        parts.append([_TO_DO[view.phase].format(drawn=drawn), f"Legal actions: {_legal(view)}"])
        parts.append(["Answer with one of the legal actions by its name. The last line must hold only this name."])
    return "\n\n".join("\n".join(lines) for lines in parts)


def _items(lines: list[str]) -> list[str]:
    return [f"- {line}" for line in lines]


def _opening(rules: Rules, observer: int) -> list[str]:
    text = (
        f"You play the card game Spades at seat {observer}. There are {_NUMBERS[rules.players]} seats, numbered from 0"
    )
    if rules.partners:
        sides = f"You and seat {(observer + 2) % 4} are partners against the other two"
    else:
        sides = "Each seat plays for itself"
    return [f"{text} clockwise. {sides}."]


def _legal(view: Position) -> str:
    return ", ".join(map(action_name, view.legal_actions()))


def _rules(view: Position) -> list[str]:
    rules = view.rules
    suits = ", ".join(f"{letter} {name}" for letter, name in zip(SUITS, _SUIT_NAMES, strict=True))
    missing = hand_text(mask_of(range(NUM_CARDS)) & ~mask_of(rules.deck))
    without = f" The deck is without {missing}." if missing else ""
    lines = [
        "A card is named by rank and suit, as in TD for the ten of diamonds. "
        f"Ranks from low to high: {' '.join(RANKS)}. Suits: {suits}.{without}",
        *_dealing(rules, view.phase),
        f"A hand is {rules.hand_size} tricks. In each, every seat plays a card, clockwise. "
        "You must follow the suit led if you can; otherwise you may play any card. "
        "The highest spade wins the trick, or without spades the highest card of the suit led. "
        "The winner leads the next trick.",
    ]
    if rules.spades_must_break:
        lines.append(
            "You may lead a spade only once spades are broken, which is when one has been played to another suit, "
            "or if you hold only spades."
        )
    whose = "A seat"
    if rules.partners:
        whose = "The bids of partners are added up, and so are their tricks, except those of a nil. A side"
    lines.append(
        f"Before the play each seat once bids the tricks that it expects to win. {whose} that wins at least its bid "
        "scores 10 points for each trick bid and 1 for each further trick, which is called a bag; "
        "otherwise it loses 10 points for each trick bid."
    )
    if rules.bag_limit and rules.bag_penalty:
        lines.append(f"Every {rules.bag_limit} bags cost {rules.bag_penalty} points.")
    lines += _nil_rules(view)
    loss = f", or at most {rules.loss}" if rules.loss is not None else ""
    lines.append(f"The match ends after a hand when a side has at least {rules.target} points{loss}; most points win.")
    return lines


def _dealing(rules: Rules, phase: Phase) -> list[str]:
    if not rules.draft:
        unseen = len(rules.deck) - rules.players * rules.hand_size
        rest = f"; the other {unseen} cards are out of play" if unseen else ""
        return [f"Each seat is dealt {rules.hand_size} cards{rest}."]
    lines = [f"Each of the two players drafts {rules.hand_size} cards; the other cards are out of play."]
    if phase in (Phase.BLIND, Phase.DRAFT):
        lines.append(
            "In the draft you take turns. The player on turn draws a card. It keeps it, and the next card of the "
            "stock is discarded; or it rejects it, which discards it, and must take the next card."
        )
    return lines


def _nil_rules(view: Position) -> list[str]:
    rules, points = view.rules, view.rules.nil
    text = f"it scores {points} points if its seat wins no trick and loses {points} if it does"
    lines = [f"A bid of 0 is nil: {text if points else 'it scores nothing'}; {_FAILED_NIL[rules.failed_nil]}."]
    if rules.blind_nil and (view.phase == Phase.BLIND or any(view.blind)):
        lines.append(f"Blind nil is a nil bid before seeing a card, for {rules.blind_nil} points instead of {points}.")
        if rules.exchange and view.phase in (Phase.BLIND, Phase.DRAFT, Phase.EXCHANGE):
            lines.append(
                f"Who bids blind nil may, after seeing the hand, give up as many as {rules.exchange} cards for random "
                "cards that are out of play."
            )
    return lines


def _position(view: Position, me: int) -> list[str]:
    rules = view.rules
    lines = [f"This is hand {view.hand_number + 1} of the match."]
    for side in range(rules.sides):
        own = " (you)" if rules.side_of(me) == side else ""
        bags = f", {view.bags[side]} bags" if rules.bag_limit and rules.bag_penalty else ""
        lines.append(f"{rules.side_name(side).capitalize()}{own}: {view.scores[side]} points{bags}.")
    for seat in range(rules.players):
        lines.append(f"{_name(seat, me)}: {_seat(view, seat)}.")
    lines += _cards_known(view, me)
    if view.phase == Phase.PLAY:
        lines += _tricks(view, me)
    elif view.phase in (Phase.BID, Phase.BLIND):
        lines.append(f"Seat {view.leader} will lead the first trick.")
    return lines


def _name(seat: int, me: int) -> str:
    return f"Seat {seat} (you)" if seat == me else f"Seat {seat}"


def _seat(view: Position, seat: int) -> str:
    bid = view.bids[seat]
    if bid is None:
        text = "has not bid"
    else:
        name = str(bid) if bid else "blind nil" if view.blind[seat] else "nil"
        text = f"bid {name}, has won {view.tricks[seat]}"
    choices = [kept for at, kept in view.draft_choices if at == seat]
    if choices and view.phase in (Phase.BLIND, Phase.DRAFT):
        text += f", has kept {sum(choices)} of {len(choices)} cards drawn"
    if view.exchanged[seat]:
        text += f", has exchanged {view.exchanged[seat]} cards"
    if view.voids[seat]:
        text += f", has no {' and no '.join(_SUIT_NAMES[suit] for suit in view.voids[seat])}"
    return text


def _cards_known(view: Position, me: int) -> list[str]:
    if view.blind[me] is None:
        return ["You have not looked at your cards."]
    lines = [f"Your hand: {hand_text(view.hands[me]) or 'no cards yet'}."]
    known = {
        "Discards that you have seen": view.discards_seen,
        "You gave up": view.given,
        "You received": view.received,
    }
    return lines + [f"{what}: {hand_text(cards)}." for what, cards in known.items() if cards]


def _tricks(view: Position, me: int) -> list[str]:
    players, played, now = view.rules.players, view.played, view.trick
    done = [played[at : at + players] for at in range(0, len(played) - len(now), players)]
    lines = [f"Spades are {'broken' if view.spades_broken else 'not broken'}."] if view.rules.spades_must_break else []
    for number, trick in enumerate(done, 1):
        lines.append(f"Trick {number}: {_plays(trick)}; won by seat {trick_winner(trick)}.")
    if now:
        best = trick_winner(now)
        suit = _SUIT_NAMES[suit_of(now[0][1])]
        lines.append(f"This trick, number {len(done) + 1}: {_plays(now)}; {suit} were led, seat {best} is winning.")
    elif view.seat == me:
        lines.append(f"You lead trick {len(done) + 1}.")
    return lines


def _plays(trick: list[tuple[int, int]]) -> str:
    return ", ".join(f"seat {seat} {action_name(card)}" for seat, card in trick)
