"""A browser for the pages."""

from __future__ import annotations

import os
import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright")
    path = os.environ.get("ANONAGRAM_BROWSER") or next(
        (found for name in BROWSERS if (found := shutil.which(name))), None
    )
    if path is None:
        pytest.skip("there is no Chromium on this machine (apt-get install chromium)")
    with api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield made
        made.close()
