"""What every container offers: named tensors that can be listed, and read one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class TensorInfo:
    """A tensor as its container lists it, before any of its values are read.

    Attributes
    ----------
    name : str
        As in the file.
    dtype : str
        torch's spelling without the prefix: ``float32``, ``bfloat16``, ``float8_e4m3fn``, ``int64`` …
    shape : tuple of int
    file : str or None
        The file that holds it, relative to the source.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    file: str | None = None


@runtime_checkable
class ByteReader(Protocol):
    """Bytes by range: a local file, or one on a server that is never fetched whole."""

    name: str
    size: int
    bytes_read: int

    def read(self, start: int, length: int) -> bytes:
        """Exactly ``length`` bytes from ``start``; a FormatError if the file ends before."""
        ...


class Checkpoint(Protocol):
    """Named tensors with their config: nothing is executed, nothing is read that was not asked for.

    Attributes
    ----------
    reference : str
        The source as the user named it.
    format : str
        The container's name as ``probe show`` prints it.
    revision : str or None
        The commit of a hub repository.
    config : mapping
        The model's config.json, or empty.
    tensors : mapping of str to TensorInfo
        Everything it holds, by the name in the file.
    bytes_read : int
        How many bytes were read or moved so far.
    warnings : list of str
        What was noticed on the way (a shard that is absent, a name that lies …).
    """

    @property
    def reference(self) -> str:
        """The source as the user named it."""
        ...

    @property
    def format(self) -> str:
        """The container's name."""
        ...

    @property
    def revision(self) -> str | None:
        """The commit of a hub repository."""
        ...

    @property
    def config(self) -> Mapping[str, Any]:
        """The model's config, or empty."""
        ...

    @property
    def tensors(self) -> Mapping[str, TensorInfo]:
        """Everything it holds, by the name in the file."""
        ...

    @property
    def warnings(self) -> list[str]:
        """What was noticed on the way."""
        ...

    @property
    def bytes_read(self) -> int:
        """Bytes read or moved so far."""
        ...

    def read(self, name: str) -> npt.NDArray[np.generic]:
        """The values of one tensor, floats as float32 or wider, whole numbers as they are."""
        ...
