"""Methods, models and hierarchies are written as a call: ``anatomy(l=4)``.

The same text stands on the command line, in a schema file, in a release's manifest and as the
Python ``repr``. A family (say, `Method`) subclasses `Call`; a member subclasses the family and
names itself, and is known from then on.

>>> from dataclasses import dataclass
>>> class Drink(Call): "A family."
>>> @dataclass(frozen=True, repr=False)
... class Tea(Drink, call="tea", example="tea(cups=2)"):
...     cups: int = 1
...     leaf: str = "green"
>>> Drink.parse("tea(cups=2)")
tea(cups=2, leaf="green")
>>> Drink.parse("tea(cup=2)")
Traceback (most recent call last):
    ...
anonagram.errors.CallError: tea has no parameter 'cup'.
  Try: did you mean 'cups'?
"""

from __future__ import annotations

import ast
import json
from abc import ABC
from dataclasses import MISSING, fields
from typing import Any, ClassVar, Self

from anonagram.errors import CallError, suggest

LARGEST = 2**31 - 1


class Call(ABC):
    """A frozen dataclass of parameters that reads and writes itself as a call."""

    noun: ClassVar[str] = "call"
    """What messages call a member of the family."""

    call: ClassVar[str] = ""
    """The name it is written with."""
    example: ClassVar[str] = ""
    """A call that makes sense, for help texts and for the tests that every member must pass."""

    _members: ClassVar[dict[str, type[Call]]]

    def __init_subclass__(cls, call: str = "", example: str = "") -> None:
        super().__init_subclass__()
        if Call in cls.__bases__:
            cls._members = {}
        if call:
            cls.call, cls.example = call, example
            cls._members[call] = cls

    @classmethod
    def known(cls) -> dict[str, type[Self]]:
        """The members of this family by name, in alphabetical order."""
        return {name: cls._members[name] for name in sorted(cls._members)}  # type: ignore[misc]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the text of a call and make the object it stands for."""
        name, positional, named = _read_call(text)
        if name not in cls._members:
            raise CallError(f"There is no {cls.noun} called {name!r}.", suggest(name, cls.known()))
        member = cls._members[name]
        values = _match_parameters(member, positional, named)
        try:
            return member(**values)  # type: ignore[return-value]
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise CallError(
                f"{text!r}: a parameter is not of the right kind.", f"for example {member.example}."
            ) from error

    def __repr__(self) -> str:
        values = ((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        return f"{self.call}({', '.join(f'{name}={_literal(v)}' for name, v in values)})"


def require(condition: bool, what: str, remedy: str = "") -> None:
    """Raise a CallError unless the condition on a parameter holds."""
    if not condition:
        raise CallError(what, remedy)


def require_whole(call: Call, name: str, at_least: int, at_most: int = LARGEST) -> None:
    """Check that a parameter is a whole number, not too small and not too large."""
    value = getattr(call, name)
    whole = isinstance(value, int) and not isinstance(value, bool)
    bounds = f"of at least {at_least}" if at_most == LARGEST else f"from {at_least} to {at_most}"
    require(
        whole and at_least <= value <= at_most,
        f"{call.call}: {name} must be a whole number {bounds}, not {value!r}.",
        f"for example {call.example}.",
    )


def is_number(value: Any) -> bool:
    """Whether a parameter is a number; True and False are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def require_number(call: Call, name: str, at_least: float, at_most: float) -> None:
    """Check that a parameter is a number within limits."""
    value = getattr(call, name)
    require(
        is_number(value) and at_least <= value <= at_most,
        f"{call.call}: {name} must be a number from {at_least:g} to {at_most:g}, not {value!r}.",
        f"for example {call.example}.",
    )


def _literal(value: Any) -> str:
    """A value as a call writes it; a number of NumPy as the number it is."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return repr(float(value)) if isinstance(value, float) else repr(value)


def _read_call(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    remedy = "write it as a call, for example anatomy(l=4)."
    if not isinstance(text, str):
        raise CallError(f"{text!r} is not the text of a call.", remedy)
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise CallError(f"{text!r} is not a call.", remedy) from error
    if isinstance(node, ast.Name):
        return node.id, [], {}
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        raise CallError(f"{text!r} is not a call.", remedy)
    named = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise CallError(f"{text!r}: ** is not understood here.", remedy)
        if keyword.arg in named:
            raise CallError(f"{text!r}: {keyword.arg!r} is given twice.", "give it once.")
        named[keyword.arg] = _value(keyword.value, text)
    return node.func.id, [_value(argument, text) for argument in node.args], named


def _value(node: ast.expr, text: str) -> Any:
    """A literal; a bare word or call stands for itself, so that a shell needs no inner quotes."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return ast.unparse(node)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise CallError(
            f"{text!r}: {ast.unparse(node)!r} is not a plain value.",
            "use numbers, quoted words, lists or dictionaries.",
        ) from error


def _match_parameters(
    member: type[Call], positional: list[Any], named: dict[str, Any]
) -> dict[str, Any]:
    known = {field.name: field for field in fields(member)}  # type: ignore[arg-type]
    if len(positional) > len(known):
        raise CallError(
            f"{member.call} takes {len(known)} parameters, not {len(positional)}.",
            f"they are: {', '.join(known) or 'none'}.",
        )
    values = dict(zip(known, positional, strict=False))
    for name, value in named.items():
        if name not in known:
            raise CallError(f"{member.call} has no parameter {name!r}.", suggest(name, known))
        if name in values:
            raise CallError(f"{member.call}: {name!r} is given twice.", "give it once.")
        values[name] = value
    for name, field in known.items():
        if name not in values and field.default is MISSING and field.default_factory is MISSING:
            raise CallError(
                f"{member.call} needs a value for {name!r}.", f"for example {member.example}."
            )
    return values
