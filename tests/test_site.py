"""The documentation as a site: built without a network, every link followed, every public name in it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest

import anonagram
from tests.conftest import ROOT

NOWHERE = "http://127.0.0.1:9"
"""Whoever wants to load something is told to ask here, where nobody is."""


class Page(HTMLParser):
    """What a page links to, loads, and can be linked to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.places.update(filter(None, (told.get("id"), told.get("name"))))
        if tag == "a":
            self.links += [told.get("href") or ""]
        elif tag in ("script", "img", "iframe", "source"):
            self.loads += [told.get("src") or ""]
        elif tag == "link" and told.get("rel") in ("stylesheet", "preload", "icon", "preconnect"):
            self.loads += [told.get("href") or ""]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """Built in strict mode, in which a warning is an error."""
    pytest.importorskip("zensical", reason="the site is built by zensical")
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(ROOT / "zensical.toml", folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    (folder / "src").symlink_to(ROOT / "src")
    without_network = dict.fromkeys(
        ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), NOWHERE
    )
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"], cwd=folder, check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ | without_network,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return folder / "build" / "site"


@pytest.fixture(scope="module")
def pages(site) -> dict[str, Page]:
    return {path.name: Page(path.read_text(encoding="utf-8")) for path in site.glob("*.html")}


def test_every_page_has_its_place_in_the_site():
    content = tomllib.loads((ROOT / "zensical.toml").read_text())
    listed = re.findall(r"[\w-]+\.md", str(content["project"]["nav"]))
    assert sorted(listed) == sorted(path.name for path in (ROOT / "docs").glob("*.md"))


def test_every_link_leads_somewhere(site, pages):
    for name, page in pages.items():
        for link in page.links:
            if re.match("https?:|mailto:", link) or not link or name == "404.html":
                continue
            path, _, place = link.partition("#")
            target = pages[name] if path in ("", ".") else pages.get(path)
            assert target is not None or (site / path).exists(), f"{name} links to {link}"
            if place and target is not None:
                assert place in target.places, f"{name} links to {link}"


def test_no_page_loads_anything_from_elsewhere(site, pages):
    for name, page in pages.items():
        for source in page.loads:
            assert not re.match("(https?:)?//", source), f"{name} loads {source}"
            if name != "404.html":
                assert (site / source.partition("?")[0]).exists(), f"{name} loads {source}"


def test_every_public_name_is_in_the_reference(pages):
    for name in anonagram.__all__:
        if name != "__version__":
            assert f"anonagram.{name}" in pages["reference.html"].places, name


@pytest.mark.parametrize("width", [360, 1440])
def test_pages_of_the_site_fit_phone_and_desk(site, browser, width):
    for name in ("index.html", "choose.html", "boss.html"):
        page = browser.new_page(viewport={"width": width, "height": 800})
        page.goto((site / name).as_uri())
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width, name
        page.close()
