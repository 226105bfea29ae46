"""Results as pages for people: self-contained HTML that loads nothing from anywhere.

Everything goes through templates that escape what they show; what cannot be seen in a text is
written out, so that no name or value can become markup or steer the reading direction.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonagram import __version__
from anonagram.present.sections import Bar, Document, Interval, Section
from anonagram.present.sources import hashed
from anonagram.shown.page_policy import policy
from anonagram.shown.page_style import PALETTE, page_style
from anonagram.shown.visible import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def page(document: Document, sources: Iterable[str | Path] = ()) -> str:
    """A document as a page of its own, with the hashes of the files that it is about."""
    style = page_style()
    filled = render(
        "page.html",
        document=document,
        drawn=drawn,
        policy=_policy(style),
        style=style,
        created=datetime.now(UTC).date().isoformat(),
        software=f"anonagram {__version__}",
        files=[hashed(each) for each in sources],
    )
    return str(filled)


def picture_page(title: str, picture: str) -> str:
    """A page that shows one picture, which our own renderer drew."""
    from markupsafe import Markup

    style = page_style()
    drawing = Markup(picture)  # noqa: S704
    return str(
        render("picture.html", title=title, picture=drawing, policy=_policy(style), style=style)
    )


def drawn(section: Section) -> Markup | None:
    """The chart of a section as a picture; None where it has none."""
    from markupsafe import Markup

    from anonagram.present.charts import svg_of

    if section.chart is None:
        return None
    return Markup(svg_of(section.chart()))  # noqa: S704


def render(template: str, **values: Any) -> Markup:
    """A template filled in."""
    from markupsafe import Markup

    return Markup(_environment().get_template(template).render(**values))  # noqa: S704


def _policy(style: str = "") -> Markup:
    from markupsafe import Markup

    return Markup(policy(style=style))  # noqa: S704


@cache
def _environment() -> Environment:
    """Where templates are found; a text in one is made visible, and then escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        return value if isinstance(value, Markup) else visible(str(value))

    environment = Environment(
        loader=PackageLoader("anonagram.present"),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["bar"] = lambda cell: isinstance(cell, Bar)
    environment.globals["mark"] = PALETTE[0]
    environment.tests["interval"] = lambda cell: isinstance(cell, Interval)
    return environment
