"""How many patches does a picture have? From the fields of a vision config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NESTED = ("vision_config", "model_cfg", "vision_cfg")


def grid_from_config(config: Mapping[str, Any]) -> tuple[int, int] | None:
    """Rows and columns of the patches, or None where the config does not say.

    Examples
    --------
    >>> grid_from_config({"image_size": [32, 128], "patch_size": 16})
    (2, 8)
    """
    for name in _NESTED:
        inner = config.get(name)
        if isinstance(inner, Mapping) and (grid := grid_from_config(inner)) is not None:
            return grid
    image, patch = _pair(config.get("image_size")), _pair(config.get("patch_size"))
    if image is None or patch is None or min(patch) < 1:
        return None
    rows, columns = image[0] // patch[0], image[1] // patch[1]
    return (rows, columns) if rows and columns else None


def _pair(size: Any) -> tuple[int, int] | None:
    if isinstance(size, Mapping):
        size = (size.get("height"), size.get("width"))
    sides = size if isinstance(size, (list, tuple)) else (size, size)
    if len(sides) == 2 and all(isinstance(side, int) for side in sides):
        return sides[0], sides[1]
    return None
