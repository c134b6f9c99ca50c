"""A checkpoint that has been opened, wherever its files are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from probe.loaders.checkpoints.base import TensorInfo


class Container(Protocol):
    """Named tensors of one file, or of several that an index joins."""

    @property
    def format(self) -> str:
        """The container's name as ``probe show`` prints it."""
        ...

    @property
    def tensors(self) -> Mapping[str, TensorInfo]:
        """Everything it holds."""
        ...

    def read(self, name: str) -> npt.NDArray[np.generic]:
        """The values of one tensor."""
        ...


class Files(Protocol):
    """Where the files of a checkpoint are: a folder, or a repository of the hub."""

    repository: str
    warnings: list[str]

    @property
    def remedy(self) -> str:
        """What to do where files are missing or contradict one another."""
        ...

    @property
    def bytes_read(self) -> int:
        """Bytes read from files or moved over the network so far."""
        ...

    def json(self, filename: str) -> dict[str, Any]:
        """A JSON object."""
        ...


@dataclass(eq=False)
class OpenedCheckpoint:
    """Files and the container among them; see :class:`~probe.loaders.checkpoints.base.Checkpoint`."""

    reference: str
    revision: str | None
    config: Mapping[str, Any]
    files: Files
    container: Container

    @property
    def format(self) -> str:
        """The container's name as ``probe show`` prints it."""
        return self.container.format

    @property
    def tensors(self) -> Mapping[str, TensorInfo]:
        """Everything it holds, by the name in the file."""
        return self.container.tensors

    @property
    def warnings(self) -> list[str]:
        """What was noticed on the way."""
        return self.files.warnings

    @property
    def bytes_read(self) -> int:
        """Bytes read from files or moved over the network so far."""
        return self.files.bytes_read

    def read(self, name: str) -> npt.NDArray[np.generic]:
        """The values of one tensor."""
        return self.container.read(name)
