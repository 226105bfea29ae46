"""What is published: one class for each shape of publication, its manifest, and the bundle on disk."""

from anonagram.release.anatomized import AnatomizedRelease
from anonagram.release.bundle import read_bundle
from anonagram.release.manifest import Claim, Manifest, describe
from anonagram.release.private import PrivateFile
from anonagram.release.release import GroupedRelease, Release

__all__ = [
    "AnatomizedRelease",
    "Claim",
    "GroupedRelease",
    "Manifest",
    "PrivateFile",
    "Release",
    "describe",
    "read_bundle",
]
