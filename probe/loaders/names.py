"""Tensor names: the key behind wrapper prefixes, and what a name alone gives away."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WRAPPERS_IN_FRONT = ("module", "_orig_mod")
_WRAPPERS_ANYWHERE = ("_fsdp_wrapped_module", "_checkpoint_wrapped_module")

_TABLE = re.compile(
    r"(?:^|[._])(?:position_embeddings?|positional_embeddings?|positional_encodings?|position_embd|position_embeds"
    r"|positions_embed|embed_positions|pos_embeddings?|pos_embed|pos_emb|pos_encoding|wpe)(?:\.weight)?$"
)
_NO_TABLE = re.compile(
    r"relative|roformer|rel_pos|rel_embed|rotary|distance|bias|query_position|decoder_pos_embed|class_pos"
    r"|(?:^|[._])(?:[xyhw]|row|col|column|time)_position|no_memory|shared_(?:image_)?embedding"
    r"|integer|scaling_factor"
)
_PARTS = (
    ("vision", re.compile(r"vision|visual|image|pixel")),
    ("audio", re.compile(r"audio|speech")),
    ("text", re.compile(r"text|wpe$|wpe\.")),
    ("decoder", re.compile(r"decoder")),
    ("encoder", re.compile(r"(?:^|\.)encoder")),
)


def key_of(name: str) -> str:
    """Give the name that the model's own code uses, without the prefixes that wrappers put before it.

    Examples
    --------
    >>> key_of("_orig_mod.module.transformer.wpe.weight")
    'transformer.wpe.weight'
    """
    parts = [part for part in name.replace("/", ".").split(".") if part not in _WRAPPERS_ANYWHERE]
    while len(parts) > 1 and parts[0] in _WRAPPERS_IN_FRONT:
        parts = parts[1:]
    return ".".join(parts)


def ends_with(key: str, suffix: str) -> bool:
    """Whether a key is this name, or ends in it at a dot."""
    return key == suffix or key.endswith(f".{suffix}")


def looks_like_table(key: str, shape: Sequence[int]) -> bool:
    """Whether a tensor is a position table, going by its name and shape alone.

    Examples
    --------
    >>> looks_like_table("encoder.pos_embedding.weight", (210, 128))
    True
    >>> looks_like_table("layer.0.relative_position_embedding.weight", (32, 12))
    False
    """
    sides = shape[1:] if len(shape) == 3 and shape[0] == 1 else shape
    return len(sides) == 2 and bool(_TABLE.search(key)) and not _NO_TABLE.search(key)


def part_of(key: str, otherwise: str = "model") -> str:
    """Guess which part of a model a tensor belongs to: ``text``, ``vision``, ``encoder`` …"""
    return next((part for part, pattern in _PARTS if pattern.search(key)), otherwise)


def distinct_parts(keys: Sequence[str]) -> list[str]:
    """Name each key by the dotted part in which it first differs from all others.

    Examples
    --------
    >>> distinct_parts(["question_model.embeddings.weight", "ctx_model.embeddings.weight"])
    ['question_model', 'ctx_model']
    """
    split = [key.split(".") for key in keys]
    for place in range(min(len(parts) for parts in split)):
        column = [parts[place] for parts in split]
        if len(set(column)) == len(keys):
            return column
    return list(keys)
