"""Reading one aggregate: its function, its argument, and the condition of its own FILTER."""

from __future__ import annotations

import re
from fractions import Fraction

from sqlglot import exp

from anonagram.queries.reading.allowed import AGGREGATES
from anonagram.queries.reading.expressions import Expressions
from anonagram.queries.reading.question import Aggregate, both, columns_of

SHARE = r"0?\.[0-9]{1,9}|1(\.0{1,9})?"
"""How the share of a quantile is written: a decimal number, which databases do not round."""


def read_aggregate(node: exp.Expr, name: str, expressions: Expressions) -> Aggregate:
    """The aggregate that a node asks for."""
    only, node = _own_condition(node, expressions)
    share, node = _own_share(node, expressions)
    if type(node) not in AGGREGATES:
        expressions.require_scalar(node)
    function, argument = AGGREGATES[type(node)], node.this
    if isinstance(node, exp.CountIf):
        only = both(only, expressions.scalar(argument))
        return Aggregate(name, function, None, only, of_none="zero or null")
    if isinstance(argument, exp.Distinct):
        function, argument = _different(node, expressions)
    if isinstance(argument, exp.Star) or argument is None:
        return Aggregate(name, function, None, only)
    if argument.find(exp.AggFunc):
        expressions.refuse(node, "An aggregate cannot stand in another.", "ask for one of them.")
    argument = expressions.scalar(argument)
    if not columns_of(argument):
        is_something = isinstance(argument.unnest(), exp.Literal | exp.Boolean)
        if function != "COUNT" or not is_something:
            expressions.refuse(node, "An aggregate needs a column.", "SUM(a column)")
        return Aggregate(name, function, None, only)
    return Aggregate(name, function, argument, only, share)


def _own_condition(node: exp.Expr, expressions: Expressions) -> tuple[exp.Expr | None, exp.Expr]:
    """The condition of FILTER, and the aggregate before it."""
    if not isinstance(node, exp.Filter):
        return None, node
    condition = node.expression.this
    if condition.find(exp.AggFunc):
        expressions.refuse("FILTER", "A condition on an aggregate belongs into HAVING.", "HAVING …")
    return expressions.scalar(condition), node.this


def _own_share(node: exp.Expr, expressions: Expressions) -> tuple[Fraction | None, exp.Expr]:
    """The share of a quantile, and the aggregate with its argument alone."""
    if isinstance(node, exp.WithinGroup):
        inner, order = node.this, node.expression.expressions
        is_plain = isinstance(inner, exp.PercentileCont | exp.PercentileDisc) and len(order) == 1
        if not is_plain or order[0].args.get("desc") or inner.expression is not None:
            expressions.refuse(
                "WITHIN", "Only a quantile is asked so, in ascending order.", "MEDIAN(age)"
            )
        return _share(inner.this, expressions), type(inner)(this=order[0].this)
    if isinstance(node, exp.Median):
        return Fraction(1, 2), node
    if isinstance(node, exp.PercentileCont | exp.PercentileDisc | exp.Quantile):
        given = node.args.get("quantile") or node.args.get("expression")
        return _share(given, expressions), type(node)(this=node.this)
    return None, node


def _share(node: exp.Expr | None, expressions: Expressions) -> Fraction:
    is_number = isinstance(node, exp.Literal) and not node.is_string
    if node is None or not is_number or not re.fullmatch(SHARE, node.name) or not float(node.name):
        expressions.refuse(
            node, "A quantile is asked for a share above 0, up to 1.", "QUANTILE_CONT(age, 0.75)"
        )
    return Fraction(node.name)


def _different(node: exp.Expr, expressions: Expressions) -> tuple[str, exp.Expr]:
    values = node.this.expressions
    if not isinstance(node, exp.Count) or len(values) != 1:
        expressions.refuse(
            "DISTINCT",
            "Different values are counted, of one expression; what else they have in common is "
            "not known.",
            "SELECT COUNT(DISTINCT …) FROM data …",
        )
    return "DISTINCT", values[0]
