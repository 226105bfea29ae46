"""Anonagram publishes tables about people by rearranging values instead of blurring them.

An anagram keeps every letter and hides the word; Anonagram keeps every value and hides the person.

For the protector, who publishes
    `Schema` says what each column is, `Microdata` reads the table, a method such as `Anatomy`
    makes a `Release` with a secret `Key`; `release.write` puts it into a folder.

For the analyst, who gets a release
    `Release.read` opens the folder and checks that it is whole; `release.query` answers a question
    in SQL with `Answers`: each `Answer` has an estimate, and bounds between which the truth lies.

For the subject, who is in the data
    `anonagram.verify.verify` tells what somebody who knows her would learn from a release.

For the auditor, who doubts a release
    A privacy model such as `LDiversity` recomputes the promise from the published tables alone and
    gives a `Finding`; `anonagram.attacks.audit` attacks a masked table that any tool made.

When something goes wrong
    `AnonagramError` is the root of everything raised on purpose.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from anonagram.columns.hierarchy import Hierarchy as Hierarchy
    from anonagram.errors import AnonagramError as AnonagramError
    from anonagram.key import Key as Key
    from anonagram.methods import Anatomy as Anatomy
    from anonagram.methods import CorrelatedNoise as CorrelatedNoise
    from anonagram.methods import DataSwapping as DataSwapping
    from anonagram.methods import Generalize as Generalize
    from anonagram.methods import Ke as Ke
    from anonagram.methods import Method as Method
    from anonagram.methods import Microaggregation as Microaggregation
    from anonagram.methods import Noise as Noise
    from anonagram.methods import Permutation as Permutation
    from anonagram.methods import Random as Random
    from anonagram.methods import RankSwapping as RankSwapping
    from anonagram.methods import Shuffling as Shuffling
    from anonagram.microdata import Microdata as Microdata
    from anonagram.models import DistinctLDiversity as DistinctLDiversity
    from anonagram.models import EntropyLDiversity as EntropyLDiversity
    from anonagram.models import Finding as Finding
    from anonagram.models import GammaAmplification as GammaAmplification
    from anonagram.models import KAnonymity as KAnonymity
    from anonagram.models import KeAnonymity as KeAnonymity
    from anonagram.models import LDiversity as LDiversity
    from anonagram.models import PrivacyModel as PrivacyModel
    from anonagram.models import ProbabilisticAnonymity as ProbabilisticAnonymity
    from anonagram.models import RecursiveLDiversity as RecursiveLDiversity
    from anonagram.queries import Answer as Answer
    from anonagram.queries import Answers as Answers
    from anonagram.release import Release as Release
    from anonagram.schema import Schema as Schema

_HOMES = {
    "AnonagramError": "errors",
    "Anatomy": "methods",
    "Answer": "queries",
    "Answers": "queries",
    "CorrelatedNoise": "methods",
    "DataSwapping": "methods",
    "DistinctLDiversity": "models",
    "EntropyLDiversity": "models",
    "Finding": "models",
    "GammaAmplification": "models",
    "Generalize": "methods",
    "Hierarchy": "columns.hierarchy",
    "KAnonymity": "models",
    "Ke": "methods",
    "KeAnonymity": "models",
    "Key": "key",
    "LDiversity": "models",
    "Method": "methods",
    "Microaggregation": "methods",
    "Microdata": "microdata",
    "Noise": "methods",
    "Permutation": "methods",
    "PrivacyModel": "models",
    "ProbabilisticAnonymity": "models",
    "Random": "methods",
    "RankSwapping": "methods",
    "RecursiveLDiversity": "models",
    "Release": "release",
    "Schema": "schema",
    "Shuffling": "methods",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: heavy libraries wait until then."""
    if name not in _HOMES:
        raise AttributeError(f"module 'anonagram' has no attribute {name!r}")
    return getattr(import_module(f"anonagram.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
