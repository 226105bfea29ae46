"""What every engine and every compiled pass says of an aggregate, in this order."""

from __future__ import annotations

FIELDS = ("estimate", "lower", "upper", "variance", "sure")
"""What is said of each aggregate; sure: values that are certainly among the hits."""
