"""What is said beforehand of how long work takes is told from the run itself, and not too little."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from anonagram.attacks import Aligned, MaximumKnowledge, audit_seconds, tune, tune_seconds, tuning
from anonagram.methods import Method
from anonagram.microdata import Microdata

ROWS = {"a": [i * 7 % 101 for i in range(400)], "b": [i * 13 % 97 for i in range(400)]}
SECONDS_A_PERSON = 0.5


@pytest.mark.parametrize("records", [0, 50, 10**9])
@pytest.mark.parametrize("keys", [1, 3])
def test_tuning_is_told_from_a_trial_of_the_same_run(monkeypatch, records, keys):
    """It was told from constants that suited one table: a quarter of what another took."""
    clock = SimpleNamespace(seconds=0.0)
    really = tuning._try

    def slowly(microdata, method, number, attack, columns):
        clock.seconds += SECONDS_A_PERSON * min(attack.records, microdata.rows)
        return really(microdata, method, number, attack, columns)

    monkeypatch.setattr(tuning, "_try", slowly)
    monkeypatch.setattr(tuning, "process_time", lambda: clock.seconds)
    data = Microdata.read(ROWS, dict.fromkeys(ROWS, "quasi"))
    attack, method = MaximumKnowledge(records=records), Method.parse("data_swapping()")
    told = tune_seconds(data, method, attack, keys)
    clock.seconds = 0.0
    tune(data, method, attack, keys=keys)
    assert clock.seconds / 2 < told
    assert clock.seconds <= 1.34 * told


def test_an_audit_on_a_slow_machine_is_told_to_take_longer():
    pair, attack = Aligned.read(ROWS, ROWS, in_order=True), MaximumKnowledge()
    usual = audit_seconds(pair, attack)
    assert audit_seconds(pair, attack, read=100.0) > 100 + 10 * usual
    assert audit_seconds(pair, MaximumKnowledge(records=10**9)) >= usual
