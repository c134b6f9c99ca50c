"""From what the user names to the encodings that it holds."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from probe.encodings import Encoding, OffsetKernel, PositionTable
from probe.errors import ComponentError, SourceError, TableNotFoundError
from probe.loaders.checkpoints.base import Checkpoint
from probe.loaders.located import Located

_SHOW_SCHEMA = "probe.show/1"


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenSource:
    """What does a source hold?

    Attributes
    ----------
    reference : str
        The source as the user named it.
    label : str
        How reports call it.
    format : str
        The container: ``safetensors``, ``torch-pickle``, ``numpy``, ``array``, ``module``, ``reference``.
    revision : str or None
        The commit of a hub repository.
    warnings : tuple of str
        What was noticed about the source as a whole.
    encodings : tuple of Located
        Every encoding, the unused ones too.
    """

    reference: str
    label: str
    format: str
    encodings: tuple[Located, ...]
    revision: str | None = None
    warnings: tuple[str, ...] = ()
    count_bytes: Callable[[], int] = field(default=int, repr=False)

    @property
    def bytes_read(self) -> int:
        """Bytes read from disk or moved over the network so far."""
        return self.count_bytes()

    def select(self, component: str | None = None) -> tuple[Located, ...]:
        """Choose the encodings in use, or the component of that name.

        Raises
        ------
        ComponentError
            If there is no such component; the error lists those there are.
        """
        if component is None:
            return tuple(located for located in self.encodings if not located.description.unused)
        chosen = tuple(located for located in self.encodings if located.description.component == component)
        if chosen:
            return chosen
        available = _components(self.encodings)
        near = difflib.get_close_matches(component.lower(), available, n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise ComponentError(
            f"{self.label} has no component {component}.",
            f"{hint}It has {_listed(available)}.",
            available=available,
        )

    def to_dict(self) -> dict[str, Any]:
        """The object that ``probe show --json`` prints."""
        return {
            "schema": _SHOW_SCHEMA,
            "source": {
                "reference": self.reference,
                "format": self.format,
                "revision": self.revision,
                "bytes_read": self.bytes_read,
            },
            "encodings": [located.description.to_dict() for located in self.encodings],
            "warnings": list(self.warnings),
        }

    def close(self) -> None:
        """Do nothing: files are opened for each read alone. It is there for ``with``."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_source(
    source: Any, *, revision: str | None = None, offline: bool = False, label: str | None = None
) -> OpenSource:
    """Which encodings does a source hold?

    Parameters
    ----------
    source : str, Path, torch.nn.Module, array, PositionTable or OffsetKernel
        A hub id, a folder, a weights file, ``package:NAME/FOLDER``, ``sinusoidal:NxD``,
        ``random:NxD?seed=S``, a live module, or values.
    revision : str, optional
        Branch, tag or commit of a hub repository.
    offline : bool
        Ask the hub's cache alone.
    label : str, optional
        How reports call it; its reference otherwise.

    Returns
    -------
    OpenSource
        Headers are read, tables are not.

    Raises
    ------
    SourceError
        If it is not there, or is no checkpoint.
    TableNotFoundError
        If nothing in it can be recognised as a position table.

    Examples
    --------
    >>> opened = open_source("sinusoidal:64x16")
    >>> [(located.description.component, located.description.shape) for located in opened.encodings]
    [('table', (64, 16))]
    """
    opened = _open(source, revision, offline)
    return opened if label is None else _labelled(opened, label)


def _open(source: Any, revision: str | None, offline: bool) -> OpenSource:
    if isinstance(source, (PositionTable, OffsetKernel)):
        return _from_encoding(source)
    if isinstance(source, (str, Path)):
        return _from_name(str(source), revision, offline)
    if _is_module(source):
        from probe.loaders.checkpoints.module import ModuleCheckpoint

        return _from_checkpoint(ModuleCheckpoint(source))
    from probe.loaders.arrays import table_from_values

    return _from_encoding(table_from_values(source))


def _from_name(name: str, revision: str | None, offline: bool) -> OpenSource:
    from probe.loaders import references

    if references.is_reference(name):
        return _from_encoding(references.build(name))
    from probe.loaders.checkpoints.local import find_path, open_path

    path = find_path(name)
    if path is None:
        from probe.loaders.checkpoints.hub import open_hub

        return _from_checkpoint(open_hub(name, revision=revision, offline=offline))
    if revision is not None:
        raise SourceError(
            f"{name} is on this disk, and --revision {revision} names a version on the hub.",
            f"Leave --revision {revision} out, or name the repository.",
        )
    return _from_checkpoint(open_path(path, name))


def _from_encoding(encoding: Encoding) -> OpenSource:
    described = encoding.description
    return OpenSource(
        reference=described.provenance.reference,
        label=described.provenance.label,
        format=described.provenance.format,
        revision=described.provenance.revision,
        encodings=(Located(described, lambda: encoding),),
    )


def _from_checkpoint(checkpoint: Checkpoint) -> OpenSource:
    from probe.loaders.locate import locate

    encodings = locate(checkpoint)
    return OpenSource(
        reference=checkpoint.reference,
        label=checkpoint.reference,
        format=checkpoint.format,
        revision=checkpoint.revision,
        warnings=tuple(dict.fromkeys(checkpoint.warnings)),
        encodings=encodings,
        count_bytes=lambda: checkpoint.bytes_read,
    )


def _labelled(opened: OpenSource, label: str) -> OpenSource:
    return replace(opened, label=label, encodings=tuple(located.labelled(label) for located in opened.encodings))


def _is_module(source: Any) -> bool:
    """Whether it is a torch module; torch is not imported to find out."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(source, torch.nn.Module)


def load(source: Any, *, component: str | None = None, revision: str | None = None, offline: bool = False) -> Encoding:
    """Which encoding does the model use?

    Parameters
    ----------
    source : str, Path, torch.nn.Module, array, PositionTable or OffsetKernel
        See :func:`open_source`.
    component : str, optional
        Which one, where there are several.
    revision, offline
        See :func:`open_source`.

    Returns
    -------
    PositionTable or OffsetKernel

    Raises
    ------
    ComponentError
        If there are several and none was named, or the one named is not there.
    SourceError, TableNotFoundError
        See :func:`open_source`.

    Examples
    --------
    >>> load("sinusoidal:64x16").shape
    (64, 16)
    """
    opened = open_source(source, revision=revision, offline=offline)
    chosen = opened.select(component)
    if len(chosen) == 1:
        return chosen[0].read()
    available = _components(opened.encodings)
    if not chosen:
        raise TableNotFoundError(
            f"{opened.label} stores {_listed(available)}, which the model never reads.",
            f"Ask for it by name to see it all the same: component={available[0]}.",
        )
    raise ComponentError(
        f"{opened.label} has {len(chosen)} encodings: {_listed(_components(chosen))}.",
        f"Choose one, as in component={chosen[0].description.component}, or take them all with load_all.",
        available=_components(chosen),
    )


def load_all(source: Any, *, revision: str | None = None, offline: bool = False) -> tuple[Encoding, ...]:
    """Which encodings does the model hold, the unused ones too?

    Raises
    ------
    SourceError, TableNotFoundError
        See :func:`open_source`.
    """
    opened = open_source(source, revision=revision, offline=offline)
    return tuple(located.read() for located in opened.encodings)


def _components(encodings: tuple[Located, ...]) -> tuple[str, ...]:
    return tuple(located.description.component for located in encodings)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else "".join(names)
