"""Everything that can go wrong, in one tree.

* AnonagramError
    * InputError          a table, file or address cannot be read as it is
    * SchemaError         roles, kinds or hierarchies do not fit the table
    * CallError           the text of a method, model or hierarchy cannot be understood
    * CannotAnonymize     the table and the parameters allow no such release
    * UnsupportedQuery    a question that cannot be answered from a release
    * ReleaseDamaged      a bundle was edited, truncated or made by a newer version
    * CannotWrite         the output exists, or the disk refuses it
    * MissingExtra        an optional package is needed
    * InternalError       a defect of Anonagram itself
        * PromiseBroken   a release failed the check of its own promise

Every message says what happened, with the values, and then what to try:

>>> raise InputError("patients.csv is empty.", "Give a file with a header row.")
Traceback (most recent call last):
    ...
anonagram.errors.InputError: patients.csv is empty.
  Try: Give a file with a header row.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from anonagram.shown.passwords import without_passwords


class AnonagramError(Exception):
    """Catch this to catch everything Anonagram raises on purpose."""

    def __init__(self, what: str, remedy: str = "") -> None:
        # whatever is told of an address, its password is not
        self.what = without_passwords(what)
        self.remedy = without_passwords(remedy)
        super().__init__(f"{self.what}\n  Try: {self.remedy}" if remedy else self.what)


class InputError(AnonagramError):
    """A table, file or database address cannot be read as it is."""


class SchemaError(AnonagramError):
    """Roles, kinds or hierarchies do not fit the table."""


class CallError(AnonagramError):
    """The text of a method, model or hierarchy cannot be understood."""


class CannotAnonymize(AnonagramError):
    """The table and the parameters allow no such release."""


class UnsupportedQuery(AnonagramError):
    """A question that is not understood, or that a release cannot answer soundly.

    The message shows the query and points at the words from start to end.

    >>> print(UnsupportedQuery("MEDIAN has no bounds.", "AVG(age)", "SELECT MEDIAN(age) FROM data", 7, 13))
    MEDIAN has no bounds.
        SELECT MEDIAN(age) FROM data
               ^^^^^^
      Try: AVG(age)
    """

    def __init__(self, why: str, remedy: str, sql: str, start: int, end: int) -> None:
        self.start, self.end = start, end
        begin = sql.rfind("\n", 0, start) + 1
        line = sql[begin:].split("\n", 1)[0].replace("\t", " ")
        marks = max(1, min(end, begin + len(line)) - start)
        pointer = " " * (start - begin) + "^" * marks
        super().__init__(f"{why}\n    {line}\n    {pointer}", remedy)


class ReleaseDamaged(AnonagramError):
    """A bundle was edited by hand, truncated, or made by a newer version."""

    def __init__(
        self, what: str, remedy: str = "get the bundle again from who published it."
    ) -> None:
        super().__init__(what, remedy)


class CannotWrite(AnonagramError):
    """The output exists already, or the disk refuses it."""


class MissingExtra(AnonagramError):
    """An optional package is needed; the message names the command that installs it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"This needs the package {package}, which is not installed.",
            f"pip install 'anonagram[{extra}]'",
        )


class InternalError(AnonagramError):
    """A defect of Anonagram itself; please report it with the message."""


class PromiseBroken(InternalError):
    """A release failed the check of its own promise and was not handed out."""


def suggest(word: str, known: Iterable[str]) -> str:
    """Say which known word was probably meant.

    >>> suggest("ocupation", ["age", "occupation"])
    "did you mean 'occupation'?"
    >>> suggest("x", ["age", "sex"])
    'there are: age, sex.'
    """
    names = list(known)
    meant = nearest(word, names)
    if meant is not None:
        return f"did you mean {meant!r}?"
    return f"there are: {', '.join(names)}." if names else "there are none."


def nearest(word: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """The known word that is most like one, if any is like it at all.

    >>> nearest("gendr", ["age", "gender"]), nearest("name", ["age", "gender"])
    ('gender', None)
    """
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=likeness)
    return close[0] if close else None
