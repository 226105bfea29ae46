"""How a table at first sight is shown."""

from __future__ import annotations

from anonagram.present.sections import Bar, Cell, Document, Mood, Section, Table, say
from anonagram.profile import Profile
from anonagram.profile.roles import TOO_FREQUENT
from anonagram.shown.wording import how_many

MOST_WARNED = 3


def document(profile: Profile) -> Document:
    """Columns with their proposed roles, and how fast people become unique."""
    sections = [_columns(profile), _reasons(profile)]
    if profile.uniqueness:
        sections.append(_uniqueness(profile))
    if not any(column.role == "sensitive" for column in profile.columns):
        sections.append(say(_nothing_sensitive(profile)))
    title, warning = f"{profile.label}: {how_many(profile.rows, 'row')}", _warning(profile)
    return Document(title, tuple(sections), warning, Mood.BAD if warning else Mood.PLAIN)


def _warning(profile: Profile) -> str:
    told = [f"Warning: {each.told(profile.rows)}." for each in profile.given_away[:MOST_WARNED]]
    person = profile.person
    if person is not None:
        told.append(person.told(profile.label))
    return "\n".join(told)


def _nothing_sensitive(profile: Profile) -> str:
    private = [column.name for column in profile.columns if TOO_FREQUENT in column.reason]
    if private:
        return (
            f"Private, and proposed to be dropped: {', '.join(private)}. To publish such a column, see "
            "its reason above."
        )
    return "No column looks sensitive: give the one to protect that role in the schema."


def _columns(profile: Profile) -> Section:
    rows = [
        [
            c.name,
            c.role,
            c.kind,
            f"{c.distinct:,}",
            f"{c.missing:,}",
            f"{c.most_frequent_share:.1%}",
        ]
        for c in profile.columns
    ]
    head = ["column", "role", "kind", "distinct", "missing", "commonest"]
    return Section(
        f"{profile.label}: {how_many(profile.rows, 'row')}", Table.of(head, rows, right=3)
    )


def _reasons(profile: Profile) -> Section:
    """Why each role is proposed; columns with one reason stand together."""
    named: dict[tuple[str, str], list[str]] = {}
    for column in profile.columns:
        named.setdefault((column.role, column.reason), []).append(column.name)
    rows = [[role, ", ".join(names), reason] for (role, reason), names in sorted(named.items())]
    return Section("Why", Table.of(["role", "of", "because"], rows))


def _uniqueness(profile: Profile) -> Section:
    rows: list[list[Cell]] = [
        [("+ " if i else "") + step.columns[-1], f"{step.share:.1%}", Bar(step.share)]
        for i, step in enumerate(profile.uniqueness)
    ]
    title = "Share of rows that are unique once an intruder knows …"
    return Section(title, Table.of(["columns", "unique", ""], rows))
