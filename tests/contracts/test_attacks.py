"""What every attack must do; a new one is picked up by itself."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from anonagram import Anatomy, Hierarchy, Key, Microdata, Permutation, Random
from anonagram.attacks import Aligned, Attack, AttackResults, Target, Verdict
from anonagram.attacks.attack import PARTS
from anonagram.errors import CallError
from anonagram.partition import Partitioner
from tests.attacks.telling import Telling

ATTACKS = [Attack.parse(member.example) for member in Attack.known().values()]
ROWS = 400
IN_GROUPS = {
    "homogeneity", "background_knowledge", "skewness", "similarity", "prosecutor", "journalist",
    "marketer", "presence", "correlation", "unsorted_matching", "minimality",
}  # fmt: skip
REPLACED = {"weighed_rows", "inversion"}
OF_AMOUNTS = {"rank_matching"}


def people(seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {name: random.normal(size=ROWS) for name in "abcd"}


def patients(by_age: float, alike: int = 1) -> Microdata:
    """Age tells what a share of people is ill with; illnesses are of two kinds."""
    random = np.random.default_rng(7)
    told = random.random(ROWS) < by_age
    ill = np.where(told, np.arange(ROWS) * 7 // ROWS, random.permutation(ROWS) % 7)
    table = {"age": [i // alike for i in range(ROWS)], "ill": [f"d{i}" for i in ill]}
    kinds = Hierarchy("ill", (tuple(f"d{i}" for i in range(7)), (*["odd", "even"] * 3, "odd")))
    return Microdata.read(table, {"age": "quasi", "ill": {"role": "sensitive", "hierarchy": kinds}})


def target(masked: dict[str, np.ndarray], other_keys: list[int], by_age: float) -> Target:
    """Everything that an attack may be given."""
    microdata = patients(by_age)
    first, *others = (
        Anatomy(l=3, partition="buckets").anonymize(microdata, Key(bytes([n]) * 32))
        for n in (1, *other_keys)
    )
    return Target(first, microdata, Aligned.read(people(1), masked, in_order=True), tuple(others))


def with_open_groups() -> Target:
    """Rows as they are and where they were, in groups of one value each."""
    microdata = patients(by_age=0.5)
    made = Anatomy(l=3, partition="buckets").anonymize(microdata, Key(bytes(32)))
    group = microdata.column("ill").codes + 1
    frame = microdata.frame().with_columns(group=pl.Series(group, dtype=pl.Int32))
    counts = frame.group_by("group", "ill").agg(count=pl.len())
    return Target(
        replace(made, quasi=frame.select("group", "age"), sensitive={"ill": counts}, coded={}),
        microdata,
    )


def with_one_group(alike: int = 1) -> Target:
    """Every column permuted over everybody; so many people have the same age."""
    microdata = patients(by_age=0.0, alike=alike)
    made = Permutation(l=3, partition="buckets").anonymize(microdata, Key(bytes(32)))
    one = pl.lit(1, pl.Int32).alias("group")
    frame = microdata.frame()
    quasi = frame.select(one, pl.col("age").shuffle(seed=1))
    sensitive = frame.select(one, pl.col("ill").shuffle(seed=2))
    return Target(replace(made, quasi=quasi, sensitive=sensitive, coded={}), microdata)


def with_telling_rule() -> Target:
    """Pairs that are made only where the younger of each has the lower value."""
    table = {"age": list(range(ROWS)), "ill": ["d0", "d1", "d1", "d2"] * (ROWS // 4)}
    microdata = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
    return Target(Anatomy(l=2, partition="telling").anonymize(microdata, Key(bytes(32))), microdata)


def taxed(by_income: bool) -> Target:
    """A tax that goes with income, or with nothing."""
    random = np.random.default_rng(11)
    tax = np.arange(ROWS) * 3 if by_income else random.permutation(ROWS)
    microdata = Microdata.read(
        {"income": np.arange(ROWS) * 10, "tax": tax}, {"income": "quasi", "tax": "sensitive"}
    )
    made = Anatomy(l=4, partition="deal").anonymize(microdata, Key(bytes(32)))
    return Target(made, microdata)


def replaced(p: list[float]) -> Target:
    """Two columns of which one was always replaced."""
    random = np.random.default_rng(3)
    ill = np.arange(ROWS) % 7
    table = {
        "age": np.arange(ROWS),
        "sex": random.integers(0, 2, ROWS),
        "ill": [f"d{i}" for i in ill],
    }
    roles = {"age": "quasi", "sex": "quasi", "ill": "sensitive"}
    if p == [1.0]:
        table.pop("sex"), roles.pop("sex")
    microdata = Microdata.read(pl.DataFrame(table), roles)
    return Target(Random(p=p).anonymize(microdata, Key(bytes(32))), microdata)


@pytest.fixture(scope="module")
def open_target() -> Target:
    """Nothing was masked, and people were published in six ways."""
    return target(people(1), [2, 3, 4, 5, 6], by_age=0.5)


@pytest.fixture(scope="module")
def closed_target() -> Target:
    """Entirely new people, and the same release twice."""
    return target(people(2), [1], by_age=0.0)


@pytest.fixture(scope="module")
def telling() -> Iterator[None]:
    """A rule that tells, for as long as these tests run: none of ours is known to."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(Partitioner._members, Telling.call, Telling)
        yield


