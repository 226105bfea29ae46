"""What every method must do, whichever it is; a new one is picked up by itself."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import fields, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from anonagram import (
    KAnonymity,
    Key,
    LDiversity,
    Method,
    Microdata,
    PrivacyModel,
    Release,
    __version__,
)
from anonagram.demo import HOSPITAL_SCHEMA, hospital_table
from anonagram.errors import CallError, CannotAnonymize
from anonagram.measures import measure_published, measure_release
from anonagram.methods.goal_method import GoalMethod
from anonagram.methods.masking import MaskingMethod
from anonagram.release import GroupedRelease, QuasiRowsRelease, WithSubdomains
from anonagram.schema import Schema
from tests.rearranged import rearranged
from tests.tables import AWKWARD_SCHEMA, awkward_table

METHODS = [Method.parse(member.example) for member in Method.known().values()]
# those that publish a person's quasi-identifiers row by row, where a value could stand beside them
GROUP_METHODS = [method for method in METHODS if issubclass(method.shape, GroupedRelease)]
# those that tell sensitive values, and not in which subdomain each is: these have tests of their own
TELLING = [method for method in METHODS if not issubclass(method.shape, WithSubdomains)]
ROW_METHODS = [method for method in TELLING if issubclass(method.shape, QuasiRowsRelease)]
KEY = Key(bytes(range(32)))


def suited(method: Method, table: pl.DataFrame) -> pl.DataFrame:
    """The table with numbers in place of texts, where a method needs numbers."""
    if method.call == "ke":  # its last column is the sensitive one
        return table.with_columns(pl.col(table.columns[-1]).rank("dense") * 40)
    if isinstance(method, MaskingMethod) and method.needs_numbers:
        texts = pl.selectors.string() - pl.selectors.by_name("secret_id", "name", require_all=False)
        return table.with_columns(texts.rank("dense").cast(pl.Int64))
    return table


@pytest.fixture(params=METHODS, ids=repr)
def method(request: pytest.FixtureRequest) -> Method:
    return request.param


@pytest.fixture(params=["awkward", "hospital"])
def microdata(request: pytest.FixtureRequest, method: Method, hospital_schema: Schema) -> Microdata:
    place = request.param, repr(method)
    if place not in READ:
        READ[place] = read(request.param, method, hospital_schema)
    return READ[place]


READ: dict[tuple[str, str], Microdata] = {}
RELEASED: dict[tuple[str, bytes, Key], Release] = {}
"""What many tests look at and none changes."""


def read(name: str, method: Method, schema: Schema) -> Microdata:
    if name == "awkward":
        return Microdata.read(suited(method, awkward_table()), AWKWARD_SCHEMA)
    if isinstance(method, MaskingMethod) and method.needs_numbers:  # no texts, no hierarchies
        schema = Schema.of({name: rule.role for name, rule in schema.columns.items()})
    return Microdata.read(suited(method, hospital_table()), schema)


@pytest.fixture(scope="module")
def hospital_schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    path = tmp_path_factory.mktemp("schema") / "hospital.toml"
    path.write_text(HOSPITAL_SCHEMA)
    return Schema.read(path)


def released(method: Method, microdata: Microdata, key: Key = KEY) -> Release:
    """A release, made once for all tests that only look at it."""
    place = repr(method), microdata.digest, key
    if place not in RELEASED:
        RELEASED[place] = method.anonymize(microdata, key)
    return RELEASED[place]


def bundle_bytes(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
    }


@pytest.mark.parametrize("file_format", ["parquet", "csv"])
def test_same_key_gives_the_same_bytes(method, microdata, tmp_path, file_format):
    for name in ("one", "two"):
        method.publish(microdata, KEY, date(2020, 1, 2)).release.write(tmp_path / name, file_format)
    assert bundle_bytes(tmp_path / "one") == bundle_bytes(tmp_path / "two")


def test_another_key_gives_another_release(method, microdata):
    other = method.anonymize(microdata, Key(bytes(32)))
    same = [
        table.equals(other.tables[name])
        for name, table in released(method, microdata).tables.items()
    ]
    assert not all(same)


def another_call(method: Method) -> Method:
    """The same method with one parameter changed, a number if it has one."""
    if isinstance(method, GoalMethod):
        return replace(method, goal=(*method.goal, KAnonymity(k=2)))
    given = {field.name: getattr(method, field.name) for field in fields(method)}
    given = {name: value for name, value in given.items() if value is not None}
    for name, value in sorted(given.items(), key=lambda item: isinstance(item[1], str)):
        changed = [value - 1, value + 1] if isinstance(value, int) else ["both"]
        for other in [value / 2] if isinstance(value, float) else changed:
            with suppress(CallError):
                return replace(method, **{name: other})
    raise AssertionError(f"{method!r} has nothing to change")


@cache
def streams_of(call: str, suited_to: str, *, other: bool = False) -> set[bytes]:
    """How every stream begins from which a release draws, of a table that suits a method."""
    seen: set[bytes] = set()
    words = Key.words

    def watched(self: Key, purpose: str, count: int) -> np.ndarray:
        seen.add(words(self, purpose, 4).tobytes())
        return words(self, purpose, count)

    table = suited(Method.parse(suited_to), awkward_table())
    if other:  # the same values, at other people
        table = table.with_columns(pl.col("value").reverse())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Key, "words", watched)
        Method.parse(call).anonymize(Microdata.read(table, AWKWARD_SCHEMA), KEY)
    assert seen
    return seen


def test_one_key_gives_every_table_streams_of_its_own(method):
    call = repr(method)
    own = streams_of(call, call)
    assert own == streams_of.__wrapped__(call, call)
    assert not own & streams_of(call, call, other=True)


def test_one_key_gives_every_call_streams_of_its_own(method):
    table = suited(method, awkward_table())
    own = streams_of(repr(method), repr(method))
    # whoever is suited by the same table shares what others draw for it
    first = next(each for each in METHODS if suited(each, awkward_table()).equals(table))
    for other in (another_call(method), *METHODS):
        if other != method and suited(other, table).equals(table):
            assert not own & streams_of(repr(other), repr(first)), other


def test_commitments_do_not_show_that_a_key_was_used_twice(method):
    table = suited(method, awkward_table())
    one, two = (
        method.anonymize(Microdata.read(each, AWKWARD_SCHEMA), KEY).manifest
        for each in (table, table.reverse())
    )
    assert one.key_commitment != two.key_commitment
    assert one.key_salt != two.key_salt
    assert KEY.commitment(one.key_salt) == one.key_commitment
    assert KEY.commitment(two.key_salt) == two.key_commitment


ALL_METHODS = """
import sys
from datetime import date
from anonagram import Microdata
from anonagram.demo import hospital_table
from tests.contracts.test_methods import KEY, METHODS, suited
schema = dict(name="drop", patient="drop", age="quasi", sex="quasi", zip="quasi", admitted="quasi",
              disease="sensitive")
