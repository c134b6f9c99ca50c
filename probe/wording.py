"""Numbers in sentences: shares in percent, magnitudes with commas."""

from __future__ import annotations

import math


def with_commas(number: float) -> str:
    """Print a number to three digits, or as a whole number from 1,000 on.

    Examples
    --------
    >>> with_commas(10_000.0), with_commas(3.14159)
    ('10,000', '3.14')
    """
    return f"{number:,.0f}" if number >= 1000 else f"{number:.3g}"


def in_percent(share: float) -> str:
    """Print a share in percent: whole numbers, but never 0 for something nor 100 for less than all.

    Examples
    --------
    >>> in_percent(0.625), in_percent(0.004), in_percent(0.998), in_percent(0.99996), in_percent(1.0)
    ('62 %', '0.4 %', '99.8 %', '99.99 %', '100 %')
    """
    if share == 0.0 or 0.005 <= share < 0.995 or share > 1 - 1e-9:
        return f"{100 * share:.0f} %"
    if share < 0.005:
        return f"{100 * share:.1g} %"
    digits = 1 if share < 0.9985 else 2
    floor = math.floor(share * 10 ** (2 + digits)) / 10**digits
    return f"{floor:.{digits}f} %"
