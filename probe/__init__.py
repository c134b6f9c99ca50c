"""probe looks inside the positional embeddings of pretrained models."""

from __future__ import annotations

__version__ = "0.1.0"
