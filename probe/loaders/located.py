"""An encoding that was found and not yet read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

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
        Reads or computes the rows in use, in position order; called by :meth:`read` alone.
    """

    description: Description
    values: Callable[[], npt.NDArray[np.generic] | Encoding] = field(repr=False)

    def read(self) -> Encoding:
        """Read the values.

        Raises
        ------
        FormatError
            If the file ends before the table does.
        TableError
            If the values are no table.
        """
        values = self.values()
        if isinstance(values, np.ndarray):
            return PositionTable(description=self.description, array=values)
        return values

    def renamed(self, component: str) -> Located:
        """The same encoding under another component's name."""
        provenance = replace(self.description.provenance, component=component)
        return replace(self, description=replace(self.description, component=component, provenance=provenance))

    def labelled(self, label: str) -> Located:
        """The same encoding under another label."""
        provenance = replace(self.description.provenance, label=label)
        described = replace(self.description, provenance=provenance)
        return replace(self, description=described, values=lambda: _labelled(self.values(), label))


def _labelled(
    values: npt.NDArray[np.generic] | Encoding, label: str
) -> npt.NDArray[np.generic] | Encoding:
    if isinstance(values, np.ndarray):
        return values
    provenance = replace(values.provenance, label=label)
    return replace(values, description=replace(values.description, provenance=provenance))
