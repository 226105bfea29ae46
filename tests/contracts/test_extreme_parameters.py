"""No parameter makes endless work: whatever a call says, it is done or refused at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import polars as pl
import pytest
from numba.core.event import install_timer

from anonagram import Key, Method, Microdata, PrivacyModel
from anonagram.attacks import Aligned, Attack, Target
from anonagram.calls import Call
from anonagram.columns.coarsening import Coarsening
from anonagram.columns.hierarchy import HierarchyRule
from anonagram.errors import AnonagramError, InternalError
from tests.release.forging import SCHEMA, original, release_of

EXTREMES = (
    "0", "-1", "1", "2", "10**9", "1000000000", "2147483647", "2147483648", "1" + "0" * 30, "0.5",
    "1e-300", "1e300", "1e999", "True", "None", "x", "'1e999999999'", "[]", "['1e999999999']",
    "[[1e300]]", "[[1, 2], [1]]", "[1e999]", "{}", "{'pay': 1000000000}", "{'age': [1]}",
)  # fmt: skip
AT_ONCE = 10
"""Seconds of work, whatever else the machine does; without limits it is hours."""


def parameters(family: type[Call]) -> list[Any]:
    return [
        pytest.param(member, field.name, id=f"{member.call}-{field.name}")
        for member in family.known().values()
        for field in fields(member)  # type: ignore[arg-type]
    ]


def extreme_calls(member: type[Call], name: str) -> Iterator[str]:
    """The member's example with one parameter that nobody means."""
    usual = member.parse(member.example)
    given = {field.name: repr(getattr(usual, field.name)) for field in fields(usual)}
    for value in EXTREMES:
        yield f"{member.call}({', '.join(f'{n}={v}' for n, v in {**given, name: value}.items())})"


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    release_of("anatomy(l=2)"), release_of("random()")
    compiling: list[float] = []  # happens once, whatever the parameters are
    began = time.process_time()
    with install_timer("numba:compile", compiling.append):
        yield
    assert time.process_time() - began - sum(compiling) < AT_ONCE


@pytest.mark.parametrize(("member", "name"), parameters(Method))
def test_methods(member, name):
    numbers = {"age": "quasi", "height": "quasi", "born": "plain", "pay": "sensitive"}
    tables = [(original(), SCHEMA), (original().select(list(numbers)), numbers)]
    for call in extreme_calls(member, name):
        for table, schema in tables:
            try:
                Method.parse(call).anonymize(Microdata.read(table, schema), Key(bytes(32)))
            except InternalError:
                raise
            except AnonagramError:
                continue


@pytest.mark.parametrize(("member", "name"), parameters(PrivacyModel))
def test_models(member, name):
    for call in extreme_calls(member, name):
        for method in ("anatomy(l=2)", "random()"):
            try:
                PrivacyModel.parse(call).check(release_of(method))
            except AnonagramError:
                continue


@pytest.mark.parametrize(("member", "name"), parameters(HierarchyRule))
def test_hierarchies(member, name):
    for call in extreme_calls(member, name):
        for column in ("age", "height", "born", "town"):
            table = pl.DataFrame({"a": original()[column]})
            try:
                Microdata.read(table, {"a": {"role": "quasi", "hierarchy": call}})
            except AnonagramError:
                continue


@pytest.mark.parametrize(("member", "name"), parameters(Coarsening))
def test_coarsenings(member, name):
    for call in extreme_calls(member, name):
        for column in ("age", "height", "born", "town"):
            table = pl.DataFrame({"a": original()[column]})
            try:
                Microdata.read(table, {"a": {"role": "quasi", "publish": call}})
            except AnonagramError:
                continue


@pytest.mark.parametrize(("member", "name"), parameters(Attack))
def test_attacks(member, name):
    table = {each: list(range(30)) for each in "abc"}
    pair = Aligned.read(table, {**table, "c": table["c"][::-1]})
    data = Microdata.read(original(), SCHEMA)
    targets = [Target(release_of(method), data, pair) for method in ("anatomy(l=2)", "random()")]
    for call in extreme_calls(member, name):
        for target in targets:
            try:
                Attack.parse(call).run(target)
            except InternalError:
                raise
            except AnonagramError:
                continue
