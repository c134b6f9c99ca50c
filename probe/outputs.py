"""Files that are written: whole or not at all, and never over what is being read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from probe.errors import ProbeError


def keep_sources(targets: Iterable[Path], sources: Iterable[str]) -> None:
    """Refuse to write over a file that a source is, or that lies in a source's folder.

    Raises
    ------
    ProbeError
        Naming the file and the source that it belongs to.
    """
    folders = [(source, Path(source).expanduser()) for source in sources]
    for target in (target for target in targets if target.exists()):
        for source, path in folders:
            if path.exists() and (path.samefile(target) or path.resolve() in target.resolve().parents):
                raise ProbeError(
                    f"Writing {target} would overwrite a file of the source {source}.",
                    "Give the output another name, or write it to another folder.",
                )


@contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """Give a path to write to; what is there takes the place of the target only once it is complete."""
    scratch = target.with_name(f".{target.stem[:80]}.{os.getpid()}.part{target.suffix}")
    try:
        yield scratch
        # Through a link, the file that it points to is replaced, and the link stays.
        scratch.replace(target.resolve() if target.is_symlink() else target)
    finally:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)
