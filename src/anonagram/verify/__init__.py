"""What a person in the data can learn about herself from a release, without asking anybody."""

from anonagram.verify.record import read_record, read_settings, require_columns
from anonagram.verify.verification import Belief, Distance, Likely, Verification, verify, verify_in
from anonagram.verify.view import View, view_of

__all__ = [
    "Belief",
    "Distance",
    "Likely",
    "Verification",
    "View",
    "read_record",
    "read_settings",
    "require_columns",
    "verify",
    "verify_in",
    "view_of",
]
