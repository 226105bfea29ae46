"""Results as pages for people: self-contained HTML that loads nothing from anywhere.

Everything goes through templates that escape what they show; what cannot be seen in a text is
written out, so that no name or value can become markup or steer the reading direction.
"""

from __future__ import annotations

import re
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

LONG_NAME = re.compile(r"\w{19,}")


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


def in_lines(text: str) -> Markup:
    """A text in which long names may end a line behind an underscore, and a number keeps its percent.

    >>> print(in_lines("48.5 % of discharge_disposition_id"))
    <span>48.5\N{NO-BREAK SPACE}% of discharge_<wbr>disposition_<wbr>id</span>
    """
    from markupsafe import Markup, escape

    said = str(escape(visible(str(text)))).replace(" %", "\N{NO-BREAK SPACE}%")
    parted = LONG_NAME.sub(lambda name: name[0].replace("_", "_<wbr>"), said)
    # a cell that lays its parts out side by side must have it as one
    return Markup(said if parted == said else f"<span>{parted}</span>")  # noqa: S704


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
    environment.filters["in_lines"] = in_lines
    environment.globals["mark"] = PALETTE[0]
    environment.tests["interval"] = lambda cell: isinstance(cell, Interval)
    return environment
