"""In how few directions does position live?"""

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
from probe.numerics.components import QuadraturePair, components_for, quadrature_pairs
from probe.numerics.view import TableView
from probe.wording import in_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ORDER_BLIND = {"shuffled": "the order of the rows does not enter a principal component analysis"}


def _draw_explained(result: PCAResult, axes: Axes, style: Style) -> None:
    import seaborn as sns

    cumulative = np.cumsum(result.explained_variance_ratio)
    count = np.arange(1, len(cumulative) + 1)
    axes.set(xscale="log", xlabel="components", ylabel="cumulative share of variance", ylim=(0.0, 1.02))
    sns.lineplot(
        x=count, y=cumulative, ax=axes, color=style.color, linestyle=style.linestyle, label=style.label,
        estimator=None, sort=False,
    )  # fmt: skip


def _draw_components(result: PCAResult, axes: Axes, style: Style) -> None:
    import seaborn as sns

    shown = result.components[:, :4]
    positions, count = shown.shape
    levels = -2.2 * np.arange(count)
    axes.set(xlabel="position", ylabel="component")
    axes.set_yticks(levels, [f"{number + 1}" for number in range(count)])
    sns.lineplot(
        x=np.tile(np.arange(positions), count), y=(shown / np.abs(shown).max() + levels).T.ravel(),
        units=np.repeat(np.arange(count), positions), ax=axes, color=style.color, linewidth=0.9,
        estimator=None, sort=False,
    )  # fmt: skip


def _draw_path(result: PCAResult, axes: Axes, style: Style) -> None:
    first = result.components[:, 0]
    second = result.components[:, 1] if result.components.shape[1] > 1 else np.zeros_like(first)
    scale = max(np.abs(first).max(), np.abs(second).max())
    axes.plot(first / scale, second / scale, color=style.color, linewidth=0.5, alpha=0.6)
    axes.scatter(first / scale, second / scale, c=np.arange(len(first)), cmap="viridis", s=6, linewidths=0)
    axes.set(xlabel="component 1", ylabel="component 2", aspect="equal", xlim=(-1.08, 1.08), ylim=(-1.08, 1.08))


_FIGURES = (
    FigureSpec(
        name="explained_variance",
        title="Explained variance",
        reading="How much of the variance the first components carry together. A curve that rises early means few "
        "directions; a table of noise rises late.",
        layout="overlay",
        draw=_draw_explained,
    ),
    FigureSpec(
        name="components",
        title="First components along the positions",
        reading="Each line is one component's value at every position. Waves in pairs, a quarter turn apart, make a "
        "circle.",
        layout="panels",
        draw=_draw_components,
    ),
    FigureSpec(
        name="path",
        title="The path of positions in the first two components",
        reading="Each dot is a position, dark for the first and light for the last. A circle is a period; a horseshoe "
        "is mere smoothness; a cloud is neither.",
        layout="panels",
        draw=_draw_path,
    ),
)

_SPECS = (
    ScoreSpec(
        name="variance_top_2",
        label="variance in 2 components",
        meaning="Share of the variance between positions that the two leading directions carry.",
        form="share",
        unchanged_by=_ORDER_BLIND,
    ),
    ScoreSpec(
        name="variance_top_10",
        label="variance in 10 components",
        meaning="Share of the variance between positions that the ten leading directions carry.",
        form="share",
        unchanged_by=_ORDER_BLIND,
    ),
    ScoreSpec(
        name="stable_rank",
        label="stable rank",
        meaning="Total variance over that of the leading direction; near 1 when one direction carries all.",
        tail="low",
        unchanged_by=_ORDER_BLIND,
    ),
    ScoreSpec(
        name="participation_ratio",
        label="participation ratio",
        meaning="How many directions share the variance, were they to share it equally.",
        tail="low",
        unchanged_by=_ORDER_BLIND,
    ),
    ScoreSpec(
        name="components_for_90",
        label="components for 90 %",
        meaning="How many directions it takes to carry 90 % of the variance.",
        form="count",
        tail="low",
        unchanged_by=_ORDER_BLIND,
    ),
    ScoreSpec(
        name="components_for_95",
        label="components for 95 %",
        meaning="How many directions it takes to carry 95 % of the variance.",
        form="count",
        tail="low",
        unchanged_by=_ORDER_BLIND,
    ),
)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PCAResult(Result):
    """In how few directions does position live? Shares of variance, without units.

    Attributes
    ----------
    explained_variance_ratio : ndarray, shape (component,)
        Share of the centred variance in each component, largest first.
    components : ndarray, shape (position, component)
        Scores of the leading components along the positions, in units of the table.
    pairs : tuple of QuadraturePair
        Neighbouring components that turn together, a circle or a helix. They are no test: most smooth
        tables have some.

    Notes
    -----
    Misleads when smoothness is taken for structure: the leading components of any smooth series look
    like sines of rising frequency, and a helix in the first three says no more than that.
    """

    explained_variance_ratio: npt.NDArray[np.float64]
    components: npt.NDArray[np.float64]
    pairs: tuple[QuadraturePair, ...]

    kind = "pca"
    specs = _SPECS
    figures = _FIGURES

    @property
    def finding(self) -> str:
        """The share of the leading directions, and how many it takes."""
        share = self.scores["variance_top_10"].value or 0.0
        needed = self.scores["components_for_90"].value or 0.0
        leading = min(10, self.shape[1], self.shape[0] - 1)
        directions = "direction carries" if leading == 1 else "directions carry"
        return (
            f"{leading} {directions} {in_percent(share)} of what tells positions apart, of {self.shape[1]}; "
            f"90 % takes {needed:.0f}."
        )


