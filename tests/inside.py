"""The command line in this process: what a process of its own would print, many times faster."""

from __future__ import annotations

import io
import signal
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import pytest

from anonagram.cli import main


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def text(self) -> str:
        """All that was printed."""
        return self.stdout + self.stderr


def run_inside(
    *words: object, cwd: Path | None = None, stdin: str = "", together: bool = False
) -> Done:
    """Run the command line with these words, in a folder and with what stands on standard input.

    Together, errors stand where they occur in what is printed, as with 2>&1.
    """
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n") for _ in range(2)]
    if together:
        streams[1] = streams[0]
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["anonagram", *map(str, words)])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8"))
        patch.setattr(sys, "stdout", streams[0])
        patch.setattr(sys, "stderr", streams[1])
        patch.setattr(warnings, "showwarning", warnings.showwarning)
        if cwd is not None:
            patch.chdir(cwd)
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    for stream in streams:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode() for stream in streams)
    return Done(code, out, "" if together else err)
