"""Models inside models: which part of a config speaks of which tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from probe.loaders.families import Family, of_type

_PARTS = {
    "text_config": ("text", "language"),
    "vision_config": ("vision", "visual", "image"),
    "audio_config": ("audio", "speech"),
    "qformer_config": ("qformer",),
    "encoder": ("encoder",),
    "decoder": ("decoder",),
    "question_encoder": ("question_encoder",),
    "generator": ("generator",),
}
"""Fields that hold the config of a part, and the words that its tensors' keys begin with."""

_HOW_EARLY = 3
"""The word stands among the first so many parts of the key."""


@dataclass(frozen=True)
class Scope:
    """A family's rows with the config that they read and the keys that they are for."""

    families: tuple[Family, ...]
    config: Mapping[str, Any]
    words: tuple[str, ...] = ()

    def covers(self, key: str) -> bool:
        """Whether a key belongs to this part of the model."""
        parts = key.split(".")[:_HOW_EARLY]
        return not self.words or any(word in part for part in parts for word in self.words)


def model_type(config: Mapping[str, Any]) -> str | None:
    """Which type of model does a config name?

    Examples
    --------
    >>> model_type({"model_cfg": {"vision_cfg": {}}})
    'open_clip'
    """
    named = config.get("model_type")
    if isinstance(named, str):
        return named
    return "open_clip" if "model_cfg" in config else None


def scopes(config: Mapping[str, Any]) -> Iterator[Scope]:
    """Give the families that a config names: the model's own, or else those of its parts."""
    families = of_type(model_type(config) or "")
    if families:
        yield Scope(families, config)
        return
    for field, words in _PARTS.items():
        part = config.get(field)
        if isinstance(part, Mapping) and (inner := of_type(model_type(part) or "")):
            yield Scope(inner, part, words)
