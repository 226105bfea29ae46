"""The page in a bundle that does in a browser what `anonagram verify` does.

It carries the release with it, as columns of codes, and may not load or send anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from anonagram.errors import CallError
from anonagram.release import MOVED, Masking, Release, Told
from anonagram.verify.packing import (
    HOME,
    Arrays,
    FileOf,
    Parts,
    about_release,
    column_form,
    is_too_large,
    packed,
    put_together,
)
from anonagram.verify.verification import (
    LEAST_COLUMNS,
    distance_columns,
    random_distances,
)
from anonagram.verify.view import GroupCounts, Sets, Spans, View, view_of
from anonagram.verify.words import left_out_told, surer_told

SCRIPTS = (
    "page_load.js", "page.js", "page_coarser.js", "page_words.js", "page_elements.js",
    "page_fields.js",
)  # fmt: skip
"""What reads it, what computes, what says it in words, and what people see and fill in."""
PARTS = Parts(
    fields=(HOME, "page_fields.html"),
    words=(HOME, "page_words.html"),
    scripts=tuple((HOME, name) for name in SCRIPTS),
)


def page_of(release: Release, files: Sequence[FileOf] = ()) -> str | None:
    """The page of a release; None where it is too large for one, or nobody finds herself in it.

    It tells the hashes of the files that it was made beside.
    """
    if is_too_large(release):
        return None
    try:
        view = view_of(release)
    except CallError:
        return None
    arrays = Arrays()
    return put_together(PARTS, packed(_described(view, arrays), arrays, files))


def _described(view: View, arrays: Arrays) -> dict[str, Any]:
    """What the page needs, with columns by number: a name may be any text, also one of its own."""
    release = view.release
    key = {name: f"c{number}" for number, name in enumerate(view.columns)}

    def by_key(entries: Mapping[str, Any], form: Callable[[Any], Any]) -> dict[str, Any]:
        return {key[name]: form(entry) for name, entry in entries.items()}

    def masking_form(masking: Masking) -> dict[str, Any]:
        return {
            "within": masking.within, "kept": masking.kept, "noise": masking.noise,
            "isMoved": masking.how == MOVED,
        }  # fmt: skip

    content: dict[str, Any] = {
        **about_release(release),
        "rows": release.manifest.rows.published,
        "hasExactRows": release.has_whole_rows,
        "surer": surer_told(release),
        "leftOut": left_out_told(release.manifest.rows.suppressed),
        "columns": {
            key[name]: column_form(column, release.manifest.column(name), arrays)
            | {
                "keepsValues": view.keeps_values(name),
                "isMoved": release.how_told(name) is Told.MOVED,
            }
            for name, column in view.columns.items()
        },
        "known": [key[name] for name in view.known],
        "sensitive": [key[name] for name in view.sensitive if view.is_true(name)],
        "untrue": [key[name] for name in view.sensitive if not view.is_true(name)],
        "people": by_key(view.people, arrays.add),
        "parts": [
            {
                "columns": [key[name] for name in part.columns],
                "groupOf": arrays.add(part.group_of),
            }
            for part in view.parts
        ],
        "sizes": arrays.add(view.sizes),
        "hidden": -1 if view.hidden is None else view.hidden,
        "spans": by_key(view.spans, lambda told: _fields(told, arrays)),
        "counts": by_key(view.counts, lambda told: _fields(told, arrays)),
        "marginals": by_key(view.marginals, arrays.add),
        "masked": by_key(release.masked, masking_form),
        "distances": None,
    }
    if release.replaced is not None:
        transition = release.replaced.transition
        content["transition"] = {
            "replaced": by_key(transition.replaced, float),
            "attributes": transition.attributes,
        }
    names = distance_columns(view)
    if len(names) >= LEAST_COLUMNS:
        ranks = np.column_stack([view.ranked(name).ranks for name in names])
        random, is_sample = random_distances(ranks)
        content["distances"] = {
            "columns": [key[name] for name in names],
            "random": arrays.add(np.sort(random)),
            "isSample": is_sample,
        }
    return content


def _fields(told: Spans | Sets | GroupCounts, arrays: Arrays) -> dict[str, Any]:
    return {field.name: arrays.add(getattr(told, field.name)) for field in fields(told)}
