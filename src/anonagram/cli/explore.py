"""`--explore`: what a search chose, beside the others; for the protector's eyes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonagram.cli import screen

if TYPE_CHECKING:
    from anonagram.methods import Method, Publication


def require_explorable(method: Method, path: Path) -> None:
    """Refuse a method that chooses nothing, and a place that is taken by something else."""
    from anonagram.errors import CallError
    from anonagram.methods.suppressing import Suppressing
    from anonagram.present.saving import require_page_place

    if not isinstance(method, Suppressing):
        raise CallError(
            f"{method.call} chooses no levels or cuts that could be explored.",
            '--method "optimal(k_anonymity(k=5))".',
        )
    require_page_place(path)


def save_explored(publication: Publication, path: Path) -> None:
    """Write the page."""
    from anonagram.present import document_of
    from anonagram.present.pages import page
    from anonagram.present.saving import save_page
    from anonagram.runtime.progress import step

    if publication.choice is not None:
        step("Exploring")
        save_page(page(document_of(publication.choice)), path)


def choice_summary(publication: Publication, *, is_explored: bool) -> dict[str, Any]:
    """What a program is told: the choice and its neighbours, and all nodes where asked for."""
    choice = publication.choice
    if choice is None:
        return {}
    return {"choice": choice.explored() if is_explored else choice.to_dict()}


def show_choice(publication: Publication, path: Path | None) -> None:
    """How far the search went, and what else would cost."""
    choice = publication.choice
    if choice is None:
        return
    screen.say(choice.search)
    for line in choice.told:
        screen.say(line)
    if path is not None:
        screen.say(
            f"The choice among others is in {path}: keep it to yourself, it tells of the original."
        )
