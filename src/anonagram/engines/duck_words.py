"""What DuckDB finds wrong with a question, in words of the question."""

from __future__ import annotations

import re

KINDS = {
    "whole numbers": r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?\d*|INTEGER_LITERAL|U?INT\d+",
    "numbers": r"FLOAT|DOUBLE|REAL|DECIMAL.*",
    "texts": r"VARCHAR|STRING_LITERAL|TEXT",
    "dates": r"DATE",
    "moments": r"TIMESTAMP.*",
    "times": r"TIME.*",
    "intervals": r"INTERVAL",
    "true or false": r"BOOL(EAN)?",
}
"""What people call DuckDB's types; the first that fits counts."""
NO_VALUE = re.compile(r"Could not convert string ['\"](.*)['\"] to ([\w(), ]+?)( when .*)?$")
NO_DATE = re.compile(r"(?:field value out of range|invalid \w+ field format): \"(.*?)\"")
NO_COMPARISON = re.compile(r"Cannot compare values of type (\S+) and type (\S+)")
NO_CAST = re.compile(r"Unimplemented type for cast \((\S+) -> (\S+)\)")
NO_FUNCTION = re.compile(r"No function matches .*'(.+?)\((.*)\)'")
OF_THEIR_OWN_TYPE = "compare columns with values of their own type."


def in_words(message: str) -> tuple[str, str, str | None]:
    """What is wrong, what to do, and the value of the question it is about.

    >>> in_words("Conversion Error: Could not convert string 'old' to INT64")[0]
    "'old' is none of the whole numbers."
    >>> in_words('Conversion Error: Could not convert string "V58" to DECIMAL(5,2)')[0]
    "'V58' is none of the numbers."
    >>> in_words("Binder Error: Cannot compare values of type DATE and type INTEGER_LITERAL - x")[0]
    'Dates are compared with whole numbers.'
    """
    line = re.sub(r"^[A-Z][\w ]* Error: ", "", message.splitlines()[0])
    if found := NO_VALUE.search(line):
        text, kind = found[1], kind_of(found[2])
        return f"'{text}' is none of the {kind}.", OF_THEIR_OWN_TYPE, text
    if found := NO_DATE.search(line):
        remedy = "a date as 2024-01-31, a time as 12:30:00."
        return f"'{found[1]}' is not in the calendar.", remedy, found[1]
    if found := NO_COMPARISON.search(line):
        one, two = kind_of(found[1]).capitalize(), kind_of(found[2])
        return f"{one} are compared with {two}.", OF_THEIR_OWN_TYPE, None
    if found := NO_CAST.search(line):
        one, two = kind_of(found[1]).capitalize(), kind_of(found[2])
        return f"{one} do not become {two}.", OF_THEIR_OWN_TYPE, None
    if found := NO_FUNCTION.search(line):
        taken = [each.strip() for each in found[2].split(",")]
        of = " and ".join(
            kind_of(each) for each in taken if "LITERAL" not in each or taken == [each]
        )
        return (
            f"{found[1].upper()} does not take {of}.",
            "a column of another type, or CAST(…).",
            None,
        )
    if re.search(r"[Oo]verflow|out of range|too large", line):
        remedy = "CAST(… AS DOUBLE), or smaller numbers."
        return "A number on the way becomes too large for its type.", remedy, None
    return f"DuckDB cannot answer this: {line}", OF_THEIR_OWN_TYPE, None


def kind_of(name: str) -> str:
    """What people call a type.

    >>> kind_of("INT32"), kind_of("DECIMAL(18,3)"), kind_of("TIMESTAMP_NS"), kind_of("BLOB")
    ('whole numbers', 'numbers', 'moments', 'BLOB')
    """
    fitting = (kind for kind, names in KINDS.items() if re.fullmatch(names, name.strip()))
    return next(fitting, name)
