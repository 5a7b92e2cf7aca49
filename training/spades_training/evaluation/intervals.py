"""95% confidence intervals from pairs of matches."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Estimate:
    """A number and its 95% confidence interval; None where there are no data.

    Attributes:
        value: the estimate.
        low: lower end of the interval.
        high: upper end.
    """

    value: float | None
    low: float | None = None
    high: float | None = None

    def text(self, scale: float = 1, digits: int = 1, signed: bool = False) -> str:
        """The estimate as text, such as ``62.5 [58.1, 66.9]``, with every number multiplied by ``scale``."""
        form = f"{'+' if signed else ''}.{digits}f"
        if self.value is None:
            return "-"
        if self.low is None or self.high is None:
            return format(self.value * scale, form)
        return f"{self.value * scale:{form}} [{self.low * scale:{form}}, {self.high * scale:{form}}]"


def t_quantile(freedom: int) -> float:
    """The 97.5% quantile of Student's t with ``freedom`` degrees of freedom, correct to 0.004.

    Exact for 1 and 2 degrees of freedom, otherwise the expansion of Abramowitz and Stegun, 26.7.5.
    """
    if freedom == 1:
        return math.tan(0.475 * math.pi)
    if freedom == 2:
        return 0.95 * math.sqrt(2 / (1 - 0.95**2))
    z = 1.959963984540054
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / freedom**k for k, term in enumerate(terms, 1))


def ratio(tops: np.ndarray, bottoms: np.ndarray) -> Estimate:
    """The sum of ``tops`` divided by the sum of ``bottoms``, which hold one value for each pair.

    The interval is that of the ratio estimator (Cochran, Sampling Techniques, chapter 6): the pairs are the sample, and
    each contributes its residual ``top - ratio * bottom`` to the variance. If all bottoms are equal, this is the
    interval of a mean.
    """
    total = float(bottoms.sum())
    if total == 0:
        return Estimate(None)
    value = float(tops.sum()) / total
    pairs = len(tops)
    if pairs < 2:
        return Estimate(value)
    residuals = tops - value * bottoms
    error = math.sqrt(pairs / (pairs - 1) * float((residuals**2).sum())) / total
    reach = t_quantile(pairs - 1) * error
    return Estimate(value, value - reach, value + reach)


def proportion(tops: np.ndarray, bottoms: np.ndarray) -> Estimate:
    """Like :func:`ratio`, for a share between 0 and 1.

    If all pairs have the same extreme outcome (all won or all lost), the residuals are 0 and carry no information. The
    interval is then the exact one of Clopper and Pearson for an outcome that never occurred in this number of pairs:
    its far end is ``1 - 0.025 ** (1 / pairs)`` away.
    """
    found = ratio(tops, bottoms)
    if found.value is None or found.low is None or found.high is None:
        return found
    reach = 1 - 0.025 ** (1 / len(tops))
    if found.value == 1:
        return Estimate(1.0, 1 - reach, 1.0)
    if found.value == 0:
        return Estimate(0.0, 0.0, reach)
    return Estimate(found.value, max(found.low, 0.0), min(found.high, 1.0))


def turned(estimate: Estimate, around: float) -> Estimate:
    """The estimate for the other side of the table, where the two values sum to ``around``."""
    low = None if estimate.high is None else around - estimate.high
    high = None if estimate.low is None else around - estimate.low
    return Estimate(None if estimate.value is None else around - estimate.value, low, high)
