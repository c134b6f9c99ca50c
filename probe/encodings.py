"""Encodings: the ways in which a model tells positions apart, as plain immutable values.

A :class:`Description` is all that can be said of an encoding without reading its values (it is what
``probe show`` prints); a :class:`PositionTable` or an :class:`OffsetKernel` adds the values. Nothing
here reads a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from probe.errors import TableError

Scheme = Literal[
    "learned_absolute", "sinusoidal", "rotary", "alibi", "relative_bias", "relative_bias_grid",
    "relative_key", "relative_sinusoidal", "convolutional", "axial", "none",
]  # fmt: skip
SCHEMES: tuple[str, ...] = get_args(Scheme)


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Where does a table come from?

    Attributes
    ----------
    reference : str
        The source as the user named it.
    label : str
        How reports call it; the reference unless the user chose another.
    component : str
        Which part of the model it belongs to.
    format : str
        The container: ``safetensors``, ``torch-pickle``, ``numpy``, ``array``, ``module``, ``reference`` …
    revision : str or None
        The commit of a hub repository.
    file : str or None
        The file that holds the tensor, relative to the source.
    tensor, key : str or None
        The tensor's name in the file, and the same without wrapper prefixes.
    sha256 : str or None
        Digest of the rows in use (see :attr:`PositionTable.sha256`); None while they are unread.
    """

    reference: str
    label: str
    component: str
    format: str
    revision: str | None = None
    file: str | None = None
    tensor: str | None = None
    key: str | None = None
    sha256: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Every field, as JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, kw_only=True)
class Description:
    """What is known of an encoding before its values are read.

    Attributes
    ----------
    component : str
        Which part of the model it belongs to; unique within a source.
    scheme : str
        One of :data:`SCHEMES`.
    shape : tuple of int or None
        ``(positions, dimensions)`` in use, after reserved rows are left out.
    stored_shape : tuple of int or None
        As in the file; None where nothing is stored.
    row_offset : int
        ``stored_row = position + row_offset``.
    prefix_tokens : int
        Leading rows that belong to class or distillation tokens.
    grid : (int, int) or None
        Rows and columns of the patches behind the prefix.
    dtype : str or None
        As stored.
    stored, unused : bool
        Whether a tensor holds it, and whether the model never reads that tensor.
    parameters : mapping
        What defines a computed or relative scheme (``base``, ``layout``, ``theta`` …).
    warnings : tuple of str
        What the reader should know before trusting it.
    """

    component: str
    scheme: str
    provenance: Provenance
    shape: tuple[int, ...] | None = None
    stored_shape: tuple[int, ...] | None = None
    row_offset: int = 0
    prefix_tokens: int = 0
    grid: tuple[int, int] | None = None
    dtype: str | None = None
    stored: bool = True
    unused: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise ValueError(f"{self.scheme!r} is not a scheme; the schemes are {', '.join(SCHEMES)}")

    def to_dict(self) -> dict[str, Any]:
        """One element of ``probe show --json``: strict JSON values only."""
        return {
            "component": self.component,
            "scheme": self.scheme,
            "stored": self.stored,
            "tensor": self.provenance.tensor,
            "key": self.provenance.key,
            "stored_shape": None if self.stored_shape is None else list(self.stored_shape),
            "row_offset": self.row_offset,
            "shape": None if self.shape is None else list(self.shape),
            "prefix_tokens": self.prefix_tokens,
            "grid": None if self.grid is None else list(self.grid),
            "dtype": self.dtype,
            "unused": self.unused,
            "parameters": dict(self.parameters),
            "warnings": list(self.warnings),
        }


