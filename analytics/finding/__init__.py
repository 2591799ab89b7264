"""Finding what was said: search over studies, questions to a study, and collections of results."""
