"""Which periods does the table hold that smoothness alone would not give?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from probe.analyzers.contract import Analyzer, FigureSpec, Result, Style, TableLike
from probe.analyzers.registry import register
from probe.analyzers.scores import Score, ScoreSpec
from probe.defaults import DEFAULT_DRAWS
from probe.encodings import Provenance
from probe.errors import ProbeError
from probe.numerics.harmonic import SHORTEST
from probe.numerics.lines import Line, energy_share, find_lines, period_limits
from probe.numerics.spectrum import PeakBins, detrend, local_periods, peak_bins, power_spectrum, trend_share
from probe.numerics.view import TableView
from probe.wording import in_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKED = 12
_SHOWN = 1e-6


def _draw_spectrum(result: FourierResult, axes: Axes, style: Style) -> None:
    import seaborn as sns

    frequencies = result.frequencies[1:]
    power = np.maximum(result.power[1:], _SHOWN)
    axes.set(xscale="log", yscale="log", xlabel="period (positions)", ylabel="share of energy in each bin")
    axes.xaxis.set_major_formatter("{x:g}")
    sns.lineplot(
        x=1.0 / frequencies, y=power, ax=axes, color=style.color, linestyle=style.linestyle, label=style.label,
        linewidth=1.0, estimator=None, sort=False,
    )  # fmt: skip
    periods = np.array([line.period for line in result.lines[:_MARKED]])
    if periods.size:
        heights = np.interp(1.0 / periods, frequencies, power)
        axes.plot(periods, heights, linestyle="none", marker="o", markersize=4.5, markerfacecolor="none",
                  markeredgecolor=style.color)  # fmt: skip


def _draw_local_period(result: FourierResult, axes: Axes, style: Style) -> None:
    import seaborn as sns

    axes.set_yscale("log", base=2)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set(xlabel="position", ylabel="local period (positions)")
    sns.lineplot(
        x=result.local_centres, y=result.local_periods, ax=axes, color=style.color, linestyle=style.linestyle,
        label=style.label, linewidth=1.0, marker="o", markersize=4, markeredgewidth=0.0, estimator=None, sort=False,
    )  # fmt: skip


_FIGURES = (
    FigureSpec(
        name="spectrum",
        title="Spectrum",
        reading="How much of the energy sits at each period, over all dimensions. A smooth table rises steadily to the "
        "right; a repeat is a spike that stands out of its surroundings, and a ring marks one that survives the test. "
        "Shares below a millionth are drawn at that.",
        layout="overlay",
        draw=_draw_spectrum,
    ),
    FigureSpec(
        name="local_period",
        title="Strongest period along the table",
        reading="The highest peak of the spectrum in short overlapping windows. A level line is one period throughout; "
        "a slope is a repeat that stretches; scatter is noise. This is no test: noise has a highest peak as well.",
        layout="overlay",
        draw=_draw_local_period,
    ),
)

_SPECS = (
    ScoreSpec(
        name="line_count",
        label="periods that stand out",
        meaning="How many periods are stronger than their neighbourhood in the spectrum explains.",
        form="count",
    ),
    ScoreSpec(
        name="line_energy_share",
        label="energy in them",
        meaning="Share of the variance between positions that the sines and cosines of those periods carry together.",
        form="share",
    ),
    ScoreSpec(
        name="strongest_period",
        label="strongest period",
        meaning="The period that carries the most energy among those that stand out.",
        form="positions",
        without_null="no period is better than another: whether any stands out is tested by their number",
    ),
)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class FourierResult(Result):
    """Which periods does the table hold that smoothness alone would not give? Periods in positions.

    Attributes
    ----------
    frequencies : ndarray, shape (positions // 2 + 1,)
        In cycles per position.
    power : ndarray, shape (positions // 2 + 1,)
        Share of the centred energy in each bin, without each dimension's straight line, under the window.
        Sums to ``1 − trend_share``.
    trend_share : float
        Share of the centred energy in the straight lines.
    peaks : PeakBins
        Where a naive reading puts the dominant frequency, in cycles over the table.
    lines : tuple of Line
        Periods that stand out, the one with the most energy first.
    tested_periods : (float, float) or None
        Shortest and longest period that the test covers; None on a table too short for it.
    local_centres, local_periods : ndarray, shape (window,)
        Middle of each short window and the strongest period in it; windows without a peak are left out.

    Notes
    -----
    Misleads when the strongest bin is taken for a period: any smooth series has one. ``lines`` holds what
    survives a test. Its energy is counted whatever else shares the frequency, and that of many lines
    includes what noise puts into so many sines.
    """

    frequencies: npt.NDArray[np.float64]
    power: npt.NDArray[np.float64]
    trend_share: float
    peaks: PeakBins
    lines: tuple[Line, ...]
    tested_periods: tuple[float, float] | None
    local_centres: npt.NDArray[np.float64]
    local_periods: npt.NDArray[np.float64]

    kind = "fourier"
    specs = _SPECS
    figures = _FIGURES

    @property
    def periodic(self) -> bool:
        """Whether any line survived the correction."""
        return bool(self.lines)

    @property
    def finding(self) -> str:
        """The strongest repeat, or that there is none."""
        if self.tested_periods is None:
            return f"With {self.shape[0]} positions the table is too short to tell a period from a trend."
        if not self.lines:
            return "No period stands out from what smoothness alone would give."
        strongest = self.lines[0]
        share = self.scores["line_energy_share"].value or 0.0
        text = f"Its strongest repeat comes every {strongest.period:.3g} positions"
        count = self.scores["line_count"]
        if count.against and not count.beats_all():
            return f"{text}, though tables without position have as many: it says nothing of a code."
        if len(self.lines) == 1:
            return f"{text}, with {in_percent(share)} of what tells positions apart."
        return f"{text}; {len(self.lines)} periods stand out, with {in_percent(share)} of what tells positions apart."


@register
@dataclass(frozen=True, kw_only=True)
class Fourier(Analyzer[FourierResult]):
    """Spectrum along the positions, and a test for the lines in it.

    Attributes
    ----------
    window : str
        Taper of the spectrum that is drawn, by its name in ``scipy.signal.windows``. The test has its own.
    """

    window: str = "hann"

    name: ClassVar[str] = "fourier"
    question: ClassVar[str] = "Which periods does the table hold that smoothness alone would not give?"
    method: ClassVar[str] = (
        "Each dimension loses its mean and a straight line. Thomson's multitaper harmonic F-test (5 tapers next to the "
        "trend, 11 elsewhere) asks of each frequency whether it is stronger than its own neighbourhood explains; "
        "p-values are combined over dimensions by the Cauchy combination, which holds under dependence, and multiplied "
        "by the number of frequencies tested. A line has a corrected p below .01."
    )
    misleads: ClassVar[str] = (
        "The tallest bin of a spectrum is no period: every smooth table has one. A repeat whose spacing drifts along "
        "the table is no line and is not counted; the local period shows it. Periods longer than a quarter of the "
        "table (a third below 96 positions), and those next to two positions, cannot be told from the ends of the "
        "spectrum and are not tested. A faint period that sits in a few dimensions of many is missed. A table copied "
        "block after block repeats at the block's length, and so does a grid read row by row."
    )
    order: ClassVar[int] = 20
    result_type: ClassVar[type[Result]] = FourierResult

    def __post_init__(self) -> None:
        _window(self.window, 8)

    def measure(self, view: TableView) -> Mapping[str, float | None]:
        """Count the lines, their energy, and name the strongest; None on a table too short for the test."""
        if view.positions < SHORTEST:
            return dict.fromkeys(("line_count", "line_energy_share", "strongest_period"))
        lines = _lines(view)
        return {
            "line_count": len(lines),
            "line_energy_share": energy_share(view.centred, tuple(line.period for line in lines)),
            "strongest_period": lines[0].period if lines else None,
        }

    def interpret(self, view: TableView, source: Provenance, scores: Mapping[str, Score]) -> FourierResult:
        """Add the spectrum, the naive peaks, the lines and the local periods."""
        detrended = detrend(view.centred)
        trend = trend_share(view.centred, detrended)
        taper = _window(self.window, view.positions)
        centres, periods = local_periods(view.centred)
        return FourierResult(
            source=source,
            shape=(view.positions, view.dimensions),
            scores=scores,
            frequencies=np.arange(view.positions // 2 + 1) / view.positions,
            power=(1.0 - trend) * power_spectrum(detrended, taper),
            trend_share=trend,
            peaks=peak_bins(view.array),
            lines=_lines(view),
            tested_periods=period_limits(view.positions),
            local_centres=centres,
            local_periods=periods,
        )

    def undefined(self, view: TableView, score: str) -> str:
        """Say that the table is too short, or that no period stands out."""
        if view.positions < SHORTEST:
            return f"{view.positions} positions are too few to tell a period from a trend; the test takes {SHORTEST}"
        return "no period stands out"


_COSINES = {"boxcar": (1.0,), "hann": (0.5, 0.5), "hamming": (0.54, 0.46), "blackman": (0.42, 0.5, 0.08)}
"""The usual windows as sums of cosines; scipy.signal knows the others, and takes half a second to import."""


def _lines(view: TableView) -> tuple[Line, ...]:
    return view.once("lines", lambda: find_lines(view.centred))


def _window(name: str, positions: int) -> npt.NDArray[np.float64]:
    if name in _COSINES:
        turn = 2 * np.pi * np.arange(positions) / positions
        waves = [(-1) ** order * share * np.cos(order * turn) for order, share in enumerate(_COSINES[name])]
        total: npt.NDArray[np.float64] = np.sum(waves, axis=0, dtype=np.float64)
        return total
    from scipy.signal import get_window

    try:
        taper: npt.NDArray[np.float64] = get_window(name, positions)
    except (ValueError, TypeError) as problem:
        raise ProbeError(
            f"There is no window named {name!r} that needs no parameter.",
            f"Choose one such as {', '.join(_COSINES)} (scipy.signal.windows lists them).",
        ) from problem
    return taper


def fourier(table: TableLike, *, window: str = "hann", seed: int = 0, draws: int = DEFAULT_DRAWS) -> FourierResult:
    """Which periods does the table hold that smoothness alone would not give?

    Parameters
    ----------
    table : PositionTable or array_like, shape (position, dimension)
    window : str
        Taper of the spectrum that is drawn, by its name in ``scipy.signal.windows``. The test has its own.
    seed, draws : int
        Seed and number of draws of each null; 0 draws none.

    Returns
    -------
    FourierResult
        ``lines`` holds the periods that stand out, ``periodic`` says whether there are any.

    Raises
    ------
    TableError
        If the table has fewer than two rows, a value that is not finite, or no difference between rows.
    ProbeError
        If there is no such window.

    Notes
    -----
    The test compares a frequency with its neighbourhood, so that a smooth table's rise towards long
    periods is no line. The gaussian and shuffled nulls do not hold smooth tables; the level of the test
    on those, which a null of red noise is to show, is measured in the tests.

    References
    ----------
    Thomson 1982, "Spectrum estimation and harmonic analysis"; Liu & Xie 2020, "Cauchy combination test"
    (arXiv 1808.09011).

    Examples
    --------
    >>> from probe.sinusoids import sinusoidal
    >>> result = fourier(sinusoidal(64, 16), draws=0)
    >>> result.periodic, round(result.lines[0].period, 2)
    (True, 6.28)
    """
    return Fourier(window=window, seed=seed, draws=draws)(table)
