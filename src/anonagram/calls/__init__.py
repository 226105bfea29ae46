"""Methods, models, partitioners and hierarchies are written as a call: ``anatomy(l=4)``.

The same text stands on the command line, in a schema file, in a release's manifest and as the
Python ``repr``. A family (say, `Method`) subclasses `Call`; a member subclasses the family and
names itself, and is known from then on. Annotations say what parameters may be.

>>> from dataclasses import dataclass
>>> from typing import Annotated
>>> class Drink(Call): "A family."
>>> @dataclass(frozen=True, repr=False)
... class Tea(Drink, call="tea", example="tea(cups=2)"):
...     cups: Annotated[int, AtLeast(1)] = 1
...     leaf: str = "green"
>>> Drink.parse("tea(cups=2)")
tea(cups=2, leaf="green")
>>> Drink.parse("tea(cup=2)")
Traceback (most recent call last):
    ...
anonagram.errors.CallError: tea has no parameter 'cup'.
  Try: did you mean 'cups'?
>>> Drink.parse("tea(cups=0)")
Traceback (most recent call last):
    ...
anonagram.errors.CallError: tea: cups must be a whole number of at least 1, not 0.
  Try: for example tea(cups=2).
"""

from anonagram.calls.call import Call, read_call, require
from anonagram.calls.parameters import Above, AtLeast, Between, Fits, NotEmpty, Words

__all__ = [
    "Above",
    "AtLeast",
    "Between",
    "Call",
    "Fits",
    "NotEmpty",
    "Words",
    "read_call",
    "require",
]