for method in METHODS:
    data = Microdata.read(suited(method, hospital_table(12_000)), schema)
    method.publish(data, KEY, date(2020, 1, 2)).release.write(f"{sys.argv[1]}/{method.call}")
"""


def test_number_of_threads_does_not_matter(tmp_path):
    for threads in ("1", "2"):
        (tmp_path / threads).mkdir()
        names = ("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "ANONAGRAM_THREADS")
        env = os.environ | dict.fromkeys(names, threads)
        subprocess.run(
            [sys.executable, "-c", ALL_METHODS, str(tmp_path / threads)], env=env, check=True
        )
    for method in METHODS:
        one, two = (bundle_bytes(tmp_path / threads / method.call) for threads in ("1", "2"))
        assert one == two, method


def test_every_value_is_kept(method):
    """Compared with the table as it was given, not as it was encoded."""
    table = suited(method, awkward_table())
    release = released(method, Microdata.read(table, AWKWARD_SCHEMA))
    kept = [name for name in table.columns[1:] if release.values(name) is not None]
    # the sensitive column, which methods that tell its values do not change unless they are asked to
    assert ("value" in kept) == (method in TELLING)
    for name in kept:
        assert release.values(name).sort().equals(table[name].sort()), name


@pytest.mark.parametrize("method", ROW_METHODS, ids=repr)
def test_position_in_a_group_tells_nothing(method):
    """Reading the tables of a group side by side guesses the value no better than chance."""
    table = hospital_table(400).select("age", "sex", "zip", "disease").with_row_index("row")
    table = suited(method, table)
    roles = dict.fromkeys(["row", "age", "sex", "zip"], "quasi") | {"disease": "sensitive"}
    microdata = Microdata.read(table, roles)
    truth = table["disease"].to_list()
    hits = expected = variance = 0.0
    for seed in range(30):
        release = rearranged(method, microdata, Key(bytes([seed, 1]) * 16)).release
        quasi, sensitive = (release.tables[name] for name in ("quasi", "sensitive"))
        for group in quasi["group"].unique().to_list():
            rows = quasi.filter(pl.col("group") == group)["row"].to_list()
            values = sensitive.filter(pl.col("group") == group)["disease"].to_list()
            hits += sum(truth[r] == v for r, v in zip(rows, values, strict=False))
            # the share of the guessed value in its group is the chance of a blind guess
            chances = [sum(truth[r] == v for r in rows) / len(rows) for v in values[: len(rows)]]
            expected += sum(chances)
            variance += sum(chance * (1 - chance) for chance in chances)
    assert hits < expected + 4 * variance**0.5


@pytest.mark.parametrize("file_format", ["parquet", "csv"])
def test_bundle_reads_back_and_its_promises_hold(method, microdata, tmp_path, file_format):
    release = released(method, microdata)
    release.write(tmp_path / "release", file_format)
    again = Release.read(tmp_path / "release")
    assert again.manifest == release.manifest
    assert all(again.tables[name].equals(table) for name, table in release.tables.items())
    # masking promises nothing that the release alone could prove, but for microaggregation
    assert again.manifest.claims or isinstance(method, MaskingMethod)
    assert again.manifest.claims or method.call != "microaggregation"
    for claim in again.manifest.claims:
        finding = PrivacyModel.parse(claim.model).check(again)
        assert finding.holds
        assert finding.achieved == claim.achieved


def test_bundle_reads_back_from_a_zip(method, microdata, tmp_path):
    release = released(method, microdata)
    release.write(tmp_path / "release.zip")
    assert Release.read(tmp_path / "release.zip").manifest == release.manifest
    assert [path.name for path in tmp_path.iterdir()] == ["release.zip"]


def test_no_identifier_key_or_mapping_in_the_bundle(method, tmp_path):
    table = suited(method, awkward_table())
    release = released(method, Microdata.read(table, AWKWARD_SCHEMA))
    release.write(tmp_path / "release", "csv")
    text = "".join(path.read_text() for path in (tmp_path / "release").iterdir())
    assert "secret_id" not in text
    assert not any(identifier in text for identifier in table["secret_id"])
    assert KEY.secret.hex() not in text


@pytest.mark.parametrize("method", GROUP_METHODS, ids=repr)
def test_mapping_tells_each_rows_group(method, microdata):
    publication = method.publish(microdata, KEY)
    assert publication.mapping.height == microdata.rows
    sizes = publication.mapping["group"].value_counts().sort("group")["count"]
    published = publication.release.group_sizes().sort("group")["rows"]
    assert sizes.to_list() == published.to_list()


def test_published_order_says_nothing_about_the_input_order(method):
    """Over many keys, a row's group number (or place) and its input position are uncorrelated."""
    microdata = Microdata.read(suited(method, hospital_table(200)), {
        "name": "drop", "patient": "drop", "age": "quasi", "sex": "quasi", "zip": "drop",
        "admitted": "quasi", "disease": "sensitive",
    })  # fmt: skip
    correlations = []
    for seed in range(60):
        mapping = rearranged(method, microdata, Key(bytes([seed]) * 32)).mapping
        # its group, or where it stands
        place = mapping[mapping.columns[0]].to_numpy()
        correlations.append(np.corrcoef(np.arange(200), place)[0, 1])
    # the mean of 60 correlations of 200 pairs has standard deviation 0.0092, more where groups are few
    # and the same for every key; this is 4.9 of them
    deviation = max(0.0092, np.std(correlations) / 60**0.5)
    assert abs(np.mean(correlations)) < 4.9 * deviation


