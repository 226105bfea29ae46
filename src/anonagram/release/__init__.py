"""What is published: one class for each shape of publication, its manifest, and the bundle on disk."""

from anonagram.release.anatomized import AnatomizedRelease
from anonagram.release.bundle import is_bundle, make_bundle
from anonagram.release.counterfeited import CounterfeitedRelease
from anonagram.release.generalized import GeneralizedRelease
from anonagram.release.grouped import GroupedRelease, QuasiRowsRelease, WithGroups, count_values
from anonagram.release.grouped_graph import GraphNames, GroupedGraphRelease
from anonagram.release.manifest import (
    Claim,
    DescribedTable,
    Manifest,
    PublishedColumn,
    Rows,
    describe,
    describe_column,
)
from anonagram.release.masked import MaskedRelease
from anonagram.release.masking import CHANGED, MOVED, MaskedColumns, Masking
from anonagram.release.permuted import PermutedRelease
from anonagram.release.perturbed import PerturbedRelease
from anonagram.release.private import PrivateFile
from anonagram.release.reading import OpenedRelease
from anonagram.release.release import Figures, Release
from anonagram.release.series import Series
from anonagram.release.stored import StoredTable
from anonagram.release.subdomains import SubdomainRelease
from anonagram.release.told import Told
from anonagram.release.transition import Replaced, Transition
from anonagram.release.with_subdomains import Subdomains, WithSubdomains

__all__ = [
    "CHANGED",
    "MOVED",
    "AnatomizedRelease",
    "Claim",
    "CounterfeitedRelease",
    "DescribedTable",
    "Figures",
    "GeneralizedRelease",
    "GraphNames",
    "GroupedGraphRelease",
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
    "Series",
    "StoredTable",
    "SubdomainRelease",
    "Subdomains",
    "Told",
    "Transition",
    "WithGroups",
    "WithSubdomains",
    "count_values",
    "describe",
    "describe_column",
    "is_bundle",
    "make_bundle",
]
