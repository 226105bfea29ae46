"""A recipe to begin with, which its owner reads and edits."""

from __future__ import annotations

import os
from pathlib import Path

from anonagram.comparison.trial import Purpose
from anonagram.errors import AnonagramError
from anonagram.recipes.recipe import Compared, Limit, Recipe, Written

TITLE = """\
# What is published, how, and what must hold. Read and edit every line, then: anonagram run
# {date}, {month} and {year} are those of the day it is run. See docs/recipe.md.
"""
COMMENTS = {
    "method": "how it is published; anonagram compare tries others",
    "write.private": "who has this can undo the release: keep it apart",
    "attacks.several_releases()": "together with earlier releases nobody may stand more open than by this "
    "one alone;\nwhere that fails, m_invariance(m=4) keeps everybody's values over a series",
}


def propose_recipe(
    data: str,
    schema: Path,
    method: str,
    path: Path,
    limits: dict[str, Limit] | None = None,
    purpose: Purpose | None = None,
) -> str:
    """The text of a recipe at a path, for a table that is published every month."""
    recipe = Recipe(
        data=data if "://" in data else _from(path, Path(data)),
        schema=_from(path, schema),
        method=method,
        write=Written(
            "release-{month}",
            private="release-{month}.private",
            report="report-{month}.html",
            comparison=None if purpose is None else "comparison-{month}.html",
        ),
        attacks={**(limits or {}), "several_releases()": "withstands"},
        compare=None if purpose is None else Compared(purpose=purpose),
    )
    return TITLE + recipe.to_toml(COMMENTS)


def _from(path: Path, file: Path) -> str:
    """A file as the recipe names it: from its own folder."""
    return Path(os.path.relpath(file, path.absolute().parent)).as_posix()


def is_recipe(path: Path) -> bool:
    """Whether a file is one that may be replaced by another recipe."""
    try:
        Recipe.read(path)
    except AnonagramError:
        return False
    return True
