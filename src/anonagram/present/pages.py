"""Results as pages for people: self-contained HTML that loads nothing from anywhere.

Everything goes through templates that escape what they show; what cannot be seen in a text is
written out, so that no name or value can become markup or steer the reading direction.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from anonagram.present.sections import Bar, Document, Interval, Section
from anonagram.shown.page_policy import policy
from anonagram.shown.visible import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def page(document: Document) -> str:
    """A document as a page of its own."""
    style = source("page.css")
    filled = render("page.html", document=document, drawn=drawn, policy=_policy(style), style=style)
    return str(filled)


def picture_page(title: str, picture: str) -> str:
    """A page that shows one picture, which our own renderer drew."""
    from markupsafe import Markup

    return str(
        render("picture.html", title=title, picture=Markup(picture), policy=_policy())  # noqa: S704
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


def source(template: str) -> str:
    """The text of a template as it is, such as a style."""
    environment = _environment()
    loader: Any = environment.loader
    text: str = loader.get_source(environment, template)[0]
    return text


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
    environment.tests["interval"] = lambda cell: isinstance(cell, Interval)
    return environment
