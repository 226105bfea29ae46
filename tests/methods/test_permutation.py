"""What permutation anonymization promises beyond the contract of all methods."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Key, LDiversity, Microdata, Permutation, PrivacyModel
from anonagram.errors import CannotAnonymize
from anonagram.methods.permutation import shuffle_columns
from anonagram.partition import Arrangement
from tests.tables import PATIENT_SCHEMA, PATIENTS

# the 99.99 % quantile of chi-square with 35 degrees of freedom
CHI_SQUARE_35 = 76.4


def test_permutations_of_different_columns_are_independent():
    """Over many keys, all 6 × 6 pairs of orders of two columns in groups of three come up alike."""
    groups, keys = 180, 40
    rows = list(range(3 * groups))
    table = {"a": rows, "b": rows, "s": rows}
    columns = Microdata.read(table, {"a": "quasi", "b": "quasi", "s": "sensitive"}).columns
    arrangement = Arrangement(
        np.arange(3 * groups, dtype=np.int32), np.arange(0, 3 * groups + 1, 3)
    )
    seen: dict[str, Counter[tuple[object, ...]]] = {"ab": Counter(), "as": Counter()}
    for number in range(keys):
        orders = shuffle_columns(columns, arrangement, Key(number.to_bytes(32, "big")))
        inside = {name: order.reshape(-1, 3) % 3 for name, order in orders.items()}
        for pair, pairs in seen.items():
            both = np.concatenate([inside[name] for name in pair], axis=1)
            pairs.update(map(tuple, both.tolist()))
    for pair, pairs in seen.items():
        assert len(pairs) == 36, pair
        expected = groups * keys / 36
        assert sum((n - expected) ** 2 / expected for n in pairs.values()) < CHI_SQUARE_35, pair


@given(
    rows=st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc")), min_size=8, max_size=60),
    seed=st.binary(min_size=32, max_size=32),
)
def test_every_column_keeps_its_values_in_every_group(rows, seed):
    table = pl.DataFrame(rows, schema=["a", "b"], orient="row").with_columns(
        s=pl.int_range(pl.len()) % 4, row=pl.int_range(pl.len())
    )
    roles = {"a": "plain", "b": "plain", "row": "quasi", "s": "sensitive"}
    publication = Permutation(l=2).publish(Microdata.read(table, roles), Key(seed))
    grouped = table.with_columns(group=publication.mapping["group"])
    for name in table.columns:
        published = publication.release.tables["sensitive" if name == "s" else "quasi"]
        expected = grouped.select("group", name).sort("group", name)
        assert (
            published.select("group", name)
            .sort("group", name)
            .equals(expected.cast({"group": pl.Int32}))
        )


def test_mapping_leads_every_value_to_its_row():
    publication = Permutation(l=3).publish(Microdata.read(PATIENTS, PATIENT_SCHEMA), Key(bytes(32)))
    for name in ("age", "sex", "disease"):
        table = publication.release.tables["sensitive" if name == "disease" else "quasi"]
        where = publication.mapping[f"row_of_{name}"].to_numpy()
        assert table[name].gather(where).equals(PATIENTS[name])
        assert table["group"].gather(where).to_list() == publication.mapping["group"].to_list()


def test_without_a_sensitive_column_every_column_counts():
    table = {"x": [1, 2, 3, 4, 5, 6], "y": [1, 1, 2, 2, 3, 3]}
    release = Permutation(l=3).anonymize(Microdata.read(table, dict.fromkeys(table, "quasi")))
    assert list(release.tables) == ["quasi"]
    assert [claim.model for claim in release.manifest.claims] == ["k_anonymity(k=3)"]
    levels = LDiversity(l=2).levels(release)
    assert set(levels["attribute"]) == {"x", "y"}


def test_several_sensitive_columns_are_each_diverse():
    table = {"q": list(range(12)), "s": list("abcd") * 3, "t": list("aabbccddeeff")}
    roles = {"q": "quasi", "s": "sensitive", "t": "sensitive"}
    release = Permutation(l=3).anonymize(Microdata.read(table, roles), Key(bytes(32)))
    assert release.tables["sensitive"].columns == ["group", "s", "t"]
    assert PrivacyModel.parse("l_diversity(l=3)").check(release).holds


def test_one_of_several_that_is_too_frequent_is_named():
    table = {"q": list(range(6)), "s": list("abcdef"), "t": list("xxxxyz")}
    roles = {"q": "quasi", "s": "sensitive", "t": "sensitive"}
    with pytest.raises(CannotAnonymize, match="t = 'x' is in 4 of 6"):
        Permutation(l=2).anonymize(Microdata.read(table, roles))
