"""Compiled passes over rows: arrays in, arrays out; no tables, no names."""
