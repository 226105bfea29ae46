"""Writes an expression of a question for PostgreSQL, with the meaning that it has in DuckDB.

Every type of expression has a rule that knows which kinds of values it takes, what comes out and
how PostgreSQL says it. What has no rule, or a part that its rule does not read, is refused: what is
added to the list of allowed expressions is not asked in PostgreSQL until somebody has written a
rule and the test that proves it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from sqlglot import exp

from anonagram.queries.kinds import UNKNOWN, Kind

Letters = Callable[[str, str], tuple[str, str]]
"""Gives, for `lower` or `upper` and a text, which letters beyond ASCII become which others."""


class Typed(NamedTuple):
    """An expression for PostgreSQL, and what it is."""

    kind: Kind
    sql: exp.Expr


Rule = Callable[["Translator", exp.Expr], Typed]
RULES: dict[type[exp.Expr], tuple[Rule, frozenset[str]]] = {}
"""For each type of expression its rule, and the parts of the expression that it reads."""
IGNORED = {"typed", "safe", "_type"}
"""What sqlglot notes for itself."""


def rule(*types: type[exp.Expr], reads: str = "this") -> Callable[[Rule], Rule]:
    """Names a function as the rule for these types, which reads these parts of them."""

    def register(function: Rule) -> Rule:
        for each in types:
            RULES[each] = function, frozenset(reads.split())
        return function

    return register


@dataclass
class Translator:
    """Reads expressions by their rules."""

    columns: Callable[[exp.Expr], Typed]
    refusal: Callable[[exp.Expr, str], NoReturn]
    """Called with what is refused and the name of the reason."""
    letters: Letters
    known: dict[int, tuple[exp.Expr, Typed]] = field(default_factory=dict)
    """By identity, and with what was read: an expression that is gone leaves its number to another."""

    def read(self, node: exp.Expr) -> Typed:
        """An expression for PostgreSQL."""
        if id(node) not in self.known:
            self.known[id(node)] = node, self._read(node)
        return self.known[id(node)][1]

    def _read(self, node: exp.Expr) -> Typed:
        apply, reads = RULES.get(type(node), (None, frozenset()))
        given = {name for name, value in node.args.items() if value} - IGNORED
        if apply is None or given - reads:
            self.refuse(node, "no rule")
        return apply(self, node)

    def refuse(self, node: exp.Expr, reason: str) -> NoReturn:
        """Say that PostgreSQL is not asked this."""
        self.refusal(node, reason)

    def is_summed(self, node: exp.Expr) -> bool:  # noqa: ARG002
        """Whether a number is only added up, with bounds that are widened for rounding."""
        return False

    def require(self, node: exp.Expr, *names: str) -> Typed:
        """An expression that must be of one of these kinds."""
        found = self.read(node)
        if found.kind.name not in names:
            self.refuse(node, "no rule" if found.kind.name == UNKNOWN else "mixed")
        return found
