"""Which position encodings does a checkpoint hold? Families by their rows, unknown models by names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from probe.encodings import Description, Encoding, PositionTable, Provenance
from probe.errors import FormatError, TableNotFoundError
from probe.loaders.checkpoints.base import Checkpoint, TensorInfo
from probe.loaders.families import FAMILIES, Family, of_type
from probe.loaders.names import distinct_parts, ends_with, key_of, looks_like_table, part_of
from probe.loaders.scales import rescaled, scale_warning
from probe.sinusoids import Convention, sinusoidal

_FLAT = ("_flat_param", "flat_param")
_FAIRSEQ_MARK = "embed_positions._float_tensor"
_FAIRSEQ_LENGTH = 1024


@dataclass(frozen=True)
class Found:
    """A tensor that holds a position table, and the family that says how to read it (None for a guess)."""

    tensor: str
    key: str
    family: Family | None
    component: str


@dataclass(frozen=True, eq=False)
class Located:
    """An encoding that has been found and not yet read.

    Attributes
    ----------
    description : Description
        All that is known without reading values.
    checkpoint : Checkpoint
        Where it is.
    """

    description: Description
    checkpoint: Checkpoint | None
    table: Encoding | None = None

    def read(self) -> Encoding:
        """The encoding with its values: position 0 in row 0.

        Raises
        ------
        FormatError
            If the values cannot be read.
        """
        if self.table is not None:
            return self.table
        if self.checkpoint is None or self.description.provenance.tensor is None:
            return PositionTable(description=self.description, array=_computed(self.description))
        values = rescaled(self.checkpoint, self.description.provenance.tensor)
        return PositionTable(description=self.description, array=_rows(values, self.description.row_offset))


def _rows(values: npt.NDArray[Any], offset: int) -> npt.NDArray[Any]:
    return values.reshape(values.shape[-2:])[offset:]


def _computed(description: Description) -> npt.NDArray[np.float64]:
    positions, dimensions = description.shape or (0, 0)
    wanted = {name: description.parameters[name] for name in ("layout", "divisor", "base", "offset")}
    return sinusoidal(positions, dimensions, Convention(**wanted))


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
    found = _by_family(checkpoint, keys) or _by_root(checkpoint, keys) or _by_name(checkpoint, keys)
    located = [_described(checkpoint, label, item) for item in _unique(found)]
    if not located:
        located = _computed_encodings(checkpoint, label, keys)
    if not located:
        raise _nothing(checkpoint, label, keys)
    return tuple(sorted(located, key=lambda one: one.description.unused))


def _by_family(checkpoint: Checkpoint, keys: Mapping[str, str]) -> list[Found]:
    """Find the tables that the config's model type has."""
    model_type = checkpoint.config.get("model_type")
    return _matches(checkpoint, keys, of_type(model_type)) if isinstance(model_type, str) else []


def _by_root(checkpoint: Checkpoint, keys: Mapping[str, str]) -> list[Found]:
    """Find tables whose whole name gives the family away, where the config does not say it."""
    found: dict[str, Found] = {}
    for family in FAMILIES:
        if family.root is None or "model_type" in checkpoint.config:
            continue
        whole = f"{family.root}.{family.tensor}"
        for name, key in keys.items():
            if ends_with(key, whole) and name not in found:
                found[name] = Found(name, key, family, family.component)
    return list(found.values())


def _matches(checkpoint: Checkpoint, keys: Mapping[str, str], families: Iterable[Family]) -> list[Found]:
    found = []
    for family in families:
        if family.formula is not None:
            continue
        found += [
            Found(name, key, family, family.component) for name, key in keys.items() if ends_with(key, family.tensor)
        ]
    return found


def _by_name(checkpoint: Checkpoint, keys: Mapping[str, str]) -> list[Found]:
    """Find what looks like a table in a model that is not known."""
    return [
        Found(name, key, None, part_of(key))
        for name, key in keys.items()
        if looks_like_table(key, (0, 0)) and looks_like_table(key, checkpoint.tensors[name].shape)
    ] + _arrays(checkpoint)


