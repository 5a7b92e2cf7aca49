"""A view in words: what it says of the rules, the position and the legal actions, and how an answer is read."""

from __future__ import annotations

import pytest
from walks import walk

from spades_env.cards import BID_0, BLIND_NIL, DONE, action_name, card_name, parse_action
from spades_env.game import Game, Phase
from spades_env.rules import Rules


def playing(*plays: str) -> Game:
    """A game of partners after ``plays``; seat 1 opens and holds the clubs, 2 the diamonds, 3 hearts, 0 spades."""
    deck = [13 * (k % 4) + k // 4 for k in range(52)]
    game = Game(Rules.preset("partnership", blind_nil=0), decks=[deck], scores=[-20, 340], bags=[3, 9], opener=1)
    for bid in (4, 0, 3, 5):
        game.apply(BID_0 + bid)
    for card in plays:
        game.apply(parse_action(card))
    return game


def test_the_whole_text():
    assert playing("AC", "2D", "3H").view().to_text() == (
        "You play the card game Spades at seat 0. There are four seats, numbered from 0 clockwise. "
        "You and seat 2 are partners against the other two.\n"
        "\n"
        "Rules:\n"
        "- A card is named by rank and suit, as in TD for the ten of diamonds. "
        "Ranks from low to high: 2 3 4 5 6 7 8 9 T J Q K A. Suits: C clubs, D diamonds, H hearts, S spades.\n"
        "- Each seat is dealt 13 cards.\n"
        "- A hand is 13 tricks. In each, every seat plays a card, clockwise. You must follow the suit led if you can; "
        "otherwise you may play any card. The highest spade wins the trick, or without spades the highest card of the "
        "suit led. The winner leads the next trick.\n"
        "- You may lead a spade only once spades are broken, which is when one has been played to another suit, or if "
        "you hold only spades.\n"
        "- Before the play each seat once bids the tricks that it expects to win. The bids of partners are added up, "
        "and so are their tricks, except those of a nil. A side that wins at least its bid scores 10 points for each "
        "trick bid and 1 for each further trick, which is called a bag; otherwise it loses 10 points "
        "for each trick bid.\n"
        "- Every 10 bags cost 100 points.\n"
        "- A bid of 0 is nil: it scores 100 points if its seat wins no trick and loses 100 if it does; a failed nil "
        "also counts as one bag, without its point.\n"
        "- The match ends after a hand when a side has at least 500 points, or at most -200; most points win.\n"
        "\n"
        "Position:\n"
        "- This is hand 1 of the match.\n"
        "- Seats 0 and 2 (you): -20 points, 3 bags.\n"
        "- Seats 1 and 3: 340 points, 9 bags.\n"
        "- Seat 0 (you): bid 5, has won 0.\n"
        "- Seat 1: bid 4, has won 0.\n"
        "- Seat 2: bid nil, has won 0, has no clubs.\n"
        "- Seat 3: bid 3, has won 0, has no clubs.\n"
        "- Your hand: AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S.\n"
        "- Spades are not broken.\n"
        "- This trick, number 1: seat 1 AC, seat 2 2D, seat 3 3H; clubs were led, seat 1 is winning.\n"
        "\n"
        "Play a card.\n"
        "Legal actions: 2S, 3S, 4S, 5S, 6S, 7S, 8S, 9S, TS, JS, QS, KS, AS\n"
        "\n"
        "Answer with one of the legal actions by its name. The last line must hold only this name."
    )


def test_tricks_and_who_leads():
    text = playing("AC", "2D", "3H", "2S").view().to_text()
    assert "- Spades are broken.\n- Trick 1: seat 1 AC, seat 2 2D, seat 3 3H, seat 0 2S; won by seat 0.\n" in text
    assert "- You lead trick 2.\n" in text
    waiting = playing("AC").view(0).to_text()
    assert waiting.endswith("\n\nSeat 2 is on turn.")
    assert "Legal actions" not in waiting


def test_draft_blind_nil_and_exchange():
    game = Game("two_player", seed=3)
    text = game.view().to_text()
    assert (
        "for 200 points instead of 100.\n- Who bids blind nil may, after seeing the hand, give up as many as 3" in text
    )
    assert "- You have not looked at your cards.\n" in text
    assert "\nBefore you see any card: BLIND_NIL bids blind nil, LOOK looks at your cards and bids later.\n" in text
    game.apply(BLIND_NIL)
    drawn = game.view().drawn
    assert (
        f"\nYou draw {card_name(drawn if drawn is not None else -1)}. KEEP takes it into your hand"
        in game.view().to_text()
    )
    assert "In the draft you take turns." in game.view().to_text()
    while game.phase != Phase.EXCHANGE:
        game.apply(game.legal_actions()[-1])
    assert "\nGive up a card for a random other one, or end the exchange with DONE.\n" in game.view().to_text()
    assert "In the draft you take turns." not in game.view().to_text()
    game.apply(game.legal_actions()[0])
    game.apply(DONE)
    text = game.view().to_text()
    assert "has exchanged 1 cards" in text


def test_rules_without_a_feature_do_not_mention_it():
    plain = Rules(players=3, nil=0, blind_nil=0, bag_limit=0, spades_must_break=False, loss=None, failed_nil="ignore")
    text = Game(plain, seed=1).view().to_text()
    assert "A bid of 0 is nil: it scores nothing; the tricks of a failed nil have no other effect.\n" in text
    assert "The deck is without 2C." in text
    assert "- The match ends after a hand when a side has at least 500 points; most points win.\n" in text
    for word in ("broken", "bags", "lind nil", "partner", "draft", "-200"):
        assert word not in text, word


@pytest.mark.parametrize("seed", range(20))
def test_the_legal_actions_can_be_read_back(seed):
    for game in walk(seed):
        if game.is_over:
            break
        view = game.view()
        legal = view.legal_actions()
        (line,) = [line for line in view.to_text().splitlines() if line.startswith("Legal actions: ")]
        names = line.removeprefix("Legal actions: ").split(", ")
        assert [parse_action(name, legal) for name in names] == legal


def test_it_is_the_text_of_the_view():
    """Two tables that differ in hidden cards only have the same text."""
    game = playing("AC", "2D")
    view = game.view()
    assert view.sample(1).view(view.observer).to_text() == view.to_text()
    assert "match is over; it was won by seat 1" in _over().view(0).to_text()


def _over() -> Game:
    game = Game(Rules(players=3, blind_nil=0, target=1, loss=None), seed=0, scores=[0, 400, 0])
    while not game.is_over:
        game.apply(BID_0 + 1 if game.phase == Phase.BID else game.legal_actions()[0])
    return game


@pytest.mark.parametrize("text", ["KS", " ks\n", "**KS**", "`ks`.", '"KS"', "♠K", "(Ks)", "KS!"])
def test_answers_with_decoration(text):
    assert action_name(parse_action(text, [50, 51])) == "KS"


@pytest.mark.parametrize(
    "text,message",
    [
        ("QS", "QS is not legal now (KS, AS)"),
        ("BID_3", "BID_3 is not legal now (KS, AS)"),
        ("I play KS", "not an action: 'I play KS' (KS, AS)"),
        ("", "not an action: '' (KS, AS)"),
        ("x" * 500, f"not an action: {'x' * 80!r}... (KS, AS)"),
    ],
)
def test_answers_that_are_refused(text, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (compared below)
        parse_action(text, [50, 51])
    assert str(caught.value) == message
