"""What a report is called, and what it compares, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from probe.analyzers.nulls import describe

if TYPE_CHECKING:
    from probe.report.model import AnalysedTable, Report

_NAMED = 3
_AGAINST = "Each number stands beside what tables that hold no position would give."
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def spelled(count: int) -> str:
    """Write a number as running text does: in words up to twelve."""
    return _NUMBERS[count] if count < len(_NUMBERS) else f"{count:,}"


def listed(words: Sequence[str]) -> str:
    """Join words as a sentence does.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def named_in_title(report: Report) -> tuple[str, ...]:
    """Give the labels that the title spells out; none when they are many."""
    learned = [one.label for one in report.encodings if not one.is_reference] or [report.encodings[0].label]
    return tuple(learned) if len(learned) <= _NAMED else ()


def title(report: Report) -> str:
    """Name the tables compared, or count them when they are many."""
    named = named_in_title(report)
    subject = listed(named) if named else f"{spelled(len(report.encodings))} tables"
    return f"The positions of {subject} beside sin/cos"


def lede(report: Report) -> str:
    """Say what is compared, and against which nulls."""
    learned = [one for one in report.encodings if not one.is_reference]
    given = [one for one in report.encodings if one.is_reference]
    parts = []
    if learned:
        kinds = {one.table.scheme for one in learned}
        noun = "learned position table" if kinds == {"learned_absolute"} else "position table"
        parts.append(f"{spelled(len(learned))} {noun}{'s' if len(learned) > 1 else ''} ({listed(_sizes(learned))})")
    if given:
        parts.append(f"{spelled(len(given))} sin/cos table{'s' if len(given) > 1 else ''} ({listed(_sizes(given))})")
    text = listed(parts)
    text = text[0].upper() + text[1:]
    if report.reference is not None:
        whose = "the same size" if len(report.encodings) == 1 else "the first one’s size"
        text += f", beside the sin/cos encoding of the Transformer paper at {whose}"
    return f"{text}. {_AGAINST if report.draws else nulls_sentence(report)}"


def nulls_sentence(report: Report) -> str:
    """Say what every score stands beside."""
    if report.draws == 0:
        return "No null was drawn, so no score can be told from chance."
    kinds = [f"{report.draws} that keep {null['keeps']}" for null in describe()]
    return f"Each score stands beside the same score on tables that hold no position: {listed(kinds)}."


def _sizes(tables: Sequence[AnalysedTable]) -> list[str]:
    sizes = [size(one.table.shape) or "" for one in tables]
    return list(dict.fromkeys(sizes))


def size(shape: Sequence[int] | None) -> str | None:
    """Write a shape: ``512 × 768``."""
    return None if shape is None else " × ".join(f"{length:,}" for length in shape)


SCHEME_WORDS = {"learned_absolute": "learned", "sinusoidal": "sin/cos"}


def scheme_words(scheme: str) -> str:
    """Say a scheme in plain words."""
    return SCHEME_WORDS.get(scheme, scheme.replace("_", " "))
