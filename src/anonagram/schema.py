"""Which column is what: its role, its kind, its hierarchy.

>>> schema = Schema.of(name="identifier", age="quasi", disease="sensitive")
>>> schema.named("quasi")
['age']
>>> print(schema.to_toml())
[columns]
name = "identifier"
age = "quasi"
disease = "sensitive"
<BLANKLINE>
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self, get_args

from anonagram.errors import SchemaError, suggest
from anonagram.shown.wording import option

Role = Literal["identifier", "quasi", "sensitive", "plain", "drop"]
Kind = Literal["numeric", "ordinal", "nominal", "date"]

ROLES: dict[str, str] = {
    "identifier": "names one person (dropped from every release)",
    "quasi": "an intruder may know it about a person",
    "sensitive": "must not be learned about a person",
    "plain": "harmless, published along",
    "drop": "not published",
}
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True)
class ColumnRule:
    """What is known about a column before its values are seen."""

    role: Role
    kind: Kind | None = None
    """Found from the values when not given."""
    hierarchy: Any = None
    """A CSV file, a call such as ``intervals(width=10)``, or in Python the object itself."""
    order: tuple[str, ...] | None = None
    """The values of an ordinal column from lowest to highest."""
    holds: str | None = None
    """Personal data that is published on purpose, in the words of the refusal."""

    def __post_init__(self) -> None:
        if not isinstance(self.role, str) or self.role not in ROLES:
            raise SchemaError(f"There is no role {self.role!r}.", suggest(str(self.role), ROLES))
        if self.kind is not None and (not isinstance(self.kind, str) or self.kind not in KINDS):
            raise SchemaError(f"There is no kind {self.kind!r}.", suggest(str(self.kind), KINDS))
        if isinstance(self.hierarchy, bool | int | float | list | dict):
            raise SchemaError(
                f"{self.hierarchy!r} is not a hierarchy.", 'hierarchy = "file.csv" or "mask()".'
            )
        if self.holds is not None and not isinstance(self.holds, str):
            raise SchemaError(f"{self.holds!r} is not a text.", 'holds = "phone numbers".')
        if self.order is not None and self.kind != "ordinal":
            raise SchemaError("Only an ordinal column has an order.", 'add kind = "ordinal".')
        if self.order is not None and len(set(self.order)) < len(self.order):
            raise SchemaError("A value stands twice in the order.", "name each value once.")

    @property
    def is_published(self) -> bool:
        """Whether the column may appear in a release at all."""
        return self.role not in ("identifier", "drop")


@dataclass(frozen=True)
class Schema:
    """The rules of a table's columns, in their order."""

    columns: Mapping[str, ColumnRule]
    folder: Path = field(default=Path(), compare=False)
    """Where the hierarchies' files are looked for."""

    @classmethod
    def of(cls, columns: Mapping[str, Any] | None = None, /, **more: Any) -> Self:
        """A schema from roles, or dictionaries of role, kind, hierarchy and order."""
        entries = {**(columns or {}), **more}
        return cls({name: _rule(name, entry) for name, entry in entries.items()})

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """A schema from a TOML file with a [columns] table."""
        path = Path(path)
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise SchemaError(
                f"There is no schema file {path}.",
                option(
                    f"anonagram inspect DATA --write-schema {path}", "Profile.of(table).to_toml()"
                ),
            ) from error
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise SchemaError(
                f"{path} is not a schema file: {error}.", "see docs/schema.md"
            ) from error
        unknown = set(content) - {"columns"}
        if unknown or not isinstance(content.get("columns"), dict):
            what = f"unknown table [{min(unknown)}]" if unknown else "there is no [columns] table"
            raise SchemaError(f"{path}: {what}.", 'write [columns] and below it: age = "quasi"')
        try:
            return cls(cls.of(content["columns"]).columns, path.parent)
        except SchemaError as error:
            raise SchemaError(f"{path}: {error.what}", error.remedy) from error

    @classmethod
    def given(cls, schema: Any) -> Schema:
        """Take a schema, its file, or a dictionary."""
        if isinstance(schema, Schema):
            return schema
        if isinstance(schema, str | Path):
            return cls.read(schema)
        return cls.of(schema)

    def named(self, role: Role) -> list[str]:
        """The names of the columns with this role."""
        return [name for name, rule in self.columns.items() if rule.role == role]

    def match(self, names: Iterable[str], label: str) -> None:
        """Check that every column has a role and every role a column."""
        names = list(names)
        for name in self.columns:
            if name not in names:
                raise SchemaError(
                    f"The schema names a column {name!r} that {label} does not have.",
                    suggest(name, names),
                )
        for name in names:
            if name not in self.columns:
                raise SchemaError(
                    f"{label}: column {name!r} has no role, so it is not known whether it may be "
                    "published.",
                    f'add to the schema: {toml_key(name)} = "drop" (or {", ".join(list(ROLES)[:4])}).',
                )

    def to_toml(self, comments: Mapping[str, str] | None = None) -> str:
        """The text of a schema file, with a comment behind a column where one is given."""
        lines = ["[columns]"]
        for name, rule in self.columns.items():
            comment = (comments or {}).get(name)
            lines.append(
                f"{toml_key(name)} = {_rule_toml(rule)}" + (f"  # {comment}" if comment else "")
            )
        return "\n".join(lines) + "\n"


def toml_key(name: str) -> str:
    """A column's name as a TOML key, quoted where it must be."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml_text(name)


def _toml_text(text: str) -> str:
    """A TOML string: JSON's form, but TOML also wants the delete character escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _rule_toml(rule: ColumnRule) -> str:
    hierarchy = None if rule.hierarchy is None else str(rule.hierarchy)
    full = {
        "role": rule.role, "kind": rule.kind, "hierarchy": hierarchy, "order": rule.order,
        "holds": rule.holds,
    }  # fmt: skip
    given = {name: value for name, value in full.items() if value is not None}
    if list(given) == ["role"]:
        return json.dumps(rule.role)
    inner = ", ".join(f"{name} = {_toml_value(value)}" for name, value in given.items())
    return f"{{ {inner} }}"


def _toml_value(value: str | tuple[str, ...]) -> str:
    if isinstance(value, str):
        return _toml_text(value)
    return f"[{', '.join(_toml_text(each) for each in value)}]"


def _rule(name: str, entry: Any) -> ColumnRule:
    if isinstance(entry, ColumnRule):
        return entry
    if isinstance(entry, str):
        entry = {"role": entry}
    if not isinstance(entry, Mapping) or "role" not in entry:
        raise SchemaError(
            f"Column {name!r} has no role.", f'{toml_key(name)} = {{ role = "quasi" }}'
        )
    known = ("role", "kind", "hierarchy", "order", "holds")
    for word in entry:
        if word not in known:
            raise SchemaError(
                f"Column {name!r}: there is no option {word!r}.", suggest(word, known)
            )
    order = entry.get("order")
    if order is not None and not isinstance(order, list | tuple):
        raise SchemaError(
            f"Column {name!r}: order is a list of values, not {order!r}.",
            'order = ["low", "high"]',
        )
    try:
        return ColumnRule(
            entry["role"],
            entry.get("kind"),
            entry.get("hierarchy"),
            None if order is None else tuple(str(value) for value in order),
            entry.get("holds"),
        )
    except SchemaError as error:
        raise SchemaError(f"Column {name!r}: {error.what}", error.remedy) from error
