"""How the search for the least masking is shown."""

from __future__ import annotations

from anonagram.attacks import Tuning
from anonagram.attacks.figures.shares import Share, percent
from anonagram.present.charts import chart_tuning
from anonagram.present.sections import Bar, Document, Mood, Section, Table
from anonagram.shown.wording import how_many, option


def document(tuning: Tuning) -> Document:
    """Every value that was tried, and the least that withstands."""
    rows = [
        [
            f"{trial.value:g}",
            f"{trial.releases}",
            f"{trial.advantage:.3f}",
            Bar(trial.advantage),
            f"{trial.correct:.2%}",
            f"{trial.rank_correlation:.3f}",
            "yes" if trial.withstands else "no",
            trial.reason,
        ]
        for trial in tuning.trials
    ]
    head = [
        tuning.parameter,
        "releases",
        "advantage",
        "",
        "correct",
        "rank correlation",
        "withstands",
        "",
    ]
    title = f"The intruder's advantage by {tuning.parameter} of {tuning.method.split('(')[0]}"
    section = Section(title, Table.of(head, rows), chart=lambda: chart_tuning(tuning))
    sample = _told_of_sample(tuning)
    if tuning.least is not None:
        headline = f"The least that withstands: {tuning.call}"
        again = "Each key draws anew: audit the release you make before you publish it."
        return Document(tuning.method, (section,), headline, Mood.GOOD, (*sample, again))
    told = sample
    if tuning.unmasked:
        told = (
            *sample,
            f"The intruder also compares columns that are not masked: {', '.join(tuning.unmasked)}. "
            'Mask them too (columns="both", or a list), drop them, or name with '
            f"{option('--column', 'columns=')} what he may compare.",
        )
    return Document(tuning.method, (section,), "Nothing that was tried withstands.", Mood.BAD, told)


def _told_of_sample(tuning: Tuning) -> tuple[str, ...]:
    """How many people were looked for, where that was not everybody, and what it leaves open."""
    if tuning.records == tuning.rows:
        return ()
    _, most = Share(0, tuning.records, tuning.rows).range
    return (
        f"In each release {tuning.records:,} of {how_many(tuning.rows, 'person was', 'people were')} "
        f"looked for, drawn at random: where none of them is found, up to {percent(most)} of all "
        "may be, 95 times in a "
        "hundred; where that may be more than is tolerated, it does not count as withstanding. "
        f"{option('--full', 'records=EVERYBODY')} looks for everybody.",
    )
