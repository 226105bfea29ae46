"""A recipe's file becomes a recipe, or an error that names its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from anonagram.attacks import Attack
from anonagram.errors import AnonagramError, InputError, suggest
from anonagram.methods import Method
from anonagram.models import PrivacyModel
from anonagram.recipes.places import Place
from anonagram.recipes.recipe import Compared, Recipe, Written
from anonagram.shown.wording import option

R = TypeVar("R", bound=Recipe)
TABLES = {"write": Written, "compare": Compared}
DOCS = "see docs/recipe.md."
EVERYBODY = "everybody"
"""Stands for all intruders who can try."""
REMEDIES = {
    "attacks": '"definetti()" = "withstands", a share such as 0.4, or { points = 3 }.',
    "checks": 'checks = ["l_diversity(l=4)"].',
    "write": '[write], and below it release = "release-{month}".',
}
Steps = tuple[str, ...]


def read_recipe(kind: type[R], path: Path) -> R:
    """Understand a recipe wholly before anything is done with it."""
    text = _text(path)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is no TOML: {error}.", DOCS) from error
    _refuse_unknown(content, kind, (), path, text)
    try:
        recipe = msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise _told(error, path, text) from error
    _require_sense(recipe, path, text)
    return recipe


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError(
            f"There is no recipe {path}.",
            option(
                f"anonagram inspect DATA --write-schema FILE --write-recipe {path}", "Recipe(…)"
            ),
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.", DOCS) from error


def _refuse_unknown(
    content: Mapping[str, Any], kind: Any, inside: Steps, path: Path, text: str
) -> None:
    """Refuse a word that means nothing, which would otherwise be a limit that nobody looks at."""
    known = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for word, value in content.items():
        if word not in known:
            raise InputError(
                f"{_at(path, text, (*inside, word))}: there is no {_named((*inside, word))}.",
                suggest(word, known),
            )
        table = TABLES.get(word) if not inside else None
        if table is not None and isinstance(value, Mapping):
            _refuse_unknown(value, table, (*inside, word), path, text)


def _told(error: msgspec.ValidationError, path: Path, text: str) -> InputError:
    """What msgspec says, with the line it is about."""
    found = re.fullmatch(r"(.*?)(?: - at `\$\.?(.*)`)?", str(error), re.DOTALL)
    what, where = (found[1], found[2] or "") if found else (str(error), "")
    steps = tuple(re.sub(r"\[.*?\]", "", where).split(".")) if where else ()
    missing = re.search(r"missing required field `(.+)`", what)
    if missing:
        steps = (*steps, missing[1])
        return InputError(f"{path}: {_named(steps)} is missing.", REMEDIES.get(missing[1], DOCS))
    told = what.replace("`", "").replace("str", "a text").replace("Expected", "expected")
    return InputError(f"{_at(path, text, steps)}: {_named(steps)}: {told}.", _remedy(steps))


def _remedy(steps: Steps) -> str:
    return REMEDIES.get(steps[0], DOCS) if len(steps) == 1 else DOCS


def _require_sense(recipe: Recipe, path: Path, text: str) -> None:
    """Read every call and every place, so that a mistake shows before the work and not after it."""

    def check(where: Steps, read: Callable[[], object]) -> None:
        try:
            read()
        except AnonagramError as error:
            raise InputError(f"{_at(path, text, where)}: {error.what}", error.remedy) from error

    check(("method",), lambda: Method.parse(recipe.method))
    for call in recipe.checks:
        check(("checks",), lambda call=call: PrivacyModel.parse(call))  # type: ignore[misc]
    for call in recipe.attacks:
        if call != EVERYBODY:
            check(("attacks", call), lambda call=call: Attack.parse(call))  # type: ignore[misc]
    check(("data",), lambda: Place(recipe.data).require_sense())
    for name in ("release", "private", "report", "comparison"):
        place = getattr(recipe.write, name)
        if place is not None:
            check(("write", name), lambda place=place: Place(place).require_sense())  # type: ignore[misc]
    if recipe.write.pdf and recipe.write.report is None:
        raise InputError(
            f"{_at(path, text, ('write', 'pdf'))}: pdf is the report's, and none is written.",
            'report = "report.html", above it.',
        )


def _named(steps: Steps) -> str:
    return repr(".".join(steps)) if steps else "the recipe"


def _at(path: Path, text: str, steps: Steps) -> str:
    """The file, and the line of an entry where it can be found."""
    line = line_of(text, steps)
    return f"{path}, line {line}" if line else str(path)


def line_of(text: str, steps: Steps) -> int:
    r"""On which line from 1 an entry stands, or else the table it is in; 0 where neither is found.

    >>> line_of('data = "a"\n[write]\nrelease = "b"', ("write", "release"))
    3
    """
    table: Steps = ()
    nearest = 0
    for number, line in enumerate(text.splitlines(), 1):
        head = re.fullmatch(r"\s*\[([^\[\]]+)\]\s*(#.*)?", line)
        entry = re.match(r"\s*(\"[^\"]*\"|'[^']*'|[\w-]+)\s*=", line)
        if head:
            table = tuple(part.strip(" \"'") for part in head[1].split("."))
        here = table if head else (*table, entry[1].strip("\"'")) if entry else ()
        if here and here == steps[: len(here)]:
            if len(here) == len(steps):
                return number
            nearest = number
    return nearest
