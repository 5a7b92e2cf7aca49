"""The rulebook's scoring and end of the match, with its worked examples, on both implementations of the rules."""

import pytest
from tabletop import BLIND, Hand, hands_of, on_both, phase_of, play

from spades_env.rules import Rules

pytestmark = on_both

# Each: rules, changes of them, bid and tricks of each seat, points and bags of each side. The numbers of the
# examples are those of the rulebook.
SCORES = {
    "1: bid 7, won 8": ("two_player", {}, (7, 5), (8, 5), (71, 50), (1, 0)),
    "2: bid 7, won 6": ("two_player", {}, (7, 7), (6, 7), (-70, 70), (0, 0)),
    "6: nil made": ("two_player", {}, (0, 13), (0, 13), (100, 130), (0, 0)),
    "6: nil missed": ("two_player", {}, (0, 10), (3, 10), (-100, 100), (0, 0)),
    "6: blind nil made": ("two_player", {}, (BLIND, 13), (0, 13), (200, 130), (0, 0)),
    "6: blind nil missed": ("two_player", {}, (BLIND, 10), (3, 10), (-200, 100), (0, 0)),
    "7: one_bag": ("partnership", {}, (0, 5, 2, 5), (1, 6, 1, 5), (-120, 101), (1, 1)),
    "7: bags": ("partnership", {"failed_nil": "bags"}, (0, 5, 2, 5), (1, 6, 1, 5), (-120, 101), (1, 1)),
    "7: contract": ("partnership", {"failed_nil": "contract"}, (0, 5, 2, 5), (1, 6, 1, 5), (-80, 101), (0, 1)),
    "7: ignore": ("partnership", {"failed_nil": "ignore"}, (0, 5, 2, 5), (1, 6, 1, 5), (-120, 101), (0, 1)),
    "8: partners' bids add up": ("partnership", {}, (4, 2, 5, 1), (2, 2, 8, 1), (91, 30), (1, 0)),
    # A missed nil of 3 tricks beside a contract of 2 that makes 4 on its own.
    "made contract, one_bag": ("partnership", {}, (0, 3, 2, 3), (3, 3, 4, 3), (-78, 60), (3, 0)),
    "made contract, bags": ("partnership", {"failed_nil": "bags"}, (0, 3, 2, 3), (3, 3, 4, 3), (-78, 60), (5, 0)),
    "made contract, contract": (
        "partnership",
        {"failed_nil": "contract"},
        (0, 3, 2, 3),
        (3, 3, 4, 3),
        (-75, 60),
        (5, 0),
    ),
    "made contract, ignore": ("partnership", {"failed_nil": "ignore"}, (0, 3, 2, 3), (3, 3, 4, 3), (-78, 60), (2, 0)),
    # The nil's 2 tricks do not save a contract of 5 that lacks 3: -100 - 50, and a missed contract brings no bags.
    "still missed, contract": (
        "partnership",
        {"failed_nil": "contract"},
        (0, 4, 5, 5),
        (2, 4, 2, 5),
        (-150, 90),
        (0, 0),
    ),
    "still missed, bags": ("partnership", {"failed_nil": "bags"}, (0, 4, 5, 5), (2, 4, 2, 5), (-150, 90), (2, 0)),
    # Both partners bid nil and miss, with 2 and 1 tricks: no contract, so "contract" counts bags.
    "two nils, one_bag": ("partnership", {}, (0, 5, 0, 5), (2, 5, 1, 5), (-200, 100), (2, 0)),
    "two nils, bags": ("partnership", {"failed_nil": "bags"}, (0, 5, 0, 5), (2, 5, 1, 5), (-200, 100), (3, 0)),
    "two nils, contract": ("partnership", {"failed_nil": "contract"}, (0, 5, 0, 5), (2, 5, 1, 5), (-200, 100), (3, 0)),
    "two nils, ignore": ("partnership", {"failed_nil": "ignore"}, (0, 5, 0, 5), (2, 5, 1, 5), (-200, 100), (0, 0)),
    # Each nil on her own.
    "one nil made, one missed": ("partnership", {}, (0, 5, 0, 5), (0, 5, 3, 5), (0, 100), (1, 0)),
    "blind nil made, nil missed": ("partnership", {}, (BLIND, 5, 0, 5), (0, 5, 3, 5), (100, 100), (1, 0)),
    "nil made, partner missed": ("partnership", {}, (0, 3, 5, 6), (0, 3, 4, 6), (50, 90), (0, 0)),
    "a nil of a side's own": (
        "solo",
        {"failed_nil": "contract"},
        (0, 4, 4, 4),
        (2, 3, 4, 4),
        (-100, -40, 40, 40),
        (2, 0, 0, 0),
    ),
    "solo": ("solo", {}, (0, 1, 3, BLIND), (0, 8, 3, 2), (100, 17, 30, -200), (0, 7, 0, 1)),
    "cutthroat": ("cutthroat", {}, (5, 7, 4), (6, 6, 5), (51, -70, 41), (1, 0, 1)),
    "cutthroat, all 17": ("cutthroat", {}, (17, 0, BLIND), (17, 0, 0), (170, 100, 200), (0, 0, 0)),
    "nil of 50": ("partnership", {"nil": 50}, (0, 4, 4, 0), (0, 6, 5, 2), (91, -8), (1, 3)),
    "blind nil of 150": ("partnership", {"blind_nil": 150}, (BLIND, 4, 4, BLIND), (0, 6, 5, 2), (191, -108), (1, 3)),
    "nil of 0": ("two_player", {"nil": 0}, (0, 0), (0, 13), (0, 0), (0, 0)),
}


