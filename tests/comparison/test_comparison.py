"""Comparisons: what is unbeaten and recommended, what is kept, and how trials are measured."""

from __future__ import annotations

import pickle

import msgspec
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Method, Microdata, compare
from anonagram.attacks import Attack, AttackResult, OfColumn, Verdict
from anonagram.comparison import Bench, Comparison, Known, Skipped, Trial
from anonagram.comparison.bench import Cut, secrets_of
from anonagram.comparison.comparison import ALIKE, TOLERATED
from anonagram.comparison.grid import calls_for, read_calls
from anonagram.comparison.kept import Kept
from anonagram.comparison.risk import most_gained
from anonagram.comparison.workers import LATE, NO_TIME, Team, try_all
from anonagram.comparison.yardsticks import attempt
from anonagram.errors import AnonagramError, CallError, InputError
from anonagram.present import document_of

BENCH = Bench("5f", 100, 80, 20, "ill", 0.3, 0.5, 0.5, 0.2)
share = st.floats(0, 1)


def trial(call: str, success: float, error: float | None, **more: float) -> Trial:
    return Trial(
        call, call, (), "definetti", success, "correlation", more.get("surest", 0.5), 100, "prosecutor",
        more.get("found", 0.0), 0.0, error, None, None, None, more.get("learned"), 1.0,
    )  # fmt: skip


