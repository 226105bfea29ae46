"""What is published: one class for each shape of publication, its manifest, and the bundle on disk."""

from anonagram.release.anatomized import AnatomizedRelease
from anonagram.release.bundle import is_bundle, make_bundle
from anonagram.release.generalized import GeneralizedRelease
from anonagram.release.grouped import GroupedRelease, QuasiRowsRelease, WithGroups, count_values
from anonagram.release.manifest import (
    Claim,
    DescribedTable,
    Manifest,
    PublishedColumn,
    Rows,
    describe,
)
from anonagram.release.masked import MaskedRelease
from anonagram.release.masking import CHANGED, MOVED, MaskedColumns, Masking
from anonagram.release.permuted import PermutedRelease
from anonagram.release.perturbed import PerturbedRelease
from anonagram.release.private import PrivateFile
from anonagram.release.reading import OpenedRelease
from anonagram.release.release import Figures, Release
from anonagram.release.stored import StoredTable
from anonagram.release.told import Told
from anonagram.release.transition import Replaced, Transition

__all__ = [
    "CHANGED",
    "MOVED",
    "AnatomizedRelease",
    "Claim",
    "DescribedTable",
    "Figures",
    "GeneralizedRelease",
    "GroupedRelease",
    "Manifest",
    "MaskedColumns",
    "MaskedRelease",
    "Masking",
    "OpenedRelease",
    "PermutedRelease",
    "PerturbedRelease",
    "PrivateFile",
    "PublishedColumn",
    "QuasiRowsRelease",
    "Release",
    "Replaced",
    "Rows",
    "StoredTable",
    "Told",
    "Transition",
    "WithGroups",
    "count_values",
    "describe",
    "is_bundle",
    "make_bundle",
]