@pytest.mark.parametrize("method", ROW_METHODS, ids=repr)
def test_two_releases_with_one_key_do_not_stand_side_by_side(method):
    """Exact rows of one method beside values of another, in the order published, hit by chance."""
    table = hospital_table(400).select("age", "sex", "zip", "disease").with_row_index("row")
    roles = dict.fromkeys(["row", "age", "sex", "zip"], "quasi") | {"disease": "sensitive"}
    for other in TELLING:
        if repr(other) == repr(method):
            continue
        table = suited(other, suited(method, table))
        microdata = Microdata.read(table, roles)
        truth = table["disease"].to_list()
        hits = total = 0
        for seed in range(8):
            key = Key(bytes([seed, 2]) * 16)
            one, two = (released(each, microdata, key) for each in (method, other))
            pairs = zip(one.values("row"), two.values("disease"), strict=True)
            hits += sum(truth[row] == value for row, value in pairs)
            total += 400
        # 3,200 guesses at no more than 1/4: four standard deviations are 98
        assert hits <= total / 4 + 98, other


def test_manifest_tells_only_what_the_tables_tell(method, microdata, tmp_path):
    """Every figure can be computed from the published tables: none tells of the hidden links."""
    released(method, microdata).write(tmp_path / "release")
    again = Release.read(tmp_path / "release")
    assert (again.manifest.risk, again.manifest.utility) == measure_published(again)
    assert again.manifest.risk