def _arrays(checkpoint: Checkpoint) -> list[Found]:
    """Take every array of a NumPy file, which holds nothing else."""
    if checkpoint.format != "numpy":
        return []
    flat = [name for name, info in checkpoint.tensors.items() if len(info.shape) == 2]
    return [Found(name, name, None, name) for name in flat if not looks_like_table(name, (0, 0))]


def _unique(found: list[Found]) -> list[Found]:
    """Give tables of one component names that tell them apart."""
    by_component: dict[str, list[Found]] = {}
    for item in found:
        by_component.setdefault(item.component, []).append(item)
    named = []
    for component, items in by_component.items():
        parts = [component] if len(items) == 1 else distinct_parts([item.key for item in items])
        named += [replace(item, component=part) for item, part in zip(items, parts, strict=True)]
    return named


def _described(checkpoint: Checkpoint, label: str, found: Found) -> Located:
    info = checkpoint.tensors[found.tensor]
    if 0 in info.shape or len(info.shape) < 2:
        raise _hollow(label, found, info)
    rows, width = info.shape[-2:]
    offset = _offset(found.family, checkpoint.config)
    prefix, grid = _grid(found, info, checkpoint)
    unused = str(checkpoint.config.get("position_embedding_type") or "absolute") != "absolute"
    provenance = Provenance(
        reference=checkpoint.reference,
        label=label,
        component=found.component,
        format=checkpoint.format,
        revision=checkpoint.revision,
        file=info.file,
        tensor=found.tensor,
        key=found.key,
    )
    description = Description(
        component=found.component,
        scheme=found.family.scheme if found.family else "learned_absolute",
        provenance=provenance,
        shape=(max(rows - offset, 0), width),
        stored_shape=(rows, width),
        row_offset=offset,
        prefix_tokens=prefix,
        grid=grid,
        dtype=info.dtype,
        unused=unused,
        warnings=tuple(_warnings(checkpoint, found, info, unused)),
    )
    return Located(description, checkpoint)


def _offset(family: Family | None, config: Mapping[str, Any]) -> int:
    if family is None:
        return 0
    if family.rule != "pad+1":
        return family.rule
    pad = config.get("pad_token_id", family.pad)
    return int(pad if pad is not None else family.pad or 0) + 1


def _grid(found: Found, info: TensorInfo, checkpoint: Checkpoint) -> tuple[int, tuple[int, int] | None]:
    """Tell class rows from patches: by the config's picture size, else by what makes a square."""
    from probe.loaders.pictures import grid_from_config

    if found.family is not None and not found.family.image:
        return 0, None
    if found.family is None and found.component != "vision" and len(info.shape) != 3:
        return 0, None
    rows = info.shape[-2]
    known = None if found.family is None else found.family.prefix_tokens
    grid = grid_from_config(checkpoint.config)
    if grid is not None and rows >= math.prod(grid):
        return rows - math.prod(grid), grid
    for prefix in (known,) if known is not None else (0, 1, 2):
        side = math.isqrt(max(rows - prefix, 0))
        if side > 1 and side * side == rows - prefix:
            return prefix, (side, side)
    return known or 0, None


def _warnings(checkpoint: Checkpoint, found: Found, info: TensorInfo, unused: bool) -> Iterable[str]:
    if found.family is None and checkpoint.format != "numpy":
        yield (
            f"{found.key} was taken for a position table by its name: a guess. Position 0 was taken to be in row 0; "
            "some models keep reserved rows before it."
        )
    if unused:
        kind = checkpoint.config["position_embedding_type"]
        yield f"{found.key} is stored and not used: the config's position_embedding_type is {kind}."
    if scale := scale_warning(checkpoint, found.tensor):
        yield scale
    if disagreement := _disagreement(checkpoint.config, found, info):
        yield disagreement
    yield from _index_warnings(checkpoint, found)


