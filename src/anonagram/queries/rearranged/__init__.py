"""Answers from values that were rearranged inside groups: bounds over all matchings."""
