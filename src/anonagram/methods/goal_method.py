"""What methods have in common that look for groups which keep any promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Literal

from anonagram.calls import Between, Fits
from anonagram.errors import CallError
from anonagram.lattice import Test
from anonagram.methods.method import Method
from anonagram.microdata import Microdata
from anonagram.models import Finding, GroupModel, PrivacyModel
from anonagram.release import GeneralizedRelease, Release


def _are_goals(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and bool(value)
        and all(isinstance(each, GroupModel) for each in value)
    )


Promises = Annotated[Any, Fits(_are_goals, "promises about groups, such as k_anonymity(k=5)")]


@dataclass(frozen=True, repr=False, init=False)
class GoalMethod(Method):
    """A method whose groups keep all of the promises that it is given."""

    shape = GeneralizedRelease
    rest: ClassVar[str] = "goal"

    goal: Promises
    """What every group keeps: one or several models."""

    def __init__(self, *goal: PrivacyModel | str, **options: Any) -> None:
        given = options.pop("goal", goal)
        if isinstance(given, list | tuple):
            given = tuple(PrivacyModel.parse(g) if isinstance(g, str) else g for g in given)
        elif isinstance(given, str):
            given = (PrivacyModel.parse(given),)
        known = {field.name: field.default for field in fields(self)}
        unknown = [name for name in options if name not in known]
        if unknown:
            raise CallError(f"{self.call} has no parameter {unknown[0]!r}.", self.example)
        for name, value in {**known, **options, "goal": given}.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    def promises(self, microdata: Microdata) -> tuple[PrivacyModel, ...]:  # noqa: ARG002
        """What it was given."""
        promises: tuple[PrivacyModel, ...] = self.goal
        return promises

    def tests(self, microdata: Microdata) -> list[Test]:
        """What every group is tested for."""
        self.require_roles(microdata, "quasi")
        sensitive = microdata.with_role("sensitive")
        for model in self.goal:
            if model.about_sensitive:
                self.require_roles(microdata, "sensitive")
        return [test for model in self.goal for test in model.tests(sensitive)]


Suppressed = Literal["kept", "left_out"]
Share = Annotated[float, Between(0, 1)]


def unreachable(goal: Sequence[GroupModel], everybody: Release, label: str) -> tuple[str, str]:
    """Which promise even a release with all people in one group does not keep, and by how much."""
    for model in goal:
        finding = model.check(everybody)
        if not finding.holds:
            return (
                f"No groups of {label} keep {model!r}: the whole table, as one group, achieves "
                f"{finding.achieved:g}{_about(finding)}.",
                "ask for no more than that.",
            )
    return (
        f"Nothing was found in {label} that keeps {', '.join(map(repr, goal))}.",
        "a larger share to suppress, or the method optimal.",
    )


def _about(finding: Finding) -> str:
    """The sensitive column that is to blame."""
    attribute = finding.worst[0]["attribute"]
    return f" for {attribute}" if attribute else ""
