"""Which base do geometric frequencies need to explain a table best?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probe.numerics.sinusoid_fit import FrequencySpaces, adjusted

Floats = npt.NDArray[np.float64]

WORTH_REFINING = 0.75
_SCAN = 17
_NARROWINGS = 6
_DIGITS = 4


@dataclass(frozen=True, kw_only=True)
class BaseFit:
    """The base that explains a table best.

    Attributes
    ----------
    base : float
    r2 : float
        On the space of its frequencies.
    rank : int
        Dimensions of that space.
    adjusted_r2 : float
        R² less what so many dimensions explain by chance.
    frequencies : ndarray
        Radians per position.
    """

    base: float
    r2: float
    rank: int
    adjusted_r2: float
    frequencies: Floats


class BaseGrid:
    """The spaces of a grid of bases over the same positions.

    Parameters
    ----------
    positions : int
    bases : ndarray
        Ascending, evenly spaced in the logarithm.
    frequencies_of : callable
        Gives the frequencies of a base.
    usual : float
        The base on the grid that wins a tie.
    """

    def __init__(self, positions: int, bases: Floats, frequencies_of: Callable[[float], Floats], usual: float) -> None:
        self.bases, self.frequencies_of = bases, frequencies_of
        self.spaces = FrequencySpaces(positions, [frequencies_of(base) for base in bases])
        self.usual = int(np.abs(bases - usual).argmin())

    def best(self, compressed: Floats, shown: tuple[float, Floats] | None = None) -> BaseFit | None:
        """Find the base with the highest adjusted R²; None where every space holds every table.

        Parameters
        ----------
        compressed : ndarray
            From :meth:`FrequencySpaces.compress`.
        shown : (float, ndarray), optional
            A base, and its frequencies, that the columns of the table show; it wins a tie.

        Notes
        -----
        Off the grid it looks only where the best of the grid explains three quarters (adjusted) of the table;
        below that a base is known to a step of the grid at best.
        """
        ranks = self.spaces.ranks
        r2 = self.spaces.shares(compressed)
        scores = adjusted(r2, ranks, self.spaces.positions)
        place = int(scores.argmax())
        if scores[place] == -np.inf:
            return None
        if ties(scores[self.usual], scores[place]):
            place = self.usual
        found = BaseFit(
            base=float(self.bases[place]),
            r2=float(r2[place]),
            rank=int(ranks[place]),
            adjusted_r2=float(scores[place]),
            frequencies=self.frequencies_of(float(self.bases[place])),
        )
        if shown is not None:
            seen = self._fit(compressed, *shown)
            if ties(seen.adjusted_r2, found.adjusted_r2):
                return seen
        if found.adjusted_r2 < WORTH_REFINING or place == self.usual:
            return found
        return self._refined(compressed, place)

    def _fit(self, compressed: Floats, base: float, frequencies: Floats | None = None) -> BaseFit:
        chosen = self.frequencies_of(base) if frequencies is None else frequencies
        r2, rank = self.spaces.share(compressed, chosen)
        discounted = float(adjusted(np.array([r2]), np.array([rank]), self.spaces.positions)[0])
        return BaseFit(base=base, r2=r2, rank=rank, adjusted_r2=discounted, frequencies=chosen)

    def _refined(self, compressed: Floats, place: int) -> BaseFit:
        """Scan between the neighbours on the grid, then close in on the peak by parabolas."""
        logs = np.log(self.bases)
        step = float(logs[1] - logs[0])
        scan = [self._fit(compressed, float(np.exp(at))) for at in logs[place] + np.linspace(-step, step, _SCAN)]
        best = max(scan, key=lambda fit: fit.adjusted_r2)
        width = 2 * step / (_SCAN - 1)
        for _ in range(_NARROWINGS):
            centre = np.log(best.base)
            low, high = (self._fit(compressed, float(np.exp(centre + side))) for side in (-width, width))
            bend = low.r2 + high.r2 - 2 * best.r2
            vertex = 0.0 if bend >= 0.0 else float(np.clip(0.5 * width * (low.r2 - high.r2) / bend, -width, width))
            turned = self._fit(compressed, float(np.exp(centre + vertex)))
            best = max(best, low, high, turned, key=lambda fit: fit.adjusted_r2)
            width /= 6
        for digits in range(1, _DIGITS + 1):
            rounded = self._fit(compressed, float(f"{best.base:.{digits}g}"))
            if ties(rounded.adjusted_r2, best.adjusted_r2):
                return rounded
        return best


def ties(score: float, best: float) -> bool:
    """Whether an R² is as good as the best: within a thousandth of what the best leaves unexplained."""
    return score >= best - 1e-11 - 1e-3 * (1 - best)
