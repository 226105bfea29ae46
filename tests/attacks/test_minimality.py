"""What a rule tells of the values it was applied to."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram import Key, Microdata
from anonagram.attacks import Attack, Target, Verdict
from anonagram.attacks.figures import minimality
from anonagram.attacks.figures.minimality import weigh_worlds
from anonagram.methods import Method
from anonagram.partition import Diversity, Partitioner, Spread
from tests.attacks.telling import Telling

BLIND = [name for name, rule in Partitioner.known().items() if rule.blind]
ROLES = {"age": "quasi", "town": "quasi", "pay": "sensitive"}


def table(rows: int = 60, seed: int = 1) -> Microdata:
    random = np.random.default_rng(seed)
    return Microdata.read(
        pl.DataFrame(
            {
                "age": random.integers(20, 60, rows),
                "town": random.integers(0, 4, rows),
                "pay": random.integers(0, 9, rows) * 100,
            }
        ),
        ROLES,
    )


def test_a_rule_that_tells_is_found_out():
    """Of the four ways to give two pairs their values, the rule makes these groups of one."""
    rows = {"age": [20, 21, 30, 31] * 5, "town": list(range(20)), "pay": [1, 2, 1, 2] * 5}
    rows["age"] = [age + 100 * (n // 4) for n, age in enumerate(rows["age"])]
    data = Microdata.read(rows, ROLES)
    found = weigh_worlds(Telling(), Diversity(2), data, 4, 5)
    assert found is not None
    assert found.tables == 5
    assert (found.believed == 1).all()
    assert 0.4 < found.by_group.mean() < 0.65
    assert found.gain > 0.35


def test_a_rule_that_only_looks_at_values_tells_nothing(monkeypatch):
    """Tried as if it looked at people: over many keys every way is as likely."""
    monkeypatch.setattr(minimality, "KEYS", 60)
    found = weigh_worlds(Partitioner.parse("buckets()"), Diversity(2), table(), 4, 10)
    assert found is not None
    assert abs(found.gain) < 3 * found.error + 0.03


@pytest.mark.parametrize("name", BLIND)
def test_blind_rules_do_not_look_at_people(name):
    """Other quasi-identifiers, the same groups."""
    one, two = table(), table()
    columns = [c if c.role == "sensitive" else table(seed=2).column(c.name) for c in two.columns]
    two = type(two)(columns, two.rows, two.label)
    partitioner = Partitioner.parse(name)
    needs = Spread(2, {"pay": 100.0}) if Spread in partitioner.makes else Diversity(2)
    key = Key(bytes(32))
    groups = [partitioner.divide(each, needs, key).group_of for each in (one, two)]
    assert (groups[0] == groups[1]).all()


def test_every_rule_is_blind_or_tried():
    """A new way to make groups is tried unless a test above shows that it never looks at people."""
    for call in ("anatomy(l=2)", 'anatomy(l=2, partition="ncp_split")', "ke(k=2, e=100)"):
        data = table(24)
        release = Method.parse(call).anonymize(data, Key(bytes(32)))
        found = Attack.parse("minimality(people=4, tables=3)").run(Target(release, data))
        is_blind = any(name in release.manifest.method for name in BLIND)
        assert (found.verdict is Verdict.WITHSTANDS) == is_blind
        assert (found.figures is None) == is_blind


def test_a_rule_that_predicts_is_not_tried_on_small_tables():
    data = table()
    release = Method.parse('anatomy(l=2, partition="alike")').anonymize(data, Key(bytes(32)))
    found = Attack.parse("minimality()").run(Target(release, data))
    assert found.verdict is Verdict.CANNOT_TELL
    assert "predicts of people" in found.sentence


def test_without_a_rule_it_cannot_try():
    from tests.tables import anatomized

    data = Microdata.read({"q": [1, 2], "s": ["a", "b"]}, {"q": "quasi", "s": "sensitive"})
    why = Attack.parse("minimality()").unfit(Target(anatomized([1, 1], ["a", "b"]), data))
    assert "names no rule" in why
