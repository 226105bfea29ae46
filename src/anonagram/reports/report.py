"""Everything that can be said of a release at once, for whoever has to answer for it.

>>> from anonagram import Anatomy, Key, Microdata
>>> table = {"age": [31, 45, 52, 60], "ill": ["flu", "cut", "gout", "flu"]}
>>> data = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
>>> release = Anatomy(l=2).anonymize(data, Key(bytes(32)))
>>> report = report_on(release)
>>> [finding.holds for finding in report.findings], report.attacks is None
([True], True)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks import Aligned, Attack, AttackResults, Audit, Target, Verdict, audit
from anonagram.errors import AnonagramError
from anonagram.measures import Workload, WorkloadResult, measure, run_workload
from anonagram.measures.measures import AnyMeasures
from anonagram.measures.published import headline_of
from anonagram.microdata import Microdata
from anonagram.models import Finding, PrivacyModel
from anonagram.release import Release
from anonagram.runtime.progress import step
from anonagram.shown.result import Shown

if TYPE_CHECKING:
    from anonagram.graphs.measures import GraphMeasures

T = TypeVar("T")
QUESTIONS = 300
CONDITIONS = 2


@dataclass(frozen=True)
class Report(Shown):
    """What was found about a release; None is what could not be found without its original."""

    shown_by = "report"

    release: Release
    findings: tuple[Finding, ...]
    """Its promises, checked anew on the published tables."""
    attacks: AttackResults | None = None
    audit: Audit | None = None
    """Of a masked table, where it is known which rows belong together."""
    measures: AnyMeasures | GraphMeasures | None = None
    workload: WorkloadResult | None = None
    left_out: tuple[str, ...] = ()
    """What was not measured, and why."""

    @property
    def is_kept(self) -> bool:
        """Whether every promise holds."""
        return all(finding.holds for finding in self.findings)

    @property
    def verdict(self) -> Verdict:
        """What intruders got; not tried is not known."""
        if self.audit is not None:
            return self.audit.verdict
        if self.attacks is None or not self.attacks.each:
            return Verdict.CANNOT_TELL
        verdict = self.attacks.verdict
        if self.release.masked and verdict is Verdict.WITHSTANDS:
            return Verdict.CANNOT_TELL  # nobody looked whether people are found again
        return verdict

    @property
    def headline(self) -> str:
        """The worst true thing."""
        broken = [finding for finding in self.findings if not finding.holds]
        if broken:
            return f"A promise is broken: {broken[0]}."
        if self.audit is not None:
            from anonagram.attacks.audit_words import audit_headline

            return audit_headline(self.audit)
        if self.release.masked and self.verdict is Verdict.CANNOT_TELL:
            return self.left_out[0]
        if self.attacks is not None and self.attacks.each:
            worst = self.attacks.worst
            return (
                f"{worst.sentence} (Tried by {worst.attack.call}, who knows {worst.attack.knows}.)"
            )
        told = headline_of(self.release.manifest)
        untried = "What intruders get was not tried: that takes the original."
        return untried if told is None else f"{told} {untried}"

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram report --json` prints."""
        workload, measures = self.workload, self.measures
        return {
            "release": self.release.heading,
            "headline": self.headline,
            "verdict": str(self.verdict),
            "promises": [finding.to_dict() for finding in self.findings],
            "attacks": None if self.attacks is None else _attacked(self.attacks),
            "audit": None if self.audit is None else self.audit.to_dict(),
            "measures": None if measures is None else measures.to_dict(),
            "workload": None if workload is None else workload.to_dict(),
            "not_measured": list(self.left_out),
        }


def _attacked(results: AttackResults) -> dict[str, Any] | None:
    return results.to_dict() if results.each else None


def report_on(
    release: Release,
    original: Microdata | None = None,
    pair: Aligned | None = None,
    others: tuple[Release, ...] = (),
    present: tuple[NDArray[np.bool_] | None, ...] = (),
) -> Report:
    """Check, attack and measure a release with what is given.

    Intruders need its original; of a masked table also which of its rows belong together. Others are
    releases of the same people, of whom it may be known who was in which.
    """
    step("Checking the promises")
    findings = tuple(
        PrivacyModel.parse(claim.model).check(release) for claim in release.manifest.claims
    )
    if release.graph is not None:
        return _on_graph(release, findings)
    if original is None:
        why = "Without the original nobody can say what intruders get and what answers are worth."
        return Report(release, findings, left_out=(why,))
    left_out: list[str] = []
    attacks = AttackResults.of_everybody(Target(release, original, None, others, present))
    audited = None
    if pair is not None:
        step("Auditing")
        audited = audit(pair)
    elif release.masked:
        left_out.append(
            "Whether people are found again in a masked table was not tried: that takes its private "
            "file (anonagram audit)."
        )
    step("Measuring")
    measured = _unless_refused(lambda: measure(release, original), left_out)
    step("Asking")
    asked = _unless_refused(lambda: _ask(release, original), left_out)
    return Report(release, findings, attacks, audited, measured, asked, tuple(left_out))


def _on_graph(release: Release, findings: tuple[Finding, ...]) -> Report:
    """Intruders of a graph need nothing but its release."""
    from anonagram.graphs import GraphAttack
    from anonagram.graphs.measures import GraphMeasures

    known: dict[str, type[GraphAttack[Any]]] = GraphAttack.known()
    tried: list[Attack[Any]] = [GraphAttack.parse(member.example) for member in known.values()]
    attacks = AttackResults.of(tried, Target(release))
    step("Measuring")
    why = "What answers are worth was not measured: anonagram workload does it with the original."
    return Report(release, findings, attacks, measures=GraphMeasures.of(release), left_out=(why,))


def _ask(release: Release, original: Microdata) -> WorkloadResult:
    columns = len(original.with_role("quasi")) + bool(original.with_role("sensitive"))
    drawn = Workload.draw(original, conditions=min(CONDITIONS, columns), queries=QUESTIONS)
    return run_workload(release, original, drawn)


def _unless_refused(work: Callable[[], T], left_out: list[str]) -> T | None:
    """What work finds; where the shape cannot be measured so, the reason is kept."""
    try:
        return work()
    except AnonagramError as error:
        left_out.append(error.what)
        return None
