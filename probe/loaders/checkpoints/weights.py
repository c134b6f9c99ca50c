"""Which files hold weights, by their names, and what the others are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import PurePosixPath

WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")
"""The usual names, in the order in which they are tried."""

SAFETENSORS, SAFETENSORS_INDEX = "*.safetensors", "*.safetensors.index.json"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt")
ARRAYS = ("*.npy", "*.npz")
_NO_WEIGHTS = ("training_args*", "optimizer*", "scheduler*", "rng_state*", "scaler*", "adapter_*", "*-of-*")


@dataclass(frozen=True)
class Unreadable:
    """Files of a kind that cannot be read.

    Attributes
    ----------
    found : str
        The first of them.
    what : str
        What they are.
    advice : str
        What to do instead; ``{base}`` stands for an adapter's base model.
    """

    found: str
    what: str
    advice: str


_ASK_BASE = "An adapter has no position table: ask for its base model{base}."
_CONVERT = "Convert them to safetensors with transformers 4 ({option}=True), or ask for a repository that has done so."
_ASK_ORIGIN = "Ask for the repository that they were made from."
_UNREADABLE = (  # the first match wins: pattern, what that is, what to do
    ("adapter_model.*", "adapter weights alone", _ASK_BASE),
    ("adapter_config.json", "an adapter", _ASK_BASE),
    ("*.gguf", "GGUF files", _ASK_ORIGIN),
    ("tf_model*.h5", "TensorFlow weights", _CONVERT.replace("{option}", "from_tf")),
    ("*.ckpt.index", "TensorFlow weights", _CONVERT.replace("{option}", "from_tf")),
    ("saved_model.pb", "a TensorFlow graph", _ASK_ORIGIN),
    ("flax_model*.msgpack", "Flax weights", _CONVERT.replace("{option}", "from_flax")),
    ("*.onnx", "ONNX files", _ASK_ORIGIN),
    ("*.distcp", "a sharded FSDP checkpoint", "Merge it first: `accelerate merge-weights FOLDER OUTPUT`."),
    ("*_model_states.pt", "a DeepSpeed checkpoint", "Merge it first: `python zero_to_fp32.py FOLDER OUTPUT`."),
)


def weights_among(names: Sequence[str]) -> list[str]:
    """Which files at the top of a folder hold weights under unusual names? The best readable kind only."""
    top = [name for name in names if "/" not in name and not any(fnmatch(name, pattern) for pattern in _NO_WEIGHTS)]
    for patterns in ((SAFETENSORS,), (SAFETENSORS_INDEX,), PICKLES, ARRAYS):
        if found := [name for name in top if any(fnmatch(name, pattern) for pattern in patterns)]:
            return found
    return []


def unreadable_among(names: Sequence[str]) -> Unreadable | None:
    """Which files are weights that cannot be read?

    Examples
    --------
    >>> unreadable_among(["config.json", "tf_model.h5"]).what
    'TensorFlow weights'
    """
    for pattern, what, advice in _UNREADABLE:
        found = [name for name in names if fnmatch(PurePosixPath(name).name, pattern)]
        if found:
            return Unreadable(found[0], what, advice)
    return None
