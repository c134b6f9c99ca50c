"""An encoding that has been found and not yet read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from probe.encodings import Description, Encoding, PositionTable


@dataclass(frozen=True, eq=False)
class Located:
    """Where an encoding is, and how its values are had.

    Attributes
    ----------
    description : Description
        All that the header and the config say.
    values : callable
        Reads or computes the rows in use, position 0 first; :meth:`read` alone calls it.
    """

    description: Description
    values: Callable[[], npt.NDArray[Any] | Encoding] = field(repr=False)

    def read(self) -> Encoding:
        """The encoding with its values.

        Raises
        ------
        FormatError
            If the values cannot be read.
        TableError
            If they are no table.
        """
        values = self.values()
        if isinstance(values, np.ndarray):
            return PositionTable(description=self.description, array=values)
        return values
