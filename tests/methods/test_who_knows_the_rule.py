"""An intruder who knows everything about a series but its keys and the sensitive values.

He knows who is in which group of every release, who came and who left, and the program that made it.
He tries all values that people can have. A world is possible if the program, given its values and some
key, makes the very groups and values that were published; that the program draws what it draws is found
by drawing. In the first release he takes all worlds to be possible.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import pytest

from anonagram import Key, Microdata, MInvariance
from anonagram.errors import CannotAnonymize
from anonagram.methods import balanced
from anonagram.methods.balanced import Balance
from anonagram.methods.remembered import Remembered
from anonagram.methods.signatures import balance
from anonagram.release import Series

ROLES = {"who": "identifier", "age": "quasi", "ill": "sensitive"}
AGES = {who: 20 + place for place, who in enumerate("PQRSTUVWXYZ")}
Ills = dict[str, str]
"""What each person of a month has."""
Shown = frozenset[tuple[frozenset[str], frozenset[str]]]
"""The groups of a release: their people and their values."""
History = tuple[Ills, Ills, int]
"""January, February, and m."""


def read(ills: Ills) -> Microdata:
    ages = [AGES[who] for who in ills]
    return Microdata.read({"who": list(ills), "age": ages, "ill": list(ills.values())}, ROLES)


def key_of(number: int) -> Key:
    return Key(number.to_bytes(32, "big"))


@dataclass(frozen=True)
class Program:
    """The method on one table of values, without its writing of tables."""

    ills: Ills
    m: int
    series: Series

    @cached_property
    def about(self) -> Remembered:
        return Remembered.of(read(self.ills), self.series, key_of(0))

    def shows(self, key: Key) -> Shown:
        """What is published with a key, from which what was drawn earlier comes too."""
        about = replace(self.about, secret=key.at("series"))
        groups = balance(Balance(about.microdata, about, self.m, key))
        column = about.microdata.with_role("sensitive")[0]
        people: list[set[str]] = [set() for _ in range(groups.count)]
        values: list[set[str]] = [set() for _ in range(groups.count)]
        for who, group, code in zip(self.ills, groups.of_people, column.codes, strict=True):
            people[group].add(who)
            values[group].add(column.text(code))
        for group, code in zip(groups.of_fakes, groups.fakes, strict=True):
            values[group].add(column.text(code))
        return frozenset(zip(map(frozenset, people), map(frozenset, values), strict=True))

    def could_show(self, release: Shown, keys: int) -> bool:
        """Whether one of many keys makes this release."""
        for number in range(keys):
            with suppress(CannotAnonymize):
                if self.shows(key_of(number)) == release:
                    return True
        return False


def worlds(release: Shown) -> Iterator[Ills]:
    """Every way in which the people of the groups can have their values."""
    ways = [
        [
            dict(zip(sorted(people), chosen, strict=True))
            for chosen in itertools.permutations(sorted(values), len(people))
        ]
        for people, values in sorted((sorted(p), sorted(v)) for p, v in release)
    ]
    for chosen in itertools.product(*ways):
        yield {who: ill for each in chosen for who, ill in each.items()}


def first_release(ills: Ills, m: int) -> tuple[Shown, Series]:
    """Made by the method whole, and read from its tables."""
    made = MInvariance(m).publish(read(ills), key_of(0))
    assert made.series is not None
    people: dict[int, set[str]] = {}
    values: dict[int, set[str]] = {}
    for who, group in zip(ills, made.mapping["group"], strict=True):
        people.setdefault(group, set()).add(who)
    for group, value, _ in made.release.tables["sensitive"].iter_rows():
        values.setdefault(group, set()).add(value)
    groups = [(frozenset(people[group]), frozenset(values[group])) for group in people]
    return frozenset(groups), made.series


def what_is_left(history: History, keys: int) -> tuple[int, dict[str, set[str]]]:
    """How many people must have changed at the least, and what everybody can have had then."""
    january, february, m = history
    one, series = first_release(january, m)
    two = Program(february, m, series).shows(key_of(0))
    afterwards = []
    for world in worlds(two):
        ills = {who: world[who] for who in february}
        if ills == february or Program(ills, m, series).could_show(two, keys):
            afterwards.append(ills)
    changes: dict[int, list[tuple[Ills, Ills]]] = {}
    for before, after in itertools.product(worlds(one), afterwards):
        number = sum(before[who] != after[who] for who in before.keys() & after.keys())
        changes.setdefault(number, []).append((before, after))
    fewest = min(changes)
    left: dict[str, set[str]] = {}
    for before, after in changes[fewest]:
        for month, ills in (("january", before), ("february", after)):
            for who, ill in ills.items():
                left.setdefault(f"{who} in {month}", set()).add(ill)
    return fewest, left


HISTORIES: dict[str, History] = {
    # P leaves, and nobody new has her value; the new ones have those of the others
    "a scarce value": (
        {"P": "a", "Q": "b", "R": "c", "S": "d"},
        {"Q": "b", "R": "c", "S": "d", "T": "b", "U": "c", "V": "d"},
        2,
    ),
    # whoever filled a place would leave the other alone
    "a scarce value, and two who are new": (
        {"P": "a", "Q": "b", "R": "c", "S": "d"},
        {"Q": "b", "R": "c", "S": "d", "T": "b", "U": "c"},
        2,
    ),
    # two of three who are new have the same value: one of them stands beside a counterfeit
    "a frequent value": (
        {"P": "a", "Q": "b"},
        {"P": "a", "Q": "b", "R": "c", "S": "c", "T": "d"},
        2,
    ),
    # the third finds no place; if those who fill places had another value, one would stand by her
    "three with one value": (
        {"P": "c", "Q": "d", "R": "c", "S": "d", "W": "b", "X": "e"},
        {"Q": "d", "S": "d", "T": "c", "U": "c", "V": "c", "W": "b", "X": "e"},
        2,
    ),
    "somebody alone": ({"P": "a", "Q": "b", "R": "c"}, {"P": "a", "Q": "b", "R": "c", "S": "b"}, 3),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_who_knows_the_rule_rules_nothing_out(name, monkeypatch):
    # what is possible does not depend on how often chance decides, and is found sooner
    monkeypatch.setattr(balanced, "BY_CHANCE", 0.4)
    changed, left = what_is_left(HISTORIES[name], keys=60)
    assert changed == 0
    assert min(map(len, left.values())) >= HISTORIES[name][2], left


def test_a_change_that_no_unchanged_world_explains_tells_that_somebody_changed_and_not_who():
    january, february = {"P": "a", "Q": "b"}, {"P": "a", "Q": "a", "R": "c", "S": "d"}
    changed, left = what_is_left((january, february, 2), keys=20)
    assert changed == 1
    assert min(map(len, left.values())) >= 2, left


def test_without_chance_the_rule_tells_a_scarce_value(monkeypatch):
    monkeypatch.setattr(balanced, "BY_CHANCE", 0.0)
    _, left = what_is_left(HISTORIES["a scarce value"], keys=10)
    assert left["P in january"] == {"a"}
    assert left["Q in february"] == {"b"}


def test_a_value_that_nobody_can_have_made_up_is_not_shown_beside_counterfeits():
    january = {"P": "a", "Q": "b", "R": "c"}
    one = MInvariance(3).publish(read(january), key_of(0))
    with pytest.raises(CannotAnonymize, match="row 4: its ill is told for the first time"):
        MInvariance(3).publish(read(january | {"S": "d"}), key_of(0), earlier=one.series)
