"""What is made of two values: differences, sums with lengths of time, products, remainders."""

from __future__ import annotations

from random import Random

from tests.hunt.literals import NUMBERS

Pair = tuple[str, str, str]
"""The sort beside the first, the sort of the result, and the text around both."""
OF_NUMBERS = ("({} + {})", "({} - {})", "({} * {})", "({} / {})", "({} % {})", "{} // {}")
PAIRS: dict[str, tuple[Pair, ...]] = {
    "day": (
        ("day", "whole", "({} - {})"), ("moment", "span", "({} - {})"), ("whole", "day", "({} + {})"),
        ("whole", "day", "({} - {})"), ("span", "moment", "({} + {})"), ("span", "moment", "({} - {})"),
        ("clock", "moment", "({} + {})"),
    ),
    "moment": (
        ("moment", "span", "({} - {})"), ("moment", "span", "({} - {})"), ("day", "span", "({} - {})"),
        ("span", "moment", "({} + {})"), ("span", "moment", "({} - {})"),
    ),
    "clock": (("span", "clock", "({} + {})"), ("span", "clock", "({} - {})")),
    "span": (
        ("span", "span", "({} + {})"), ("span", "span", "({} - {})"), ("whole", "span", "({} * {})"),
        ("moment", "moment", "({} + {})"), ("clock", "clock", "({} + {})"), ("day", "moment", "({} + {})"),
    ),
    "text": (("text", "text", "({} || {})"),),
}  # fmt: skip
"""By the sort of the first; numbers go with numbers."""


def random_pair(rng: Random, sort: str) -> Pair | None:
    """What a value of a sort may stand beside; None where it is only asked about alone."""
    if sort not in NUMBERS:
        return rng.choice(PAIRS[sort]) if sort in PAIRS else None
    other, form = rng.choice(NUMBERS), rng.choice(OF_NUMBERS)
    if "//" in form:  # of whole numbers alone
        other, form = ("whole", form) if sort == "whole" else (other, "({} - {})")
    return other, _number(sort, other, form), form


def _number(one: str, two: str, form: str) -> str:
    """What numbers become together."""
    if "/ " in form and "//" not in form:
        return "real"
    return next(sort for sort in ("real", "decimal", "whole") if sort in (one, two))


def turned(sort: str, pair: Pair) -> Pair | None:
    """The same with the other value first, where that has a meaning; None where it has none."""
    other, made, form = pair
    if "-" in form and made in ("day", "moment", "clock") and other in ("whole", "span"):
        return None
    if made == "span" and other == "whole":
        return pair  # so many lengths of time
    return other, made, form
