"""Numbers in sentences."""

from __future__ import annotations

import pytest

from probe.wording import in_percent, with_commas


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (0.0004, "0.04 %"),
        (0.0049, "0.5 %"),
        (0.6254, "63 %"),
        (0.9949, "99 %"),
        (0.996, "99.6 %"),
        (0.99996, "99.99 %"),
        (1.0, "100 %"),
    ],
)
def test_a_percentage_is_neither_none_nor_all_unless_the_share_is(share: float, text: str) -> None:
    assert in_percent(share) == text


def test_magnitudes_take_commas() -> None:
    assert [with_commas(number) for number in (3.14159, 999.4, 1234.5, 10_000)] == ["3.14", "999", "1,234", "10,000"]
