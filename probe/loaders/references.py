"""Tables that need no file: the sin/cos formula, and random rows to hold against."""

from __future__ import annotations

import difflib
import re
from urllib.parse import parse_qsl

import numpy as np

from probe.encodings import Description, PositionTable, Provenance
from probe.errors import SourceError
from probe.sinusoids import VASWANI, sinusoidal

_EXAMPLES = {"sinusoidal": "sinusoidal:512x768", "random": "random:512x768?seed=0"}
_SPELLING = re.compile(r"(?P<rows>\d+)[x×](?P<columns>\d+)(?:\?(?P<query>.*))?", re.IGNORECASE)
_LARGEST = 2**28
"""Values; a slip of the pen should not fill the memory."""

RANDOM_SCALE = 0.02
"""Standard deviation of ``random:`` tables: what BERT and GPT-2 start from."""


def is_reference(name: str) -> bool:
    """Whether a source is spelled like a reference: ``sinusoidal:…`` or ``random:…``.

    Examples
    --------
    >>> is_reference("sinusoidal:4x8"), is_reference("gpt2")
    (True, False)
    """
    kind, colon, _ = name.partition(":")
    return bool(colon) and (kind in _EXAMPLES or bool(difflib.get_close_matches(kind, _EXAMPLES, 1, 0.75)))


def build(name: str, label: str | None = None) -> PositionTable:
    """Make the table that a reference names; its label is the name unless another is given.

    Raises
    ------
    SourceError
        If the spelling is not ``sinusoidal:NxD`` or ``random:NxD?seed=S``.

    Examples
    --------
    >>> build("random:8x4?seed=1").shape
    (8, 4)
    """
    kind, _, rest = name.partition(":")
    if kind not in _EXAMPLES:
        meant = difflib.get_close_matches(kind, _EXAMPLES, 1, 0.75)[0]
        raise SourceError(f"{name}: there is no reference called {kind}.", f"Did you mean {meant}:{rest}?")
    spelled = _SPELLING.fullmatch(rest.strip())
    if spelled is None:
        raise SourceError(
            f"{name} does not say how many positions and dimensions the table has.",
            f"Write both, as in {_EXAMPLES[kind]}.",
        )
    rows, columns = int(spelled["rows"]), int(spelled["columns"])
    if rows < 1 or columns < 2 or rows * columns > _LARGEST:
        raise SourceError(
            f"{name}: a table of {rows:,} × {columns:,} cannot be made.",
            f"It takes one position and two dimensions at least, and {_LARGEST:,} values at most.",
        )
    seed = _seed(name, kind, spelled["query"])
    if kind == "sinusoidal":
        table = _table(name, "sinusoidal", sinusoidal(rows, columns), VASWANI.to_dict())
    else:
        values = np.random.default_rng(seed).normal(0.0, RANDOM_SCALE, (rows, columns))
        table = _table(name, "none", values, {"seed": seed, "scale": RANDOM_SCALE})
    return table if label is None else table.labelled(label)


def _seed(name: str, kind: str, query: str | None) -> int:
    options = dict(parse_qsl(query or "", keep_blank_values=True))
    seed = options.pop("seed", "0") if kind == "random" else "0"
    if options or not seed.isdecimal():
        what = f"the option {next(iter(options))}" if options else f"the seed {seed or '(empty)'}"
        raise SourceError(
            f"{name}: {what} means nothing here.",
            f"Write {_EXAMPLES[kind]}" + ("; the seed is a whole number." if kind == "random" else "."),
        )
    return int(seed)


def _table(name: str, scheme: str, values: np.ndarray, parameters: dict[str, str | float | int]) -> PositionTable:
    provenance = Provenance(reference=name, label=name, component="table", format="reference")
    description = Description(
        component="table",
        scheme=scheme,
        provenance=provenance,
        shape=values.shape,
        dtype=str(values.dtype),
        stored=False,
        parameters=parameters,
    )
    return PositionTable(description=description, array=values)
