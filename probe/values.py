"""Values that are in memory already: numpy arrays, torch tensors, anything array-like."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from probe.encodings import PositionTable
from probe.errors import TableError

if TYPE_CHECKING:
    import torch


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
        return to_numpy(values)
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise TableError(
            f"{np.ma.getmaskarray(values).sum()} values of this array are masked, and a table has a value everywhere.",
            "Fill them (array.filled(0)), or leave those rows out.",
        )
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise TableError(
            f"A {type(values).__name__} cannot be made an array: {error}.",
            "Give every position the same number of dimensions.",
        ) from error
    return array.astype(np.float32) if array.dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2") else array


def to_numpy(tensor: torch.Tensor) -> npt.NDArray[np.generic]:
    """Give the values of a torch tensor: floats as float32 or wider, others as they are.

    Raises
    ------
    TableError
        If it has no values (a meta tensor), or none that numpy can hold.
    """
    import torch

    try:
        plain = tensor.detach().cpu().resolve_conj().resolve_neg()
        if plain.layout is not torch.strided:
            plain = plain.to_dense()
        if plain.is_quantized:
            plain = plain.dequantize()
        if plain.is_floating_point() and plain.dtype not in (torch.float32, torch.float64):
            plain = plain.float()
        values: npt.NDArray[np.generic] = plain.numpy()
    except (NotImplementedError, RuntimeError, TypeError) as error:
        kind = f"{str(tensor.layout).removeprefix('torch.')} tensor on the device {tensor.device}"
        raise TableError(
            f"A {kind} has no values that can be read.", "Load the model's weights, or make the tensor a plain one."
        ) from error
    return values
