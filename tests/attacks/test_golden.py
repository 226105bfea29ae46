"""Tables 1 to 5 of the seed, exactly."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram.attacks import Aligned, MaximumKnowledge, Target, audit, permuted_privacy
from anonagram.columns.diversity import diversity
from anonagram.columns.nearest import Records
from tests.attacks.running_example import TABLE_1, TABLE_2, TABLE_3, TABLE_4, TABLE_5_A, TABLE_5_X

NAMES = ("a", "b", "c")


def table(first: int) -> pl.DataFrame:
    rows = [row[first : first + 3] for row in TABLE_1]
    return pl.DataFrame({n: [float(row[j]) for row in rows] for j, n in enumerate(NAMES)})


X, Y, Z = table(0), table(6), table(12)


@pytest.fixture(scope="module")
def pair() -> Aligned:
    return Aligned.read(X, Y)


def test_table_1_ranks_and_reverse_mapping(pair):
    for j, attribute in enumerate(pair.attributes):
        assert (attribute.original.ranks / 2).tolist() == [row[3 + j] for row in TABLE_1]
        assert (attribute.masked.ranks / 2).tolist() == [row[9 + j] for row in TABLE_1]
        assert attribute.original.places[attribute.mapped].tolist() == Z[NAMES[j]].to_list()


def test_rank_correlations(pair):
    found = [round(each.rank_correlation, 3) for each in audit(pair).attributes]
    assert found == [0.722, 0.844, 0.776]


def test_table_2_residual_noise_is_smaller_than_noise(pair):
    for j, attribute in enumerate(pair.attributes):
        mapped = attribute.original.places[attribute.mapped]
        residual = attribute.masked.values - mapped
        noise = attribute.masked.values - attribute.original.values
        assert np.round(residual, 2).tolist() == [row[j] for row in TABLE_2]
        assert np.round(noise, 2).tolist() == [row[3 + j] for row in TABLE_2]
        found = audit(pair).attributes[j]
        assert found.residual_noise.mean_absolute == pytest.approx(np.abs(residual).mean())
        assert found.noise.standard_deviation == pytest.approx(noise.std())
        assert found.residual_noise.mean_absolute < found.noise.mean_absolute


def test_table_3_record_3(pair):
    closest = [int(a.masked.closest(a.original.values)[2]) for a in pair.attributes]
    places = [a.masked.places[c] for a, c in zip(pair.attributes, closest, strict=True)]
    assert places == [100.41, 903.25, 5087.90]
    for j, attribute in enumerate(pair.attributes):
        away = np.abs(attribute.masked.ranks - attribute.masked.middles[closest[j]]) / 2
        assert away.tolist() == [row[j] for row in TABLE_3]


def test_record_3_as_the_subject_and_the_protector_see_it(pair):
    subject = permuted_privacy(pair, "subject")
    assert subject.image[2] == 9
    assert subject.d[2].tolist() == [4, 1, 4]
    assert [f"{v:.2f}" for v in subject.v[2]] == ["24.70", "155.00", "20167.78"]
    protector = permuted_privacy(pair, "protector")
    assert protector.image[2] == 2
    assert protector.d[2].tolist() == [5, 1, 9]
    assert protector.satisfied(np.array([5, 1, 9]), protector.v[2])[2]
    assert not protector.satisfied(np.array([5, 2, 9]), np.zeros(3))[2]


def test_table_4_every_linkage(pair):
    found = MaximumKnowledge().run(Target(pair=pair)).figures
    records = Records(pair.mapped_ranks)
    for number, (matches, distances, d) in enumerate(TABLE_4):
        assert found.nearest.distance[number] == 2 * d
        asked = pair.original_ranks[number]
        assert [each + 1 for each in records.at(asked, 2 * d)] == matches
        # of several matches the table shows one's distances: record 9's are those of the second
        shown = [tuple(np.abs(pair.mapped_ranks[z - 1] - asked) / 2) for z in matches]
        assert distances in shown
        assert all(max(each) == d for each in shown)
        assert found.nearest.is_only[number] == (len(matches) == 1)
    assert (found.correct, found.multiple, found.wrong) == (6, 4, 10)
    table = found.table()
    assert table["distance"].to_list() == [row[2] for row in TABLE_4]
    assert table.filter("is_own", "is_only_match")["record"].to_list() == [4, 5, 7, 12, 14, 20]
    own = found.nearest.is_only & (found.nearest.record == np.arange(20))
    assert (np.flatnonzero(own) + 1).tolist() == [4, 5, 7, 12, 14, 20]


def test_table_5_distributions(pair):
    result = MaximumKnowledge().run(Target(pair=pair))
    found = result.figures
    assert found.random.twice.size == 8000
    assert [found.original.shares.get(d, 0) for d in range(11)] == pytest.approx(TABLE_5_X)
    printed = [f"{found.random.shares.get(d, 0):.4f}" for d in range(11)]
    assert printed == [f"{share:.4f}" for share in TABLE_5_A]
    both = zip(TABLE_5_X, (found.random.shares.get(d, 0) for d in range(11)), strict=True)
    assert found.hellinger == pytest.approx(np.sqrt(1 - sum(np.sqrt(x * a) for x, a in both)))
    assert result.withstands
    assert audit(pair).withstands


def test_the_synthetic_record_of_section_5_2(pair):
    made_up = (96.18, 990.58, 4950.48)
    both = zip(pair.attributes, made_up, strict=True)
    place = [attribute.original.closest(np.array([value]))[0] for attribute, value in both]
    asked = np.array([a.original.middles[c] for a, c in zip(pair.attributes, place, strict=True)])
    found = Records(pair.mapped_ranks).nearest(asked[None, :])
    assert (found.distance[0], found.record[0]) == (4, 1)
    assert (np.abs(pair.mapped_ranks[1] - asked) / 2).tolist() == [0, 1, 2]


def test_permuted_releases_leave_no_residual_noise():
    pair = Aligned.read(X, Z)
    for each in audit(pair).attributes:
        assert each.residual_noise.mean_absolute == 0
    for attribute in pair.attributes:
        closest = attribute.masked.closest(attribute.original.values)
        assert attribute.masked.places[closest].tolist() == attribute.original.values.tolist()


@pytest.mark.parametrize(("criterion", "expected"), [
    ("distinct", [9, 3, 9]), ("entropy", [np.log(9), np.log(3), np.log(9)]),
])  # fmt: skip
def test_other_criteria_for_record_3(pair, criterion, expected):
    found = permuted_privacy(pair, "subject", criterion)
    assert found.v[2] == pytest.approx(expected)
    column = pair.attributes[0].masked
    whole = diversity(column, column.ranks, np.full(20, 100), "closeness")
    assert whole == pytest.approx(np.zeros(20))