@pytest.mark.parametrize("method", [m for m in GROUP_METHODS if m in TELLING], ids=repr)
def test_what_cannot_be_done_is_refused_with_a_remedy(method):
    table = {"age": [20, 30, 40, 50, 60], "disease": ["flu", "flu", "flu", "flu", "cut"]}
    microdata = Microdata.read(
        suited(method, pl.DataFrame(table)), {"age": "quasi", "disease": "sensitive"}
    )
    if isinstance(method, GoalMethod):  # which can do what its example asks for
        method = replace(method, goal=(LDiversity(l=2),))
    with pytest.raises(CannotAnonymize) as refusal:
        method.anonymize(microdata, KEY)
    assert "disease" in refusal.value.what
    assert refusal.value.remedy


def test_the_call_reads_back(method):
    assert Method.parse(repr(method)) == method


def test_release_shows_itself(method, microdata):
    release = released(method, microdata)
    assert f"{microdata.rows:,} rows" in repr(release)
    assert "<table" in release._repr_html_()


RATIOS = {"probabilistic_anonymity", "gamma_amplification"}
"""Figures of risk that are no shares."""


def test_figures_are_in_the_manifest(method, microdata):
    release = released(method, microdata)
    manifest = release.manifest
    assert manifest.risk
    for name, figure in manifest.risk.items():
        assert (figure >= 1) if name in RATIOS else (0 <= figure <= 1), name
    if isinstance(release, GroupedRelease) and method in TELLING:
        shares = [
            group["count"].max() / group["count"].sum()
            for counts in release.sensitive_counts().values()
            for group in counts.partition_by("group")
        ]
        assert manifest.risk["highest_posterior"] == pytest.approx(max(shares))
    assert manifest.utility
    assert all(np.isfinite(value) for value in manifest.utility.values())
    assert manifest.software == f"anonagram {__version__}"
    published = method.publish(microdata, KEY, date(2020, 1, 2)).release.manifest
    assert published.created == "2020-01-02"
    assert manifest.created >= (datetime.now(UTC) - timedelta(days=1)).date().isoformat()


def test_a_plain_k_anonymous_table(tmp_path):
    table = pl.DataFrame(
        {"age": [20, 21, 35, 36, 50, 51], "sex": list("FMFMFM"), "ward": [1, 2] * 3}
    )
    for roles in (
        {"age": "quasi", "sex": "quasi", "ward": "plain"},
        dict.fromkeys(table.columns, "quasi"),
    ):
        microdata = Microdata.read(table, roles)
        release = Method.parse("generalize(l=2)").anonymize(microdata, KEY)
        assert [(c.model, c.achieved >= 2) for c in release.manifest.claims] == [
            ("k_anonymity(k=2)", True)
        ]
        assert release.manifest.risk["highest_reidentification"] <= 1 / 2
        assert measure_release(release, microdata, None).posterior is None
        release.write(tmp_path / f"{len(microdata.with_role('quasi'))}")
        answer = release.query("SELECT COUNT(*) FROM data WHERE age < 30")[0]["COUNT(*)"]
        assert answer.lower <= 2 <= answer.upper