@pytest.mark.parametrize("preset, changes, bids, won, points, bags", SCORES.values(), ids=SCORES)
def test_score_of_a_hand(make, preset, changes, bids, won, points, bags):
    game = play(make, Rules.preset(preset, **changes), [Hand(bids, won)])
    assert (tuple(game.scores), tuple(game.bags)) == (points, bags)


# Each: rules, changes, scores and bags at the start, hands of (bids, tricks), scores and bags at the end.
BAGS = {
    # 43 + 33 + 45 - 100 = 21; the other side makes 60 + 70 + 40 exactly.
    "3: eleven bags": (
        "two_player",
        {},
        (0, 0),
        (0, 0),
        [((4, 6), (7, 6)), ((3, 7), (6, 7)), ((4, 4), (9, 4))],
        (21, 170),
        (1, 0),
    ),
    # 21 + 49 - 100 = -30.
    "3: nine more": ("two_player", {}, (21, 170), (1, 0), [((4, 0), (13, 0))], (-30, 270), (0, 0)),
    "3: eight more": ("two_player", {}, (21, 170), (1, 0), [((4, 1), (12, 1))], (69, 180), (9, 0)),
    "4: over the threshold": ("two_player", {}, (0, 0), (9, 0), [((4, 7), (6, 7))], (-58, 70), (1, 0)),
    "5: a negative score": ("two_player", {}, (-47, 0), (3, 0), [((2, 4), (9, 4))], (-120, 40), (0, 0)),
    # 9 + 12 = 21 bags: 10 + 12 - 200.
    "two thresholds": ("two_player", {}, (0, 0), (9, 0), [((1, 0), (13, 0))], (-178, 100), (1, 0)),
    "two thresholds of 5": ("two_player", {"bag_limit": 5}, (0, 0), (0, 4), [((1, 1), (12, 1))], (-179, 10), (1, 4)),
    "limit of 3, penalty of 50": (
        "two_player",
        {"bag_limit": 3, "bag_penalty": 50},
        (0, 0),
        (0, 0),
        [((5, 5), (8, 5))],
        (3, 50),
        (0, 0),
    ),
    "no limit": ("two_player", {"bag_limit": 0}, (0, 0), (9, 0), [((1, 0), (13, 0))], (22, 100), (21, 0)),
    "a missed contract has no bags": ("two_player", {}, (0, 0), (9, 9), [((8, 7), (6, 7))], (-80, 70), (9, 9)),
    # The bag of a missed nil is the tenth: -100 for the nil, 30 for the partner, -100 for the bags.
    "a missed nil's bag": ("partnership", {}, (0, 0), (9, 0), [((0, 4, 3, 5), (1, 4, 3, 5))], (-170, 90), (0, 0)),
}


@pytest.mark.parametrize("preset, changes, scores, bags, hands, scores_after, bags_after", BAGS.values(), ids=BAGS)
def test_bags(make, preset, changes, scores, bags, hands, scores_after, bags_after):
    game = play(make, Rules.preset(preset, **changes), [Hand(*hand) for hand in hands], scores=scores, bags=bags)
    assert (tuple(game.scores), tuple(game.bags)) == (scores_after, bags_after)


EXACT = ((4, 3, 3, 3), (4, 3, 3, 3))  # partnership: +70 and +60
SHORT = ((4, 4, 4, 4), (3, 4, 3, 3))  # partnership: both miss a contract of 8, -80 and -80