@pytest.fixture(scope="module")
def data() -> Microdata:
    random = np.random.default_rng(1)
    age = random.integers(20, 70, 300)
    ill = np.where(random.random(300) < 0.5, age // 10, random.integers(0, 6, 300))
    table = pl.DataFrame(
        {"age": age, "zip": random.integers(0, 9, 300), "ill": [f"d{i}" for i in ill]}
    )
    return Microdata.read(table, {"age": "quasi", "zip": "quasi", "ill": "sensitive"})


@given(st.lists(st.tuples(share, st.none() | share), max_size=12))
def test_the_unbeaten_are_those_that_no_other_beats(figures):
    trials = [trial(f"m{i}", max(0.3, s), e) for i, (s, e) in enumerate(figures)]
    found = Comparison.of("t", "counting", BENCH, trials)
    useful = [(t.success - 0.3, t.error, t) for t in trials if t.error is not None]

    def is_beaten(risk: float, loss: float) -> bool:
        return any(r <= risk and l <= loss and (r, l) != (risk, loss) for r, l, _ in useful)

    best = {(risk, loss) for risk, loss, _ in useful if not is_beaten(risk, loss)}
    assert {(found.risk(t), t.error) for t in found.frontier} == best
    if not useful:
        assert found.recommended is None
        return
    least = min(risk for risk, _, _ in useful)
    safe = [loss for risk, loss, _ in useful if risk <= TOLERATED]
    riskless = [loss for risk, loss, _ in useful if risk <= least + ALIKE]
    assert found.recommended.error == min(safe or riskless)
    is_alike = not safe or len(safe) == len(useful)
    assert found.headline.startswith(("None of", "The only")) == is_alike


def test_purposes_weigh_otherwise():
    one = trial("one", 0.3, 0.1, found=1.0, learned=0.2)
    two = trial("two", 0.32, 0.2, found=0.01, learned=0.4)
    for purpose, best in (("counting", "one"), ("learning", "two"), ("open_data", "two")):
        assert Comparison.of("t", purpose, BENCH, [one, two]).recommended.call == best


def test_few_who_are_given_away_count_for_every_purpose():
    """The average of a release hardly moves where one person of a hundred is found."""
    one = trial("one", 0.301, 0.1, surest=1.0, learned=0.4)
    two = trial("two", 0.32, 0.2, surest=0.55, learned=0.3)
    for purpose in ("counting", "learning", "open_data"):
        found = Comparison.of("t", purpose, BENCH, [one, two])
        assert found.recommended.call == "two"
        assert found.risk(one) == pytest.approx(0.4)
        assert found.risk(two) == pytest.approx(0.02)  # 5 points of 100 people are chance
    alone = Comparison.of("t", "counting", BENCH, [one])
    assert "100.0% of the 1 % of people they are surest of (50.0% without it)" in alone.headline


def two_secrets(data: Microdata) -> Microdata:
    """One that age tells half of the time, and one that nothing tells."""
    table = data.frame().with_columns(pay=pl.int_range(300) * 7 % 40)
    roles = {"age": "quasi", "zip": "quasi", "ill": "sensitive", "pay": "sensitive"}
    return Microdata.read(table, roles)


def test_each_sensitive_column_is_set_beside_what_is_known_of_itself(data):
    """All were set beside the one that is hardest to guess: what anybody can guess was a gain."""
    bench = Cut.of(two_secrets(data)).measured()
    (pay,) = bench.others
    assert (bench.sensitive, pay.column) == ("ill", "pay")
    assert bench.baseline > pay.baseline + 0.2
    assert bench.known_of("pay") == pay
    assert bench.known_of("ill").baseline == bench.known_of("").baseline == bench.baseline
    (found,) = compare(two_secrets(data), ["anatomy(l=2)"], workers=0).trials
    told = Comparison.of("t", "counting", bench, [found])
    assert found.success >= bench.known_of(found.guessed).baseline
    assert told.risk(found) < found.success - pay.baseline or found.guessed == "pay"


def result(attack: str, *parts: OfColumn) -> AttackResult:
    return AttackResult(
        Attack.parse(attack), Verdict.WITHSTANDS, "", np.arange(100), np.full(100, parts[0].score),
        parts[0].baseline, None, surest=parts[0].surest,
        by_column=parts if parts[0].column else (),
    )  # fmt: skip


def test_the_largest_gain_is_that_of_a_column_over_itself():
    several = msgspec.structs.replace(BENCH, others=(Known("pay", 0.05, 0.1),))
    guesses = result(
        "definetti()", OfColumn("ill", 0.32, 0.3, 0.55, 100), OfColumn("pay", 0.2, 0.05, 0.1, 100)
    )
    everybody, surest = most_gained([guesses], several)
    assert (everybody.column, everybody.right, everybody.known) == ("pay", 0.2, 0.05)
    assert (surest.column, surest.right, surest.known) == ("ill", 0.55, 0.5)
    made = msgspec.structs.replace(
        trial("one", everybody.right, 0.1, surest=surest.right),
        guessed=everybody.column, surest_guessed=surest.column,
    )  # fmt: skip
    told = Comparison.of("t", "counting", several, [made])
    assert told.risk(made) == pytest.approx(0.15)
    assert "20.0% of pay right (5.0% without it)" in told.headline
    assert "in ill (50.0% without it)" in told.reason


def test_whoever_finds_rows_finds_every_secret_and_most_of_the_hardest():
    several = msgspec.structs.replace(BENCH, others=(Known("pay", 0.05, 0.1),))
    everybody, surest = most_gained(
        [result("equal_values()", OfColumn("", 0.5, 0.0, 1.0, 100))], several
    )
    assert (everybody.column, everybody.right) == ("pay", 0.5 + 0.5 * 0.05)
    assert (surest.column, surest.right) == ("pay", 1.0)
    nobody, _ = most_gained([], several)
    assert (nobody.attack, nobody.column, nobody.size) == ("", "ill", 0.0)


def test_whoever_links_masked_rows_finds_people(data):
    """They counted among those who find values alone, and people found were 0.0 %, by the order of rows."""
    (made,) = compare(data, ["rank_swapping(p=1)"], workers=0).trials
    assert made.finder not in ("", "unsorted_matching")
    assert made.found > 0.3


def test_where_nothing_is_secret_people_found_are_the_risk(data):
    """Every method gave 'no more than they know' of a column that is not there."""
    roles = dict.fromkeys(("age", "zip", "ill"), "quasi")
    table = Microdata.read(data.frame(), roles)
    bench = Cut.of(table).measured()
    assert not bench.has_secret
    open_, hidden = trial("open", 0.0, 0.1, found=0.9), trial("hidden", 0.9, 0.2, found=0.01)
    found = Comparison.of("t", "counting", bench, [open_, hidden])
    assert [each.call for each in found.useful] == ["hidden", "open"]
    assert found.recommended == hidden
    assert found.headline.startswith("With 1 of 2 releases tried people are found more often")
    assert "prosecutor finds 1.0% of people (0.0% by chance)" in found.reason
    assert "without it" not in found.reason
    shown = document_of(found)
    (every,) = (each.table for each in shown.sections if each.title.startswith("Everything"))
    assert "values right" not in every.head
    assert "people found" in every.head
    made = compare(table, ["rank_swapping(p=1)"], workers=0)
    assert made.risk(made.trials[0]) == made.trials[0].finding > 0.3
    assert made.headline.startswith("The only release tried does not keep people from being found")


def test_masked_rows_are_linked_by_what_an_intruder_knows():
    """Whoever knew the secret, which stands as it was, would find everybody and look for nothing."""
    random = np.random.default_rng(5)
    table = {
        "age": random.integers(0, 3, 300),
        "zip": random.integers(0, 3, 300),
        "ill": np.arange(300) % 60,
    }
    data = Microdata.read(pl.DataFrame(table), {"age": "quasi", "zip": "quasi", "ill": "sensitive"})
    cut = Cut.of(data)
    found = attempt('rank_swapping(p=50, columns=["age", "zip"])', cut, cut.measured())
    assert found.found < 0.1
    assert found.surest < 0.5


def test_what_promises_something_goes_first_where_nothing_can_be_called_back():
    masked = trial("masked", 0.3, 0.1)
    promised = msgspec.structs.replace(trial("promised", 0.3, 0.2), promises=("k_anonymity(k=5)",))
    for purpose, best in (("counting", "masked"), ("open_data", "promised")):
        found = Comparison.of("t", purpose, BENCH, [masked, promised])
        assert found.recommended.call == best
        assert ("It promises nothing" in found.reason) == (best == "masked")


def test_models_that_differ_by_chance_are_told_apart_by_counts():
    close = trial("close", 0.3, 0.1, learned=0.395)
    far = trial("far", 0.3, 0.9, learned=0.4)
    assert Comparison.of("t", "learning", BENCH, [close, far]).recommended.call == "close"


def test_every_method_for_one_release_is_tried_once(data):
    """The rule of a series is known to no intruder of a comparison: it would look safe."""
    calls = calls_for(data)
    assert len(set(calls)) == len(calls)
    assert {call.split("(")[0] for call in calls} == set(Method.known()) - {"m_invariance"}


def test_a_method_of_every_family_comes_before_other_parameters(data):
    """There was time for one of many, and what came next had other parameters of what was there."""
    names = [call.split("(")[0] for call in calls_for(data)]
    assert len(set(names[: len(set(names))])) == len(set(names))


def test_where_time_is_short_people_are_drawn(tmp_path):
    """Each trial of all people took longer than it may, and one of 33 methods was measured."""
    random = np.random.default_rng(4)
    table = {"age": random.integers(20, 70, 5000), "ill": random.integers(0, 6, 5000)}
    data = Microdata.read(pl.DataFrame(table), {"age": "quasi", "ill": "sensitive"})
    calls = ["anatomy(l=2)", "random()"]
    found = compare(data, calls, seconds=2, workers=0, kept=tmp_path / "kept")
    bench = found.bench
    assert (bench.people, bench.released, bench.held_out) == (5000, 1600, 400)
    told = " ".join(document_of(found).told)
    assert "Of 5,000 people 2,000 were drawn" in told
    assert compare(data, calls, seconds=2, workers=0, kept=tmp_path / "kept") == found
    everybody = compare(data, calls, seconds=60, workers=0)
    assert everybody.bench.released == 4000
    assert "drawn" not in " ".join(document_of(everybody).told)


def test_what_there_was_no_time_for_is_named():
    left = [Skipped(f"anatomy(l={l})", NO_TIME, is_final=False) for l in (2, 4)]
    found = Comparison.of("t", "counting", BENCH, [trial("random()", 0.3, 0.1), *left])
    assert any(
        "no time for 2 others, one of which may be better (anatomy)" in each
        for each in document_of(found).told
    )


def test_results_are_kept_and_nothing_is_done_twice(data, tmp_path, monkeypatch):
    path = tmp_path / "results"
    calls = ["anatomy(l=2)", "rank_swapping(p=20)", "anatomy(l=9)"]
    first = compare(data, calls[:2], workers=0, kept=path)
    path.write_bytes(path.read_bytes()[:-40])  # killed while the last was written
    again = compare(data, calls, "learning", workers=0, kept=path)
    told = [trial.call for trial in again.trials]
    assert told == [trial.call for trial in first.trials]
    assert [each.call.split(",")[0] for each in again.skipped] == ["anatomy(l=9"]

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("anonagram.comparison.comparing.attempt", never)
    assert compare(data, calls, "learning", workers=0, kept=path) == again
    bench, _ = Kept(path).read("another table")
    assert bench is None


def test_processes_find_the_same(data):
    cut = Cut.of(data)
    bench = cut.measured()
    calls = ["anatomy(l=2)", "anatomy(l=9)"]
    found = {each.call: each for each in try_all(calls, cut, bench, 2, 600, 600)}
    for call in calls:
        here, there = attempt(call, cut, bench), found[call]
        assert type(here) is type(there)
        if isinstance(here, Trial):
            assert (here.success, here.error) == (there.success, there.error)
    late = list(try_all(calls, cut, bench, 1, 0.01, 600))
    assert late == [Skipped(call, NO_TIME, is_final=False) for call in calls]


def test_one_method_is_measured_however_short_the_time(data):
    """Nothing had been tried, and nothing that was tried was said to serve."""
    found = compare(data, ["anatomy(l=9)", "anatomy(l=2)", "anatomy(l=3)"], seconds=0.01, workers=1)
    assert [each.brief for each in found.trials] == ["anatomy(l=2)"]
    assert found.left == 1
    nothing = Comparison.of("t", "counting", BENCH, [Skipped("a", NO_TIME, is_final=False)])
    assert nothing.headline.startswith(
        "Nothing was measured: there was no time for any of 1 method"
    )
    assert "serves" not in nothing.headline
    assert nothing.reason == "Which method suits cannot be told."
    unfit = Comparison.of("t", "counting", BENCH, [Skipped("a", "No l is possible.")])
    assert "because No l is possible." in unfit.headline


def test_what_is_soon_measured_and_not_safe_is_not_recommended_before_the_others():
    """Intruders got everything of the one release there was time for, and it was recommended."""
    soon = trial("rank_swapping(p=10)", 1.0, 0.01)
    late = Skipped("anatomy(l=4)", NO_TIME, is_final=False)
    found = Comparison.of("t", "counting", BENCH, [soon, late])
    assert found.recommended is None
    assert found.reason.startswith(
        "Nothing is recommended yet: there was no time for 1 other method"
    )
    whole = Comparison.of("t", "counting", BENCH, [soon])
    assert whole.recommended == soon
    assert "did not withstand those who tried here" in whole.reason
    safe = Comparison.of("t", "counting", BENCH, [trial("anatomy(l=4)", 0.3, 0.01), late])
    assert safe.recommended is not None
    assert "it withstood those who tried here" in safe.reason


def test_which_columns_are_guessed_is_said():
    rows = 1500
    table = {"age": [i % 50 for i in range(rows)], "labs": [i % 9 for i in range(rows)]}
    table |= {"ill": [f"d{i % 7}" for i in range(rows)], "charge": list(range(rows))}
    roles = {"age": "quasi"} | dict.fromkeys(("labs", "ill", "charge"), "sensitive")
    found = secrets_of(Microdata.read(table, roles))
    assert (found.guessed, found.many) == (("labs", "ill"), ("charge",))
    assert "are labs, ill, each beside what is known of itself; models are trained for labs" in (
        found.sentence
    )
    assert "charge has more than 1,000 values, and no model guesses it; whoever sorts" in (
        found.sentence
    )
    two = {name: table[name] for name in ("age", "charge")}
    amounts = secrets_of(Microdata.read(two, {"age": "quasi", "charge": "sensitive"}))
    assert amounts.sentence.startswith("The secret that intruders guess is charge.")


def test_an_amount_is_compared_by_its_order_inside_groups():
    """It had too many values, and whatever released it was said to give nothing away."""
    random = np.random.default_rng(1)
    pay = random.permutation(3000)
    table = {
        "age": random.integers(20, 60, 3000),
        "pay": pay,
        "tax": pay * 3 + random.integers(0, 9, 3000),
    }
    roles = {"age": "quasi", "pay": "quasi", "tax": "sensitive"}
    cut = Cut.of(Microdata.read(table, roles))
    found = attempt("anatomy(l=4)", cut, cut.measured())
    assert isinstance(found, Trial)
    assert (found.attack, found.guessed) == ("rank_matching", "tax")
    assert found.success > 0.9
    replaced = attempt("random()", cut, cut.measured())
    assert isinstance(replaced, Trial)
    assert (replaced.attack, replaced.guessed) == ("weighed_rows", "tax")
    assert replaced.success > 0.4


def test_what_takes_too_long_is_left_and_the_rest_goes_on(data):
    cut = Cut.of(data)
    late = list(try_all(["anatomy(l=2)", "anatomy(l=3)"], cut, cut.measured(), 1, 600, 0.0))
    assert [each.why for each in late] == [LATE.format(0)] * 2


ENDLESS = (
    "import time; from anonagram.comparison import workers; "
    "workers.attempt = lambda *_: time.sleep(3600); workers.serve()"
)


def test_nobody_goes_on_for_somebody_who_was_killed(data, monkeypatch):
    """A process that tries something ends when whoever asked is gone, whatever it is doing."""
    monkeypatch.setattr("anonagram.comparison.workers.SERVE", ENDLESS)
    process = Team(Cut.of(data), BENCH, 600)._start()
    pickle.dump(("anatomy(l=2)", 600), process.stdin)
    process.stdin.close()  # as the system does it when it ends a process
    assert process.wait(timeout=60) == 0
    process.stdout.close()


def test_a_masked_table_is_read_as_it_stands(data):
    cut = Cut.of(data)
    found = attempt("data_swapping(share=0.01)", cut, cut.measured())
    assert isinstance(found, Trial)
    assert found.width is None
    assert found.error < 0.2
    assert found.success > 0.7  # nearly all are found again


def test_guesses_of_kinds_are_not_set_against_what_is_known_of_values():
    """'Intruders get 38.8% of amounts right (6.1% without it)': it was intervals that they guessed."""
    random = np.random.default_rng(2)
    table = {"age": random.integers(20, 70, 400), "cost": random.integers(0, 60, 400)}
    data = Microdata.read(pl.DataFrame(table), {"age": "quasi", "cost": "sensitive"})
    cut = Cut.of(data)
    bench = cut.measured()
    found = attempt("anatomy(l=20)", cut, bench)
    assert isinstance(found, Trial)
    assert found.attack != "similarity"
    assert found.success - bench.baseline < 0.1  # one in ten intervals is believed with more
    assert bench.is_amount
    told = Comparison.of("table", "averages", bench, [found]).reason
    assert "Guesses are of exact amounts" in told


def test_what_cannot_be_compared_is_refused(data, tmp_path):
    with pytest.raises(CallError, match="no sensitive column of numbers"):
        compare(data, ["anatomy(l=2)"], "averages", workers=0)
    with pytest.raises(CallError, match="no purpose"):
        compare(data, purpose="fun")  # type: ignore[arg-type]
    with pytest.raises(AnonagramError, match="too few"):
        compare(data.only(np.arange(5)))
    path = tmp_path / "methods.txt"
    path.write_text("anatomy(l=4)\n\nanatomi(l=4)  # misspelt\n")
    with pytest.raises(InputError, match="line 3"):
        read_calls(path)
    path.write_text("# nothing\n")
    with pytest.raises(InputError, match="names no method"):
        read_calls(path)
