"""Values that are in memory already: numpy arrays, torch tensors, anything array-like."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from probe.encodings import PositionTable
from probe.errors import TableError


def table_from_values(values: Any) -> PositionTable:
    """Make a table of an array, a tensor or nested sequences.

    Raises
    ------
    TableError
        If it is not a two-dimensional array of real numbers.

    Examples
    --------
    >>> table_from_values([[0.0, 1.0], [2.0, 3.0]]).shape
    (2, 2)
    """
    array = _as_array(values)
    if array.dtype.kind == "O" or array.ndim == 0:
        raise TableError(
            f"A {type(values).__name__} is no source that probe can open.",
            "Give it a name, a path, a torch module, or an array (position, dimension).",
        )
    while array.ndim > 2 and array.shape[0] == 1:
        array = array[0]
    return PositionTable.from_array(array)


def _as_array(values: Any) -> npt.NDArray[Any]:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(values, torch.Tensor):
        from probe.loaders.checkpoints.torch_pickle import to_numpy

        return to_numpy(values)
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise TableError(
            f"A {type(values).__name__} cannot be made an array: {error}.",
            "Give every position the same number of dimensions.",
        ) from error
    return array.astype(np.float32) if array.dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2") else array
