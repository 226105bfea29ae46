"""People whose quasi-identifiers somebody knows, beside what a release tells of its groups."""
