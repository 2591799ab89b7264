"""One page a study: what was asked, of whom, what they said, and what is not known."""
