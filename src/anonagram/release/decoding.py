"""JSON from outside becomes objects by their types.

What is known must be as its type says, else the error names the entry; what is not known was added
by a later version and is left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Annotated, Any, TypeVar

import msgspec

from anonagram.errors import ReleaseDamaged

LARGEST = 2**63 - 1
Whole = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
"""A whole number of at least 0."""
Number = (
    Annotated[int, msgspec.Meta(ge=-LARGEST, le=LARGEST)]
    | Annotated[float, msgspec.Meta(ge=-LARGEST, le=LARGEST)]
)
"""A number; neither NaN nor an infinity lies between these."""
Share = Annotated[int, msgspec.Meta(ge=0, le=1)] | Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A number from 0 to 1."""
Amount = (
    Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
    | Annotated[float, msgspec.Meta(ge=0, le=LARGEST)]
)
"""A number of at least 0."""
Decoded = TypeVar("Decoded")


def decode(content: Any, kind: type[Decoded], what: str) -> Decoded:
    """The object that JSON tells of.

    >>> decode({"x": 1, "added later": 2}, dict[str, Number], "an example")
    {'x': 1, 'added later': 2}
    >>> decode({"x": "one"}, dict[str, Whole], "It")
    Traceback (most recent call last):
    anonagram.errors.ReleaseDamaged: It is malformed (Expected `int`, got `str` - at `$[...]`).
      Try: get the bundle again from who published it.
    """
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise ReleaseDamaged(f"{what} is malformed ({error}).") from error


def require_different(names: Sequence[Hashable]) -> None:
    """Raise ValueError where a name stands twice."""
    if len(set(names)) < len(names):
        raise ValueError("a name stands twice")
