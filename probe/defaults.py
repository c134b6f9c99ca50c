"""Defaults that the command line, the library and the reports share."""

from __future__ import annotations

DEFAULT_DRAWS = 29
"""Tables drawn of each null.

The smallest p-value is then 1/30, and p < .05 says that none of the 29 does as well as the table.
"""
