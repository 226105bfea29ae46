"""Connections to PostgreSQL.

A password never stands in what is handed to the driver as an address: its messages, and those of
the system below it, quote addresses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from anonagram.errors import InputError, MissingExtra

if TYPE_CHECKING:
    import psycopg

SECRETS = ("password", "sslpassword")
ENCODE_IT = "write %40 for @, %2F for /, %3A for :, %3F for ? and %23 for # in a password."


def connect(url: str, settings: str) -> psycopg.Connection[Any]:
    """Connect to the database at an address, with settings for the server."""
    psycopg = driver()
    public, secrets = split_secrets(url)
    try:
        return psycopg.connect(public, options=settings, **secrets)  # type: ignore[no-any-return]
    except psycopg.Error as error:
        message = str(error).strip().splitlines()[0]
        raise InputError(f"PostgreSQL: {message}", "check the address and your rights.") from error


def driver() -> Any:
    """The package psycopg."""
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtra("psycopg", "postgres") from error
    return psycopg


def split_address(url: str) -> SplitResult:
    """The parts of an address."""
    try:
        return urlsplit(url)
    except ValueError:  # its message may hold the password
        raise InputError("The address of the database cannot be read.", ENCODE_IT) from None


def take_options(url: str, *names: str) -> tuple[str, dict[str, str]]:
    """An address without some of its options, and these.

    >>> take_options("postgresql:///db?user=me&table=patients", "table", "query")
    ('postgresql:///db?user=me', {'table': 'patients'})
    """
    parts = split_address(url)
    options = parse_qsl(parts.query)
    rest = urlencode([(name, value) for name, value in options if name not in names])
    taken = {name: value for name, value in options if name in names}
    return f"{parts.scheme}://{parts.netloc}{parts.path}{'?' if rest else ''}{rest}", taken


def split_secrets(url: str) -> tuple[str, dict[str, str]]:
    """An address without its passwords, and the passwords by their names.

    >>> split_secrets("postgresql://me:a%40b@host/db?sslmode=require")
    ('postgresql://me@host/db?sslmode=require', {'password': 'a@b'})
    """
    url, secrets = take_options(url, *SECRETS)
    parts = split_address(url)
    login, at, place = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    if not at and "@" in parts.path:
        raise InputError("The address of the database has an @ after its host.", ENCODE_IT)
    _require_ports(place)
    named = {"password": unquote(password)} if password else {}
    return url.replace(f"//{login}{at}", f"//{user}{at}", 1), named | secrets


def _require_ports(place: str) -> None:
    """Refuse a port that is no number without showing it: it may be half of a password."""
    for host in place.split(","):
        port = host.rpartition("]")[2].partition(":")[2]
        if port and not port.isdecimal():
            raise InputError("The port in the address of the database is no number.", ENCODE_IT)
