"""The data that the demo brings along."""

from anonagram.demo.hospital import HOSPITAL_SCHEMA, hospital_table
from anonagram.demo.pharmacy import PHARMACY_SCHEMA, pharmacy_tables

__all__ = ["HOSPITAL_SCHEMA", "PHARMACY_SCHEMA", "hospital_table", "pharmacy_tables"]
