"""What a method publishes, without the checks and figures that take longer than the rest."""

from __future__ import annotations

from anonagram import Key, Method, Microdata
from anonagram.methods import Publication


def rearranged(method: Method, microdata: Microdata, key: Key) -> Publication:
    """As `Method.publish` draws it: for what is true over many keys, or of many small tables."""
    return method._rearranged(microdata, key)
