"""What a release of a series promises together with those before it, and what it costs, in words."""

from __future__ import annotations

from anonagram.methods import Publication
from anonagram.release import Series
from anonagram.shown.wording import how_many


def series_sentences(publication: Publication) -> list[str]:
    """Nothing where there are no rows of nobody and no series was begun or continued."""
    series, rows = publication.series, publication.release.manifest.rows
    told = []
    if rows.added:
        share = f"{rows.added / rows.published:.1%}".replace("%", " %")
        told.append(
            f"{rows.added:,} of {how_many(rows.published, 'row')} ({share}) are counterfeits, which are "
            "nobody's."
        )
    if series is not None and series.number > 1:
        told.append(
            f"After {how_many(series.number, 'release')} nobody in them has fewer than "
            f"{how_many(series.least, 'value')} of {series.attribute} left."
        )
    if series is not None and (changed := changed_people(series)):
        told.append(
            f"For {how_many(changed, 'person', 'people')} it shows that {series.attribute} changed, not "
            "from what to what: none of the values possible now was possible before."
        )
    return told


def changed_people(series: Series) -> int:
    """How many people have had more than one signature."""
    return int(series.people.group_by("person").len()["len"].gt(1).sum())
