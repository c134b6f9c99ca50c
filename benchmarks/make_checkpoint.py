"""Make a checkpoint the size of BERT-base: the published names and shapes, random weights, 440 MB of safetensors."""

from __future__ import annotations

import sys
from pathlib import Path


def make(folder: Path, **sizes: int) -> Path:
    """Write the model to a folder, unless it is there already.

    Parameters
    ----------
    folder : Path
        Where it goes; the weights move in last, so a folder that was left half-written is written again.
    **sizes
        Fields of ``BertConfig`` to change, for a smaller model.
    """
    weights = folder / "model.safetensors"
    if weights.exists():
        return folder
    import torch
    from transformers import BertConfig, BertForPreTraining

    torch.manual_seed(0)
    half_written = folder.with_name(f"{folder.name}.partial")
    BertForPreTraining(BertConfig(**sizes)).save_pretrained(half_written)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", weights.name):
        (half_written / name).replace(folder / name)
    half_written.rmdir()
    return folder


if __name__ == "__main__":
    make(Path(sys.argv[1]))
