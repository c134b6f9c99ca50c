"""Progress on stderr, for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stages() -> Iterator[Callable[[str, str], None]]:
    """Show which source and which stage is under way; gone when it is done."""
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status("starting") as status:
        yield lambda label, stage: status.update(Text(f"{label}: {stage}"))
