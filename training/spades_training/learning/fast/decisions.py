"""Compiled loops of the fast learner: inputs, choice of actions, rewards, advantages and the policy's gradient."""

from __future__ import annotations

import math

import numpy as np
from spades_agents.compiler import jit
from spades_agents.match_chance import side_chance
from spades_agents.policy.card_features import write_features

from spades_env.cards import NUM_ACTIONS
from spades_env.engine.bits import U64, bit, lowest
from spades_env.engine.state import BLIND, DRAFT, OVER
from spades_env.observation import SIZE
from spades_env.rules import Rules

GOLDEN = 0x9E3779B97F4A7C15


@jit
def put_cards(cards, first, columns, place):
    """Append the columns of a set of cards, the first of which is ``first``; return the new end."""
    rest = cards
    while rest:
        columns[place] = first + lowest(rest)
        place += 1
        rest &= rest - U64(1)
    return place


@jit
def see(states, rules, observations, used, features, columns, starts, middles, ends):
    """Write the networks' inputs for the seat on turn at every table, as lists of the columns that are 1.

    The critic's columns are those of the policy, then every hand, clockwise from the seat on turn, and in a draft the
    cards to come: those that this seat will be offered, the cards behind them, and the same for the other seat.

    Args:
        states: the tables' states.
        rules: their rules array.
        observations: int8 of shape (tables, SIZE), as :class:`spades_env.tables.Tables` writes them.
        used: int64, the columns of the policy's input to keep: bits of the observation, then card features. The
            position in this array is the number of the column.
        features: int8 of shape (FEATURES,), scratch; of size 0 without card features.
        columns: int16, written from ``starts[0]`` on.
        starts: int64 of shape (tables,): where each table's columns start; the first is read, the others are written.
        middles: int64 of shape (tables,), written: where the policy's columns end.
        ends: int64 of shape (tables,), written: where the critic's columns end.
    """
    r = rules[0]
    place = starts[0]
    for row in range(len(states)):
        s = states[row]
        starts[row] = place
        if len(features):
            write_features(s, r, s.seat, features)
        for k in range(len(used)):
            column = used[k]
            columns[place] = k
            place += observations[row, column] if column < SIZE else features[column - SIZE]
        middles[row] = place
        first = len(used)
        for k in range(r.players):
            place = put_cards(s.hands[(s.seat + k) % r.players], first, columns, place)
            first += 52
        if r.draft:
            for k in range(4):
                cards = U64(0)
                if s.phase == BLIND or s.phase == DRAFT:
                    for draw in range(s.draws, 26):
                        own = (draw % 2 == 0) == (s.seat == s.opener)
                        if own == (k < 2):
                            cards |= bit(s.deck[2 * draw + k % 2])
                place = put_cards(cards, first, columns, place)
                first += 52
        ends[row] = place


def hidden_sets(rules: Rules) -> int:
    """Number of sets of 52 cards that the critic sees in addition to the observation."""
    return rules.players + 4 * rules.draft


@jit
def mix(value):
    """SplitMix64's output function (Steele, Lea and Flood 2014)."""
    value = (value ^ (value >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> U64(27))) * U64(0x94D049BB133111EB)
    return value ^ (value >> U64(31))


@jit
def uniform(key, step, row):
    """A float64 in [0, 1) that depends only on the key, the step and the row."""
    value = mix(U64(key) + U64(GOLDEN) * (U64(step) + U64(1)))
    value = mix(value + U64(GOLDEN) * (U64(row) + U64(1)))
    return np.float64(value >> U64(11)) / 9007199254740992.0


@jit
def legal_ones(logits, mask, legal):
    """Write the legal actions to ``legal``; return their number, the greatest logit and its action."""
    count = 0
    best = np.float32(-np.inf)
    top = 0
    for k in range(len(mask)):
        if mask[k]:
            legal[count] = k
            count += 1
            if logits[k] > best:
                best = logits[k]
                top = k
    return count, best, top


