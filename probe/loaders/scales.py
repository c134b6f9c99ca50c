"""Quantised tables: values in eight bits, with a scale beside them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from probe.errors import FormatError
from probe.loaders.checkpoints.base import Checkpoint

_SUFFIXES = ("_scale", "_scale_inv")
"""By convention both multiply: the second is the inverse of what was multiplied by when quantising."""


def _scale_name(checkpoint: Checkpoint, tensor: str) -> str | None:
    return next((tensor + suffix for suffix in _SUFFIXES if tensor + suffix in checkpoint.tensors), None)


def is_quantised(dtype: str) -> bool:
    """Whether values of this dtype mean little without a scale."""
    return dtype.startswith(("float8", "int", "uint"))


def scale_warning(checkpoint: Checkpoint, tensor: str) -> str | None:
    """Say what is known of the scale of a quantised table; None for a plain one."""
    dtype = checkpoint.tensors[tensor].dtype
    if not is_quantised(dtype):
        return None
    scale = _scale_name(checkpoint, tensor)
    if scale is None:
        return f"{tensor} is stored as {dtype} and no scale is beside it: the values may be off by a constant factor."
    return f"{tensor} is stored as {dtype} and was multiplied by {scale}."


def rescaled(checkpoint: Checkpoint, tensor: str) -> npt.NDArray[np.generic]:
    """Read a tensor, multiplied by its scale where it has one.

    Raises
    ------
    FormatError
        If the scale does not fit the tensor.
    """
    values = checkpoint.read(tensor)
    scale = _scale_name(checkpoint, tensor) if is_quantised(checkpoint.tensors[tensor].dtype) else None
    if scale is None:
        return values
    factor = np.asarray(checkpoint.read(scale), dtype=np.float32)
    try:
        product: npt.NDArray[np.float32] = values.astype(np.float32) * _spread(factor, values.shape)
    except ValueError as error:
        raise FormatError(
            f"The scale {scale} of shape {factor.shape} does not fit {tensor} of shape {values.shape}.",
            "Save the model in float32, float16 or bfloat16.",
        ) from error
    return product


def _spread(factor: npt.NDArray[np.float32], shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """Repeat a scale that stands for blocks of rows and columns; one number a row is a column of its own."""
    if factor.ndim == 1 and factor.shape[0] == shape[0] and factor.shape[0] != shape[-1]:
        return factor[:, None]
    if factor.ndim != 2 or len(shape) != 2:
        return factor
    for axis in (0, 1):
        block = -(-shape[axis] // factor.shape[axis])
        if factor.shape[axis] != 1:
            factor = np.repeat(factor, block, axis=axis).take(range(shape[axis]), axis=axis)
    return factor
