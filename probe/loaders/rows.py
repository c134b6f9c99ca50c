"""Which stored row is position 0, and how many rows there should be: a family's rules with a config's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from probe.loaders.families import Family


def offset_of(family: Family, config: Mapping[str, Any], rows: int | None) -> tuple[int, str | None]:
    """Which stored row is position 0?

    Parameters
    ----------
    family : Family
    config : mapping
        Its ``pad_token_id`` counts where the rule is ``"pad+1"``.
    rows : int or None
        How many rows are stored, if any.

    Returns
    -------
    int, str or None
        The row, and a warning where the config's padding id cannot be true.
    """
    if family.rule != "pad+1":
        return family.rule, None
    pad = config.get("pad_token_id")
    if pad is None:
        return family.pad + 1, None
    if isinstance(pad, int) and not isinstance(pad, bool) and pad >= 0 and (rows is None or pad + 1 < rows):
        return pad + 1, None
    usual = f"{family.model_type}'s usual {family.pad}"
    return family.pad + 1, f"The config's pad_token_id = {pad!r} is no row of the table: {usual} was taken."


def length_in(config: Mapping[str, Any], family: Family) -> tuple[str, int] | None:
    """Which config field says how many rows there are, and how many (without the spare ones)?"""
    for path in family.lengths:
        value: Any = config
        for part in path.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if isinstance(value, int) and not isinstance(value, bool):
            return path, value
    return None
