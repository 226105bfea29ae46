"""People who are not in a table: how many of them fit a group of its release as members do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
CLASSES = 64
"""Numbers of groups are told apart by their binary digits: 1, 2 to 3, 4 to 7 and so on."""


@dataclass(frozen=True)
class Outsiders:
    """How many groups people fit who are not in the table."""

    shares: Floats
    """The share of them by how many groups they fit, in classes: none, 1, 2 to 3, 4 to 7 and so on."""
    people: int
    """How many were looked for."""
    who: str
    """Who they are, as the end of the sentence "people …"."""

    @classmethod
    def counted(cls, fitting: Counts, who: str) -> Self:
        """Others, who were looked for themselves."""
        return cls(_shares(fitting, np.ones(fitting.size)), fitting.size, who)

    @classmethod
    def without_own(cls, fitting: Counts, spare: Counts) -> Self:
        """Members, each as if a row of hers were not there.

        Hers is one of the groups that she fits, any of them as likely: where it is none that would
        fit her without her, she fits one fewer.
        """
        kept = spare / np.maximum(fitting, 1)
        both = np.concatenate([fitting, np.maximum(fitting - 1, 0)])
        shares = _shares(both, np.concatenate([kept, 1 - kept]))
        return cls(shares, fitting.size, "like them (each as if a row of hers were not there)")

    @property
    def fit(self) -> float:
        """The share of them that fits a group."""
        return float(1 - self.shares[0])

    def beliefs(self, fitting: Counts, prior: float) -> Floats:
        """What is believed of people of the table by how many groups they fit, by Bayes' rule.

        Of what no outsider was seen to fit, one more might have.
        """
        classes = _classes(fitting)
        inside = np.bincount(classes, minlength=CLASSES)[classes] / max(fitting.size, 1)
        outside = (self.shares[classes] * self.people + 1) / (self.people + 1)
        # to fit says nothing against somebody
        return np.asarray(believed(prior, np.minimum(outside / inside, 1.0)))


def believed(prior: float, outside: Floats) -> Floats:
    """What is believed of somebody who fits, where outsiders do so many times as often as members.

    >>> float(believed(0.1, np.array(0.01))).__round__(3)
    0.917
    """
    return np.asarray(prior / (prior + (1 - prior) * outside))


def _classes(fitting: Counts) -> Counts:
    return np.ceil(np.log2(np.asarray(fitting, np.float64) + 1)).astype(np.int64)


def _shares(fitting: Counts, weights: Floats) -> Floats:
    counted = np.bincount(_classes(fitting), weights, CLASSES)
    return np.asarray(counted / max(counted.sum(), 1.0))
