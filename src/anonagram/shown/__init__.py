"""What may be shown: texts of others made harmless, passwords hidden, what a page may do."""
