"""What every model must do; a new one is picked up by itself and needs an oracle."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Generalize, KAnonymity, Key, Microdata, PrivacyModel, RankSwapping
from anonagram.errors import AnonagramError
from anonagram.models import GroupModel
from tests.models.oracles import COMPARED, ORACLES, groups_of
from tests.tables import anatomized

ALL_MODELS = [PrivacyModel.parse(member.example) for member in PrivacyModel.known().values()]
MODELS = [model for model in ALL_MODELS if isinstance(model, GroupModel)]

# numbers, because one of the models needs them
rows = st.lists(
    st.tuples(st.integers(1, 4), st.sampled_from([10, 20, 35, 70, None])),
    min_size=1,
    max_size=40,
)


def parameters(model: PrivacyModel) -> dict[str, object]:
    return {field.name: getattr(model, field.name) for field in fields(model)}


@pytest.fixture(scope="module", params=MODELS, ids=repr)
def model(request: pytest.FixtureRequest) -> PrivacyModel:
    return request.param


@pytest.mark.parametrize("model", ALL_MODELS, ids=repr)
def test_the_call_reads_back(model):
    assert PrivacyModel.parse(repr(model)) == model


STRENGTH = {
    "t_closeness": "t", "beta_likeness": "beta", "delta_disclosure": "delta", "alpha_k": "alpha",
    "m_uniqueness": "m",
}  # fmt: skip
"""The parameter that a level is compared with, where it is neither k nor l."""


def strength(model: PrivacyModel) -> str:
    return STRENGTH.get(model.call) or ("k" if hasattr(model, "k") else "l")


def oracle(model: PrivacyModel, members: list[object], table: list[object]) -> bool:
    if model.call in COMPARED:
        return COMPARED[model.call](members, table, **parameters(model))
    return ORACLES[model.call](members, **parameters(model))


@given(
    rows=rows,
    level=st.integers(1, 5),
    c=st.sampled_from([0.1, 0.5, 1, 1.1, 1.5, 2.2, 3]),
    share=st.sampled_from([0, 0.1, 0.125, 0.2, 0.25, 0.3, 0.5, 0.75, 1]),
    kind=st.sampled_from(["basic", "enhanced"]),
)
def test_agrees_with_its_oracle(model, rows, level, c, share, kind):
    others = {"c": c, "e": 10 * c, "t": share, "alpha": share, "beta": c, "delta": c, "kind": kind,
              "k": level, "l": level, "m": level}  # fmt: skip
    model = replace(model, **{n: v for n, v in others.items() if hasattr(model, n)})
    groups, values = [group for group, _ in rows], [value for _, value in rows]
    finding = model.check(anatomized(groups, values))
    verdicts = [oracle(model, members, values) for members in groups_of(groups, values)]
    sizes = [len(members) for members in groups_of(groups, values)]
    assert finding.holds == all(verdicts)
    assert finding.violating_groups == verdicts.count(False)
    assert finding.violating_rows == sum(n for n, ok in zip(sizes, verdicts, strict=True) if not ok)


@given(rows=rows, seed=st.randoms())
def test_order_of_rows_does_not_matter(model, rows, seed):
    shuffled = list(rows)
    seed.shuffle(shuffled)
    one, two = (
        model.check(anatomized([g for g, _ in r], [v for _, v in r])) for r in (rows, shuffled)
    )
    assert (one.holds, one.achieved) == (two.holds, two.achieved)


@given(rows=rows)
def test_achieved_is_the_strongest_level_that_holds(model, rows):
    name = strength(model)
    release = anatomized([g for g, _ in rows], [v for _, v in rows])
    if model.less_is_stronger:
        model = replace(model, **({"k": 1} if hasattr(model, "k") else {}))
        achieved = model.check(release).achieved
        if 0 < achieved < math.inf:
            looser = achieved if name in ("t", "alpha") else achieved * 1.001
            assert replace(model, **{name: looser}).check(release).holds
            assert not replace(model, **{name: achieved * 0.999}).check(release).holds
        return
    achieved = int(model.check(release).achieved)
    if achieved >= 1:
        assert replace(model, **{name: achieved}).check(release).holds
    assert not replace(model, **{name: achieved + 1}).check(release).holds


def test_worst_groups_are_named(model):
    release = anatomized([1, 1, 1, 2, 2, 3, 3, 3, 3], [1, 2, 300, 1, 1, 1, 2, 3, 400])
    finding = model.check(release)
    # all of them lack a value, which for one of the models is as bad as can be
    weakest = finding.worst[0]
    # equal rows look alike wherever they are, and have no number: the group has two of them
    assert weakest["group" if "group" in weakest else "rows"] == 2 or finding.achieved == math.inf
    assert set(weakest) - {"range", "group"} == {"attribute", "rows", "level"}
    assert ("group" in weakest) == (model.call != "k_anonymity")
    assert finding.to_dict()["model"] == repr(model)


@pytest.mark.parametrize("model", ALL_MODELS, ids=repr)
@pytest.mark.parametrize("method", [Generalize(l=2), RankSwapping(p=20)], ids=repr)
def test_a_release_without_sensitive_columns_is_judged_or_refused(model, method):
    data = Microdata.read(
        {"age": [1, 2, 3, 4], "zip": [5, 6, 7, 8]}, dict.fromkeys(("age", "zip"), "quasi")
    )
    release = method.anonymize(data, Key(bytes(32)))
    if isinstance(model, KAnonymity):
        assert model.check(release).achieved >= 1
    else:
        with pytest.raises(AnonagramError):  # some need a register, which is not there
            model.check(release)
