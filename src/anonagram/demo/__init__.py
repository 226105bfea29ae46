"""The data that the demo brings along."""

from anonagram.demo.hospital import HOSPITAL_SCHEMA, hospital_table

__all__ = ["HOSPITAL_SCHEMA", "hospital_table"]
