"""Where `anonagram run` writes: all that a recipe names, or nothing."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

if TYPE_CHECKING:
    from anonagram.recipes import Outcome, Recipe


@dataclass(frozen=True)
class Places:
    """The files and folders of one run."""

    release: Path
    private: Path | None
    report: Path | None
    pdf: Path | None
    comparison: Path | None
    sources: tuple[str, ...]
    """What the pages are about, beside the release."""
    format: Literal["parquet", "csv"]
    page: bool
    force: bool

    @classmethod
    def of(cls, recipe: Recipe, day: date, path: Path, *, force: bool) -> Self:
        """The places of a day, each of which must be free."""
        from anonagram.recipes.places import Place

        write, folder = recipe.write, path.parent

        def on(place: str | None) -> Path | None:
            return None if place is None else Place(place, folder).on(day)

        report = on(write.report)
        data = recipe.data if "://" in recipe.data else str(Place(recipe.data, folder).on(day))
        found = cls(
            Place(write.release, folder).on(day), on(write.private), report,
            report.with_suffix(".pdf") if report and write.pdf else None, on(write.comparison),
            (data, str(folder / recipe.schema), str(path)), write.format, write.page, force,
        )  # fmt: skip
        found._require_free()
        return found

    def _require_free(self) -> None:
        from anonagram.cli.printing import find_browser
        from anonagram.methods.publication import require_places
        from anonagram.present import require_page_place
        from anonagram.present.charts import require_chart_place

        inputs = [Path(each) for each in self.sources]
        require_places(self.release, self.private, force=self.force, inputs=inputs)
        for each in (self.report, self.comparison):
            if each is not None:
                require_chart_place(each, formats=("html",))
                require_page_place(each)
        if self.pdf is not None:
            find_browser()

    def write(self, outcome: Outcome) -> None:
        """Write everything; pages appear with the release, or not at all."""
        from anonagram.runtime.atomic import replacing

        with ExitStack() as stack:
            pages = {
                each: stack.enter_context(replacing(each, is_ours=Path.is_file, force=True))
                for each in (self.pdf, self.report, self.comparison)
                if each is not None
            }
            outcome.publication.write(
                self.release, self.private, format=self.format, force=self.force, page=self.page,
                before=lambda made: self._write_pages(outcome, made, pages),
            )  # fmt: skip

    def _write_pages(self, outcome: Outcome, made: Path, pages: dict[Path, Path]) -> None:
        from anonagram.cli.printing import print_page
        from anonagram.present import document_of, page, save_page

        if self.comparison is not None and outcome.comparison is not None:
            save_page(page(document_of(outcome.comparison), self.sources), pages[self.comparison])
        if self.report is None:
            return
        save_page(page(document_of(outcome), [made, *self.sources]), pages[self.report])
        if self.pdf is not None:
            print_page(pages[self.report], pages[self.pdf])

    def told(self) -> dict[str, str]:
        """What is where."""
        named = {
            "release": self.release, "private": self.private, "report": self.report, "pdf": self.pdf,
            "comparison": self.comparison,
        }  # fmt: skip
        return {name: str(path) for name, path in named.items() if path is not None}
