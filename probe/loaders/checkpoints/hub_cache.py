"""What of a repository is on this disk: huggingface_hub's cache, read without its network."""

from __future__ import annotations

import difflib
from pathlib import Path, PurePosixPath

from probe.errors import HubError
from probe.loaders.checkpoints.hub_errors import HubFile


class HubCache:
    """The cached snapshots of one repository.

    Parameters
    ----------
    repository : str
        ``org/name``, or a bare name.
    revision : str, optional
        Branch, tag or commit; the default branch if left out.

    Attributes
    ----------
    commit : str or None
        The snapshot that the revision names, or None where the cache does not know.
    """

    def __init__(self, repository: str, revision: str | None = None) -> None:
        from huggingface_hub import constants

        self.root = Path(constants.HF_HUB_CACHE)
        self.repository = repository
        self.revision = revision
        self._folder = self.root / f"models--{repository.replace('/', '--')}"
        self.commit = self._resolve(revision or constants.DEFAULT_REVISION)

    def _resolve(self, revision: str) -> str | None:
        """A branch by its ref, a commit by its snapshot."""
        path = PurePosixPath(revision)
        if path.is_absolute() or ".." in path.parts:
            return None
        ref = self._folder / "refs" / revision
        if ref.is_file():
            return ref.read_text().strip()
        return revision if revision in self.snapshots() else None

    def snapshots(self) -> list[str]:
        """Every commit of which something is cached."""
        folder = self._folder / "snapshots"
        return sorted(entry.name for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []

    def find(self, filename: str, commit: str | None = None) -> Path | None:
        """Where a file of the commit (by default the revision's) lies, or None."""
        found = self._look(filename, commit)
        return Path(found) if isinstance(found, str) else None

    def knows_absent(self, filename: str, commit: str | None = None) -> bool:
        """Whether the hub once said that the commit has no such file."""
        found = self._look(filename, commit)
        return found is not None and not isinstance(found, str)

    def _look(self, filename: str, commit: str | None) -> object:
        from huggingface_hub import try_to_load_from_cache

        commit = commit or self.commit
        return None if commit is None else try_to_load_from_cache(self.repository, filename, revision=commit)

    def filenames(self) -> list[str]:
        """Everything cached of the revision's commit, as paths inside the repository."""
        if self.commit is None:
            return []
        snapshot = self._folder / "snapshots" / self.commit
        return sorted(path.relative_to(snapshot).as_posix() for path in snapshot.rglob("*") if path.is_file())

    def settle(self) -> str | None:
        """Choose a snapshot for an offline read; returns a warning where that took a guess.

        Raises
        ------
        HubError
            If nothing of the repository is cached, or not the revision, or several snapshots are and no
            ref says which is meant.
        """
        if self.commit is not None:
            return None
        snapshots = self.snapshots()
        if not snapshots:
            raise self.missing("model.safetensors")
        if self.revision is not None or len(snapshots) > 1:
            raise self._undecided(snapshots)
        self.commit = snapshots[0]
        return (
            f"The hub's cache does not say which commit of {self.repository} is the current one; "
            f"its only snapshot was read, revision {self.commit}."
        )

    def _undecided(self, snapshots: list[str]) -> HubError:
        file = HubFile(self.repository, "model.safetensors", self.revision)
        return file.error(
            "The hub's cache holds no {wanted} of {repository}; its snapshots are {listed}.",
            "Choose one with --revision {latest}, or fetch the other where the hub can be reached: `{command}`.",
            wanted=f"revision {self.revision}" if self.revision else "current revision",
            listed=", ".join(snapshots),
            latest=snapshots[-1],
        )

    def missing(self, filename: str) -> HubError:
        """The error for a file that is needed offline and not cached."""
        file = HubFile(self.repository, filename, self.revision)
        kin = self.kin()
        hint = "The cache holds {kin}: name it so. Otherwise run" if kin else "Run"
        return file.error(
            "{file} of {repository} is not in the hub's cache, and the network is switched off.",
            f"{hint} `{{command}}` where the hub can be reached, without --offline and HF_HUB_OFFLINE.",
            kin=" and ".join(kin),
        )

    def kin(self) -> list[str]:
        """Cached repositories that may be meant: other capitals, another owner, a slip of the pen."""
        folders = self.root.glob("models--*") if self.root.is_dir() else ()
        cached = sorted(folder.name.removeprefix("models--").replace("--", "/", 1) for folder in folders)
        cached = [name for name in cached if name != self.repository]
        bare = self.repository.rpartition("/")[2].lower()
        same = [name for name in cached if name.rpartition("/")[2].lower() == bare]
        lowered = {name.lower(): name for name in cached}
        return same or [lowered[name] for name in difflib.get_close_matches(self.repository.lower(), lowered, 2, 0.8)]
