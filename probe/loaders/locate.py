"""Which position encodings does a checkpoint hold? Families by their rows, unknown models by names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from probe.errors import FormatError, ProbeError, TableNotFoundError
from probe.loaders.checkpoints.base import Checkpoint
from probe.loaders.computed import computed_encodings
from probe.loaders.describe import Found, describe
from probe.loaders.families import FAMILIES, OTHER_SCHEMES, Family, of_type
from probe.loaders.located import Located
from probe.loaders.names import distinct_parts, ends_with, key_of, looks_like_table, part_of
from probe.loaders.scopes import Scope, model_type, scopes

_FLAT = ("_flat_param", "flat_param")
_ROUND = 64
"""Numbers of positions are multiples of this, as a rule."""


def locate(checkpoint: Checkpoint, label: str) -> tuple[Located, ...]:
    """Find every position encoding of a checkpoint; those in use first.

    Raises
    ------
    TableNotFoundError
        If there is none that can be recognised.
    FormatError
        If the tensor is there and its values are not (a ZeRO-3 shell, flattened parameters).
    """
    keys = {name: key_of(name) for name in checkpoint.tensors}
    kind = model_type(checkpoint.config)
    found = _by_config(checkpoint, keys)
    if not found and kind is None:
        found = _by_root(checkpoint, keys, kind)
    elif kind is not None and not of_type(kind) and kind not in OTHER_SCHEMES:
        found += _by_root(checkpoint, _without(keys, found), kind)
        found += _by_name(checkpoint, _without(keys, found))
    located = [describe(checkpoint, label, item) for item in _unique(found)]
    if not located:
        located = list(computed_encodings(checkpoint, label, keys))
    if not located and kind not in OTHER_SCHEMES:
        located = [describe(checkpoint, label, item) for item in _unique(_by_name(checkpoint, keys))]
    if not located:
        raise _nothing(checkpoint, label, keys)
    return tuple(sorted(located, key=lambda one: one.description.unused))


def _without(keys: Mapping[str, str], found: list[Found]) -> dict[str, str]:
    """Leave out the tensors that have been recognised."""
    taken = {item.tensor for item in found}
    return {name: key for name, key in keys.items() if name not in taken}


def _by_config(checkpoint: Checkpoint, keys: Mapping[str, str]) -> list[Found]:
    """Find the tables of the model types that the config names."""
    return [item for scope in scopes(checkpoint.config) for item in _in_scope(scope, keys)]


def _in_scope(scope: Scope, keys: Mapping[str, str]) -> Iterable[Found]:
    for name, key in keys.items():
        family = _closest(scope.families, key) if scope.covers(key) else None
        if family is not None:
            yield Found(name, key, family.component, family, scope.config)


def _closest(families: Iterable[Family], key: str) -> Family | None:
    """Find the row whose tensor name a key ends in; the longest name, where one ends in another."""
    matching = [family for family in families if ends_with(key, family.tensor)]
    return max(matching, key=lambda family: len(family.tensor), default=None)


def _by_root(checkpoint: Checkpoint, keys: Mapping[str, str], kind: str | None) -> list[Found]:
    """Find tables whose whole name gives the family away, where the config does not say it."""
    found: dict[str, Found] = {}
    for family in FAMILIES:
        if family.root is None:
            continue
        whole = f"{family.root}.{family.tensor}"
        guess = kind and (
            f"The model type {kind} is not known: that it numbers its positions like {family.model_type} is a guess."
        )
        for name, key in keys.items():
            if name not in found and ends_with(key, whole):
                found[name] = Found(name, key, family.component, family, checkpoint.config, guess)
    return list(found.values())


def _by_name(checkpoint: Checkpoint, keys: Mapping[str, str]) -> list[Found]:
    """Find what looks like a table in a model that is not known."""
    if checkpoint.format == "numpy":
        return _arrays(checkpoint)
    likely = [(name, key) for name, key in keys.items() if looks_like_table(key, (0, 0))]
    whole = part_of(model_type(checkpoint.config) or "")
    return [
        Found(name, key, part_of(key, whole), None, checkpoint.config, _guess(key, checkpoint.tensors[name].shape[-2]))
        for name, key in likely
        if looks_like_table(key, checkpoint.tensors[name].shape)
    ] + [
        Found(name, key, part_of(key), None, checkpoint.config)  # an empty shell, which describe() refuses in words
        for name, key in likely
        if 0 in checkpoint.tensors[name].shape and len(checkpoint.tensors[name].shape) < 2
    ]


def _guess(key: str, rows: int) -> str:
    """Say what is guessed of a table that only its name spoke for."""
    said = f"{key} was taken for a position table by its name: a guess. Position 0 was taken to be in row 0; "
    if rows > 2 and (rows - 2) % _ROUND == 0:
        return said + f"but {rows} rows are two more than {rows - 2}, so that the first two may be reserved."
    return said + "some models keep reserved rows before it."


def _arrays(checkpoint: Checkpoint) -> list[Found]:
    """Take every table of a NumPy file, which holds nothing else."""
    flat = [name for name, info in checkpoint.tensors.items() if len(info.shape) == 2]
    return [Found(name, name, name, None, {}) for name in flat]


def _unique(found: list[Found]) -> list[Found]:
    """Give tables of one component names that tell them apart."""
    by_component: dict[str, list[Found]] = {}
    for item in found:
        by_component.setdefault(item.component, []).append(item)
    named = []
    for component, items in by_component.items():
        parts = [component] if len(items) == 1 else distinct_parts([item.key for item in items])
        named += [replace(item, component=part) for item, part in zip(items, parts, strict=True)]
    if len({item.component for item in named}) < len(named):
        return [replace(item, component=item.tensor) for item in named]
    return named


def _nothing(checkpoint: Checkpoint, label: str, keys: Mapping[str, str]) -> ProbeError:
    """Make the error for a checkpoint without a table."""
    flat = next((key for key in keys.values() if key.endswith(_FLAT)), None)
    if flat is not None:
        return FormatError(
            f"{label} holds flattened parameters of FSDP ({flat}): its tensors have no names of their own.",
            "Gather it with a full state dict (FULL_STATE_DICT) when saving, and name that file.",
        )
    kind = model_type(checkpoint.config)
    if kind is not None and kind in OTHER_SCHEMES:
        words = OTHER_SCHEMES[kind].replace("_", " ")
        return TableNotFoundError(
            f"{label} is a {kind} model: it adds no position table to its inputs (its positions: {words}).",
            "Tables of positions are read; rotary, relative and convolutional encodings are not yet.",
        )
    near = [key for key in keys.values() if "pos" in key.lower()][:6]
    listed = f" Names that mention positions: {', '.join(near)}." if near else ""
    return TableNotFoundError(
        f"{label} holds no position table that probe can recognise"
        + (f" (model type {kind}, {len(keys)} tensors)." if kind else f" ({len(keys)} tensors).")
        + listed,
        "Its positions may be rotary, relative or computed, which are not read yet; or the file holds only a part of "
        "the model.",
    )
