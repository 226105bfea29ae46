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
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, Self, get_args

from anonagram.errors import SchemaError, suggest
from anonagram.shown.wording import option

Role = Literal["identifier", "quasi", "sensitive", "plain", "drop", "guard"]
Kind = Literal["numeric", "ordinal", "nominal", "date"]

ROLES: dict[str, str] = {
    "identifier": "names one person (dropped from every release)",
    "quasi": "an intruder may know it about a person",
    "sensitive": "must not be learned about a person",
    "plain": "harmless, published along",
    "drop": "not published",
    "guard": "how widely each person asks to be hidden (for personalized; not published)",
}
KINDS: tuple[str, ...] = get_args(Kind)
FORMATS: dict[str, str] = {
    "day/month/year": "14/07/2008, 14.7.2008 or 14-07-2008",
    "month/day/year": "07/14/2008",
    "year/month/day": "2008/07/14",
    "1,234.5": "a comma between thousands, a point before decimals",
    "1.234,5": "a point between thousands, a comma before decimals",
}
"""How dates and numbers can be written other than 2008-07-14 and 1234.5."""


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
    label: str | None = None
    """What people read instead of the column's name."""
    labels: Mapping[str, str] | None = None
    """What people read instead of values, such as codes."""
    publish: Any = None
    """How it is published coarser: a call such as ``round(to=5)``, ``level 2``, or a tuple of them."""
    format: str | None = None
    """How its dates or numbers are written; found from the values where these leave no doubt."""
    missing: tuple[str, ...] | None = None
    """Values that stand for a missing one, such as ``?``."""
    rows_per_person: int | None = None
    """Of an identifier: how many rows with one value of it are kept, the first ones."""

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
        if self.label is not None and not _is_label(self.label):
            raise SchemaError(f"{self.label!r} is no label.", 'label = "Day of admission".')
        if self.format is not None and self.format not in FORMATS:
            raise SchemaError(
                f"There is no format {self.format!r}.", suggest(str(self.format), FORMATS)
            )
        self._require_rows()
        if isinstance(self.publish, bool | int | float | dict):
            raise SchemaError(
                f"{self.publish!r} does not say how.", 'publish = "round(to=5)" or "level 2".'
            )
        for value, label in (self.labels or {}).items():
            if not _is_label(label):
                raise SchemaError(
                    f"{label!r} is no label of {value!r}.", 'labels = { "250.83" = "Diabetes" }.'
                )
        if self.order is not None and self.kind != "ordinal":
            raise SchemaError("Only an ordinal column has an order.", 'add kind = "ordinal".')
        if self.order is not None and len(set(self.order)) < len(self.order):
            raise SchemaError("A value stands twice in the order.", "name each value once.")

    def _require_rows(self) -> None:
        rows = self.rows_per_person
        if rows is None:
            return
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise SchemaError(f"{rows!r} is no number of rows.", "rows_per_person = 1.")
        if self.role != "identifier":
            raise SchemaError(
                f"rows_per_person counts the rows of one person, and this column is {self.role}.",
                'give it to the column that says whose row it is, with the role "identifier".',
            )

    @property
    def is_published(self) -> bool:
        """Whether the column may appear in a release at all."""
        return self.role not in ("identifier", "drop", "guard")


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
        (columns,) = read_tables(path, ("columns",), 'write [columns] and below it: age = "quasi"')
        with telling(path):
            return cls(cls.of(columns).columns, path.parent)

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
        if without := [name for name in names if name not in self.columns]:
            listed = ", ".join(f"{name!r}" for name in without)
            one = f"column {listed} has no role, so it is not known whether it may be published."
            several = (
                f"columns {listed} have no role, so it is not known whether they may be published."
            )
            added = f'{toml_key(without[0])} = "drop" (or {", ".join(list(ROLES)[:4])})'
            raise SchemaError(
                f"{label}: {one if len(without) == 1 else several}",
                f"add to the schema: {added}{'' if len(without) == 1 else ', and so on'}.",
            )

    def to_toml(self, comments: Mapping[str, str] | None = None, table: str = "columns") -> str:
        """The text of a schema file, with a comment behind a column where one is given."""
        lines = [f"[{table}]"]
        for name, rule in self.columns.items():
            comment = (comments or {}).get(name)
            lines.append(
                f"{toml_key(name)} = {_rule_toml(rule)}" + (f"  # {comment}" if comment else "")
            )
        return "\n".join(lines) + "\n"


