"""Places with a day in them: where this month's results go, and where earlier ones are.

>>> Place("release-{month}", Path("out")).on(date(2026, 11, 18)).as_posix()
'out/release-2026-11'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from anonagram.errors import CallError, suggest

STAMPS = {"date": 10, "month": 7, "year": 4}
"""How many characters of a day, written as 2026-11-18, each has."""
SHAPES = {"date": r"\d{4}-\d\d-\d\d", "month": r"\d{4}-\d\d", "year": r"\d{4}"}
STAMP = re.compile(r"\{(.*?)\}")
Stamps = Mapping[str, str]


def stamps_of(day: date) -> Stamps:
    """What a day puts into places."""
    return {name: day.isoformat()[:length] for name, length in STAMPS.items()}


def latest(stamps: Stamps) -> str:
    """What orders stamps by time: the finest of them begins as the coarser ones do."""
    return max(stamps.values())


@dataclass(frozen=True)
class Place:
    """A path with stamps in it, from the recipe's folder."""

    text: str
    folder: Path = Path()

    @property
    def stamps(self) -> list[str]:
        """The names of the stamps in it."""
        return STAMP.findall(self.text)

    def require_sense(self) -> None:
        """Refuse an empty place, and stamps that mean nothing."""
        if not self.text.strip():
            raise CallError("A place has no name.", "write where it is.")
        for name in self.stamps:
            if name not in STAMPS:
                raise CallError(f"{self.text!r}: there is no {{{name}}}.", suggest(name, STAMPS))

    def on(self, day: date) -> Path:
        """The path on a day."""
        return self.with_stamps(stamps_of(day))

    def with_stamps(self, stamps: Stamps) -> Path:
        """The path with these stamps."""
        return self.folder / STAMP.sub(lambda found: stamps[found[1]], self.text)

    def others(self, day: date) -> dict[Path, Stamps]:
        """What stands at this place with stamps of other days, the oldest first."""
        if not self.stamps:
            return {}
        path = self.folder / self.text
        found = {}
        for each in Path(path.anchor).glob(str(self._starred(path))):
            matched = self._shape(path).fullmatch(str(each))
            if matched and each != self.on(day):
                found[each] = matched.groupdict()
        return dict(sorted(found.items(), key=lambda each: latest(each[1])))

    def _starred(self, path: Path) -> Path:
        starred = Path(STAMP.sub("*", str(path)))
        return starred.relative_to(path.anchor) if path.anchor else starred

    def _shape(self, path: Path) -> re.Pattern[str]:
        """What such paths look like; a stamp that stands twice is the same twice."""
        seen: set[str] = set()

        def group(name: str) -> str:
            if name in seen:
                return f"(?P={name})"
            seen.add(name)
            return f"(?P<{name}>{SHAPES[name]})"

        parts = STAMP.split(str(path))
        return re.compile("".join(group(p) if i % 2 else re.escape(p) for i, p in enumerate(parts)))
