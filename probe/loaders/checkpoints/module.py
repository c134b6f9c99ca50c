"""A live ``torch.nn.Module`` as a checkpoint: parameters and buffers, read where they are."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from probe.errors import TableError
from probe.loaders.checkpoints.base import TensorInfo
from probe.values import to_numpy

if TYPE_CHECKING:
    import torch


def is_module(value: object) -> bool:
    """Whether a value is a torch module; torch is not imported to find out."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


class ModuleCheckpoint:
    """The tensors of a module, non-persistent buffers among them."""

    format = "module"
    revision = None

    def __init__(self, module: torch.nn.Module) -> None:
        self.reference = type(module).__name__
        self._tensors: dict[str, torch.Tensor] = {**dict(module.named_buffers()), **module.state_dict()}
        self.tensors: Mapping[str, TensorInfo] = {
            name: TensorInfo(name, str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape))
            for name, tensor in self._tensors.items()
            if hasattr(tensor, "shape")
        }
        config = getattr(module, "config", None)
        to_dict = getattr(config, "to_dict", None)
        self.config: Mapping[str, Any] = to_dict() if to_dict else (config if isinstance(config, Mapping) else {})
        self.warnings: list[str] = []
        self._bytes = 0

    @property
    def bytes_read(self) -> int:
        """Bytes copied out of the module so far."""
        return self._bytes

    def read(self, name: str) -> npt.NDArray[np.generic]:
        """The values of one tensor.

        Raises
        ------
        TableError
            If it has none, on the meta device.
        """
        tensor = self._tensors[name]
        if tensor.is_meta:
            raise TableError(
                f"{name} of {self.reference} is on the meta device: it has a shape and no values.",
                "Load the model's weights first, or name its checkpoint instead.",
            )
        self._bytes += tensor.numel() * tensor.element_size()
        return to_numpy(tensor)