def _disagreement(config: Mapping[str, Any], found: Found, info: TensorInfo) -> str | None:
    family = found.family
    if family is None:
        return None
    for path in family.lengths:
        value: Any = config
        for part in path.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if isinstance(value, int):
            rows = info.shape[-2]
            if rows == value + family.spare:
                return None
            return (
                f"The config's {path} = {value} asks for {value + family.spare} rows, the table has {rows}: "
                "the table is believed."
            )
    return None


def _index_warnings(checkpoint: Checkpoint, found: Found) -> Iterable[str]:
    """Warn of an index buffer that was saved as floats, beside the table."""
    before = found.tensor.rpartition("position_embedding")[0]
    name = f"{before}position_ids"
    if before and name in checkpoint.tensors and checkpoint.tensors[name].dtype.startswith(("float", "bfloat")):
        dtype = checkpoint.tensors[name].dtype
        yield f"{name} is stored as {dtype}, not as whole numbers, as merging tools do; the table is not touched."


def _computed_encodings(checkpoint: Checkpoint, label: str, keys: Mapping[str, str]) -> list[Located]:
    """Find tables that the model computes and does not store."""
    model_type = checkpoint.config.get("model_type")
    families = [family for family in of_type(model_type) if family.formula] if isinstance(model_type, str) else []
    width = checkpoint.config.get("d_model")
    length = checkpoint.config.get("max_position_embeddings")
    if not families:
        marked = [key for key in keys.values() if key.endswith(_FAIRSEQ_MARK)]
        families = [family for family in of_type("m2m_100") if any(key.startswith(family.component) for key in marked)]
        width = next((info.shape[-1] for name, info in checkpoint.tensors.items() if "embed_tokens" in name), None)
        length = _FAIRSEQ_LENGTH
    if not isinstance(width, int) or not isinstance(length, int):
        return []
    why = "not stored: it is a fixed sinusoid, computed from the formula"
    why += "" if model_type else f"; its length is not in the file, and fairseq's usual {_FAIRSEQ_LENGTH:,} was assumed"
    return [_computed_encoding(checkpoint, label, family, (length, width), why) for family in families]


def _computed_encoding(checkpoint: Checkpoint, label: str, family: Family, shape: tuple[int, int], why: str) -> Located:
    offset = int(family.rule)
    formula = family.formula
    parameters = {**formula.to_dict(), "offset": offset} if formula else {}
    provenance = Provenance(
        reference=checkpoint.reference,
        label=label,
        component=family.component,
        format=checkpoint.format,
        revision=checkpoint.revision,
    )
    description = Description(
        component=family.component,
        scheme="sinusoidal",
        provenance=provenance,
        shape=shape,
        row_offset=offset,
        stored=False,
        parameters=parameters,
        warnings=(f"The table of the {family.component} is {why}.",),
    )
    return Located(description, None)


def _hollow(label: str, found: Found, info: TensorInfo) -> FormatError:
    return FormatError(
        f"{found.key} of {label} is an empty shell of shape {info.shape}: its values were partitioned over several "
        "processes when it was saved (DeepSpeed ZeRO-3).",
        "Run `python zero_to_fp32.py` in the checkpoint's folder, then name the file that it writes.",
    )


def _nothing(checkpoint: Checkpoint, label: str, keys: Mapping[str, str]) -> Exception:
    flat = next((key for key in keys.values() if key.endswith(_FLAT)), None)
    if flat is not None:
        return FormatError(
            f"{label} holds flattened parameters of FSDP ({flat}): its tensors have no names of their own.",
            "Gather it with a full state dict (FULL_STATE_DICT) when saving, and name that file.",
        )
    kind = checkpoint.config.get("model_type")
    near = [key for key in keys.values() if "pos" in key.lower()][:6]
    listed = f" Names that mention positions: {', '.join(near)}." if near else ""
    return TableNotFoundError(
        f"{label} holds no position table that probe can recognise"
        + (f" (model type {kind}, {len(keys)} tensors)." if kind else f" ({len(keys)} tensors).")
        + listed,
        "Its positions may be rotary, relative or computed, which are not read yet; or the file holds only a part of "
        "the model.",
    )
