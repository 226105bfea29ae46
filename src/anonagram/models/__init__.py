"""Promises that can be checked on what is published: one promise, one file, found by itself."""

from anonagram.models.model import Finding, GroupModel, PrivacyModel

__all__ = ["Finding", "GroupModel", "PrivacyModel"]