@pytest.fixture(scope="module", params=ATTACKS, ids=repr)
def attack(request: pytest.FixtureRequest) -> Attack:
    return request.param


@pytest.fixture(scope="module")
def opened(attack: Attack, open_target: Target, telling: None) -> Target:
    """What hides nothing from this intruder."""
    if attack.call == "minimality":
        return with_telling_rule()
    if attack.call in OF_AMOUNTS:
        return taxed(by_income=True)
    if attack.call in IN_GROUPS - {"correlation"}:  # who gains where groups alone say little
        return with_open_groups()
    return replaced([0.0, 1.0]) if attack.call in REPLACED else open_target


@pytest.fixture(scope="module")
def closed(attack: Attack, closed_target: Target) -> Target:
    """What tells this intruder nothing."""
    if attack.call in OF_AMOUNTS:
        return taxed(by_income=False)
    if attack.call in IN_GROUPS:
        # an age that nobody else has shows who is there
        return with_one_group(alike=8 if attack.call == "presence" else 1)
    return replaced([1.0]) if attack.call in REPLACED else closed_target


def test_the_call_reads_back(attack):
    assert Attack.parse(repr(attack)) == attack


def test_it_says_what_the_intruder_knows(attack):
    assert attack.knows
    assert not attack.knows.endswith(".")
    assert attack.needs
    assert set(attack.needs) <= set(PARTS)


def test_it_refuses_a_target_without_what_it_needs(attack, opened):
    with pytest.raises(CallError, match=f"{attack.call} needs"):
        attack.run(Target())
    for part in attack.needs:
        given = {name: getattr(opened, name) for name in attack.needs if name != part}
        with pytest.raises(CallError, match=PARTS[part]):
            attack.run(Target(**given))
    assert not attack.unfit(Target(**{name: getattr(opened, name) for name in attack.needs}))


@pytest.mark.parametrize("which", ["opened", "closed"])
def test_figures_and_words_fit_together(attack, which, request):
    given = request.getfixturevalue(which)
    found = attack.run(given)
    assert found.records.size == found.scores.size > 0
    assert np.unique(found.records).size == found.records.size
    assert 0 <= found.records.min() <= found.records.max() < ROWS
    assert ((found.scores >= 0) & (found.scores <= 1)).all()
    assert found.score == pytest.approx(sum(found.scores) / len(found.scores))
    assert 0 <= found.baseline <= 1
    assert found.withstands == (found.verdict is Verdict.WITHSTANDS)
    assert bool(found.reason) == (found.verdict is Verdict.DOES_NOT_WITHSTAND)
    for sentence in found.sentences:
        assert sentence.endswith(".")
        assert not sentence[0].islower()
    assert json.loads(json.dumps(found.to_dict()))["verdict"] == found.verdict
    again = attack.run(given)
    assert (again.scores == found.scores).all()
    assert again.to_dict() == found.to_dict()


