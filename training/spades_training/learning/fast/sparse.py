"""The first layer of networks whose inputs are zeros and ones, given as lists of the columns that are 1.

Fewer than a fifth of the columns are 1. Adding up their weights is faster than a matrix product in float32, and the
lists take less memory than the columns.
"""

from __future__ import annotations

from spades_agents.compiler import jit

BLOCK = 256  # units computed together, so that their weights stay in the second-level cache


@jit
def sum_rows(weights, biases, columns, starts, ends, rows, sums):
    """Write the first hidden layer: ``biases`` plus the weights of each decision's columns, or 0 if negative (ReLU).

    Args:
        weights: float32 of shape (inputs, units).
        biases: float32 of shape (units,).
        columns: int16, the columns that are 1, of all decisions.
        starts: int64 of shape (decisions,): where a decision's columns start in ``columns``.
        ends: int64 of shape (decisions,): where they end.
        rows: int64 of shape (n,): the decisions.
        sums: float32 of shape (n, units), written.
    """
    units = weights.shape[1]
    for first in range(0, units, BLOCK):
        last = min(first + BLOCK, units)
        for k in range(len(rows)):
            total = sums[k, first:last]
            for j in range(len(total)):
                total[j] = biases[first + j]
            place, end = starts[rows[k]], ends[rows[k]]
            while place + 8 <= end:  # eight at once, so that the sums are read and written an eighth as often
                a = weights[columns[place], first:last]
                b = weights[columns[place + 1], first:last]
                c = weights[columns[place + 2], first:last]
                d = weights[columns[place + 3], first:last]
                e = weights[columns[place + 4], first:last]
                f = weights[columns[place + 5], first:last]
                g = weights[columns[place + 6], first:last]
                h = weights[columns[place + 7], first:last]
                for j in range(len(total)):
                    total[j] += ((a[j] + b[j]) + (c[j] + d[j])) + ((e[j] + f[j]) + (g[j] + h[j]))
                place += 8
            while place < end:
                a = weights[columns[place], first:last]
                for j in range(len(total)):
                    total[j] += a[j]
                place += 1
            for j in range(len(total)):
                total[j] = max(total[j], 0)


@jit
def add_rows(slopes, columns, starts, ends, rows, found):
    """Add the gradient of the sums to the gradient of the weights: the backward pass of :func:`sum_rows`.

    Args:
        slopes: float32 of shape (n, units), the gradient with respect to the sums.
        columns: as in :func:`sum_rows`.
        starts: as in :func:`sum_rows`.
        ends: as in :func:`sum_rows`.
        rows: as in :func:`sum_rows`.
        found: float32 of shape (inputs, units), to which the gradient with respect to the weights is added.
    """
    units = slopes.shape[1]
    for first in range(0, units, BLOCK):
        last = min(first + BLOCK, units)
        for k in range(len(rows)):
            slope = slopes[k, first:last]
            place, end = starts[rows[k]], ends[rows[k]]
            while place + 4 <= end:
                a = found[columns[place], first:last]
                b = found[columns[place + 1], first:last]
                c = found[columns[place + 2], first:last]
                d = found[columns[place + 3], first:last]
                for j in range(len(slope)):
                    a[j] += slope[j]
                    b[j] += slope[j]
                    c[j] += slope[j]
                    d[j] += slope[j]
                place += 4
            while place < end:
                a = found[columns[place], first:last]
                for j in range(len(slope)):
                    a[j] += slope[j]
                place += 1