@jit
def rating(outputs, action):
    """The critic's rating of an action: the sum of the output for the action and of the last one, for the position."""
    return outputs[action] + outputs[NUM_ACTIONS]


@jit
def choose(logits, ratings, masks, forced, key, step, first, legal, actions, log_probs, values):
    """Draw a legal action at every table from the softmax of its logits.

    Args:
        logits: float32 of shape (tables, 75); overwritten.
        ratings: float32 of shape (tables, 76), the critic's outputs; see :func:`rating`.
        masks: int8 of shape (tables, 75).
        forced: int64 of shape (tables,): actions to take instead, or -1.
        key: seed of the random numbers.
        step: number of decisions at each table so far.
        first: number of the first table, for the random numbers.
        legal: int64 of shape (75,), scratch.
        actions: int64, written.
        log_probs: float32, written: the log-probabilities of the actions.
        values: float32, written: the mean rating under the policy.
    """
    for row in range(len(logits)):
        count, best, _ = legal_ones(logits[row], masks[row], legal)
        total = 0.0
        value = 0.0
        for k in range(count):
            power = math.exp(logits[row, legal[k]] - best)
            logits[row, legal[k]] = power
            total += power
            value += power * rating(ratings[row], legal[k])
        values[row] = value / total
        left = uniform(key, step, first + row) * total
        chosen = legal[count - 1]
        for k in range(count - 1):
            left -= logits[row, legal[k]]
            if left < 0:
                chosen = legal[k]
                break
        if forced[row] >= 0:
            chosen = forced[row]
        actions[row] = chosen
        log_probs[row] = math.log(max(logits[row, chosen] / total, 1e-30))


@jit
def bag_price(r):
    """A bag's share of the coming penalty, in hundreds of points."""
    return r.bag_penalty / (100.0 * r.bag_limit) if r.bag_limit > 0 else 0.0


@jit
def begin_hands(values, states, rules, rows, match_weight, worth):
    """Write the value of each side's position to ``worth`` (tables, sides) at ``rows``, where a hand starts.

    It is ``match_weight`` times the chance of winning the match minus ``1 - match_weight`` times the price of the bags.
    """
    r = rules[0]
    for row in rows:
        s = states[row]
        for side in range(r.sides):
            value = -(1.0 - match_weight) * bag_price(r) * s.bags[side]
            if match_weight > 0:
                value += match_weight * side_chance(values, s, r, side, s.opener)
            worth[row, side] = value


@jit
def end_hands(values, states, rules, hands, match_weight, max_hands, worth, gains, ended, over):
    """Compute the rewards of hands that have just ended.

    Args:
        values: result of :func:`spades_agents.match_value.match_table`.
        states: the tables' states after a step, before finished matches are reset.
        rules: their rules array.
        hands: int32, the number of the hand at every table before the step; updated.
        match_weight: share of the gain in win probability in the reward; the rest is points.
        max_hands: matches are truncated after this many hands.
        worth: the values that :func:`begin_hands` wrote; updated.
        gains: float32 of shape (tables, sides), written: for a hand that has ended, ``match_weight`` times the change
            in the side's chance of winning the match, plus ``1 - match_weight`` times its points in hundreds, where a
            bag is charged when it is taken; minus the mean of the other sides. The gains sum to 0.
        ended: bool, written: whether a hand has ended.
        over: bool, written: whether the match has ended or is truncated.
    """
    r = rules[0]
    sides = r.sides
    for row in range(len(states)):
        s = states[row]
        finished = s.phase == OVER
        ended[row] = finished or s.hand_number != hands[row]
        over[row] = finished or (ended[row] and s.hand_number >= max_hands)
        hands[row] = s.hand_number
        for side in range(sides):
            gains[row, side] = 0
        if not ended[row]:
            continue
        total = 0.0
        for side in range(sides):
            after = 0.0 if finished else -(1.0 - match_weight) * bag_price(r) * s.bags[side]
            if match_weight > 0:
                if finished:
                    chance = 1.0 if s.winner == side else 0.0
                else:
                    chance = side_chance(values, s, r, side, s.opener)
                after += match_weight * chance
            gain = (1.0 - match_weight) * s.points[side] / 100.0 + after - worth[row, side]
            worth[row, side] = after
            gains[row, side] = gain
            total += gain
        for side in range(sides):
            gains[row, side] = gains[row, side] - (total - gains[row, side]) / (sides - 1)


