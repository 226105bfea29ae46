"""Conditions as trees whose leaves each concern one part of a release.

A part is what was rearranged as a whole: which rows meet a condition on one part is known, how the
rows of two parts belong together is not. So a condition is taken apart until every leaf concerns a
single part, or compares two in a way that cannot be taken apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

from sqlglot import exp

PartsOf = Callable[[exp.Expr], frozenset[str]]
MAX_TERMS = 6
"""Alternatives of a condition across parts; their overlaps double with each."""
NEGATED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.NEQ, exp.NEQ: exp.EQ, exp.LT: exp.GTE, exp.GTE: exp.LT, exp.GT: exp.LTE,
    exp.LTE: exp.GT,
}  # fmt: skip


@dataclass(frozen=True)
class Leaf:
    """A condition that concerns one part."""

    expression: exp.Expr
    part: str


@dataclass(frozen=True)
class All:
    """Every child holds."""

    children: tuple[Tree, ...]


@dataclass(frozen=True)
class Either:
    """At least one child holds."""

    children: tuple[Tree, ...]


Tree = Leaf | All | Either


def parts_in(tree: Tree) -> frozenset[str]:
    """The parts that a condition concerns."""
    if isinstance(tree, Leaf):
        return frozenset([tree.part])
    return frozenset().union(*(parts_in(child) for child in tree.children))


def leaves_on(tree: Tree, part: str) -> dict[str, exp.Expr]:
    """The different conditions on one part, by their text."""
    if isinstance(tree, Leaf):
        return {tree.expression.sql(): tree.expression} if tree.part == part else {}
    found: dict[str, exp.Expr] = {}
    for child in tree.children:
        found |= leaves_on(child, part)
    return found


def given(tree: Tree, part: str, known: dict[str, bool]) -> Tree | bool:
    """What is left of a condition if it is known which conditions on a part hold."""
    if isinstance(tree, Leaf):
        return known[tree.expression.sql()] if tree.part == part else tree
    children = [given(child, part, known) for child in tree.children]
    decides = isinstance(tree, Either)  # one true alternative is enough, one false condition too
    if decides in [child for child in children if isinstance(child, bool)]:
        return decides
    left = tuple(child for child in children if not isinstance(child, bool))
    if not left:
        return not decides
    return left[0] if len(left) == 1 else type(tree)(left)


def push_negations(node: exp.Expr, *, negate: bool = False) -> exp.Expr:
    """The same condition with NOT only before what cannot be turned around.

    Rows for which it is true stay the same also where values are missing: SQL's logic knows
    De Morgan's laws, and a comparison with a missing value is neither true nor false.

    >>> from sqlglot import parse_one
    >>> push_negations(parse_one("NOT (a < 1 OR b = 2)")).sql()
    'a >= 1 AND b <> 2'
    """
    if isinstance(node, exp.Paren):
        return push_negations(node.this, negate=negate)
    if isinstance(node, exp.Not):
        return push_negations(node.this, negate=not negate)
    if isinstance(node, exp.And | exp.Or):
        left, right = (push_negations(side, negate=negate) for side in (node.this, node.expression))
        conjunction = isinstance(node, exp.And) != negate
        return (exp.And if conjunction else exp.Or)(this=_wrap(left), expression=_wrap(right))
    if not negate:
        return node.copy()
    if type(node) in NEGATED:
        return NEGATED[type(node)](this=node.this.copy(), expression=node.expression.copy())
    return exp.Not(this=_wrap(node.copy()))


def _wrap(node: exp.Expr) -> exp.Expr:
    return exp.Paren(this=node) if isinstance(node, exp.Or) else node


def tree_of(
    condition: exp.Expr, parts_of: PartsOf, any_part: str, mixing: Callable[[exp.Expr], str]
) -> Tree:
    """A condition as a tree; `mixing` gives the name of what a leaf over several parts concerns.

    A leaf without a column, such as TRUE, concerns every part alike and is counted to any_part.
    """

    def build(node: exp.Expr) -> Tree:
        node = node.unnest()
        parts = parts_of(node)
        if len(parts) <= 1:
            return Leaf(node, next(iter(parts), any_part))
        if not isinstance(node, exp.And | exp.Or):
            return Leaf(node, mixing(node))
        kind = All if isinstance(node, exp.And) else Either
        return _merged(kind, [build(side) for side in node.flatten()])

    return build(push_negations(condition))


def _merged(kind: type[All] | type[Either], children: list[Tree]) -> Tree:
    """A node in which every part has at most one leaf among the children."""
    flat: list[Tree] = []
    for child in children:
        flat += child.children if isinstance(child, kind) else [child]
    by_part: dict[str, list[exp.Expr]] = {}
    others: list[Tree] = []
    for child in flat:
        if isinstance(child, Leaf):
            by_part.setdefault(child.part, []).append(child.expression)
        else:
            others.append(child)
    leaves: list[Tree] = [Leaf(_joined(kind, each), part) for part, each in by_part.items()]
    together = (*leaves, *others)
    return together[0] if len(together) == 1 else kind(together)


def _joined(kind: type[All] | type[Either], each: list[exp.Expr]) -> exp.Expr:
    join = exp.And if kind is All else exp.Or
    return reduce(lambda a, b: join(this=_in_parens(a), expression=_in_parens(b)), each)


def _in_parens(node: exp.Expr) -> exp.Expr:
    return exp.Paren(this=node) if isinstance(node, exp.And | exp.Or | exp.Not) else node


def components(tree: Tree | None) -> list[Tree]:
    """Conditions that must all hold and share no part."""
    if tree is None:
        return []
    found: list[Tree] = []
    for conjunct in tree.children if isinstance(tree, All) else [tree]:
        touching = [each for each in found if parts_in(each) & parts_in(conjunct)]
        found = [each for each in found if each not in touching]
        found.append(_merged(All, [*touching, conjunct]))
    return found


def alternatives(tree: Tree) -> list[dict[str, exp.Expr]]:
    """The condition as alternatives, each with one condition for each part (disjunctive form)."""
    if isinstance(tree, Leaf):
        return [{tree.part: tree.expression}]
    if isinstance(tree, Either):
        return [term for child in tree.children for term in alternatives(child)]
    terms: list[dict[str, exp.Expr]] = [{}]
    for child in tree.children:
        more = alternatives(child)[: MAX_TERMS + 1]  # more than that is refused anyway
        terms = [both(one, two) for one in terms for two in more][: MAX_TERMS + 1]
    return terms


def both(one: dict[str, exp.Expr], two: dict[str, exp.Expr]) -> dict[str, exp.Expr]:
    """The alternative in which both hold."""
    together = dict(one)
    for part, expression in two.items():
        if part in together and together[part] != expression:
            together[part] = _joined(All, [together[part], expression])
        else:
            together[part] = expression
    return together
