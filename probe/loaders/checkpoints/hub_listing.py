"""What a repository without the usual weight files holds instead, and what can be done with that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import PurePosixPath
from typing import Any

from probe.errors import HubError
from probe.loaders.checkpoints.hub_errors import (
    FileAbsentError,
    HubFile,
    absent_repository,
    broken_connection,
    refusal,
    transport_error,
)

SAFETENSORS, SAFETENSORS_INDEX = "*.safetensors", "*.safetensors.index.json"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt")
_NO_WEIGHTS = ("training_args*", "optimizer*", "scheduler*", "rng_state*", "scaler*", "adapter_*", "*-of-*")

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
)


def list_files(file: HubFile) -> list[str]:
    """Which files does the repository hold at the revision?

    Raises
    ------
    HubError
        If the hub does not say.
    """
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import HfHubHTTPError

    try:
        info = HfApi(endpoint=constants.ENDPOINT).model_info(
            file.repository, revision=file.commit or file.revision, timeout=constants.HF_HUB_DOWNLOAD_TIMEOUT
        )
    except HfHubHTTPError as error:
        failure = refusal(file, error.response.status_code, error.response.headers)
        raise (absent_repository(file) if isinstance(failure, FileAbsentError) else failure) from error
    except transport_error() as error:
        raise broken_connection(file, error) from error
    return [sibling.rfilename for sibling in info.siblings or ()]


def weights_among(names: Sequence[str]) -> list[str]:
    """Weight files with unusual names at the top of a repository, the readable kinds, the best kind only."""
    top = [name for name in names if "/" not in name and not any(fnmatch(name, pattern) for pattern in _NO_WEIGHTS)]
    for patterns in ((SAFETENSORS,), (SAFETENSORS_INDEX,), PICKLES):
        if found := [name for name in top if any(fnmatch(name, pattern) for pattern in patterns)]:
            return found
    return []


def explain(file: HubFile, names: Sequence[str], adapter_base: Callable[[], Any]) -> HubError:
    """Why can none of these files be read?"""
    for pattern, what, advice in _UNREADABLE:
        found = [name for name in names if fnmatch(PurePosixPath(name).name, pattern)]
        if found:
            base = adapter_base() if "{base}" in advice else None
            return file.error(
                f"{{repository}} holds no safetensors or PyTorch weights, but {what} ({{found}}).",
                advice,
                found=found[0],
                base=f", {base}" if base else "",
            )
    below = [name for name in names if any(fnmatch(name, pattern) for pattern in (SAFETENSORS, *PICKLES))]
    if below:
        return file.error(
            "{repository} holds its weights in files of unusual names: {below}.",
            "Run `hf download {repository} {first}`, then name the downloaded file.",
            below=", ".join(below[:6]) + (" …" if len(below) > 6 else ""),
            first=below[0],
        )
    return file.error(
        "{repository} holds no model weights: {listed}.",
        "Look at {endpoint}/{repository} for the repository that has them.",
        listed=", ".join(names[:6]) or "it is empty",
    )
