"""How each result is shown: one result, one file with a function `document`."""
