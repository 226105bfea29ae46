"""Asking a perturbed release: counts of states from the database, then the inverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anonagram.engines import Engine
from anonagram.queries.answers import Answers
from anonagram.queries.dialects import in_dialect
from anonagram.queries.notes import Notes
from anonagram.queries.reading.question import Aggregate, Question
from anonagram.queries.rearranged.plan import Plan, condition_tree
from anonagram.queries.rearranged.totals import FURTHER
from anonagram.queries.replaced.estimates import Estimator
from anonagram.queries.replaced.states import Asking
from anonagram.release import Replaced
from anonagram.release.sheet import Sheet


@dataclass(frozen=True)
class AskedPerturbed(Asking):
    """A question about a perturbed release, ready to be run."""

    @classmethod
    def of(cls, question: Question, sheet: Sheet, release: Replaced) -> AskedPerturbed:
        """Take a question apart, refusing what has no unbiased answer."""
        clauses: dict[str, object] = {"HAVING": question.having, "ORDER": question.order}
        clauses |= {"LIMIT": question.limit, "OFFSET": question.offset}
        for clause, given in clauses.items():
            if given:
                question.refuse(
                    clause,
                    "HAVING, ORDER BY and LIMIT are not for releases with replaced values.",
                    "leave it out, and sort or filter the answer.",
                )
        _refuse_further(question)
        plan = Plan(question, sheet, {}, [], {})
        plan.refuse_ambiguous_texts()
        plan.refuse_divisions()
        plan.refuse_nanoseconds()
        return cls(question, plan, condition_tree(question, sheet), release)

    def explain(self, dialect: str) -> str:
        """The statements that count states, for the first aggregate."""
        texts = Estimator(self, self._asked[0]).states.statements
        asked = self.question, self.plan.sheet
        return ";\n\n".join(in_dialect(text, dialect, *asked, pretty=True) for text in texts)

    @property
    def _asked(self) -> Sequence[Aggregate]:
        return self.question.aggregates or (Aggregate("COUNT(*)", "COUNT", None),)

    def run(self, engine: Engine) -> Answers:
        """Let a database count, and undo the perturbation."""
        found: dict[tuple[Any, ...], dict[str, Any]] = {}
        for aggregate in self._asked:
            for key, answer in Estimator(self, aggregate).answer(engine).items():
                found.setdefault(key, {})[aggregate.name] = answer
        keys = [key.name for key in self.question.keys]
        rows = [
            {
                name: (dict(zip(keys, key, strict=True)) | answers)[name]
                for name in self.question.shown
            }
            for key, answers in found.items()
        ]
        shown = [name for name in self.question.shown if name in keys]
        notes = Notes.of(self.question, self.release.manifest, self.plan.sheet, engine)
        return Answers(
            tuple(shown),
            tuple(name for name in self.question.shown if name not in keys),
            tuple(rows),
            notes.all,
            coarser=bool(notes.coarser),
        )


def _refuse_further(question: Question) -> None:
    """What is more than a sum over people has no estimate without bias."""
    for aggregate in question.aggregates:
        if aggregate.only is not None:
            question.refuse(
                "FILTER" if "filter" in question.sql.lower() else "SELECT",
                "Where values were replaced, all aggregates have the same condition.",
                "SELECT … FROM data WHERE …",
            )
        if aggregate.function in FURTHER:
            question.refuse(
                aggregate.argument or "SELECT",
                "Different values and quantiles have no unbiased estimate where values were replaced.",
                "COUNT, SUM or AVG",
            )
    if question.combined:
        question.refuse(
            "SELECT",
            "Arithmetic with estimates without bias has a bias.",
            "SELECT the aggregates one by one.",
        )
