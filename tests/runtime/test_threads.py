from __future__ import annotations

import time

import pytest

from anonagram.runtime.threads import spreading


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_work_that_finds_work_is_all_done(monkeypatch, threads):
    monkeypatch.setenv("ANONAGRAM_THREADS", threads)

    def halve(first: int, last: int) -> tuple[list[int], list[tuple[int, int]]]:
        if last - first < 3:
            return list(range(first, last)), []
        middle = (first + last) // 3 + (first + last) % 2
        middle = min(max(middle, first + 1), last - 1)
        return [], [(first, middle), (middle, last)]

    assert sorted(spreading(halve, (0, 1000))) == list(range(1000))


@pytest.mark.parametrize("threads", ["1", "2"])
def test_what_goes_wrong_in_work_is_said(monkeypatch, threads):
    monkeypatch.setenv("ANONAGRAM_THREADS", threads)

    def fail(depth: int) -> tuple[list[int], list[tuple[int]]]:
        if depth == 3:
            raise ValueError("too deep")
        return [depth], [(depth + 1,)]

    with pytest.raises(ValueError, match="too deep"):
        spreading(fail, (0,))


def test_after_an_error_nothing_more_is_begun(monkeypatch):
    monkeypatch.setenv("ANONAGRAM_THREADS", "2")
    begun = []

    def work(number: int) -> tuple[list[int], list[tuple[int]]]:
        begun.append(number)
        if number == 0:
            return [], [(each,) for each in range(1, 41)]
        if number == 1:
            raise ValueError("the first")
        time.sleep(0.02)
        return [number], []

    with pytest.raises(ValueError, match="the first"):
        spreading(work, (0,))
    assert len(begun) < 20
