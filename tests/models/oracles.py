"""What each model means, as slowly and plainly as it can be said; shares nothing with the models."""

from __future__ import annotations

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


ORACLES = {
    "ke_anonymity": ke_anonymity,
    "k_anonymity": k_anonymity,
    "l_diversity": l_diversity,
    "distinct_l_diversity": distinct_l_diversity,
    "entropy_l_diversity": entropy_l_diversity,
    "recursive_l_diversity": recursive_l_diversity,
}
