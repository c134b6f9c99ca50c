"""From what the user names to the encodings it holds."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from probe.encodings import Encoding, OffsetKernel, PositionTable
from probe.errors import ComponentError, SourceError
from probe.loaders.checkpoints.base import Checkpoint
from probe.loaders.checkpoints.module import ModuleCheckpoint, is_module
from probe.loaders.locate import locate
from probe.loaders.located import Located
from probe.loaders.packages import PREFIX, is_package, package_path
from probe.loaders.references import build, is_reference
from probe.values import table_from_values

_FILE_SUFFIXES = (".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".npy", ".npz", ".gguf", ".onnx", ".json", ".h5")

_UNTELLING = ("model", "models", "checkpoint", "checkpoints", "weights", "output", "outputs", "hf", "pytorch", "main")
"""Names of folders that many models have."""


@dataclass(frozen=True, eq=False)
class OpenSource:
    """A source that has been opened: what it holds is known, and nothing of it has been read.

    Attributes
    ----------
    reference, label : str
        As the user named it, and how reports call it.
    format : str
        The container.
    revision : str or None
        The commit of a hub repository.
    encodings : tuple of Located
        Those in use first.
    """

    reference: str
    label: str
    format: str
    revision: str | None
    encodings: tuple[Located, ...]
    checkpoint: Checkpoint | None = field(default=None, repr=False)

    @property
    def bytes_read(self) -> int:
        """Bytes read or moved so far."""
        return 0 if self.checkpoint is None else self.checkpoint.bytes_read

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was noticed on the way."""
        return () if self.checkpoint is None else tuple(dict.fromkeys(self.checkpoint.warnings))

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the components, in order."""
        return tuple(located.description.component for located in self.encodings)

    def select(self, component: str | None = None) -> tuple[Located, ...]:
        """Choose the encodings in use, or the one that is named.

        Raises
        ------
        ComponentError
            If there is none of that name, or none is in use.
        """
        if component is None:
            in_use = tuple(located for located in self.encodings if not located.description.unused)
            if not in_use:
                raise ComponentError(
                    f"{self.label} stores {_listed(self.components)}, which its model never reads.",
                    f"Name it to analyse it all the same: --component {self.components[0]}.",
                    available=self.components,
                )
            return in_use
        chosen = tuple(located for located in self.encodings if located.description.component == component)
        if chosen:
            return chosen
        close = difflib.get_close_matches(component, self.components, n=1)
        guess = f"Did you mean {close[0]}? " if close else ""
        raise ComponentError(
            f"{self.label} has no component {component!r}.",
            f"{guess}It has {_listed(self.components)}.",
            available=self.components,
        )

    def to_dict(self) -> dict[str, Any]:
        """The object of ``probe show --json``."""
        return {
            "schema": "probe.show/1",
            "source": {
                "reference": self.reference,
                "format": self.format,
                "revision": self.revision,
                "bytes_read": self.bytes_read,
            },
            "encodings": [located.description.to_dict() for located in self.encodings],
            "warnings": list(self.warnings),
        }


def open_source(
    source: Any, *, revision: str | None = None, offline: bool = False, label: str | None = None
) -> OpenSource:
    """Which position encodings does a source hold?

    Parameters
    ----------
    source : str, path, torch.nn.Module, array_like or PositionTable
        A hub id, a folder, a weights file, ``package:NAME/FOLDER``, ``sinusoidal:NxD``,
        ``random:NxD?seed=S``; or values that are there already.
    revision : str, optional
        Of a hub repository.
    offline : bool
        Ask the hub's cache alone.
    label : str, optional
        How reports call it.

    Raises
    ------
    SourceError, FormatError, HubError
        If it cannot be opened.
    TableNotFoundError
        If it holds no position table that can be recognised.
    """
    if isinstance(source, PathLike):
        source = str(Path(source))
    if isinstance(source, str):
        return _open_named(source, revision, offline, label)
    if isinstance(source, (PositionTable, OffsetKernel)):
        return _ready(source.labelled(label) if label and isinstance(source, PositionTable) else source)
    if is_module(source):
        checkpoint = ModuleCheckpoint(source)
        return _opened(checkpoint, label or checkpoint.reference)
    table = table_from_values(source)
    return _ready(table.labelled(label) if label else table)


def _open_named(source: str, revision: str | None, offline: bool, label: str | None) -> OpenSource:
    if not source.strip():
        raise SourceError(
            "The source has no name.", "Name a model of the hub, a folder, a weights file or package:NAME."
        )
    if is_reference(source):
        table = build(source)
        return _ready(table.labelled(label) if label else table)
    if is_package(source):
        checkpoint = _open_path(package_path(source), source)
        parts = source.removeprefix(PREFIX).strip("/").split("/")
        return _opened(checkpoint, label or "/".join(dict.fromkeys((parts[0], parts[-1]))))
    path = Path(source).expanduser()
    if path.exists():
        if revision is not None:
            raise SourceError(
                f"{source} is on this disk, and --revision {revision} names a version on the hub.",
                f"Leave --revision {revision} out, or name the repository.",
            )
        return _opened(_open_path(path, source), label or _label_of(path.resolve()))
    if _looks_like_path(source):
        raise _no_such_path(source, path)
    from probe.loaders.checkpoints.hub import open_hub

    return _opened(open_hub(source, revision=revision, offline=offline), label or source)


def _open_path(path: Path, reference: str) -> Checkpoint:
    from probe.loaders.checkpoints.folder import open_file, open_folder

    opener: Callable[[Path, str], Checkpoint] = open_folder if path.is_dir() else open_file
    try:
        return opener(path, reference)
    except PermissionError as error:
        raise SourceError(
            f"{error.filename or reference} may not be read: {error.strerror or 'permission denied'}.",
            "Ask its owner for the right to read it, or copy it to where you have it.",
        ) from error


def _label_of(path: Path) -> str:
    """Name a path after its last part, and after the folder before it too where the last says nothing."""
    told = path.name.lower() not in _UNTELLING and not path.is_file()
    return path.name if told else f"{path.parent.name}/{path.name}"


def _looks_like_path(source: str) -> bool:
    return (
        source.startswith((".", "/", "~")) or "\\" in source or source.count("/") > 1 or source.endswith(_FILE_SUFFIXES)
    )


def _no_such_path(source: str, path: Path) -> SourceError:
    parent = path.parent
    while not parent.is_dir() and parent != parent.parent:
        parent = parent.parent
    names = sorted(entry.name for entry in parent.iterdir()) if parent == path.parent else []
    close = difflib.get_close_matches(path.name, names, n=1)
    if close:
        hint = f"Did you mean {parent / close[0]}?"
    elif parent != path.parent:
        hint = f"The folder {path.parent} is not there either; check the path, or name a model of the hub as ORG/NAME."
    else:
        hint = f"The folder {parent} is there and has nothing of that name; check the spelling."
    return SourceError(f"There is no file or folder {source}.", hint)


def _ready(encoding: Encoding) -> OpenSource:
    origin = encoding.provenance
    located = Located(encoding.description, lambda: encoding)
    return OpenSource(origin.reference, origin.label, origin.format, origin.revision, (located,))


def _opened(checkpoint: Checkpoint, label: str) -> OpenSource:
    encodings = locate(checkpoint, label)
    return OpenSource(checkpoint.reference, label, checkpoint.format, checkpoint.revision, encodings, checkpoint)


def _listed(components: tuple[str, ...]) -> str:
    return ", ".join(components)


def load(source: Any, *, component: str | None = None, revision: str | None = None, offline: bool = False) -> Encoding:
    """Read the position encoding that a source uses.

    Parameters
    ----------
    source : str, path, torch.nn.Module, array_like or PositionTable
        See :func:`open_source`.
    component : str, optional
        Which one, where there are several.
    revision : str, optional
        Of a hub repository.
    offline : bool
        Ask the hub's cache alone.

    Raises
    ------
    ComponentError
        If the source uses several and none is named, or has none of that name.
    SourceError, FormatError, HubError, TableNotFoundError
        If it cannot be opened or holds no table.

    Examples
    --------
    >>> load("random:8x4?seed=1").shape
    (8, 4)
    """
    opened = open_source(source, revision=revision, offline=offline)
    chosen = opened.select(component)
    if len(chosen) > 1:
        raise ComponentError(
            f"{opened.label} has {len(chosen)} components: {_listed(opened.components)}.",
            f"Name one (component={opened.components[0]!r}, or --component {opened.components[0]}), or load them all.",
            available=opened.components,
        )
    return chosen[0].read()


def load_all(source: Any, *, revision: str | None = None, offline: bool = False) -> tuple[Encoding, ...]:
    """Read every encoding that a source holds, also those that its model never reads.

    Raises
    ------
    SourceError, FormatError, HubError, TableNotFoundError
        If it cannot be opened or holds no table.
    """
    opened = open_source(source, revision=revision, offline=offline)
    return tuple(located.read() for located in opened.encodings)
