"""What a repository without the usual weight files holds instead, and what can be done with that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import fnmatch
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
from probe.loaders.checkpoints.weights import PICKLES, SAFETENSORS, unreadable_among


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


def explain(file: HubFile, names: Sequence[str], adapter_base: Callable[[], Any]) -> HubError:
    """Why can none of these files be read?"""
    unreadable = unreadable_among(names)
    if unreadable is not None:
        base = adapter_base() if "{base}" in unreadable.advice else None
        return file.error(
            f"{{repository}} holds no safetensors or PyTorch weights, but {unreadable.what} ({{found}}).",
            unreadable.advice,
            found=unreadable.found,
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