def test_it_finds_people_where_nothing_hides_them(attack, opened):
    found = attack.run(opened)
    assert found.verdict is Verdict.DOES_NOT_WITHSTAND
    assert found.score > 0.3
    assert found.score > found.baseline + 0.05


def test_it_finds_nobody_where_there_is_nobody(attack, closed):
    found = attack.run(closed)
    assert found.verdict is Verdict.WITHSTANDS
    assert found.score <= found.baseline + 0.02


def test_results_tell_the_worst(open_target, closed_target):
    everybody = AttackResults.of(ATTACKS, open_target)
    assert len(everybody) + len(everybody.not_tried) == len(ATTACKS)
    assert {each.attack.call for each in everybody.not_tried} == REPLACED | OF_AMOUNTS
    assert everybody.verdict is Verdict.DOES_NOT_WITHSTAND
    assert everybody.worst.attack.about == "value"
    assert [each.verdict for each in everybody.worst_first] == sorted(
        (each.verdict for each in everybody), key=list(Verdict).index, reverse=True
    )
    others = [each for each in ATTACKS if each.call not in IN_GROUPS]
    assert AttackResults.of(others, closed_target).verdict is Verdict.WITHSTANDS
    pair_only = AttackResults.of(ATTACKS, Target(pair=open_target.pair))
    assert {each.attack.call for each in pair_only} == {
        each.call for each in ATTACKS if each.needs == ("pair",)
    }
    with pytest.raises(CallError):
        _ = AttackResults.of(ATTACKS, Target()).verdict


def test_contradicting_releases_cannot_tell():
    """Other people with her quasi-identifiers: nobody has fewer values, and some have none."""
    roles = {"age": "quasi", "ill": "sensitive"}
    now = Microdata.read({"age": [30, 30, 40, 40], "ill": ["a", "b", "a", "b"]}, roles)
    then = Microdata.read({"age": [30, 30, 50, 50], "ill": ["c", "d", "c", "d"]}, roles)
    new, old = (Anatomy(l=2).anonymize(each, Key(bytes(32))) for each in (now, then))
    found = Attack.parse("several_releases()").run(Target(new, now, others=(old,)))
    assert found.verdict is Verdict.CANNOT_TELL


def test_few_records_cannot_tell():
    rows = {name: [1, 2, 3, 4, 5, 6] for name in "ab"}
    masked = {"a": [1, 2, 3, 4, 6, 5], "b": [2, 1, 3, 4, 5, 6]}
    found = Attack.parse("maximum_knowledge()").run(
        Target(pair=Aligned.read(rows, masked, in_order=True))
    )
    assert found.figures.advantage > 0.1
    assert found.figures.p_value >= 0.05
    assert found.verdict is Verdict.CANNOT_TELL


TOY = '''
"""The intruder who takes the first row of the release for hers."""

from dataclasses import dataclass

import numpy as np

from anonagram.attacks import Attack, AttackResult, Target, Verdict


@dataclass(frozen=True, repr=False)
class FirstRow(Attack[int], call="first_row", example="first_row(row=0)"):
    """He is seldom right."""

    knows = "nothing"
    needs = ("pair",)
    row: int = 0

    def attempt(self, target: Target) -> AttackResult[int]:
        scores = np.zeros(target.pair.rows)
        scores[self.row] = 1
        return AttackResult(
            attack=self, verdict=Verdict.WITHSTANDS, sentence="He finds one.",
            records=np.arange(scores.size), scores=scores, baseline=1 / scores.size, figures=1,
        )
'''


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[None]:
    path = tmp_path / "first_row.py"
    path.write_text(TOY)
    spec = importlib.util.spec_from_file_location("first_row", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield
    del Attack._members["first_row"]


@pytest.mark.usefixtures("toy")
def test_a_new_attack_is_one_file(open_target):
    assert "first_row" in Attack.known()
    found = AttackResults.of([*ATTACKS, Attack.parse("first_row(row=3)")], open_target)
    mine = found.by(Attack.known()["first_row"])
    assert mine is not None
    assert mine.score == mine.baseline == 1 / ROWS
    assert mine.to_dict()["attack"] == "first_row(row=3)"
