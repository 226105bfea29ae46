"""What each model means, as slowly and plainly as it can be said; shares nothing with the models."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction


def groups_of(groups: list[int], values: list[object]) -> list[list[object]]:
    members: dict[int, list[object]] = defaultdict(list)
    for group, value in zip(groups, values, strict=True):
        members[group].append(value)
    return list(members.values())


def k_anonymity(members: list[object], k: int) -> bool:
    return len(members) >= k


def l_diversity(members: list[object], l: int) -> bool:
    return all(
        Fraction(count, len(members)) <= Fraction(1, l) for count in Counter(members).values()
    )


def distinct_l_diversity(members: list[object], l: int) -> bool:
    return len(set(members)) >= l


def m_uniqueness(members: list[object], m: int) -> bool:
    return len(set(members)) == len(members) >= m


def entropy_l_diversity(members: list[object], l: int) -> bool:
    """Π p^-p ≥ l, with p = c/n, both sides to the power of n: exact in whole numbers."""
    n = len(members)
    product = 1
    for count in Counter(members).values():
        product *= count**count
    return n**n >= l**n * product


def recursive_l_diversity(members: list[object], c: float, l: int) -> bool:
    r = sorted(Counter(members).values(), reverse=True)
    return r[0] < Fraction(str(c)) * sum(r[l - 1 :])


def ke_anonymity(members: list[object], k: int, e: float) -> bool:
    numbers = {Fraction(member) for member in members if member is not None}
    return len(numbers) >= k and max(numbers) - min(numbers) >= Fraction(str(e))


def alpha_k(members: list[object], alpha: float, k: int) -> bool:
    most = max(Counter(members).values())
    return len(members) >= k and Fraction(most, len(members)) <= Fraction(str(alpha))


def share(value: object, members: list[object]) -> Fraction:
    return Fraction(members.count(value), len(members))


def t_closeness(members: list[object], table: list[object], t: float, distance: str) -> bool:
    return moved(members, table, distance) <= Fraction(str(t))


def moved(members: list[object], table: list[object], distance: str) -> Fraction:
    """Equal: half of all differences; ordered: what passes each place between two values."""
    if distance == "equal":
        return sum((abs(share(v, members) - share(v, table)) for v in set(table)), Fraction(0)) / 2
    order = sorted(set(table), key=lambda value: (value is None, value))
    passed = Fraction(0)
    for place in range(1, len(order)):
        low = order[:place]
        passed += abs(sum(share(v, members) - share(v, table) for v in low))
    return passed / max(1, len(order) - 1)


def moved_in_tree(
    members: list[object], table: list[object], paths: dict[object, tuple[str, ...]]
) -> Fraction:
    """At each label what comes from below with too much meets what comes with too little.

    That costs the label's height; what is left goes on upwards as one amount.
    """
    height = len(next(iter(paths.values())))
    left = [(paths[v], share(v, members) - share(v, table)) for v in paths]
    cost = Fraction(0)
    for level in range(1, height + 1):
        above: dict[tuple[str, ...], list[Fraction]] = defaultdict(list)
        for path, amount in left:
            above[path].append(amount)
        for amounts in above.values():
            more = sum((a for a in amounts if a > 0), Fraction(0))
            less = sum((-a for a in amounts if a < 0), Fraction(0))
            cost += min(more, less) * Fraction(level, height)
        left = [(path[1:], sum(amounts, Fraction(0))) for path, amounts in above.items()]
    return cost


def beta_likeness(members: list[object], table: list[object], beta: float, kind: str) -> bool:
    for value in set(members):
        p, q = share(value, table), share(value, members)
        gain = (q - p) / p
        if gain > Fraction(str(beta)):
            return False
        if kind == "enhanced" and float(gain) > -math.log(p) + 1e-9:
            return False
    return True


def delta_disclosure(members: list[object], table: list[object], delta: float) -> bool:
    for value in set(table):
        p, q = share(value, table), share(value, members)
        if q == 0 or abs(math.log(q / p)) >= delta:
            return False
    return True


COMPARED = {
    "t_closeness": t_closeness,
    "beta_likeness": beta_likeness,
    "delta_disclosure": delta_disclosure,
}
"""Promises that compare a group with the table."""
ORACLES = {
    "alpha_k": alpha_k,
    "ke_anonymity": ke_anonymity,
    "k_anonymity": k_anonymity,
    "l_diversity": l_diversity,
    "distinct_l_diversity": distinct_l_diversity,
    "m_uniqueness": m_uniqueness,
    "entropy_l_diversity": entropy_l_diversity,
    "recursive_l_diversity": recursive_l_diversity,
}