@jit
def action_values(gains, ended, values, ratings, following, seats, sides, decay, found, known):
    """Estimates of what each action taken is worth for the side that took it, within its hand and without a discount.

    The estimate is that of Q(lambda) with expected values (Harutyunyan, Bellemare, Stepleton and Munos 2016):

        found[t] = gain + values[t'] + decay * (found[t'] - ratings[t'])

    where t' is the next decision of the chain, ``values`` is the mean rating of its actions under the policy and
    ``ratings`` that of the action taken. As the critic sees all hands, the difference removes most of the luck in the
    choice of later actions, also where an action was replaced.

    With two sides, whose gains are opposite, one chain runs through the decisions of all seats. With more sides, each
    seat has a chain of its own decisions.

    Args:
        gains: float32 of shape (steps, tables, sides).
        ended: bool of shape (steps, tables): a hand ended with this step.
        values: float32 of shape (steps, tables), the critic's values for the side on turn.
        ratings: float32 of shape (steps, tables), the critic's ratings of the actions taken.
        following: float32 of shape (tables,): the critic's values after the last step.
        seats: int8 of shape (steps + 1, tables), the seats on turn.
        sides: number of sides.
        decay: lambda, per decision of the chain.
        found: float32 of shape (steps, tables), written.
        known: bool of the same shape, written: False where the steps end before the seat's next decision.
    """
    steps, tables = values.shape
    if sides == 2:
        for row in range(tables):
            value = following[row] if seats[steps, row] % 2 == 0 else -following[row]
            luck = 0.0
            for step in range(steps - 1, -1, -1):
                if ended[step, row]:
                    value = 0.0
                    luck = 0.0
                sign = 1.0 if seats[step, row] % 2 == 0 else -1.0
                result = gains[step, row, 0] + value + decay * luck
                luck = result - sign * ratings[step, row]
                value = sign * values[step, row]
                found[step, row] = sign * result
                known[step, row] = True
        return
    for row in range(tables):
        for seat in range(sides):
            value = 0.0
            luck = 0.0
            reward = 0.0
            open_end = True
            for step in range(steps - 1, -1, -1):
                if ended[step, row]:
                    value = 0.0
                    luck = 0.0
                    reward = 0.0
                    open_end = False
                reward += gains[step, row, seat]
                if seats[step, row] != seat:
                    continue
                found[step, row] = reward + value + decay * luck
                known[step, row] = not open_end
                luck = 0.0 if open_end else found[step, row] - ratings[step, row]
                open_end = False
                value = values[step, row]
                reward = 0.0


@jit
def clear_where_zero(outputs, gradients):
    """Set ``gradients`` to 0 where ``outputs`` are 0: the backward pass of ReLU, on the bits of the numbers."""
    for row in range(len(outputs)):
        for column in range(outputs.shape[1]):
            gradients[row, column] = gradients[row, column] if outputs[row, column] else 0


# The sums of loss_gradients.
OBJECTIVE, ENTROPY, DIVERGENCE, CLIPPED, AGREED, SQUARES, STATISTICS = range(7)


