"""What do the scores come to? A verdict in plain words, of scores that beat their nulls and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from probe.analyzers import Result, Score
from probe.wording import in_percent

REFERENCE_VERDICT = "The sin/cos encoding of the Transformer paper, made from its formula to compare with."

DRAWS_FOR_A_TWENTIETH = 20
"""With one draw fewer than this the smallest p-value is .05 itself, which is not below it."""

_NULL_WORDS = {
    "gaussian": "a table of noise",
    "shuffled": "the same rows in random order",
    "smooth": "a smooth table without periods",
}


@dataclass(frozen=True, kw_only=True)
class Clause:
    """A sentence that a score may speak for.

    Attributes
    ----------
    analyzer, score : str
        It is said only if this score beats every null that was drawn.
    text : str
        With ``{value}``, ``{percent}``, ``{null}``, ``{null_percent}``, ``{null_words}``, ``{dimensions}`` filled in.
    at_least : float or None
        Below this value the sentence is not true.
    least_gap : float
        Nor is it where the value is no further than this from the strictest null's mean.
    """

    analyzer: str
    score: str
    text: str
    at_least: float | None = None
    least_gap: float = 0.0


_PLAN: tuple[tuple[Clause, ...], ...] = (
    (
        Clause(
            analyzer="neighbors",
            score="centred_cosine_next",
            at_least=0.5,
            least_gap=0.3,
            text="Neighbouring positions look alike, and the likeness belongs to their order: their mean cosine is "
            "{value}, against {null} for {null_words}.",
        ),
        Clause(
            analyzer="neighbors",
            score="centred_cosine_next",
            text="Neighbouring positions look a little more alike than chance allows: their mean cosine is {value}, "
            "against {null} for {null_words}.",
        ),
    ),
    (
        Clause(
            analyzer="sinusoid",
            score="vaswani_r2",
            at_least=0.9999,
            text="All that tells positions apart lies in the span of sines and cosines, as it does in any table that "
            "is smooth enough.",
        ),
        Clause(
            analyzer="sinusoid",
            score="vaswani_r2",
            text="About {percent} of what tells positions apart lies in the frequencies of sin/cos; {null_words} would "
            "give {null_percent}.",
        ),
        Clause(
            analyzer="pca",
            score="variance_top_10",
            text="Ten of its {dimensions} directions carry {percent} of what tells positions apart; {null_words} would "
            "give {null_percent}. That says nothing of their order.",
        ),
    ),
    (
        Clause(
            analyzer="fourier",
            score="line_energy_share",
            text="Regular waves carry {percent} of the differences between positions; {null_words} would give "
            "{null_percent}.",
        ),
    ),
)
"""In each group the first sentence that holds is said; groups follow one another."""

_LONGEST = 3


def verdict(results: Mapping[str, Result], draws: int) -> str:
    """What do these results come to, for a reader who knows none of the methods?

    Parameters
    ----------
    results : mapping of str to Result
        Of one table, any subset of the analyzers.
    draws : int
        How many tables of each null were drawn.

    Notes
    -----
    A result that leaves no doubt (every value is the formula's) speaks alone. Otherwise only scores that
    beat every null drawn are spoken of. Beating noise and shuffled rows shows that
    order matters, not that the table is more than smooth.
    """
    if draws == 0:
        return "No null was drawn, so none of its numbers can be told from chance."
    if draws + 1 <= DRAWS_FOR_A_TWENTIETH:
        return f"With {draws} draws of each null, none of its numbers can be told from chance at p < .05."
    settled = [result.conclusion for result in results.values() if result.conclusion]
    if settled:
        return settled[0]
    sentences: list[str] = []
    for clause in filter(None, (_first_true(group, results) for group in _PLAN)):
        sentences.append(_filled(clause, results[clause.analyzer]))
        if len(sentences) == _LONGEST:
            break
    if sentences:
        return " ".join(sentences)
    if any(score.beats_all() for result in results.values() for score in result.summary().values()):
        return "Some of its scores beat their nulls, though none of those that speak plainly."
    return "Nothing here tells it from a table without position: no score beats its nulls."


def _first_true(group: tuple[Clause, ...], results: Mapping[str, Result]) -> Clause | None:
    for clause in group:
        result = results.get(clause.analyzer)
        score = None if result is None else result.scores.get(clause.score)
        if score is not None and _holds(clause, score):
            return clause
    return None


def _holds(clause: Clause, score: Score) -> bool:
    if score.value is None or not score.beats_all():
        return False
    above = clause.at_least is None or score.value >= clause.at_least
    return above and abs(score.value - (score.null_mean or 0.0)) >= clause.least_gap


def _filled(clause: Clause, result: Result) -> str:
    score = result.scores[clause.score]
    value, mean = score.value or 0.0, score.null_mean or 0.0
    return clause.text.format(
        value=_decimal(value),
        percent=in_percent(value),
        null=_decimal(mean),
        null_percent=in_percent(mean),
        null_words=_NULL_WORDS.get(score.null or "", f"the {score.null} null"),
        dimensions=result.shape[1],
    )


def _decimal(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")
