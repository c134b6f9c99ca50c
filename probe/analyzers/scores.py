"""Scores: a number beside what the same number would be on tables that hold no position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Tail = Literal["high", "low"]
Form = Literal["share", "number", "count", "positions"]


@dataclass(frozen=True, kw_only=True)
class ScoreSpec:
    """What a score is: its name, what it means, and how it is held against the nulls.

    Attributes
    ----------
    name : str
        Its key in ``summary()``.
    label : str
        What a table heading calls it.
    meaning : str
        One sentence for a reader who does not know the method.
    form : {"share", "number", "count", "positions"}
        How it is printed: a share of one, a plain number, a whole number, or a length in positions.
    tail : {"high", "low"}
        Which side of the null speaks for a code of position.
    unchanged_by : mapping of str to str
        Nulls that cannot change the score, and why; they are named instead of drawn.
    without_null : str or None
        Why the score has no null at all.
    """

    name: str
    label: str
    meaning: str
    form: Form = "number"
    tail: Tail = "high"
    unchanged_by: Mapping[str, str] = field(default_factory=dict)
    without_null: str | None = None


@dataclass(frozen=True, kw_only=True)
class NullComparison:
    """A score on the draws of one null.

    Attributes
    ----------
    null : str
        Its name.
    draws : int
        How many tables were drawn and gave a score.
    mean, low, high : float
        Mean and 95 % interval of the score on them.
    p_value : float
        ``(1 + draws at least as extreme) / (draws + 1)``, on the side that speaks for position.
    """

    null: str
    draws: int
    mean: float
    low: float
    high: float
    p_value: float

    def to_dict(self) -> dict[str, Any]:
        """Every field, as JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, kw_only=True)
class Score:
    """A value together with its nulls.

    Attributes
    ----------
    value : float or None
        None where the table gives no such number; ``reason`` then says why.
    against : tuple of NullComparison
        From the weakest null to the strictest. The strictest is the headline: ``null``,
        ``null_mean``, ``null_low``, ``null_high`` and ``p_value`` are its.
    unchanged_by : mapping of str to str
        Nulls that cannot change this score, and why.
    reason : str or None
        Why there is no value, or no null.
    """

    value: float | None
    against: tuple[NullComparison, ...] = ()
    unchanged_by: Mapping[str, str] = field(default_factory=dict)
    reason: str | None = None

    @property
    def headline(self) -> NullComparison | None:
        """The strictest null that was drawn."""
        return self.against[-1] if self.against else None

    @property
    def null(self) -> str | None:
        """Name of the strictest null."""
        return None if self.headline is None else self.headline.null

    @property
    def null_mean(self) -> float | None:
        """Mean of the score under the strictest null."""
        return None if self.headline is None else self.headline.mean

    @property
    def null_low(self) -> float | None:
        """Lower end of the 95 % interval under the strictest null."""
        return None if self.headline is None else self.headline.low

    @property
    def null_high(self) -> float | None:
        """Upper end of the 95 % interval under the strictest null."""
        return None if self.headline is None else self.headline.high

    @property
    def p_value(self) -> float | None:
        """Share of draws of the strictest null that are at least as extreme (never 0)."""
        return None if self.headline is None else self.headline.p_value

    def beats_all(self, level: float = 0.05) -> bool:
        """Whether every null that was drawn falls short of the value at this level."""
        return bool(self.against) and all(comparison.p_value < level for comparison in self.against)

    def to_dict(self) -> dict[str, Any]:
        """The value, the headline null and every null, as JSON."""
        return {
            "value": self.value,
            "null": self.null,
            "null_mean": self.null_mean,
            "null_low": self.null_low,
            "null_high": self.null_high,
            "p_value": self.p_value,
            "against": [comparison.to_dict() for comparison in self.against],
            "unchanged_by": dict(self.unchanged_by),
            "reason": self.reason,
        }
