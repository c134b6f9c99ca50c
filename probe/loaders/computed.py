"""Tables that no tensor holds: the model computes them, and so does this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from probe.encodings import Description, Provenance
from probe.loaders.checkpoints.base import Checkpoint
from probe.loaders.families import Family, of_type
from probe.loaders.located import Located
from probe.loaders.rows import length_in, offset_of
from probe.loaders.scopes import scopes
from probe.sinusoids import Convention, sinusoidal

_WIDTHS = ("d_model", "hidden_size", "n_embd")
_FAIRSEQ_MARK = "embed_positions._float_tensor"
_FAIRSEQ_LENGTH = 1024


def computed_encodings(checkpoint: Checkpoint, label: str, keys: Mapping[str, str]) -> Iterator[Located]:
    """Which tables does the model compute by a formula?

    The config gives their size. fairseq's own checkpoints have none: there a marker tensor tells that a
    sinusoid was used, and the usual length is assumed.
    """
    for scope in scopes(checkpoint.config):
        width = next((scope.config[name] for name in _WIDTHS if _is_count(scope.config.get(name))), None)
        for family in scope.families:
            length = length_in(scope.config, family)
            if family.formula is not None and width is not None and length is not None and _is_count(length[1]):
                offset, _ = offset_of(family, scope.config, None)
                yield _encoding(checkpoint, label, family, (length[1], width), offset)
    yield from _fairseq(checkpoint, label, keys)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 < value < 2**24


def _fairseq(checkpoint: Checkpoint, label: str, keys: Mapping[str, str]) -> Iterator[Located]:
    marked = [key for key in keys.values() if key.endswith(_FAIRSEQ_MARK)]
    words = [name for name, key in keys.items() if key.endswith("embed_tokens.weight")]
    if not marked or not words:
        return
    width = checkpoint.tensors[words[0]].shape[-1]
    assumed = f"its length is not in the file, and {_FAIRSEQ_LENGTH:,} positions and padding id 1 were assumed"
    for family in of_type("m2m_100"):
        if any(family.component in key.split(".") for key in marked):
            yield _encoding(checkpoint, label, family, (_FAIRSEQ_LENGTH, width), family.pad + 1, (assumed,))


def _encoding(
    checkpoint: Checkpoint,
    label: str,
    family: Family,
    shape: tuple[int, int],
    offset: int,
    remarks: Iterable[str] = (),
) -> Located:
    formula = replace(family.formula or Convention(), offset=offset)
    provenance = Provenance(
        reference=checkpoint.reference,
        label=label,
        component=family.component,
        format=checkpoint.format,
        revision=checkpoint.revision,
    )
    said = f"The table of the {family.component} is not stored: it is a fixed sinusoid, computed from its formula"
    description = Description(
        component=family.component,
        scheme="sinusoidal",
        provenance=provenance,
        shape=shape,
        row_offset=offset,
        stored=False,
        parameters=formula.to_dict(),
        warnings=("; ".join((said, *remarks)) + ".",),
    )
    return Located(description, lambda: sinusoidal(*shape, formula))
