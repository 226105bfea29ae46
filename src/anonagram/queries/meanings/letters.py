"""Which letters become which: DuckDB is asked, so that other databases need not know them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import polars as pl

from anonagram.engines import IN_MEMORY, engine_at


@dataclass(frozen=True)
class Letters:
    """The letters beyond ASCII that occur in the texts of tables."""

    tables: tuple[pl.DataFrame, ...]

    def __call__(self, name: str, written: str) -> tuple[str, str]:
        """The letters that `lower` or `upper` changes, there or in a written text; and into which."""
        letters = "".join(sorted(self._occurring | _beyond_ascii([written])))
        # what was changed once may be changed again, as in UPPER(LOWER(name))
        letters = "".join(sorted({*letters, *_cased("lower", letters), *_cased("upper", letters)}))
        pairs = zip(letters, _cased(name, letters), strict=True)
        changed = [(one, other) for one, other in pairs if one != other and one > "\x7f"]
        return "".join(one for one, _ in changed), "".join(other for _, other in changed)

    @cached_property
    def _occurring(self) -> set[str]:
        found: set[str] = set()
        for column in (column for table in self.tables for column in table):
            texts = column.explode() if isinstance(column.dtype, pl.List) else column
            if isinstance(texts.dtype, pl.String):
                found |= _beyond_ascii(texts.drop_nulls().unique().to_list())
        return found


def _beyond_ascii(texts: Iterable[str]) -> set[str]:
    return {letter for text in texts if not text.isascii() for letter in text if letter > "\x7f"}


@lru_cache(maxsize=64)
def _cased(name: str, letters: str) -> str:
    text = pl.DataFrame({"letters": [letters]})
    ((changed,),) = engine_at(IN_MEMORY, {"text": text}).run(
        f"SELECT {name}(letters) FROM text", name
    )
    return str(changed)
