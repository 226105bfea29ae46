"""A first look at a table: what is in it, who would be unique, which role each column may play."""

from anonagram.profile.profile import Profile, Repeated
from anonagram.profile.roles import ColumnProfile
from anonagram.profile.suggestion import Suggestion
from anonagram.profile.uniqueness import Uniqueness

__all__ = ["ColumnProfile", "Profile", "Repeated", "Suggestion", "Uniqueness"]
