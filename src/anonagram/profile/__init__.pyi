from anonagram.profile.profile import Profile as Profile
from anonagram.profile.roles import ColumnProfile as ColumnProfile
from anonagram.profile.suggestion import Suggestion as Suggestion
from anonagram.profile.uniqueness import Uniqueness as Uniqueness
