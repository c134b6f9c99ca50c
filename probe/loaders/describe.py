"""What can be said of a table that was found, before its values are read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from probe.encodings import Description, Provenance
from probe.errors import FormatError
from probe.loaders.checkpoints.base import Checkpoint, TensorInfo
from probe.loaders.families import Family
from probe.loaders.located import Located
from probe.loaders.pictures import grid_from_config
from probe.loaders.rows import length_in, offset_of
from probe.loaders.scales import rescaled, scale_warning


@dataclass(frozen=True)
class Found:
    """A tensor that holds a position table.

    Attributes
    ----------
    tensor, key : str
        Its name in the file, and without wrapper prefixes.
    component : str
        Which part of the model.
    family : Family or None
        How to read it; None where the name alone spoke for it.
    config : mapping
        The config of that part of the model.
    guess : str or None
        What was guessed, in words.
    """

    tensor: str
    key: str
    component: str
    family: Family | None
    config: Mapping[str, Any]
    guess: str | None = None


def describe(checkpoint: Checkpoint, label: str, found: Found) -> Located:
    """Which rows of the tensor are positions, and what should a reader know before trusting them?

    Raises
    ------
    FormatError
        If the tensor is an empty shell.
    """
    info = checkpoint.tensors[found.tensor]
    if 0 in info.shape or len(info.shape) < 2:
        raise _hollow(label, found, info)
    rows, width = info.shape[-2:]
    offset, doubt = (0, None) if found.family is None else offset_of(found.family, found.config, rows)
    prefix, grid = _patches(found, info)
    unused = _unused(found)
    remarks = (found.guess, doubt, unused, scale_warning(checkpoint, found.tensor), _disagreement(found, rows))
    provenance = Provenance(
        reference=checkpoint.reference,
        label=label,
        component=found.component,
        format=checkpoint.format,
        revision=checkpoint.revision,
        file=info.file,
        tensor=found.tensor,
        key=found.key,
    )
    description = Description(
        component=found.component,
        scheme=found.family.scheme if found.family else "learned_absolute",
        provenance=provenance,
        shape=(max(rows - offset, 0), width),
        stored_shape=(rows, width),
        row_offset=offset,
        prefix_tokens=prefix,
        grid=grid,
        dtype=info.dtype,
        unused=unused is not None,
        warnings=(*filter(None, remarks), *_index_warnings(checkpoint, found)),
    )
    return Located(description, lambda: _rows(checkpoint, found, offset))


def _rows(checkpoint: Checkpoint, found: Found, offset: int) -> npt.NDArray[np.generic]:
    values = rescaled(checkpoint, found.tensor)
    return values.reshape(values.shape[-2:])[offset:]


def _unused(found: Found) -> str | None:
    """Say why the model never reads the table, or None."""
    if found.family is None or found.family.used_if is None:
        return None
    field, wanted = found.family.used_if
    value = found.config.get(field, wanted)
    if value == wanted or value is None:
        return None
    return f"{found.key} is stored and not used: the config's {field} is {value}."


def _patches(found: Found, info: TensorInfo) -> tuple[int, tuple[int, int] | None]:
    """Tell class rows from patches: by the config's picture size, else by what makes a square."""
    family, rows = found.family, info.shape[-2]
    if family is not None and not family.image:
        return 0, None
    if family is None and ("temporal" in found.key or (found.component != "vision" and len(info.shape) != 3)):
        return 0, None
    grid = grid_from_config(found.config)
    prefixes = (0, 1, 2) if family is None else (family.prefix_tokens,)
    for prefix in prefixes:
        if grid is not None and rows - prefix == math.prod(grid):
            return prefix, grid
    for prefix in prefixes:
        side = math.isqrt(max(rows - prefix, 0))
        if side > 1 and side * side == rows - prefix:
            return prefix, (side, side)
    return prefixes[0], None


def _disagreement(found: Found, rows: int) -> str | None:
    """Say that the config asks for another number of rows than there are; the table is believed."""
    length = None if found.family is None else length_in(found.config, found.family)
    if found.family is None or length is None or rows == length[1] + found.family.spare:
        return None
    field, number = length
    return (
        f"The config's {field} = {number} asks for {number + found.family.spare} rows, the table has {rows}; the "
        "table is believed."
    )


def _index_warnings(checkpoint: Checkpoint, found: Found) -> Iterator[str]:
    """Warn of an index buffer beside the table that was saved as floats."""
    name = found.tensor.rpartition("position_embedding")[0] + "position_ids"
    if name not in checkpoint.tensors:
        return
    try:
        dtype = checkpoint.tensors[name].dtype
    except FormatError:
        return  # in a shard that is missing: it takes nothing from the table
    if dtype.startswith(("float", "bfloat")):
        yield f"{name} is stored as {dtype}, not as whole numbers: a merge has converted it. The table is not touched."


def _hollow(label: str, found: Found, info: TensorInfo) -> FormatError:
    return FormatError(
        f"{found.key} of {label} is an empty shell of shape {info.shape}: its values were partitioned over several "
        "processes when it was saved (DeepSpeed ZeRO-3).",
        "Run `python zero_to_fp32.py` in the checkpoint's folder, then name the file that it writes.",
    )
