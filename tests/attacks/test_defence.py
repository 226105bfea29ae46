"""Changes that are tried where an attack succeeds."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram import Key, Method, Microdata
from anonagram.attacks import Attack, AttackResults, Target, Verdict, defend_release
from anonagram.attacks import defence as module
from anonagram.present import document_of

ROWS = 600


@pytest.fixture(scope="module")
def data() -> Microdata:
    """Age tells most people's illness."""
    random = np.random.default_rng(5)
    age = np.arange(ROWS)
    ill = np.where(random.random(ROWS) < 0.6, age * 8 // ROWS, random.integers(0, 8, ROWS))
    table = pl.DataFrame({"age": age, "ward": age % 3, "ill": [f"d{i}" for i in ill]})
    return Microdata.read(table, {"age": "quasi", "ward": "quasi", "ill": "sensitive"})


def attacked(data: Microdata, method: str, *calls: str) -> tuple[AttackResults, Target]:
    target = Target(Method.parse(method).anonymize(data, Key(bytes(32))), data)
    return AttackResults.of([Attack.parse(call) for call in calls], target), target


def test_what_helped_was_published_and_attacked(data):
    results, target = attacked(data, 'anatomy(l=3, partition="buckets")', "prosecutor()")
    found = defend_release(results, target)
    assert found is not None
    assert found.best is not None
    *before, last = found.tried
    assert last is found.best
    assert not any(each.helped for each in before)
    assert repr(last.change.method).startswith("permutation")  # rows must not stand open
    again = last.change.method.anonymize(data, Key(bytes([9]) * 32))
    assert Attack.parse("prosecutor()").run(Target(again, data)).withstands
    assert repr(last.change.method) in found.sentences[0]
    assert found.to_dict()["method"] == repr(last.change.method)


def test_nothing_helps_where_nothing_was_enough(data):
    results, target = attacked(data, "permutation(l=2)", "background_knowledge(sure=0.2)")
    found = defend_release(results, target)
    assert found is not None
    assert found.best is None
    assert found.sentences[0].startswith("Nothing that was tried")
    assert all(each.result is not None or each.why for each in found.tried)


def test_what_cannot_be_told_is_not_said_to_have_helped(data):
    """By small tables nothing can be said of `alike`; `buckets` never looks at people."""
    results, target = attacked(data, "anatomy(l=2)", "minimality()")
    (found,) = results
    broken = type(found)(**{**vars(found), "verdict": Verdict.DOES_NOT_WITHSTAND})
    defence = defend_release(AttackResults((broken,)), target)
    assert defence is not None
    assert defence.best is not None
    assert defence.best.change.method.partition == "buckets"
    assert "alike" in defence.tried[0].change.words
    assert "cannot tell" in document_of(defence).sections[0].table.rows[1]


def test_people_are_left_out_where_they_are_few(data):
    results, target = attacked(data, 'anatomy(l=3, partition="buckets")', "definetti()")
    worst = results.broken[0]
    few = type(worst)(**{**vars(worst), "exposed": worst.records[:5]})
    found = defend_release(AttackResults((few,)), target)
    assert found is not None
    first = found.tried[0].change
    assert first.words == "leaving out 5 people"
    assert first.without.tolist() == few.exposed.tolist()


def test_larger_tables_are_sampled(data, monkeypatch):
    monkeypatch.setattr(module, "PEOPLE", 200)
    results, target = attacked(data, "anatomy(l=2)", "prosecutor()")
    found = defend_release(results, target)
    assert found is not None
    assert found.people == 200
    assert "on 200 people" in found.sentences[0]


def test_time_ends_it(data):
    results, target = attacked(data, "anatomy(l=2)", "prosecutor()")
    found = defend_release(results, target, seconds=-1)
    assert found is not None
    assert len(found.tried) == 1
    assert found.not_tried
    assert any(each.startswith("Not tried:") for each in found.sentences)


def test_nothing_to_do_where_nobody_succeeds(data):
    results, target = attacked(data, "permutation(l=4)", "homogeneity()")
    assert defend_release(results, target) is None
