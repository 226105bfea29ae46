"""A call: the text it is written with, and the object that it stands for."""

from __future__ import annotations

import ast
import json
from abc import ABCMeta
from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, ClassVar, Self, get_type_hints

from anonagram.calls.members import load_all, load_named
from anonagram.calls.parameters import described, fits
from anonagram.errors import CallError, suggest
from anonagram.shown.wording import how_many


class _Checked(ABCMeta):
    """Refuses parameters that there are not, in Python as in a text."""

    def __call__(cls, *args: Any, **named: Any) -> Any:
        if is_dataclass(cls):
            _match_parameters(cls, list(args), named)  # type: ignore[arg-type]
        return super().__call__(*args, **named)


class Call(metaclass=_Checked):
    """A frozen dataclass of parameters that reads and writes itself as a call."""

    noun: ClassVar[str] = "call"
    """What messages call a member of the family."""

    call: ClassVar[str] = ""
    """The name it is written with."""
    example: ClassVar[str] = ""
    """A call that makes sense, for help texts and for the tests that every member must pass."""

    home: ClassVar[str] = ""
    """Of a family: the package whose files are members, and the group of entry points for others."""

    rest: ClassVar[str] = ""
    """The parameter that takes all values that have no name; empty where each has one of its own."""

    _members: ClassVar[dict[str, type[Call]]]

    def __init_subclass__(cls, call: str = "", example: str = "", home: str = "") -> None:
        super().__init_subclass__()
        if home or Call in cls.__bases__:
            cls._members, cls.home = {}, home
        if call:
            cls.call, cls.example = call, example
            cls._join(call)

    @classmethod
    def _join(cls, name: str) -> None:
        """Become a member of the family, under a name that nobody else has."""
        other = cls._members.setdefault(name, cls)
        if (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
            raise CallError(
                f"The {cls.noun} {name!r} of {cls.__module__} is not the first of this name: "
                f"there is one in {other.__module__}.", "call one of them otherwise.",
            )  # fmt: skip
        cls._members[name] = cls

    def __post_init__(self) -> None:
        """Check each parameter; a member that has more to say about them calls this first."""
        annotations = _annotations(type(self))
        for field in fields(self):  # type: ignore[arg-type]
            value, annotation = getattr(self, field.name), annotations[field.name]
            require(
                fits(annotation, value),
                f"{self.call}: {field.name} must be {described(annotation)}, not {value!r}.",
                f"for example {self.example}.",
            )

    @classmethod
    def known(cls) -> dict[str, type[Self]]:
        """The members of this family by name, in alphabetical order."""
        load_all(cls.home)
        return {name: cls._members[name] for name in sorted(cls._members)}  # type: ignore[misc]

    @classmethod
    def _member(cls, name: str) -> type[Self]:
        if name not in cls._members:
            load_named(cls.home, name)
        if name not in cls._members and name not in cls.known():
            raise CallError(f"There is no {cls.noun} called {name!r}.", suggest(name, cls.known()))
        return cls._members[name]  # type: ignore[return-value]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the text of a call and make the object it stands for."""
        name, positional, named = read_call(text)
        member = cls._member(name)
        values = _match_parameters(member, positional, named)
        try:
            return member(**values)
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise CallError(
                f"{text!r}: a parameter is not of the right kind.", f"for example {member.example}."
            ) from error

    def __repr__(self) -> str:
        return self._written(field.name for field in fields(self))  # type: ignore[arg-type]

    @property
    def brief(self) -> str:
        """The call without parameters that are as usual."""
        given = []
        for field in fields(self):  # type: ignore[arg-type]
            factory = field.default_factory
            usual = field.default if factory is MISSING else factory()
            if getattr(self, field.name) != usual:
                given.append(field.name)
        return self._written(given)

    def _written(self, names: Iterable[str]) -> str:
        values = {name: getattr(self, name) for name in names}
        words = [_literal(value) for value in values.pop(self.rest, ())]
        words += [f"{name}={_literal(value)}" for name, value in values.items()]
        return f"{self.call}({', '.join(words)})"


def require(condition: bool, what: str, remedy: str = "") -> None:
    """Raise a CallError unless the condition on a parameter holds."""
    if not condition:
        raise CallError(what, remedy)


@cache
def _annotations(member: type[Call]) -> dict[str, Any]:
    """What a member's parameters may be, by name."""
    return get_type_hints(member, include_extras=True)


def _literal(value: Any) -> str:
    """A value as a call writes it; a number of NumPy as the number it is."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return repr(float(value)) if isinstance(value, float) else repr(value)


def read_call(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    """The name of a call and its values, without and with names, whoever's call it is."""
    remedy = "write it as a call, for example anatomy(l=4) or k_anonymity(k=4)."
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
    if isinstance(node, ast.Tuple | ast.List) and any(
        isinstance(each, ast.Call) for each in node.elts
    ):
        return [_value(each, text) for each in node.elts]
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
    if member.rest and positional:
        named, positional = {member.rest: positional, **named}, []
    if len(positional) > len(known):
        raise CallError(
            f"{member.call} takes {how_many(len(known), 'parameter')}, not {len(positional)}.",
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