def _frozen(array: npt.ArrayLike, axes: tuple[str, str]) -> npt.NDArray[np.floating[Any]]:
    """A read-only, C-ordered, two-dimensional copy, float32 or wider."""
    values = np.asarray(array)
    if values.ndim != 2:
        raise TableError(
            f"An array of shape {values.shape} is no table: it takes two axes, ({axes[0]}, {axes[1]}).",
            "Drop the axes of length one, or choose one head or layer.",
        )
    if not (np.issubdtype(values.dtype, np.floating) or np.issubdtype(values.dtype, np.integer)):
        raise TableError(f"An array of dtype {values.dtype} is no table.", "Give it real numbers, float32 or wider.")
    dtype = np.result_type(values.dtype, np.float32) if values.dtype.kind == "f" else np.dtype(np.float64)
    copy = np.array(values, dtype=dtype, order="C", copy=True)
    copy.setflags(write=False)
    return copy


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class _Encoding:
    """What tables and kernels share: a description and read-only values."""

    description: Description
    array: npt.NDArray[np.floating[Any]]

    @property
    def scheme(self) -> str:
        return self.description.scheme

    @property
    def component(self) -> str:
        return self.description.component

    @property
    def provenance(self) -> Provenance:
        return self.description.provenance

    @property
    def label(self) -> str:
        return self.provenance.label

    @property
    def parameters(self) -> Mapping[str, Any]:
        return self.description.parameters

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.description.warnings

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.array.shape
        return rows, columns

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the values: ``array`` in row order, little-endian, in its own dtype."""
        little = self.array.astype(self.array.dtype.newbyteorder("<"), copy=False)
        return hashlib.sha256(np.ascontiguousarray(little).tobytes()).hexdigest()

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.array, dtype=dtype, copy=copy)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PositionTable(_Encoding):
    """An absolute encoding: one vector per position.

    Attributes
    ----------
    array : ndarray, shape (position, dimension)
        Read-only, float32 or wider. Row 0 is what the first token of an unpadded sequence gets,
        whatever row of the file it is stored in.
    description : Description
        All that is known beside the values.

    Raises
    ------
    TableError
        If the values are not a two-dimensional array of real numbers.

    Examples
    --------
    >>> import numpy as np
    >>> table = PositionTable.from_array(np.eye(4, 3), label="identity")
    >>> table.shape, table.row_offset, table.array.flags.writeable
    ((4, 3), 0, False)
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "array", _frozen(self.array, ("position", "dimension")))
        provenance = replace(self.provenance, sha256=self.sha256)
        object.__setattr__(self, "description", replace(self.description, provenance=provenance, shape=self.shape))

    @classmethod
    def from_array(
        cls,
        array: npt.ArrayLike,
        *,
        label: str = "array",
        component: str = "table",
        scheme: str = "learned_absolute",
    ) -> PositionTable:
        """Make a table of values that have no file behind them."""
        values = np.asarray(array)
        provenance = Provenance(reference=label, label=label, component=component, format="array")
        description = Description(
            component=component,
            scheme=scheme,
            provenance=provenance,
            stored_shape=values.shape,
            dtype=str(values.dtype),
        )
        return cls(description=description, array=values)

    @property
    def row_offset(self) -> int:
        """Stored row of position 0."""
        return self.description.row_offset

    @property
    def prefix_tokens(self) -> int:
        """Leading rows that belong to class or distillation tokens."""
        return self.description.prefix_tokens

    @property
    def grid(self) -> tuple[int, int] | None:
        """Rows and columns of the patches, for an image."""
        return self.description.grid

    def labelled(self, label: str) -> PositionTable:
        """The same table under another name."""
        provenance = replace(self.provenance, label=label)
        return replace(self, description=replace(self.description, provenance=provenance))

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<PositionTable {self.label} · {self.component} · {self.scheme} · {rows} positions × {columns}>"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class OffsetKernel(_Encoding):
    """A relative encoding: one value for each head and offset.

    Attributes
    ----------
    array : ndarray, shape (head, offset)
        Read-only.
    offsets : ndarray of int, shape (offset,)
        Offset = key position − query position, ascending.
    """

    offsets: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "array", _frozen(self.array, ("head", "offset")))
        offsets = np.array(self.offsets, dtype=np.int64)
        if offsets.shape != (self.array.shape[1],):
            raise TableError(f"{self.array.shape[1]} values a head need as many offsets, not {offsets.shape}.")
        offsets.setflags(write=False)
        object.__setattr__(self, "offsets", offsets)
        provenance = replace(self.provenance, sha256=self.sha256)
        object.__setattr__(self, "description", replace(self.description, provenance=provenance))

    def __repr__(self) -> str:
        heads, offsets = self.shape
        return f"<OffsetKernel {self.label} · {self.component} · {self.scheme} · {heads} heads × {offsets} offsets>"


Encoding = PositionTable | OffsetKernel
