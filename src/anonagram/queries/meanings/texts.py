"""Rules for texts: letters are code points, compared byte by byte."""

from __future__ import annotations

import re

from sqlglot import exp

from anonagram.queries.kinds import MISSING, TEXT, TEXTS, TRUTH, WHOLE, Kind
from anonagram.queries.meanings.casts import as_text
from anonagram.queries.meanings.translator import Translator, Typed, rule
from anonagram.queries.meanings.values import binary

SPACES = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
"""What TRIM takes away in DuckDB: every space of Unicode, and no tabs or line ends."""
TRIMS = {"": "BTRIM", "BOTH": "BTRIM", "LEADING": "LTRIM", "TRAILING": "RTRIM"}


@rule(exp.Lower, exp.Upper)
def _cased(t: Translator, node: exp.Expr) -> Typed:
    name = "lower" if isinstance(node, exp.Lower) else "upper"
    return Typed(Kind(TEXT), _in_case(t, name, t.require(node.this, *TEXTS).sql))


def _in_case(t: Translator, name: str, text: exp.Expr) -> exp.Expr:
    """PostgreSQL's letters depend on how it was built; beyond ASCII they are told one by one."""
    plain = exp.Anonymous(this=name.upper(), expressions=[binary(text)])
    written = "".join(each.name for each in text.find_all(exp.Literal) if each.is_string)
    before, after = t.letters(name, written)
    if not before:
        return plain
    letters = [exp.Literal.string(before), exp.Literal.string(after)]
    return exp.Anonymous(this="TRANSLATE", expressions=[plain, *letters])


@rule(exp.Like, exp.ILike, reads="this expression negate")
def _like(t: Translator, node: exp.Expr) -> Typed:
    """A backslash in a pattern means itself."""
    return _match(t, node, exp.Literal.string(""))


@rule(exp.Escape, reads="this expression")
def _escaped(t: Translator, node: exp.Expr) -> Typed:
    escape = node.expression
    plain = isinstance(escape, exp.Literal) and escape.is_string and len(escape.name) == 1
    # a letter that ends an ILIKE may be another one in the other case
    fits = isinstance(node.this, exp.Like) or not escape.name.isalpha()
    if not isinstance(node.this, exp.Like | exp.ILike) or not plain or not fits:
        t.refuse(node, "no rule")
    return _match(t, node.this, escape.copy())


def _match(t: Translator, node: exp.Expr, escape: exp.Expr) -> Typed:
    sides = [t.require(side, *TEXTS).sql for side in (node.this, node.expression)]
    if isinstance(node, exp.ILike):
        sides = [_in_case(t, "lower", side) for side in sides]
    like = exp.Like(this=binary(sides[0]), expression=exp.Paren(this=sides[1]))
    found: exp.Expr = exp.Escape(this=like, expression=escape)
    return Typed(
        Kind(TRUTH), exp.Not(this=exp.Paren(this=found)) if node.args.get("negate") else found
    )


@rule(exp.Length)
def _length(t: Translator, node: exp.Expr) -> Typed:
    text = t.require(node.this, *TEXTS).sql
    return Typed(Kind(WHOLE, 10), exp.Anonymous(this="CHAR_LENGTH", expressions=[binary(text)]))


@rule(exp.Substring, reads="this start length")
def _substring(t: Translator, node: exp.Expr) -> Typed:
    places = [node.args["start"], node.args.get("length")]
    return _piece(t, node, "SUBSTR", [each for each in places if each is not None])


@rule(exp.Left, exp.Right, reads="this expression")
def _end(t: Translator, node: exp.Expr) -> Typed:
    return _piece(t, node, "LEFT" if isinstance(node, exp.Left) else "RIGHT", [node.expression])


def _piece(t: Translator, node: exp.Expr, name: str, places: list[exp.Expr]) -> Typed:
    for place in places:
        number = isinstance(place, exp.Literal) and not place.is_string
        if not number or not re.fullmatch("[0-9]{1,9}", place.name):
            t.refuse(node, "length")
    text = binary(t.require(node.this, *TEXTS).sql)
    function = exp.Anonymous(this=name, expressions=[text, *(place.copy() for place in places)])
    return Typed(Kind(TEXT), function)


@rule(exp.Trim, reads="this expression position")
def _trim(t: Translator, node: exp.Expr) -> Typed:
    text, given = t.require(node.this, *TEXTS).sql, node.args.get("expression")
    letters = exp.Literal.string(SPACES) if given is None else t.require(given, *TEXTS).sql
    function = TRIMS[str(node.args.get("position") or "").upper()]
    return Typed(Kind(TEXT), exp.Anonymous(this=function, expressions=[binary(text), letters]))


@rule(exp.DPipe, reads="this expression")
def _joined(t: Translator, node: exp.Expr) -> Typed:
    sides = [t.read(side) for side in (node.this, node.expression)]
    if MISSING in (sides[0].kind.name, sides[1].kind.name):
        t.refuse(node, "mixed")
    one, two = (as_text(t, side, node) for side in sides)
    return Typed(Kind(TEXT), exp.Paren(this=exp.DPipe(this=one, expression=two)))
