"""Defaults that the command line, the library and the reports share."""

from __future__ import annotations

DEFAULT_DRAWS = 59
"""Tables drawn of each null.

The smallest p-value is then 1/60, and p < .05 says that at most one draw in 59 does as well as the table.
"""
