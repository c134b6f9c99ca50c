"""How linear is a shift? One operator takes each row to the row some positions on, tried where it was not fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.linalg

from probe.numerics.components import components_for
from probe.numerics.view import RANK_TOLERANCE, TableView

Floats = npt.NDArray[np.float64]

COMPONENTS = 16
FOLDS = 5
LONGEST_BLOCK = 8
FEWEST_PAIRS = 2 * FOLDS
_RESIDUES = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
_RIDGE = 0.01
_WIDE_RIDGE = 1e-13


@dataclass(frozen=True, kw_only=True)
class Shift:
    """A shift by some positions, and how well one linear operator does it.

    Attributes
    ----------
    offset : int
        Positions.
    r2 : float
        Share of the variance of the shifted rows that is predicted where the operator was not fitted; below 0
        where the mean would have done better.
    components : int
        Principal components that the operator works on.
    """

    offset: int
    r2: float
    components: int


def fits(positions: int, offset: int) -> bool:
    """Whether enough pairs of rows lie this far apart to fit on some and try on others."""
    return positions - offset >= FEWEST_PAIRS


def linear_shifts(view: TableView, offsets: Sequence[int]) -> tuple[Shift, ...]:
    """How well does one linear operator shift the whole table?

    Parameters
    ----------
    view : TableView
    offsets : sequence of int
        Those that leave too few pairs are left out.

    Returns
    -------
    tuple of Shift

    Notes
    -----
    The operator is fitted, with an intercept, on scores of the leading 16 principal components (or a third of
    the pairs, if that is fewer), with a ridge of a hundredth: a component that one outlying row fills would be
    anything where that row is held out. Where that beats the mean at the first offset, wider choices are tried as well:
    enough components for all but 1e-4, 1e-6 … 1e-12 of the variance, if they are at most three fifths of the
    pairs, without a ridge. Each offset reports its best. Folds are dealt from blocks of up to 8 consecutive positions.

    A sinusoid needs all its components, which turn into each other; smooth noise does best with few.
    """
    usable = [offset for offset in offsets if fits(view.positions, offset)]
    if not usable:
        return ()
    scores = _resolved(view.component_scores(COMPONENTS))
    shifts = [_best(scores, offset, [min(scores.shape[1], _narrow(view, offset))], _RIDGE) for offset in usable]
    if shifts[0].r2 <= 0.0:
        return tuple(shifts)
    wider = sorted({components_for(view.eigenvalues, 1 - residue) for residue in _RESIDUES})
    most = [count for count in wider if count <= 3 * (view.positions - usable[0]) // 5]
    if not most:
        return tuple(shifts)
    scores = _resolved(view.component_scores(max(most)))
    for place, offset in enumerate(usable):
        room = min(3 * (view.positions - offset) // 5, scores.shape[1])
        counts = [count for count in most if count <= room]
        if counts:
            shifts[place] = max(shifts[place], _best(scores, offset, counts, _WIDE_RIDGE), key=lambda shift: shift.r2)
    return tuple(shifts)


def turning(view: TableView) -> npt.NDArray[np.complex128]:
    """What does one step do? Eigenvalues of the operator that shifts by one, fitted on every pair of rows.

    Returns
    -------
    ndarray of complex, shape (component,)
        Largest modulus first. The angle is a frequency in radians per position; the modulus is what is left of
        that component after a step.
    """
    scores = _resolved(view.component_scores(COMPONENTS))[:, : _narrow(view, 1)]
    regressors = _with_ones(scores)
    operator = np.linalg.lstsq(regressors[:-1], scores[1:] / np.linalg.norm(scores, axis=0), rcond=None)[0][1:]
    values = np.linalg.eigvals(operator)
    return values[np.lexsort((values.imag, -np.abs(values).round(9)))]


def _narrow(view: TableView, offset: int) -> int:
    third: int = (view.positions - offset) // 3
    return max(1, min(COMPONENTS, third))


def _resolved(scores: Floats) -> Floats:
    """Only the components that stand above rounding."""
    sizes = np.linalg.norm(scores, axis=0)
    return scores[:, sizes > RANK_TOLERANCE * sizes[0]]


def _with_ones(scores: Floats) -> Floats:
    """Columns of length one: a constant, then each component."""
    constant = np.full((len(scores), 1), len(scores) ** -0.5)
    return np.concatenate([constant, scores / np.linalg.norm(scores, axis=0)], axis=1)


def _best(scores: Floats, offset: int, counts: Sequence[int], ridge: float) -> Shift:
    r2 = held_out_r2(scores[:, : max(counts)], offset, counts, ridge)
    place = int(r2.argmax())
    return Shift(offset=offset, r2=float(r2[place]), components=counts[place])


def held_out_r2(scores: Floats, offset: int, counts: Sequence[int], ridge: float = _WIDE_RIDGE) -> Floats:
    """How much of the shifted rows does an operator on the leading components predict, where it was not fitted?

    Parameters
    ----------
    scores : ndarray, shape (position, component)
        Orthogonal, centred columns, the largest first.
    offset : int
    counts : sequence of int
        Numbers of leading components to try, each both as regressors and as what is predicted.
    ridge : float
        Added to the sum of squares of each regressor, which is 1.

    Returns
    -------
    ndarray, one R² for each count
        0 where the shifted rows are all alike, and there is nothing to predict.

    Notes
    -----
    Normal equations, less the held-out rows of each fold. With one Cholesky factor L the regressors become
    orthogonal one after the other, so that a smaller number of components is a slice of the largest.
    """
    regressors, targets = _with_ones(scores)[:-offset], scores[offset:]
    pairs = len(targets)
    block = int(np.clip(len(scores) // 64, 1, LONGEST_BLOCK))
    fold = np.arange(pairs) // block % FOLDS
    inner, cross = regressors.T @ regressors, regressors.T @ targets
    inner[np.diag_indices_from(inner)] += ridge
    residual = np.zeros(len(counts))
    for number in range(FOLDS):
        held = fold == number
        left, right = regressors[held], targets[held]
        factor = _factor(inner - left.T @ left)
        solved = scipy.linalg.solve_triangular(factor, cross - left.T @ right, lower=True, check_finite=False)
        orthogonal = scipy.linalg.solve_triangular(factor, left.T, lower=True, check_finite=False).T
        for place, count in enumerate(counts):
            predicted = orthogonal[:, : count + 1] @ solved[: count + 1, :count]
            residual[place] += np.square(right[:, :count] - predicted).sum()
    spread = np.cumsum(np.square(targets - targets.mean(axis=0)).sum(axis=0))[np.asarray(counts) - 1]
    varied = spread > RANK_TOLERANCE**2 * np.square(scores).sum()
    return np.where(varied, 1 - residual / np.where(varied, spread, 1.0), 0.0)


def _factor(inner: Floats) -> Floats:
    """Cholesky factor; the diagonal is raised where the rows that are left do not span every component."""
    size = len(inner)
    for ridge in (0.0, 1e-11, 1e-9, 1e-6):
        try:
            return np.asarray(
                scipy.linalg.cholesky(inner + ridge * np.eye(size), lower=True, check_finite=False), dtype=np.float64
            )
        except scipy.linalg.LinAlgError:
            continue
    return np.eye(size)
