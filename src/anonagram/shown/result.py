"""Results that can be shown: the one door from what was found up to what presents it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, ClassVar


class Shown:
    """A result, which `present/results/<shown_by>.py` makes into sections."""

    shown_by: ClassVar[str]
    """The name of that file."""

    def to_dict(self) -> dict[str, Any]:
        """The result for a program, which ``--json`` prints: all that it is made of."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    def __str__(self) -> str:
        """What `print` shows."""
        from anonagram.present.sections import document_of
        from anonagram.present.text import text_of

        return text_of(document_of(self))

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from anonagram.present.notebook import fragment

        return fragment(self)