@register
@dataclass(frozen=True, kw_only=True)
class PCA(Analyzer[PCAResult]):
    """Principal components of the centred table.

    Attributes
    ----------
    components : int
        How many components to keep along the positions.
    """

    components: int = 16

    name: ClassVar[str] = "pca"
    question: ClassVar[str] = "In how few directions does position live?"
    method: ClassVar[str] = (
        "Singular values s of the table less its column means. Stable rank is Σs²/s₁², participation ratio "
        "(Σs²)²/Σs⁴. Two neighbouring components are a pair when their spectra peak at the same frequency, a quarter "
        "turn apart within 20°, at amplitudes within a quarter."
    )
    misleads: ClassVar[str] = (
        "Principal components of any smooth series look like sines of rising frequency, so waves here are no proof of "
        "a sinusoidal code. A few outlier dimensions or rows can make one direction carry nearly all."
    )
    order: ClassVar[int] = 10
    result_type: ClassVar[type[Result]] = PCAResult

    def measure(self, view: TableView) -> Mapping[str, float | None]:
        """Give the six scalars of the spectrum of singular values."""
        values = view.eigenvalues
        total = values.sum()
        return {
            "variance_top_2": float(values[:2].sum() / total),
            "variance_top_10": float(values[:10].sum() / total),
            "stable_rank": float(total / values[0]),
            "participation_ratio": float(total**2 / np.square(values).sum()),
            "components_for_90": components_for(values, 0.90),
            "components_for_95": components_for(values, 0.95),
        }

    def interpret(self, view: TableView, source: Provenance, scores: Mapping[str, Score]) -> PCAResult:
        """Add the spectrum, the leading components and the pairs among them."""
        scores_along = view.component_scores(self.components)
        return PCAResult(
            source=source,
            shape=(view.positions, view.dimensions),
            scores=scores,
            explained_variance_ratio=view.eigenvalues / view.eigenvalues.sum(),
            components=scores_along,
            pairs=quadrature_pairs(scores_along),
        )


def pca(table: TableLike, *, components: int = 16, seed: int = 0, draws: int = DEFAULT_DRAWS) -> PCAResult:
    """In how few directions does position live?

    Parameters
    ----------
    table : PositionTable or array_like, shape (position, dimension)
    components : int
        How many components to keep along the positions.
    seed, draws : int
        Seed and number of draws of each null; 0 draws none.

    Returns
    -------
    PCAResult

    Raises
    ------
    TableError
        If the table has fewer than two rows, a value that is not finite, or no difference between rows.

    Notes
    -----
    Misleads when smoothness is taken for structure: principal components of any smooth series are
    sines of rising frequency.

    References
    ----------
    Novembre & Stephens 2008, "Interpreting principal component analyses of spatial population genetic
    variation"; Shinn 2023, "Phantom oscillations in principal component analysis".

    Examples
    --------
    >>> from probe.sinusoids import sinusoidal
    >>> result = pca(sinusoidal(64, 16), draws=0)
    >>> round(float(result.scores["variance_top_2"].value), 2)
    0.4
    """
    return PCA(components=components, seed=seed, draws=draws)(table)
