"""What the pages of a release may do in a browser: what they say themselves, to the letter."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from anonagram.present import document_of
from anonagram.present.pages import page
from tests.release.forging import release_of

STRICT = {
    "default-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
"""Nothing is loaded or sent, links have no other base, and no text becomes code."""
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')


def policy_of(text: str) -> dict[str, str]:
    (told,) = POLICY.findall(text)
    return dict(part.split(" ", 1) for part in told.split("; "))


def hashes(tag: str, text: str) -> list[str]:
    inside = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
    digests = (hashlib.sha256(each.encode()).digest() for each in inside)
    return [f"'sha256-{base64.b64encode(each).decode()}'" for each in digests]


def pages(folder) -> dict[str, str]:
    release = release_of("anatomy(l=2)")
    release.write(folder)
    report = page(document_of(release.query("SELECT COUNT(*) FROM data")))
    return {"verify": (folder / "verify.html").read_text(), "report": report}


@pytest.mark.parametrize("name", ["verify", "report"])
def test_a_page_runs_its_own_script_and_sends_nothing(tmp_path, name):
    text = pages(tmp_path / "release")[name]
    told = policy_of(text)
    assert STRICT.items() <= told.items()
    assert set(told) == {*STRICT, "script-src", "style-src"}
    assert told["script-src"].split() == (hashes("script", text) or ["'none'"])
    assert told["style-src"].split() == hashes("style", text)
    # before anything that it is about, and once
    assert text.index("Content-Security-Policy") < text.index("<style>")
    assert not re.search(r"<(?:script|link|img|iframe|object|embed|base)[^>]+(?:src|href)=", text)
    assert not re.search(r"<[a-z][^>]* on[a-z]+\s*=", text)
    assert '<meta name="referrer" content="no-referrer">' in text
