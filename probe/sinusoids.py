"""The reference formulas: what sin/cos position tables hold, convention by convention.

Every sinusoidal encoding in use is the same idea, a pair (sine, cosine) for each of d/2 frequencies
that fall geometrically, in one of a few spellings. A :class:`Convention` names the spelling; nothing
else in the package writes the formula down again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from probe.errors import TableError

Layout = Literal["interleaved", "halves", "halves_cosine_first"]
Divisor = Literal["d/2", "d/2-1"]


@dataclass(frozen=True, kw_only=True)
class Convention:
    """Which sin/cos formula is it?

    ``E[p, sine of pair i] = sin((p + offset) · base^(−i / divisor))`` and the cosine beside it.

    Attributes
    ----------
    layout : {"interleaved", "halves", "halves_cosine_first"}
        Sine and cosine in turn (Vaswani et al. 2017), all sines then all cosines (tensor2tensor,
        fairseq, Whisper), or all cosines first (MusicGen).
    divisor : {"d/2", "d/2-1"}
        Whether the last frequency stops one step short of ``1/base``, or reaches it. The paper
        divides by d/2 (written ``2i/d``); tensor2tensor and fairseq divide by d/2 − 1.
    base : float
        10,000 in the paper.
    offset : int
        Added to the position: fairseq counts from padding id + 1.

    Notes
    -----
    An odd width leaves a last column without a partner: with halves it is zero (fairseq pads), and
    interleaved it is a sine without its cosine.

    References
    ----------
    Vaswani et al. 2017, "Attention Is All You Need", section 3.5 (arXiv 1706.03762); tensor2tensor's
    ``get_timing_signal_1d``; fairseq's ``SinusoidalPositionalEmbedding``.
    """

    layout: Layout = "interleaved"
    divisor: Divisor = "d/2"
    base: float = 10_000.0
    offset: int = 0

    def to_dict(self) -> dict[str, str | float | int]:
        """The four fields, as JSON."""
        return {"layout": self.layout, "divisor": self.divisor, "base": self.base, "offset": self.offset}


VASWANI = Convention()
FAIRSEQ = Convention(layout="halves", divisor="d/2-1")


def frequencies(dimensions: int, convention: Convention = VASWANI) -> npt.NDArray[np.float64]:
    """What are the angular frequencies, in radians per position, highest first?

    Examples
    --------
    >>> frequencies(4).tolist()
    [1.0, 0.01]
    """
    pairs = (dimensions + 1) // 2 if convention.layout == "interleaved" else dimensions // 2
    steps = dimensions / 2 if convention.divisor == "d/2" else dimensions // 2 - 1
    return convention.base ** -(np.arange(pairs, dtype=np.float64) / max(steps, 1))


def sinusoidal(positions: int, dimensions: int, convention: Convention = VASWANI) -> npt.NDArray[np.float64]:
    """What does the sin/cos encoding hold?

    Parameters
    ----------
    positions, dimensions : int
        The size of the table; at least 1 and 2.
    convention : Convention
        The paper's own unless told otherwise.

    Returns
    -------
    ndarray of float64, shape (position, dimension)

    Raises
    ------
    TableError
        If the size is not positive.

    Examples
    --------
    >>> sinusoidal(2, 4).round(4).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.8415, 0.5403, 0.01, 1.0]]
    """
    if positions < 1 or dimensions < 2:
        raise TableError(
            f"A sinusoidal table of {positions} × {dimensions} cannot be made.",
            "It takes at least one position and two dimensions, as in sinusoidal:512x768.",
        )
    places = np.arange(positions, dtype=np.float64)[:, None] + convention.offset
    angles = places * frequencies(dimensions, convention)
    sines, cosines = np.sin(angles), np.cos(angles)
    table = np.zeros((positions, dimensions))
    if convention.layout == "interleaved":
        table[:, 0::2] = sines
        table[:, 1::2] = cosines[:, : dimensions // 2]
        return table
    half = dimensions // 2
    first, second = (cosines, sines) if convention.layout == "halves_cosine_first" else (sines, cosines)
    table[:, :half], table[:, half : 2 * half] = first, second
    return table
