"""A repository of the Hugging Face Hub as a checkpoint: the header and single tensors, not the files."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

from probe.errors import HubError, SourceError
from probe.loaders.checkpoints.base import Checkpoint
from probe.loaders.checkpoints.hub_errors import FileAbsentError, HubFile, UnreachableError
from probe.loaders.checkpoints.hub_files import HubFiles
from probe.loaders.checkpoints.hub_listing import explain, list_files
from probe.loaders.checkpoints.magic import TORCH, ImpostorError
from probe.loaders.checkpoints.opened import Container, OpenedCheckpoint
from probe.loaders.checkpoints.shards import AbsentShardError, ShardedContainer
from probe.loaders.checkpoints.sniffed import open_sniffed
from probe.loaders.checkpoints.weights import WEIGHTS, weights_among

CONFIG = "config.json"


def open_hub(repository: str, *, revision: str | None = None, offline: bool = False) -> Checkpoint:
    """Which tensors does a repository of the hub hold?

    Parameters
    ----------
    repository : str
        ``org/name``, or a bare name.
    revision : str, optional
        Branch, tag or commit; the default branch if left out.
    offline : bool
        Read the hub's cache alone; HF_HUB_OFFLINE=1 does the same.

    Raises
    ------
    SourceError
        If the name cannot be one of the hub's.
    HubError
        If the hub refuses or cannot be reached, or if the cache lacks a file offline.
    FormatError
        If a file is not what its name says.

    Notes
    -----
    Of a safetensors file, only the header and the tensors that are read move; a PyTorch file is
    downloaded whole into the hub's cache. Weights that the cache holds at the revision are read there,
    without asking the hub whether the branch has moved since.
    """
    from huggingface_hub import constants
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(repository)
    except HFValidationError as error:
        raise SourceError(
            f"{repository} is no folder or file here, and no name that the hub could have.",
            "Name a folder, a weights file, or a repository as ORG/NAME.",
        ) from error
    if offline or constants.HF_HUB_OFFLINE:
        return _open(HubFiles(repository, revision, offline=True))
    try:
        return _open(HubFiles(repository, revision))
    except UnreachableError as failure:
        return _open_without_hub(repository, revision, failure)


def _open_without_hub(repository: str, revision: str | None, failure: UnreachableError) -> Checkpoint:
    """The cache where the hub does not answer; the first failure stands if it does not hold enough."""
    try:
        checkpoint = _open(HubFiles(repository, revision, offline=True))
    except HubError:
        raise failure from failure.__cause__
    checkpoint.warnings.append(f"{failure.message} It was read from the hub's cache instead.")
    return checkpoint


def _open(files: HubFiles) -> Checkpoint:
    container = _find_container(files)
    return OpenedCheckpoint(
        reference=files.repository,
        config=_config(files),
        revision=files.commit,
        files=files,
        container=container,
    )


def _find_container(files: HubFiles) -> Container:
    """The weights: those in the cache, else those of the usual names, else what the listing shows."""
    for filename in WEIGHTS:
        if _is_cached(files, filename):
            return _open_container(files, filename)
    for filename in () if files.offline else WEIGHTS:
        try:
            return _open_container(files, filename)
        except FileAbsentError:
            continue
    return _find_unusual(files)


def _is_cached(files: HubFiles, filename: str) -> bool:
    """Whether the cache holds weights of that name; an index without any of its files does not count online."""
    if fnmatch(filename, "*.index.json") and not files.offline:
        shards = filename.removesuffix(".index.json").replace(".", "-*-of-*.")
        if not any(fnmatch(name, shards) for name in files.cache.filenames()):
            return False
    return files.cached(filename) is not None


def _find_unusual(files: HubFiles) -> Container:
    """Weights under another name, if just one file can be meant."""
    file = HubFile(files.repository, WEIGHTS[0], files.revision, files.commit)
    names = files.cache.filenames() if files.offline else list_files(file)
    candidates = weights_among(names)
    if len(candidates) == 1:
        return _open_container(files, candidates[0])
    if files.offline:
        unknown = (name for name in WEIGHTS if not files.cache.knows_absent(name))
        raise files.cache.missing(next(unknown, WEIGHTS[0]))
    raise explain(file, names, lambda: _adapter_base(files))


def _adapter_base(files: HubFiles) -> str | None:
    """The model that an adapter belongs to, as its config says."""
    try:
        base = files.json("adapter_config.json").get("base_model_name_or_path")
    except SourceError:
        return None
    return base if isinstance(base, str) else None


def _open_container(files: HubFiles, filename: str) -> Container:
    """Open an index by its name, and a weights file by what its first bytes say."""
    if fnmatch(filename, "*.index.json"):
        return ShardedContainer(files, filename, lambda shard: _open_shard(files, shard))
    if fnmatch(filename, "*.safetensors"):
        from probe.loaders.checkpoints.safetensors import SafetensorsFile

        try:
            return SafetensorsFile(files.reader(filename))
        except ImpostorError as impostor:
            if impostor.kind.name not in TORCH:
                raise
    return open_sniffed(files.path(filename), filename, files.warnings)


def _open_shard(files: HubFiles, filename: str) -> Container:
    try:
        return _open_container(files, filename)
    except FileAbsentError as error:
        raise AbsentShardError(filename) from error


def _config(files: HubFiles) -> dict[str, Any]:
    """The model's config, or an empty one with a warning unless the repository has none."""
    try:
        return files.json(CONFIG)
    except FileAbsentError:
        return {}
    except HubError as error:
        files.warnings.append(f"The config is missing: {error.message}")
        return {}
