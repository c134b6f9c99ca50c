"""The figures of the sinusoid analyzer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from probe.analyzers.contract import FigureSpec, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from probe.analyzers.sinusoid import SinusoidResult

_WIDEST_DRAWN = 2.5
"""Standard deviations at which the colours of a map end."""

_LOWEST_DRAWN = -0.2


def _draw_fit(result: SinusoidResult, axes: Axes, style: Style) -> None:
    import seaborn as sns

    axes.set(xscale="log", xlabel="base of the frequencies", ylabel="R² on sines and cosines", ylim=(-0.02, 1.04))
    if result.bases.size:
        sns.lineplot(
            x=result.bases, y=result.base_r2, ax=axes, color=style.color, linestyle=style.linestyle,
            label=style.label, linewidth=1.2, estimator=None, sort=False,
        )  # fmt: skip
        chance = result.base_ranks / (result.fitted_positions - 1)
        axes.plot(result.bases, chance, color=style.color, linestyle=(0, (3, 3)), linewidth=0.9, alpha=0.7)
        base, r2 = result.scores["best_base"].value, result.scores["best_base_r2"].value
        if base is not None and r2 is not None:
            axes.plot([base], [r2], color=style.color, marker="o", markersize=5, linestyle="none")


def _draw_shift(result: SinusoidResult, axes: Axes, style: Style) -> None:
    import seaborn as sns

    axes.set(xscale="log", xlabel="shift (positions)", ylabel="held-out R²", ylim=(_LOWEST_DRAWN - 0.05, 1.05))
    axes.set_xticks((1, 4, 16, 64), ("1", "4", "16", "64"))
    axes.minorticks_off()
    sns.lineplot(
        x=result.shift_offsets, y=np.maximum(result.shift_r2, _LOWEST_DRAWN), ax=axes, color=style.color,
        linestyle=style.linestyle, label=style.label, marker="o", markersize=5, estimator=None, sort=False,
    )  # fmt: skip
    for offset in (1, 16):
        score = result.scores[f"shift_r2_{offset}"]
        if score.null_low is not None and score.null_high is not None:
            low, high = max(score.null_low, _LOWEST_DRAWN), max(score.null_high, _LOWEST_DRAWN)
            axes.plot([offset, offset], [low, high], color=style.color, linewidth=5, alpha=0.35, solid_capstyle="butt")


def _draw_eigenvalues(result: SinusoidResult, axes: Axes, style: Style) -> None:
    turn = np.linspace(0.0, 2 * np.pi, 200)
    axes.plot(np.cos(turn), np.sin(turn), color="0.6", linewidth=0.8)
    axes.axhline(0.0, color="0.85", linewidth=0.6, zorder=0)
    axes.axvline(0.0, color="0.85", linewidth=0.6, zorder=0)
    axes.scatter(
        result.eigenvalues_real,
        result.eigenvalues_imaginary,
        s=22,
        color=style.color,
        linewidths=0.5,
        edgecolors="white",
    )
    axes.set(xlabel="real part", ylabel="imaginary part", aspect="equal", xlim=(-1.15, 1.15), ylim=(-1.15, 1.15))


def _draw_residual(result: SinusoidResult, axes: Axes, style: Style) -> None:
    table, fitted = result.table, result.fitted
    if table.size == 0:
        axes.set(xlabel="dimension", ylabel="position")
        return
    unit = float(table.std()) or 1.0
    for place, shown in enumerate((table, fitted, table - fitted)):
        axes.imshow(
            shown / unit, cmap="RdBu_r", vmin=-_WIDEST_DRAWN, vmax=_WIDEST_DRAWN, aspect="auto",
            interpolation="antialiased", interpolation_stage="rgba",
            extent=(1.06 * place, 1.06 * place + 1.0, len(shown) - 0.5, -0.5), rasterized=True,
        )  # fmt: skip
    axes.set(xlim=(0.0, 3.12), ylim=(len(table) - 0.5, -0.5), xlabel="dimension", ylabel="position")
    axes.set_xticks([0.5, 1.56, 2.62], ["table", "sin/cos fit", "left over"])
    axes.tick_params(axis="x", length=0)


FIGURES: tuple[FigureSpec, ...] = (
    FigureSpec(
        name="fit",
        title="Share of the table that sines and cosines explain, by the base of their frequencies",
        reading="The line is the share of what tells positions apart that lies in the space of sines and cosines with "
        "geometric frequencies, the dashed line what chance gives a space of that size, the dot the best base. A "
        "sinusoid peaks at 1 over its own base; a curve without a peak prefers no base.",
        layout="overlay",
        draw=_draw_fit,
    ),
    FigureSpec(
        name="shift",
        title="How linear a shift is",
        reading="How well one linear operator predicts each row from the row so many positions before, where it was "
        "not fitted; bars show the strictest null. A sinusoid stays at 1 for every shift; smooth noise comes near "
        f"1 as well. Values below {_LOWEST_DRAWN} are drawn there.",
        layout="overlay",
        draw=_draw_shift,
    ),
    FigureSpec(
        name="eigenvalues",
        title="What one step does to the leading components",
        reading="Each dot is an eigenvalue of the operator that shifts by one position. Its angle is a frequency in "
        "radians per position; on the circle that component turns without loss, inside it fades.",
        layout="panels",
        draw=_draw_eigenvalues,
    ),
    FigureSpec(
        name="residual",
        title="The table, its best sin/cos fit, and what is left over",
        reading="Rows are positions, columns dimensions, all less the column means, in standard deviations of the "
        "table. "
        "Whatever pattern remains on the right is not made of these sines and cosines. Rows finer than a pixel mix to "
        "grey.",
        layout="panels",
        draw=_draw_residual,
        shares_axes=False,
    ),
)
