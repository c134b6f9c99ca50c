"""A checkpoint in several files: only those are opened that hold what is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath

import numpy as np
import numpy.typing as npt

from probe.errors import FormatError
from probe.loaders.checkpoints.base import TensorInfo
from probe.loaders.checkpoints.opened import Container, Files


class AbsentShardError(Exception):
    """A file that an index names is not there."""


_NUMBERED = re.compile(r"(?P<stem>.*-)(?P<number>\d+)-of-(?P<count>\d+)(?P<suffix>\..*)")
_MOST_SHARDS = 1000

Opener = Callable[[str], Container]
"""Opens one shard by its file name; an AbsentShardError if it is not there."""


class ShardedContainer:
    """Tensors spread over several files by an index; a file is opened when one of its tensors is asked for.

    Parameters
    ----------
    files : Files
        The folder or the repository.
    index : str
        The name of the index file.
    opener : callable
        Opens one shard.

    Raises
    ------
    FormatError
        If the index names no files, or files outside its folder.
    """

    def __init__(self, files: Files, index: str, opener: Opener) -> None:
        self._files = files
        self._index = index
        self._opener = opener
        self._shards: dict[str, Container] = {}
        placed = files.json(index).get("weight_map")
        if not isinstance(placed, dict) or not placed:
            raise FormatError(f"{index} of {files.repository} places no tensors: it has no weight_map.")
        self._placed = {str(name): self._checked(str(shard)) for name, shard in placed.items()}
        self.tensors: Mapping[str, TensorInfo] = _LazyTensors(self, self._placed)

    @property
    def format(self) -> str:
        """The container's name, by the name of its index."""
        return "safetensors" if ".safetensors" in self._index else "torch-pickle"

    @property
    def shards(self) -> list[str]:
        """The files that the index names, sorted."""
        return sorted(set(self._placed.values()))

    def _checked(self, shard: str) -> str:
        path = PurePosixPath(shard.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in shard:
            raise FormatError(
                f"{self._index} of {self._files.repository} names a file outside its folder: {shard}.",
                "Do not use this checkpoint before its authors have explained that.",
            )
        return shard

    def shard_of(self, name: str) -> Container:
        """The shard that holds a tensor, wherever the index puts it.

        Raises
        ------
        FormatError
            If the shard is not there, or no shard has the tensor.
        """
        named = self._placed[name]
        shard = self._opened(named)
        if shard is None:
            raise FormatError(
                f"The index {self._index} of {self._files.repository} names {named}, which is not there.",
                self._files.remedy,
            )
        if name in shard.tensors:
            return shard
        for other in self._others(named):
            shard = self._opened(other)
            if shard is not None and name in shard.tensors:
                self._files.warnings.append(
                    f"The index {self._index} puts {name} into {named}; it was found in {other} and read there."
                )
                return shard
        raise FormatError(
            f"The index {self._index} of {self._files.repository} puts {name} into {named}, and no shard holds it.",
            self._files.remedy,
        )

    def _others(self, named: str) -> list[str]:
        """Every other shard: those of the index, and those that the numbers in the name promise."""
        promised = set(self.shards)
        if (numbered := _NUMBERED.fullmatch(named)) and int(numbered["count"]) <= _MOST_SHARDS:
            width = len(numbered["number"])
            for number in range(1, int(numbered["count"]) + 1):
                promised.add(f"{numbered['stem']}{number:0{width}}-of-{numbered['count']}{numbered['suffix']}")
        return sorted(promised - {named})

    def _opened(self, filename: str) -> Container | None:
        """Open a shard, once; None if it is not there."""
        if filename not in self._shards:
            try:
                self._shards[filename] = self._opener(filename)
            except AbsentShardError:
                return None
        return self._shards[filename]

    def read(self, name: str) -> npt.NDArray[np.generic]:
        """The values of one tensor."""
        return self.shard_of(name).read(name)


class _LazyTensors(Mapping[str, TensorInfo]):
    """The names from the index; dtype and shape from the shard, when they are looked at."""

    def __init__(self, container: ShardedContainer, names: Mapping[str, str]) -> None:
        self._container = container
        self._names = names

    def __getitem__(self, name: str) -> TensorInfo:
        return self._container.shard_of(name).tensors[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
