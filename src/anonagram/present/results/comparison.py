"""How a comparison is shown: what to take and why, the picture of all, and every figure."""

from __future__ import annotations

from anonagram.comparison import PURPOSES, Bench, Comparison, Known, Trial
from anonagram.comparison.comparison import TOLERATED
from anonagram.present.charts import chart_comparison
from anonagram.present.sections import Cell, Document, Mood, Section, Table, number
from anonagram.shown.wording import how_many, listed, option

HEAD = (
    "method", "gained", "strongest", "values right", "of the surest", "people found", "counts off",
    "bounds", "sums off", "NCP", "model right",
)  # fmt: skip
NONE = "–"


def document(comparison: Comparison) -> Document:
    """The recommended one first."""
    chosen = comparison.recommended
    told = [comparison.reason]
    if chosen is not None:
        told = [f"Recommended: {chosen.brief}.", *told]
    told += [*_drawn(comparison.bench), *_left(comparison)]
    sections = (
        _frontier(comparison),
        _all(comparison),
        *_skipped(comparison),
        _meaning(comparison),
    )
    mood = Mood.BAD if not comparison.safe else Mood.PLAIN
    title = f"{comparison.label}: methods compared for {PURPOSES[comparison.purpose]}"
    return Document(title, sections, comparison.headline, mood, tuple(told))


def _drawn(bench: Bench) -> list[str]:
    """Whether everybody was compared."""
    drawn = bench.released + bench.held_out
    if drawn == bench.people:
        return []
    return [
        f"Of {how_many(bench.people, 'person', 'people')} {drawn:,} were drawn, so that trials end in "
        f"time: among more people most methods lose less. {option('--seconds N', 'seconds=N')} draws more."
    ]


def _left(comparison: Comparison) -> list[str]:
    """What there was no time for, a name each."""
    if not comparison.left:
        return []
    number = comparison.left
    others = "1 other, which" if number == 1 else f"{how_many(number, 'other')}, one of which"
    names = [each.call.split("(")[0] for each in comparison.skipped if not each.is_final]
    left = listed(list(dict.fromkeys(names)))
    return [
        f"There was no time for {others} may be better ({left}): the same command goes on from here."
    ]


def _frontier(comparison: Comparison) -> Section:
    rows = [_short(comparison, trial) for trial in comparison.frontier]
    table = Table.of(["method", "gained", "loss", "promised"], rows)
    return Section(
        "No other is better in both: risk, and what is lost for the purpose", table,
        chart=(lambda: chart_comparison(comparison)) if comparison.useful else None,
    )  # fmt: skip


def _short(comparison: Comparison, trial: Trial) -> list[Cell]:
    promised = ", ".join(trial.promises) or "nothing"
    return [
        trial.brief, _points(comparison, trial), number(comparison.loss(trial), ".1%"), promised,
    ]  # fmt: skip


def _points(comparison: Comparison, trial: Trial) -> str:
    return f"{100 * comparison.risk(trial):.1f} points"


def _all(comparison: Comparison) -> Section:
    """A row each trial; what no release of the table has is left out."""
    best = comparison.frontier
    trials = sorted(comparison.trials, key=comparison.risk)
    rows = [_row(comparison, trial, is_best=trial in best) for trial in trials]
    shown = [j for j, _ in enumerate(HEAD) if any(row[j] != NONE for row in rows)]
    table = Table.of([HEAD[j] for j in shown], [[row[j] for j in shown] for row in rows])
    return Section("Everything that was tried, the least risk first (● is unbeaten)", table)


def _row(comparison: Comparison, trial: Trial, *, is_best: bool) -> list[Cell]:
    of_values = [
        _by(trial),
        f"{trial.success:.1%}{_of(comparison, trial.guessed)}",
        f"{trial.surest:.1%}{_of(comparison, trial.surest_guessed)}",
    ]
    return [
        f"{trial.brief} ●" if is_best else trial.brief,
        f"{100 * comparison.risk(trial):.1f}",
        *(of_values if comparison.bench.has_secret else [NONE] * len(of_values)),
        f"{trial.found:.1%} ({trial.finder})" if trial.finder else NONE,
        number(trial.error, ".1%"),
        number(trial.width, ".0%"),
        number(trial.sum_error, ".1%"),
        number(trial.ncp, ".3f"),
        number(trial.learned, ".1%"),
    ]


def _of(comparison: Comparison, column: str) -> str:
    """Which column a figure is of, where there are several."""
    return f" of {column}" if comparison.bench.others and column else ""


def _by(trial: Trial) -> str:
    """Who gets most of everybody, and of those he is surest of."""
    return ", ".join(dict.fromkeys(filter(None, (trial.attack, trial.surest_attack)))) or "nobody"


def _skipped(comparison: Comparison) -> list[Section]:
    if not comparison.skipped:
        return []
    calls: dict[str, list[str]] = {}
    for each in comparison.skipped:
        calls.setdefault(each.why, []).append(each.call)
    rows = [[why, "; ".join(named)] for why, named in calls.items()]
    return [Section("What was not measured, and why", Table.of(["why", "methods"], rows))]


def _known(known: Known) -> str:
    """What is known of a column without a release."""
    name = f"{known.column} " if known.column else ""
    return f"{name}{known.baseline:.1%} and {known.surest:.1%}"


def _meaning(comparison: Comparison) -> Section:
    """What the figures are, in the order of the columns."""
    bench = comparison.bench
    model = (
        f"Trained on the original the model guesses {bench.learned:.1%} of them right; the most "
        f"frequent value alone is {bench.usual:.1%}."
        if bench.learned is not None and bench.usual is not None
        else "No column has few enough values for a model."
    )
    return Section(
        "What the figures mean",
        sentences=(
            f"Each release was made of the same {bench.released:,} of "
            f"{how_many(bench.people, 'person', 'people')}; "
            f"{bench.held_out:,} were held out. A release of all of them comes out a little better and "
            "differs with its key: attack and measure the one you make.",
            *_gained(bench),
            "Counts off, bounds: of half of 300 random questions, relative to the truth. Masked tables are "
            "read as they stand and have no bounds. NCP: how wide groups are, from 0 to 1.",
            f"Model right: a model trained on the release (on three worlds of one with groups), of the "
            f"people held out. {model}",
        ),
    )  # fmt: skip


def _gained(bench: Bench) -> tuple[str, ...]:
    """What is risked: values, and people found; without a sensitive column people alone."""
    if not bench.has_secret:
        return (
            "Gained: how many more people somebody finds than by chance, who looks for a row of "
            f"theirs or for whether they are in the table. Up to {100 * TOLERATED:.0f} points count as none.",
        )
    known = ", ".join(_known(each) for each in bench.known)
    several = " The column of which he gains most counts." if bench.others else ""
    return (
        f"Gained: how many more values of {bench.guessed} the strongest intruder gets right than he "
        f"guesses without any release, having learned on other people; or how many more of the 1 % of "
        f"people he is surest of, beyond what chance may add: {known}.{several} "
        "The larger of the two counts: where few stand out, the average hardly "
        "moves. Whoever finds somebody's row with her value knows it and guesses the others as before. "
        f"Up to {100 * TOLERATED:.0f} points count as none.",
        "People found: by whoever looks for a row of somebody, or for whether she is in the table, "
        "whether or not a value stands beside it; it counts as risk for open data alone. Where to be in "
        "the table is itself a secret, compare for open data.",
    )