# Each: rules, changes, scores at the start, the hand, scores after it, the winning side.
ENDS = {
    "9: both past 500": ("partnership", {}, (480, 495), EXACT, (550, 555), 1),
    "9: a tie": ("partnership", {}, (430, 440), EXACT, (500, 500), None),
    "exactly 500": ("partnership", {}, (430, 100), EXACT, (500, 160), 0),
    "499": ("partnership", {}, (429, 100), EXACT, (499, 160), None),
    "exactly -200": ("partnership", {}, (0, -120), ((4, 4, 3, 4), (4, 4, 3, 2)), (70, -200), 0),
    "-199": ("partnership", {}, (0, -119), ((4, 4, 3, 4), (4, 4, 3, 2)), (70, -199), None),
    "both below -200": ("partnership", {}, (-190, -195), SHORT, (-270, -275), 0),
    "a tie below -200": ("partnership", {}, (-190, -190), SHORT, (-270, -270), None),
    "past 500 and below -200": ("partnership", {}, (495, -150), ((4, 4, 3, 4), (4, 4, 3, 2)), (565, -230), 0),
    "target 300": ("partnership", {"target": 300}, (230, 0), EXACT, (300, 60), 0),
    "loss -500": ("partnership", {"loss": -500}, (-190, -195), SHORT, (-270, -275), None),
    "loss None": ("partnership", {"loss": None}, (-1000, -195), SHORT, (-1080, -275), None),
    "two_player has no loss": ("two_player", {}, (-1000, 0), ((7, 5), (8, 5)), (-929, 50), None),
    "past the target from the start": ("two_player", {}, (0, 600), ((7, 7), (6, 7)), (-70, 670), 1),
    "back below the target": ("two_player", {}, (0, 540), ((6, 7), (7, 6)), (61, 470), None),
    "a tie of two out of four": (
        "solo",
        {},
        (480, 480, 0, -190),
        ((3, 3, 4, 4), (3, 3, 4, 3)),
        (510, 510, 40, -230),
        None,
    ),
    "low scores end it, the highest wins": ("cutthroat", {}, (-190, 20, 10), ((6, 6, 6), (5, 6, 6)), (-250, 80, 70), 1),
    "a tie below the highest": ("cutthroat", {}, (460, 460, 470), ((4, 4, 6), (5, 5, 7)), (501, 501, 531), 2),
}


@pytest.mark.parametrize("preset, changes, scores, hand, after, winner", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("moved", [0, 1], ids=["as written", "moved one seat"])
def test_end_of_the_match(make, preset, changes, scores, hand, after, winner, moved):
    # Moved by one seat, every side stands in another's place, so the winner must be the next side.
    rules = Rules.preset(preset, **changes)
    bids, won, scores, after = (
        values[-moved:] + values[:-moved] if moved else values for values in (*hand, scores, after)
    )
    game = play(make, rules, [Hand(bids, won)], scores=scores, opener=moved)
    assert tuple(game.scores) == after
    assert game.winner == (None if winner is None else (winner + moved) % rules.sides)
    assert game.is_over is (winner is not None)
    assert game.hand_number == 1
    assert (phase_of(game) == "over") is game.is_over
    assert (len(game.legal_actions()) == 0) is game.is_over


def test_the_penalty_comes_before_the_end(make):
    # 495 + 31 would be past 500; the tenth bag takes it to 426.
    game = play(make, "two_player", [Hand((3, 9), (4, 9))], scores=(495, 0), bags=(9, 0))
    assert (list(game.scores), game.winner) == ([426, 90], None)


def test_nothing_ends_before_a_hand_is_scored(make):
    game = make("partnership", scores=[700, -300])
    assert (phase_of(game), game.winner, list(game.scores)) == ("blind", None, [700, -300])


def test_a_match_of_three_hands(make):
    hands = [Hand((4, 3, 3, 3), (4, 3, 3, 3)), Hand((BLIND, 5, 2, 5), (0, 6, 2, 5)), Hand((4, 4, 4, 4), (3, 4, 3, 3))]
    game = play(make, "partnership", hands)
    # 70 + 220 - 80, and 60 + 101 - 80.
    assert (list(game.scores), list(game.bags)) == ([210, 81], [0, 1])
    assert (game.hand_number, game.opener) == (3, 3)


def test_a_hand_leaves_nothing_but_scores_and_bags(make):
    game = play(make, "partnership", [Hand((BLIND, 5, 2, 5), (0, 6, 2, 5))])
    assert list(game.bids) == [None] * 4
    assert list(game.tricks) == [0] * 4
    assert [len(hand) for hand in hands_of(game)] == [13] * 4
