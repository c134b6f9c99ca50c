"""JSON that a person can read: objects by the line, lists of numbers on one line."""

from __future__ import annotations

import json
from typing import Any


def render_json(value: Any) -> str:
    """Write strict JSON, ASCII only, ending in a line break.

    Raises
    ------
    ValueError
        If a number is not finite: no report may hold one.

    Examples
    --------
    >>> print(render_json({"a": [1, 2], "b": {"c": None}}), end="")
    {
     "a": [1, 2],
     "b": {
      "c": null
     }
    }
    """
    return _written(value, "") + "\n"


def _written(value: Any, indent: str) -> str:
    inner = indent + " "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{json.dumps(str(key))}: {_written(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        return "[\n" + ",\n".join(inner + _written(item, inner) for item in value) + f"\n{indent}]"
    return json.dumps(value, allow_nan=False)
