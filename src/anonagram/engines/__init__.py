"""Databases that run statements, one file each; the only files that import them."""

from anonagram.engines.engine import (
    IN_MEMORY,
    Engine,
    InFiles,
    InProcess,
    Tables,
    engine_at,
    kind_at,
)

__all__ = ["IN_MEMORY", "Engine", "InFiles", "InProcess", "Tables", "engine_at", "kind_at"]
