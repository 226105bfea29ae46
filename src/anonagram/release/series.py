"""What the protector must remember of earlier releases to make the next one: who had which signature.

A person's signature is the set of sensitive values of her group. Whoever is in several releases with
the same signature has as many possible values after all of them as after the first (Xiao and Tao
2007). It stands in the private file, never in a release, and names people.

>>> people = pl.DataFrame({"person": ["Ann", "Bob"], "signature": [0, 0], "releases": [[1], [1]]})
>>> values = pl.DataFrame({"signature": [0, 0], "value": ["flu", "cut"]})
>>> Series("disease", ("5f",), people, values)
Series(disease: 2 people in 1 release)
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from io import BytesIO
from typing import Self

import polars as pl

from anonagram.digests import digest_of
from anonagram.shown.wording import how_many

PEOPLE = {"person": pl.String(), "signature": pl.Int32(), "releases": pl.List(pl.Int32())}


@dataclass(frozen=True, repr=False)
class Series:
    """The people of a series of releases, and the signatures they were given."""

    attribute: str
    """The sensitive column."""
    salts: tuple[str, ...]
    """Those of the releases, by which each is known."""
    people: pl.DataFrame
    """Columns person, signature and releases (numbers from 1), a row each signature that a person
    had, in the order in which she got them. Two of one person share no value."""
    values: pl.DataFrame
    """Columns signature and value, a row each value."""
    secret: str = field(default="", repr=False)
    """A key, in hexadecimal digits: what chance decided once, all releases keep to."""

    @property
    def number(self) -> int:
        """How many releases there are."""
        return len(self.salts)

    @property
    def least(self) -> int:
        """How many values the smallest signature has."""
        return int(self.values.group_by("signature").len()["len"].min())  # type: ignore[arg-type]

    def after(self, digest: bytes, *, but_last: bool = False) -> bytes:
        """The digest of a table that is published after these releases, or was as the last of them.

        An unchanged table under the same key is so drawn anew.
        """
        salts = self.salts[:-1] if but_last else self.salts
        return digest_of(digest, *(salt.encode() for salt in salts)) if salts else digest

    def number_of(self, salt: str) -> int | None:
        """Which release has this salt; None where it is none of the series."""
        return self.salts.index(salt) + 1 if salt in self.salts else None

    def was_in(self, persons: pl.Series, number: int) -> pl.Series:
        """Who of these people was in a release as who she is in the last one.

        Whose value changed counts as somebody else: nothing that was possible for her then is now.
        """
        releases = pl.col("releases").list
        both = releases.contains(number) & releases.contains(self.number)
        return persons.is_in(self.people.filter(both)["person"].implode())

    def to_text(self) -> str:
        """For the metadata of the private file."""
        frames = {"people": _packed(self.people), "values": _packed(self.values)}
        about = {"attribute": self.attribute, "salts": self.salts, "secret": self.secret}
        return json.dumps(about | frames)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read it again."""
        about = json.loads(text)
        people, values = _unpacked(about["people"]), _unpacked(about["values"])
        if dict(people.schema) != PEOPLE or values.columns != ["signature", "value"]:
            raise ValueError("the tables of a series are not what they should be")
        secret = about.get("secret", "")
        return cls(about["attribute"], tuple(about["salts"]), people, values, secret)

    def __repr__(self) -> str:
        people = self.people["person"].n_unique()
        releases = "1 release" if self.number == 1 else how_many(self.number, "release")
        return f"Series({self.attribute}: {how_many(people, 'person', 'people')} in {releases})"


def _packed(frame: pl.DataFrame) -> str:
    """A table as text, since the metadata of a Parquet file holds nothing else."""
    content = BytesIO()
    frame.write_parquet(content)
    return base64.b64encode(content.getvalue()).decode()


def _unpacked(text: str) -> pl.DataFrame:
    return pl.read_parquet(BytesIO(base64.b64decode(text, validate=True)))
