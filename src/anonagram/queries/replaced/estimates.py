"""From the states of perturbed rows to an estimate without bias, its error, and bounds that hold."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.rounding import EXACT_IN_DOUBLE, MARGIN, ROUNDING
from anonagram.engines import Engine
from anonagram.queries.answers import Estimate, is_endless
from anonagram.queries.reading.question import Aggregate
from anonagram.queries.replaced.bounds import counted, reach
from anonagram.queries.replaced.inversion import (
    Figure,
    Moments,
    NotInvertible,
    Perturbation,
    RowFunction,
    without_known,
)
from anonagram.queries.replaced.states import Asking, States
from anonagram.queries.replaced.taken import CORRECTED, NAIVE, estimated, within

Floats = NDArray[np.float64]


class Estimator:
    """Answers one aggregate of a question."""

    def __init__(self, asked: Asking, aggregate: Aggregate) -> None:
        self.asked, self.aggregate, self.release = asked, aggregate, asked.release
        self.states = States(asked, aggregate)
        self.perturbed = self.states.perturbed

    def answer(self, engine: Engine) -> dict[tuple[Any, ...], Estimate]:
        """An answer for each combination of keys."""
        self.states.count(engine)
        found = self.states.found
        if self.aggregate.function in ("MIN", "MAX"):
            return {key: self._extreme(holds) for key, holds in self.states.by_key()}
        sums = np.array([[0.0 if x is None else float(x) for x in row] for row in found]).T
        # what is too large is seen in the answer
        with np.errstate(over="ignore", invalid="ignore"):
            answers = {key: self._answer(holds, sums) for key, holds in self.states.by_key()}
        for each in answers.values():
            if any(map(is_endless, (each.estimate, each.lower, each.upper, each.naive))):
                self.asked.question.refuse_endless(self.aggregate)
        return answers

    def _extreme(self, holds: Floats) -> Estimate:
        """MIN or MAX where nothing that was replaced is asked about."""
        found = self.states.found
        met = np.broadcast_to(holds[self.states.cells] > 0, len(found))
        values = [row[1] for row, is_met in zip(found, met, strict=True) if is_met]
        values = [value for value in values if value is not None]
        if not values:
            return _nobody()
        value = min(values) if self.aggregate.function == "MIN" else max(values)
        return _certain(value)

    def _answer(self, holds: Floats, sums: Floats) -> Estimate:
        """The answer where `holds` says which combinations of states are asked about."""
        n = sums[0]
        if self.aggregate.argument is None or (
            self.aggregate.function == "COUNT" and not self.states.is_apart
        ):
            function = holds * self.states.present()
            return self._estimate(function, n, whole=True)
        if not self.states.is_apart:
            return self._of_replaced(holds, n)
        return self._of_kept(holds, sums)

    @property
    def _perturbation(self) -> Perturbation:
        names, transition = [axis.attribute for axis in self.states.axes], self.release.transition
        return Perturbation(
            [axis.shares for axis in self.states.axes],
            lambda axes: transition.share_untouched(names[axis] for axis in axes),
        )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Refuse the question where the perturbation left nothing to answer it from."""
        try:
            yield
        except NotInvertible as error:
            transition, question = self.release.transition, self.asked.question
            lost = [self.states.axes[axis].attribute for axis in error.axes]
            most = len(transition.replaced) - transition.attributes
            question.refuse(
                lost[0],
                f"In every row at least one of {', '.join(lost)} was replaced, so nothing is left of "
                "how they depend on each other."
                if len(lost) > 1
                else f"{lost[0]} was replaced in every row.",
                f"ask about at most {most} quasi-identifiers."
                if most and len(lost) > 1
                else f"leave {lost[0]} out, or ask about it alone.",
            )

    def _estimate(
        self,
        function: Floats,
        n: Floats,
        *,
        whole: bool,
    ) -> Estimate:
        """A sum over rows of a function of their states."""
        naive = float((function[self.states.cells] * n).sum())
        size = float(np.abs(function).max(initial=0.0) * n.sum())
        if not self.perturbed or float(np.ptp(function)) == 0:
            if whole:
                return _certain(round(naive))
            return self._exact_sum(naive, size)
        is_of_all = n.sum() == self.release.manifest.rows.published
        shares = self.states.all_shares(n) if is_of_all else None
        counts = {place: own for place in self.perturbed
                  if (own := self.states.axes[place].counts) is not None}  # fmt: skip
        several = self.release.transition.attributes
        low, high = counted(function, self.states.cells, n, several, counts, shares)
        off = 0.0 if whole else self._rounding(size)
        if whole or not off:  # whole numbers that a double holds exactly
            low, high, naive = math.ceil(low - 1e-6), math.floor(high + 1e-6), round(naive)
            if low == high:  # the published counts leave no doubt
                return Estimate(low, low, high, 0.0, True, naive, low, CORRECTED)
        if off:
            low, high = _widened(low, high, off, float(function.min()), float(function.max()))
        with self._explained():
            figure = self._perturbation.count(function, self.states.cells, n, shares)
        return estimated(figure._replace(naive=naive), low, high)

    def _rounding(self, size: float) -> float:
        """By how much a sum of numbers of this size together can be off."""
        argument = self.aggregate.argument
        is_whole = argument is not None and self.asked.plan.is_integer(argument)
        if is_whole and size < EXACT_IN_DOUBLE:
            return 0.0
        return size * (self.release.manifest.rows.published + MARGIN) * ROUNDING

    def _exact_sum(self, value: float, size: float) -> Estimate:
        """A sum about which the replacements leave no doubt; rounding may."""
        off = self._rounding(size)
        if off:
            return Estimate(value, value - off, value + off, 0.0, False, value, value, NAIVE)
        argument = self.aggregate.argument
        is_whole = argument is not None and self.asked.plan.is_integer(argument)
        shown = round(value) if is_whole else value
        return _certain(shown)

    def _of_replaced(self, holds: Floats, n: Floats) -> Estimate:
        """SUM or AVG of a column whose values were themselves replaced."""
        values, present = self.states.values()
        total = self._estimate(holds * values, n, whole=False)
        people = self._estimate(holds * present, n, whole=True)
        if self.aggregate.function == "SUM":
            return _nobody() if people.upper == 0 else total
        met = np.broadcast_to(holds * present, holds.shape) > 0
        inside = np.broadcast_to(values, holds.shape)[met]
        if not inside.size or people.upper == 0:
            return _nobody()
        if people.exact and total.exact:
            return _quotient(total, people)
        off = self._rounding(float(np.abs(inside).max()))
        ends = float(inside.min()), float(inside.max())
        lowest, highest = _widened(*ends, off, *ends)
        naive = None if not people.naive else total.naive / people.naive
        if people.corrected <= 0:
            return estimated(Figure(None, None, naive, None), lowest, highest)
        with self._explained():
            figure = self._mean_of_replaced(holds, n, (total.corrected, people.corrected), naive)
        return estimated(figure, lowest, highest)

    def _mean_of_replaced(
        self, holds: Floats, n: Floats, corrected: tuple[float, float], naive: float | None
    ) -> Figure:
        """A mean, corrected and not: each varies as the sum of what is off from it."""
        total, among = corrected
        mean = total / among
        values, present = self.states.values()
        is_met = np.broadcast_to(holds * present, np.broadcast_shapes(holds.shape, values.shape))
        nothing, cells = np.zeros_like(is_met), self.states.cells
        shares, perturbation = self.states.all_shares(n), self._perturbation
        around = perturbation.inverse(without_known(is_met * (values - mean), shares)) / among
        read = float((is_met[cells] * n).sum()) or 1.0
        as_it_stands = is_met * (values - (naive or 0.0)) / read
        return perturbation.compare(
            (mean, naive),
            (RowFunction(nothing, around), RowFunction(nothing, as_it_stands)),
            cells,
            Moments(n, n, n),
        )

    def _of_kept(self, holds: Floats, sums: Floats) -> Estimate:
        """An aggregate of a column whose values are as they were."""
        _, values, x, xx, negative, positive, lows, highs = sums
        function = holds
        exact = not self.perturbed or float(np.ptp(function)) == 0
        low, high = reach(function, self.perturbed, self.release.transition.attributes)
        can, must = high[self.states.cells] > 0, low[self.states.cells] > 0
        people = self._estimate(function, values, whole=True)
        if self.aggregate.function == "COUNT":
            if exact or people.exact:
                return people
            low, high = round(values[must].sum()), round(values[can].sum())
            return replace(
                people, estimate=within(people.estimate, low, high), lower=low, upper=high
            )
        has = can & (values > 0)
        if not has.any():
            return _nobody()
        size = float((positive - negative)[can].sum())
        naive = float((function[self.states.cells] * x).sum())
        is_sum = self.aggregate.function == "SUM"
        if exact:
            total = self._exact_sum(naive, size)
            return total if is_sum else _quotient(total, _certain(float(values[can].sum())))
        cells, moments = self.states.cells, Moments(values, x, xx)
        if is_sum:
            with self._explained():
                figure = self._perturbation.sum(function, cells, moments)
            off = self._rounding(size)
            least = float(np.where(must, x, np.where(can, negative, 0)).sum())
            most = float(np.where(must, x, np.where(can, positive, 0)).sum())
            signs = float(negative[can].min()), float(positive[can].max())
            return estimated(figure, *_widened(least, most, off, *signs))
        with self._explained():
            figure = self._perturbation.mean(function, cells, moments)
        bottom, top = float(lows[has].min()), float(highs[has].max())
        slack = self._rounding(max(abs(bottom), abs(top)))
        ends = _widened(bottom, top, slack, bottom, top)
        return estimated(figure, *ends)


def _widened(
    low: float, high: float, off: float, least: float, greatest: float
) -> tuple[float, float]:
    """Bounds so much further apart, but not past 0 where no value is."""
    wide = low - off, high + off
    return wide[0] if least < 0 else max(0.0, wide[0]), wide[1] if greatest > 0 else min(
        0.0, wide[1]
    )


def _quotient(total: Estimate, people: Estimate) -> Estimate:
    """A mean of so many people as are certain."""
    count = people.estimate
    mean, low, high = total.estimate / count, total.lower / count, total.upper / count
    naive = total.naive / people.naive if people.naive else None
    return Estimate(mean, low, high, 0.0, total.exact, naive, mean, CORRECTED)


def _certain(value: Any) -> Estimate:
    return Estimate(value, value, value, 0.0, True, value, value, NAIVE)


def _nobody() -> Estimate:
    return Estimate(None, None, None, None, True, None, None, NAIVE)