@jit
def loss_gradients(
    logits, ratings, masks, rows, taken, log_probs, results, targets, scale, clip, entropy_weight, teacher_weight,
    imitate, legal,
    policy_slopes, critic_slopes, sums,
):  # fmt: skip
    """The gradients of the sum of the losses over some decisions with respect to the networks' outputs.

    The critic's loss is half the squared error of the rating of the action taken. The policy's loss is, with
    p(a) the policy's probabilities, Q(a) the ratings and V their mean under p:

        - sum over a of p(a) (Q(a) - V)  -  (ratio, clipped as in PPO) (result - Q(action taken))  -  entropy bonus

    The first part improves every legal action at once; the second corrects the critic's errors by what happened
    (Gu et al. 2017 combine the two in this way; the clipping is that of Schulman et al. 2017). ``teacher_weight`` times
    the cross-entropy to the teacher's probabilities is added (Schmitt et al. 2018); while the teacher plays, the loss
    is the cross-entropy alone.

    Args:
        logits: float32 of shape (n, 75).
        ratings: float32 of shape (n, 76), the critic's outputs.
        masks: bool of shape (decisions, 75), the legal actions.
        rows: int64 of shape (n,): indices of the decisions.
        taken: int64 of shape (decisions,), the actions taken.
        log_probs: float32 of shape (decisions,), their log-probabilities when they were taken.
        results: float32 of shape (decisions,), see :func:`action_values`.
        targets: float32 of shape (decisions, 75), the teacher's probabilities; not read if ``teacher_weight`` is 0.
        scale: factor that gives the advantages a standard deviation of 1.
        clip: change of a probability at which its gradient is cut off.
        entropy_weight: weight of the entropy bonus.
        teacher_weight: weight of the cross-entropy to the teacher's probabilities.
        imitate: whether the teacher plays.
        legal: int64 of shape (75,), scratch.
        policy_slopes: float32 of shape (n, 75), written.
        critic_slopes: float32 of shape (n, 76), written.
        sums: float64 of shape (STATISTICS,), to which the sums over the decisions are added.
    """
    for k in range(len(rows)):
        row = rows[k]
        for j in range(logits.shape[1]):
            policy_slopes[k, j] = 0
            critic_slopes[k, j] = 0
        critic_slopes[k, NUM_ACTIONS] = 0
        choices, best, top = legal_ones(logits[k], masks[row], legal)
        total = np.float32(0)
        weighted = np.float32(0)
        value = np.float32(0)
        for j in legal[:choices]:
            shifted = logits[k, j] - best
            power = math.exp(shifted)
            policy_slopes[k, j] = power
            total += power
            weighted += power * shifted
            value += power * rating(ratings[k], j)
        log_total = math.log(total)
        entropy = log_total - weighted / total
        value /= total
        action = taken[row]
        error = results[row] - rating(ratings[k], action)
        critic_slopes[k, action] = -error
        critic_slopes[k, NUM_ACTIONS] = -error
        sums[SQUARES] += error * error
        slope = np.float32(0)
        if not imitate:
            difference = logits[k, action] - best - log_total - log_probs[row]
            ratio = math.exp(difference)
            gain = scale * error
            outside = ratio > 1 + clip if gain > 0 else ratio < 1 - clip
            slope = np.float32(0) if outside else -gain * ratio
            sums[OBJECTIVE] += gain * (min(ratio, 1 + clip) if gain > 0 else max(ratio, 1 - clip))
            sums[DIVERGENCE] += ratio - 1 - difference
            sums[CLIPPED] += outside
        sums[ENTROPY] += entropy
        if teacher_weight > 0:
            likeliest = legal[0]
            for j in legal[:choices]:
                likeliest = j if targets[row, j] > targets[row, likeliest] else likeliest
            sums[AGREED] += top == likeliest
        else:
            sums[AGREED] += top == action
        for j in legal[:choices]:
            probability = policy_slopes[k, j] / total
            log_p = logits[k, j] - best - log_total
            chosen = np.float32(1) if j == action else np.float32(0)
            found = slope * (chosen - probability)
            if not imitate:
                found += probability * (entropy_weight * (log_p + entropy) - scale * (rating(ratings[k], j) - value))
            if teacher_weight > 0:
                found += teacher_weight * (probability - targets[row, j])
            policy_slopes[k, j] = found
