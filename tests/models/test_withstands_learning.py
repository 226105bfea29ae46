"""A promise about what can be learned, against guesses counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from anonagram import Key, Method, Microdata, PrivacyModel
from anonagram.errors import CallError
from anonagram.learning import Strongest, Success
from tests.partition.test_alike import people

KEY = Key(bytes(32))
MODEL = PrivacyModel.parse("withstands_learning(points=3)")


@pytest.fixture(scope="module")
def data() -> Microdata:
    return people(3000)


def release_of(data: Microdata, partition: str):
    return Method.parse(f'anatomy(l=2, partition="{partition}")').anonymize(data, KEY)


def test_groups_by_value_alone_do_not_withstand_and_say_so(data):
    finding = MODEL.compare(release_of(data, "buckets"), data)
    assert not finding.holds
    assert finding.achieved > 10
    assert finding.needed == "the original"
    assert finding.to_dict()["needed"] == "the original"
    assert "guessed right with the release" in finding.note
    assert str(finding).endswith(f"achieved {finding.achieved:g}")


def test_the_level_is_what_holds(data):
    release = release_of(data, "alike")
    achieved = MODEL.compare(release, data).achieved
    least = min(max(achieved, 0), 100)
    assert PrivacyModel.parse(f"withstands_learning(points={least})").compare(release, data).holds
    if achieved > 0.1:
        lower = PrivacyModel.parse(f"withstands_learning(points={achieved - 0.1})")
        assert not lower.compare(release, data).holds


def test_alike_gains_less(data):
    found = {
        partition: MODEL.compare(release_of(data, partition), data).worst[0]["released"]
        for partition in ("alike", "neighbours")
    }
    assert found["alike"] < found["neighbours"] - 0.05


def test_the_original_is_needed(data):
    with pytest.raises(CallError, match="only the original tells") as refused:
        MODEL.check(release_of(data, "neighbours"))
    assert "original" in refused.value.remedy


@pytest.mark.parametrize("method", ["permutation(l=2)", "generalize(l=2)", "random()"])
def test_releases_without_exact_rows_are_refused(data, method):
    with pytest.raises(CallError, match="learns from exact rows"):
        MODEL.compare(Method.parse(method).anonymize(data, KEY), data)


def test_amounts_are_not_guessed():
    rng = np.random.default_rng(1)
    table = {"age": rng.integers(0, 9, 2000).tolist(), "pay": rng.permutation(2000).tolist()}
    data = Microdata.read(table, {"age": "quasi", "pay": "sensitive"})
    with pytest.raises(CallError, match="1,000 or fewer"):
        MODEL.compare(Method.parse("anatomy(l=2)").anonymize(data, KEY), data)


def test_other_models_need_no_original(data):
    release = release_of(data, "neighbours")
    model = PrivacyModel.parse("l_diversity(l=2)")
    assert model.compare(release, data) == model.check(release)


def test_success_counts_everybody_and_the_surest():
    right = np.arange(200) % 4 == 0
    belief = np.linspace(0, 1, 200)
    found = Success.of(right, belief)
    assert found.everybody == 0.25
    assert found.surest == right[-2:].mean()
    assert Success.best([found, Success(0.1, 0.9)]) == Success(0.25, 0.9)


def test_the_gain_is_where_most_is_gained():
    found = Strongest("ill", Success(0.3, 0.9), Success(0.28, 0.5))
    assert found.gain == pytest.approx(0.4)
    assert "30.0% guessed right with the release and 28.0% without" in str(found)
