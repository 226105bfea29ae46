"""From the text of a question to what it asks, checked word by word."""