def read_tables(path: Path, names: tuple[str, ...], remedy: str) -> list[dict[str, Any]]:
    """The tables of a schema file, which must have these and no others."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SchemaError(
            f"There is no schema file {path}.",
            option(f"anonagram inspect DATA --write-schema {path}", "Profile.of(table).to_toml()"),
        ) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SchemaError(f"{path} is not a schema file: {error}.", "see docs/schema.md") from error
    if unknown := set(content) - set(names):
        raise SchemaError(f"{path}: unknown table [{min(unknown)}].", remedy)
    for name in names:
        if not isinstance(content.get(name), dict):
            raise SchemaError(f"{path}: there is no [{name}] table.", remedy)
    return [content[name] for name in names]


@contextmanager
def telling(path: Path) -> Iterator[None]:
    """Name the file in what is wrong with it."""
    try:
        yield
    except SchemaError as error:
        raise SchemaError(f"{path}: {error.what}", error.remedy) from error


def toml_key(name: str) -> str:
    """A column's name as a TOML key, quoted where it must be."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml_text(name)


def _toml_text(text: str) -> str:
    """A TOML string: JSON's form, but TOML also wants the delete character escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _rule_toml(rule: ColumnRule) -> str:
    hierarchy = None if rule.hierarchy is None else str(rule.hierarchy)
    full = {
        "role": rule.role, "kind": rule.kind, "format": rule.format, "missing": rule.missing,
        "hierarchy": hierarchy, "order": rule.order, "publish": _publish_texts(rule.publish),
        "holds": rule.holds, "label": rule.label, "labels": rule.labels,
        "rows_per_person": rule.rows_per_person,
    }  # fmt: skip
    given = {name: value for name, value in full.items() if value is not None}
    if list(given) == ["role"]:
        return json.dumps(rule.role)
    inner = ", ".join(f"{name} = {toml_value(value)}" for name, value in given.items())
    return f"{{ {inner} }}"


def _publish_texts(publish: Any) -> Any:
    """Steps as texts, be they given so or, in Python, as objects."""
    if publish is None or isinstance(publish, str):
        return publish
    return tuple(map(str, publish)) if isinstance(publish, tuple) else str(publish)


def toml_value(value: Any) -> str:
    """A value as TOML writes it; a table stands in one line.

    >>> toml_value({"points": 3, "of": ("a", "b")})
    '{ "points" = 3, "of" = ["a", "b"] }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _toml_text(value)
    if isinstance(value, Mapping):
        each = (f"{_toml_text(key)} = {toml_value(inner)}" for key, inner in value.items())
        return f"{{ {', '.join(each)} }}"
    return f"[{', '.join(toml_value(each) for each in value)}]"


def _is_label(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())


def _rule(name: str, entry: Any) -> ColumnRule:
    if isinstance(entry, ColumnRule):
        return entry
    if isinstance(entry, str):
        entry = {"role": entry}
    if not isinstance(entry, Mapping) or "role" not in entry:
        raise SchemaError(
            f"Column {name!r} has no role.", f'{toml_key(name)} = {{ role = "quasi" }}'
        )
    known = [field.name for field in fields(ColumnRule)]
    for word in entry:
        if word not in known:
            raise SchemaError(
                f"Column {name!r}: there is no option {word!r}.", suggest(word, known)
            )
    labels = entry.get("labels")
    if labels is not None and not isinstance(labels, Mapping):
        raise SchemaError(
            f"Column {name!r}: labels belong to values, {labels!r} does not say to which.",
            'labels = { "250.83" = "Diabetes" }',
        )
    given = {
        **entry,
        "order": _listed(name, entry, "order", 'order = ["low", "high"]'),
        "missing": _listed(name, entry, "missing", 'missing = ["?", "-9"]'),
        "labels": None if labels is None else {str(value): text for value, text in labels.items()},
    }
    if isinstance(entry.get("publish"), list):
        given["publish"] = tuple(entry["publish"])
    try:
        return ColumnRule(**given)
    except SchemaError as error:
        raise SchemaError(f"Column {name!r}: {error.what}", error.remedy) from error


def _listed(
    name: str, entry: Mapping[str, Any], option: str, example: str
) -> tuple[str, ...] | None:
    """An option that is a list of values, as texts."""
    values = entry.get(option)
    if values is None:
        return None
    if not isinstance(values, list | tuple):
        raise SchemaError(
            f"Column {name!r}: {option} is a list of values, not {values!r}.", example
        )
    return tuple(str(value) for value in values)
