"""Questions about values that are told as subdomains, some of which may be nobody's."""
