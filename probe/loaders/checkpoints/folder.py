"""A folder or a single file on disk as a checkpoint."""

from __future__ import annotations

import json
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from probe.errors import FormatError, SourceError
from probe.loaders.checkpoints.base import ByteReader, Checkpoint
from probe.loaders.checkpoints.local_file import LocalFile
from probe.loaders.checkpoints.opened import Container, OpenedCheckpoint
from probe.loaders.checkpoints.shards import AbsentShardError, ShardedContainer
from probe.loaders.checkpoints.sniffed import open_sniffed
from probe.loaders.checkpoints.weights import WEIGHTS, unreadable_among, weights_among

CONFIGS = ("config.json", "open_clip_config.json")
"""Where a model's config may be, the first that is there."""

_HOW_MANY_NAMES = 6


class FolderFiles:
    """The files of one folder.

    Attributes
    ----------
    repository : str
        How messages call the folder.
    warnings : list of str
        What was noticed on the way.
    """

    def __init__(self, folder: Path, name: str | None = None) -> None:
        self.folder = folder
        self.repository = name or folder.name
        self.warnings: list[str] = []
        self._readers: list[LocalFile] = []
        self._whole_files = 0

    @property
    def remedy(self) -> str:
        """What to do where files are missing or contradict one another."""
        return f"Fetch the checkpoint again, every file that its index names, into {self.folder}."

    @property
    def bytes_read(self) -> int:
        """Bytes read so far; a file that cannot be read in part counts whole."""
        return self._whole_files + sum(reader.bytes_read for reader in self._readers)

    def names(self) -> list[str]:
        """Names of the files in it, sorted."""
        return sorted(path.name for path in self.folder.iterdir() if path.is_file())

    def reader(self, filename: str) -> ByteReader:
        """Ranges of one file."""
        reader = LocalFile(self.folder / filename)
        self._readers.append(reader)
        return reader

    def whole(self, filename: str) -> Path:
        """Path of a file that is read whole."""
        path = self.folder / filename
        self._whole_files += path.stat().st_size
        return path

    def json(self, filename: str) -> dict[str, Any]:
        """A JSON object.

        Raises
        ------
        FormatError
            If the file holds none.
        """
        try:
            content = json.loads(self.whole(filename).read_bytes())
        except (ValueError, RecursionError) as error:
            raise FormatError(
                f"{filename} in {self.repository} is no JSON: {error}.", "Fetch or write it again."
            ) from error
        if not isinstance(content, dict):
            raise FormatError(f"{filename} in {self.repository} holds no JSON object.", "Fetch or write it again.")
        return content


def open_folder(folder: Path, reference: str) -> Checkpoint:
    """Which tensors does a folder hold?

    Raises
    ------
    SourceError
        If it holds no weights, several sets of them, or weights that cannot be read.
    FormatError
        If a file is damaged or not what its name says.
    """
    files = FolderFiles(folder)
    names = files.names()
    filename = next((name for name in WEIGHTS if name in names), None) or _unusual(files, names)
    return _opened(files, filename, reference)


def open_file(path: Path, reference: str) -> Checkpoint:
    """Which tensors does a file hold? The config beside it is read with it, if there is one.

    Raises
    ------
    SourceError
        If it is no regular file.
    FormatError
        If the file is damaged or no weights file.
    """
    if not path.is_file():
        raise SourceError(f"{reference} is a device or a pipe, no file.", "Name a folder or a weights file.")
    return _opened(FolderFiles(path.parent), path.name, reference)


def _opened(files: FolderFiles, filename: str, reference: str) -> Checkpoint:
    container = open_container(files, filename)
    return OpenedCheckpoint(reference=reference, revision=None, config=_config(files), files=files, container=container)


def open_container(files: FolderFiles, filename: str) -> Container:
    """Open a weights file by what its first bytes say, or an index by its name."""
    if fnmatch(filename, "*.index.json"):
        return _sharded(files, filename)
    path = files.folder / filename
    if not path.is_file():
        raise AbsentShardError(filename)
    container = open_sniffed(path, filename, files.warnings, files.reader(filename))
    if container.format != "safetensors":
        files.whole(filename)
    return container


def _sharded(files: FolderFiles, index: str) -> Container:
    container = ShardedContainer(files, index, lambda filename: open_container(files, filename))
    absent = [shard for shard in container.shards if not (files.folder / shard).is_file()]
    if absent:
        files.warnings.append(f"The index {index} names shards that are not there: {_some(absent)}.")
    return container


def _config(files: FolderFiles) -> dict[str, Any]:
    for name in CONFIGS:
        if (files.folder / name).is_file():
            return files.json(name)
    return {}


def _unusual(files: FolderFiles, names: list[str]) -> str:
    """Weights under another name, if just one file can be meant."""
    candidates = weights_among(names)
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise SourceError(
            f"{files.repository} holds several weights files: {_some(candidates)}.",
            f"Name one of them, such as {files.folder / candidates[0]}.",
        )
    unreadable = unreadable_among(names)
    if unreadable is not None:
        base = _adapter_base(files, names)
        raise FormatError(
            f"{files.repository} holds no safetensors or PyTorch weights, but {unreadable.what} ({unreadable.found}).",
            unreadable.advice.replace("{base}", f", {base}" if base else ""),
        )
    folders = sorted(path.name for path in files.folder.iterdir() if path.is_dir())
    within = f" Its folders: {_some(folders)}." if folders else ""
    raise SourceError(
        f"{files.repository} holds no model weights: {_some(names) if names else 'no files at all'}.",
        f"Name the folder that holds model.safetensors or pytorch_model.bin.{within}",
    )


def _adapter_base(files: FolderFiles, names: list[str]) -> str | None:
    if "adapter_config.json" not in names:
        return None
    base = files.json("adapter_config.json").get("base_model_name_or_path")
    return base if isinstance(base, str) else None


def _some(names: list[str]) -> str:
    return ", ".join(names[:_HOW_MANY_NAMES]) + (" …" if len(names) > _HOW_MANY_NAMES else "")
