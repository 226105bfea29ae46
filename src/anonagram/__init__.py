"""Anonagram publishes tables about people by rearranging values instead of blurring them.

An anagram keeps every letter and hides the word; Anonagram keeps every value and hides the person.

For the protector, who publishes
    `Schema` says what each column is, `Microdata` reads the table, a method such as `Anatomy`
    makes a `Release` with a secret `Key`; `release.write` puts it into a folder. `tune` finds how
    strongly a table must be masked.

For the analyst, who gets a release
    `Release.read` opens the folder and checks that it is whole; `release.query` answers a question
    in SQL with `Answers`: each `Answer` has an estimate, and bounds between which the truth lies.

For the subject, who is in the data
    `anonagram.verify.verify` gives a `Verification`: what somebody who knows her would learn from
    a release.

For the auditor, who doubts a release
    A privacy model such as `LDiversity` recomputes the promise from the published tables alone and
    gives a `Finding`; `audit` attacks a masked table that any tool made and gives an `Audit`, made
    of each `Attack`'s `AttackResult`; `intersect` tells what several releases say together.

When something goes wrong
    `AnonagramError` is the root of everything raised on purpose.
"""

from __future__ import annotations

from anonagram.runtime.listed import listed

__version__ = "0.1.0"
__all__, __getattr__, __dir__ = listed(__name__)
__all__ += ["__version__"]
