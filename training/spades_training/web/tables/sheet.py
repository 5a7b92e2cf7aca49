"""The score sheet of a match and the tricks of a hand as HTML."""

from __future__ import annotations

from html import escape

from spades_env.game import Game
from spades_training.terminal.board import bid_text, capital, trick_text
from spades_training.web.tables.felt import Shown, side_name


def sheet_html(game: Game, shown: Shown) -> str:
    """Bids, tricks, points, score and bags of every side, hand by hand; all of it is public."""
    results = [hand.result for hand in game.log.hands if hand.result]
    if not results:
        return '<p class="faint">No hand has been scored yet.</p>'
    rules, rows = game.rules, []
    for number, result in enumerate(results, 1):
        for k, side in enumerate(shown.seats.sides()):
            members = range(side, rules.players, rules.sides)
            bids = "+".join(bid_text(result.bids[seat], result.blind[seat]) for seat in members)
            won = "+".join(str(result.tricks[seat]) for seat in members)
            cells = (bids, won, f"{result.points[side]:+}", str(result.scores[side]), str(result.bags[side]))
            first = f'<th scope="row" rowspan="{rules.sides}">{number}</th>' if not k else ""
            name = escape(capital(side_name(shown, side)))
            rows.append(f"<tr>{first}<td>{name}</td>{''.join(f'<td class=num>{cell}</td>' for cell in cells)}</tr>")
    heads = "".join(
        f'<th scope="col">{head}</th>' for head in ("Hand", "Side", "Bid", "Won", "Points", "Score", "Bags")
    )
    head, body = f"<thead><tr>{heads}</tr></thead>", f"<tbody>{''.join(rows)}</tbody>"
    return f'<div class="scroll"><table class="sheet">{head}{body}</table></div>'


def tricks_items(shown: Shown) -> str:
    """The complete tricks of the hand, in order, as items of a list; empty before the first."""
    players, played = shown.position.rules.players, shown.position.played
    tricks = [played[at : at + players] for at in range(0, len(played) - players + 1, players)]
    return "".join(f"<li>{escape(capital(trick_text(trick, shown.seats)))}</li>" for trick in tricks)
