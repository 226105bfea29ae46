"""Draws the pictures of the documentation, from the demo's hospital: python scripts/draw_pictures.py.

It needs the package with its charts, playwright and a Chromium.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from anonagram import Anatomy, Microdata
from anonagram.demo import hospital_table
from anonagram.key import PUBLIC
from anonagram.measures import (
    Workload,
    posterior_references,
    row_posteriors,
    run_workload,
)
from anonagram.present.charts import chart_posteriors, chart_workload, save_chart

HERE = Path(__file__).parent.parent / "docs" / "pictures"
ROLES = {
    "name": "drop", "patient": "drop", "age": {"role": "quasi", "label": "Age"},
    "sex": {"role": "quasi", "label": "Sex", "labels": {"F": "female", "M": "male"}},
    "zip": {"role": "quasi", "kind": "nominal", "label": "Postal code"},
    "admitted": {"role": "quasi", "label": "Day of admission"},
    "disease": {"role": "sensitive", "label": "Disease"},
}  # fmt: skip


def fill_in(page: Page) -> None:
    """Ned Castro, as his neighbour knows him."""
    page.evaluate("() => ready")
    page.get_by_label("Age").fill("64")
    page.get_by_label("Sex").select_option(label="male (M)")
    page.get_by_label("Postal code").select_option(label="91114")
    page.click("#look")


def main() -> None:
    """Draw all of them."""
    data = Microdata.read(hospital_table(), ROLES)
    release = Anatomy(l=4).anonymize(data, PUBLIC)
    posteriors = chart_posteriors(row_posteriors(release), posterior_references(release))
    save_chart(posteriors, HERE / "posterior.png")
    asked = Workload.draw(data, queries=300)
    save_chart(chart_workload(run_workload(release, data, asked)), HERE / "workload.png")
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        release.write(Path(made) / "release")
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        sheet = chromium.new_page(viewport={"width": 760, "height": 1240})
        sheet.goto((Path(made) / "release" / "verify.html").as_uri())
        fill_in(sheet)
        sheet.evaluate("() => scrollTo(0, 0)")
        sheet.screenshot(path=HERE / "verify.png")
        chromium.close()


if __name__ == "__main__":
    main()
