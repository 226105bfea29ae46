"""Results that can be shown: the one door from what was found up to what presents it."""

from __future__ import annotations

from typing import ClassVar


class Shown:
    """A result, which `present/results/<shown_by>.py` makes into sections."""

    shown_by: ClassVar[str]
    """The name of that file."""

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from anonagram.present.notebook import fragment

        return fragment(self)
