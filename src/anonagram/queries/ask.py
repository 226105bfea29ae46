"""Asking a release: read the question, rewrite it, let a database run it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anonagram.engines import Engine
from anonagram.errors import UnsupportedQuery
from anonagram.queries.added import about_people
from anonagram.queries.answers import Answer, Answers, is_endless, make_answer
from anonagram.queries.arithmetic import NoBounds, combine
from anonagram.queries.compared import refuse_as_in_the_table
from anonagram.queries.fields import FIELDS
from anonagram.queries.left_out import explained, require_countable, with_left_out
from anonagram.queries.notes import Notes
from anonagram.queries.reading.reader import read_question
from anonagram.queries.rearranged.counting import answer
from anonagram.queries.rearranged.rewrite import Statement, rewrite
from anonagram.queries.replaced.perturbed import AskedPerturbed
from anonagram.queries.subdomains.asked import AskedSubdomains
from anonagram.queries.subdomains.running import answer_rows
from anonagram.release import Release
from anonagram.runtime.progress import step


@dataclass(frozen=True)
class Asked:
    """A question that was understood, ready to be run."""

    statement: Statement
    release: Release
    subdomains: AskedSubdomains | None = None
    """The question taken apart, where it is about subdomains."""

    @classmethod
    def of(cls, release: Release, sql: str) -> Asked | AskedPerturbed:
        """Read and rewrite a question about a release."""
        sheet = release.sheet
        try:
            question = read_question(sql, sheet.columns)
            refuse_as_in_the_table(question, release.manifest, sheet.dtypes)
            require_countable(question, release.manifest.rows)
            question = about_people(question, sheet)
            if release.replaced is not None:
                return AskedPerturbed.of(question, sheet, release.replaced)
            subdomains = AskedSubdomains.of(question, release)
            if subdomains is not None:
                return cls(subdomains.statement, release, subdomains)
            return cls(rewrite(question, sheet), release)
        except RecursionError as error:
            raise UnsupportedQuery(
                "The question is nested too deeply, or has too many conditions.",
                "IN (…) instead of many comparisons joined by OR.",
                sql,
                0,
                len(sql.split("\n", 1)[0]),
            ) from error

    def explain(self, dialect: str) -> str:
        """The statement as it would be sent."""
        if self.subdomains is not None:
            return self.subdomains.explain(dialect)
        statement = self.statement.in_dialect(dialect, pretty=True)
        return explained(statement, self.release.manifest.rows)

    def run(self, engine: Engine) -> Answers:
        """Let a database answer."""
        question = self.statement.question
        rows = self._rows(engine)
        keys = {key.name: place for place, key in enumerate(question.keys)}
        found = []
        for row in rows:
            values: dict[str, object] = {name: row[place] for name, place in keys.items()}
            values |= self._answers(row[len(keys) :])
            found.append({name: values[name] for name in question.shown})
        shown_keys = tuple(name for name in question.shown if name in keys)
        notes = Notes.of(question, self.release.manifest, self.release.sheet, engine)
        return Answers(
            shown_keys,
            tuple(name for name in question.shown if name not in keys),
            tuple(found),
            notes.all,
            coarser=bool(notes.coarser),
        )

    def _rows(self, engine: Engine) -> list[tuple[Any, ...]]:
        if self.subdomains is not None:
            return answer_rows(self.subdomains, engine)
        return answer(self.statement, engine, self.release.sorted_groups)

    def _answers(self, row: Sequence[Any]) -> dict[str, Answer]:
        """The answers of aggregates, and of arithmetic with them, by name."""
        question, answers = self.statement.question, {}
        for place, aggregate in enumerate(question.aggregates):
            fields = row[place * len(FIELDS) : (place + 1) * len(FIELDS)]
            if any(is_endless(end) for end in fields[1:3]):  # lower and upper
                question.refuse_endless(aggregate)
            is_whole = self.statement.whole[place]
            answer = make_answer(fields, is_whole=is_whole)
            rows, is_sure = self.release.manifest.rows, bool(fields[4])
            answers[aggregate.name] = with_left_out(
                question, aggregate, answer, rows, is_sure=is_sure
            )
        combined = {name: self._combine(name, answers) for name in question.combined}
        return answers | combined

    def _combine(self, name: str, answers: dict[str, Answer]) -> Answer:
        question = self.statement.question
        try:
            return combine(question.combined[name], answers, self.statement.singles)
        except NoBounds:
            question.refuse(
                "/",
                f"What {name} divides by may be of either sign, or it is too large: its bounds are "
                "endless.",
                "the aggregates one by one.",
            )


def ask(release: Release, sql: str, engine: Engine) -> Answers:
    """Answer a question from a release with a database that holds it."""
    asked = Asked.of(release, sql)
    step("Answering")
    return asked.run(engine)
