"""What a parameter may be, said where it is declared: in its annotation.

``l: Annotated[int, AtLeast(2)]`` is checked when the call is made, and what does not fit is refused
in the annotation's words.

>>> described(Annotated[int, AtLeast(2)])
'a whole number of at least 2'
>>> described(Literal["quasi", "both"] | list[str] | None)
'quasi, both or a list of texts'
>>> fits(Annotated[int, AtLeast(2)], True), fits(list[float], [1, 2.5]), fits(list[float], ["1"])
(False, True, False)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Protocol, Union, get_args, get_origin

MOST = 2**31 - 1
LARGEST_NUMBER = sys.float_info.max
SINGULAR = {int: "a whole number", float: "a number", str: "a text", bool: "True or False"}
PLURAL = {int: "whole numbers", float: "numbers", str: "texts"}


class Rule(Protocol):
    """What an annotation asks of a value beyond its type."""

    def fits(self, value: Any) -> bool:
        """Whether a value of the right type is one that is meant."""

    def words(self, kind: str) -> str:
        """What such a value is called, from what its type is called."""


@dataclass(frozen=True)
class AtLeast:
    """Not below a number; beyond `most` lies what nobody means, which needs no word."""

    least: float
    most: float = MOST

    def fits(self, value: Any) -> bool:
        """Whether it is large enough, and not out of all bounds."""
        return bool(self.least <= value <= self.most)

    def words(self, kind: str) -> str:
        """As messages say it."""
        return f"{kind} of at least {self.least:,}"


@dataclass(frozen=True)
class Above:
    """Above a number; beyond `most` lies what nobody means, which needs no word."""

    limit: float
    most: float = LARGEST_NUMBER

    def fits(self, value: Any) -> bool:
        """Whether it is larger, and not out of all bounds."""
        return bool(self.limit < value <= self.most)

    def words(self, kind: str) -> str:
        """As messages say it."""
        return f"{kind} above {self.limit:,}"


@dataclass(frozen=True)
class Between:
    """From one number to another, both included."""

    least: float
    most: float

    def fits(self, value: Any) -> bool:
        """Whether it lies between them."""
        return bool(self.least <= value <= self.most)

    def words(self, kind: str) -> str:
        """As messages say it."""
        return f"{kind} from {self.least:,} to {self.most:,}"


@dataclass(frozen=True)
class NotEmpty:
    """With something in it, and not more than `most`."""

    most: int = MOST

    def fits(self, value: Any) -> bool:
        """Whether there is something, and not too much."""
        return 0 < len(value) <= self.most

    def words(self, kind: str) -> str:
        """As messages say it."""
        return kind if self.most == MOST else f"{kind}, {self.most} at most"


@dataclass(frozen=True)
class Fits:
    """Passes a test, which the words describe."""

    test: Callable[[Any], bool]
    text: str

    def fits(self, value: Any) -> bool:
        """Whether it passes."""
        return self.test(value)

    def words(self, kind: str) -> str:  # noqa: ARG002
        """As messages say it."""
        return self.text


@dataclass(frozen=True)
class Words:
    """Better words for a type than its own."""

    text: str

    def fits(self, value: Any) -> bool:  # noqa: ARG002
        """The type says it all."""
        return True

    def words(self, kind: str) -> str:  # noqa: ARG002
        """As messages say it."""
        return self.text


def fits(annotation: Any, value: Any) -> bool:
    """Whether a value is what an annotation says."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return fits(inner[0], value) and all(rule.fits(value) for rule in inner[1:])
    if origin in (Union, UnionType):
        return any(fits(each, value) for each in inner)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin in (list, Sequence):
        kinds = list if origin is list else (list, tuple)
        return isinstance(value, kinds) and all(fits(inner[0], each) for each in value)
    if origin in (dict, Mapping):
        return isinstance(value, origin) and all(
            fits(inner[0], name) and fits(inner[1], each) for name, each in value.items()
        )
    return _is_a(annotation, value)


def _is_a(kind: Any, value: Any) -> bool:
    """Whether a value is of a plain type; True and False are no numbers, a whole number is one."""
    if kind is Any:
        return True
    if kind in (int, float):
        number = isinstance(value, int if kind is int else (int, float))
        is_truth = isinstance(value, bool)
        return number and not is_truth and (-LARGEST_NUMBER <= value <= LARGEST_NUMBER)
    return isinstance(value, kind)


def described(annotation: Any) -> str:
    """What an annotation asks for, in words."""
    choices = _choices(annotation)
    head, last = ", ".join(choices[:-1]), choices[-1]
    return f"{head} or {last}" if head else last


def _choices(annotation: Any) -> list[str]:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return [words for each in inner if each is not NoneType for words in _choices(each)]
    if origin is Literal:
        return [str(each) for each in inner]
    if origin is Annotated:
        words = described(inner[0])
        for rule in inner[1:]:
            words = rule.words(words)
        return [words]
    return [_kind(annotation, many=False)]


def _kind(annotation: Any, *, many: bool) -> str:
    """What values of a type are called, one or many of them."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(inner[0], many=many)
    if origin is Literal:
        return described(annotation)
    if origin in (list, Sequence):
        return f"{'lists' if many else 'a list'} of {_kind(inner[0], many=True)}"
    if origin in (dict, Mapping):
        return f"{'dictionaries' if many else 'a dictionary'} of {_kind(inner[1], many=True)}"
    return (PLURAL if many else SINGULAR).get(annotation, "values" if many else "a value")
