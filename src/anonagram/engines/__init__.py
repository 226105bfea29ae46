"""Databases that answer questions; the only files that import them."""

from anonagram.engines.duck import DuckDb
from anonagram.engines.engine import Engine, engine_at
from anonagram.engines.postgres import Postgres

__all__ = ["DuckDb", "Engine", "Postgres", "engine_at"]
