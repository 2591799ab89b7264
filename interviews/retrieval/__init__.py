"""Finding what was said: by words and by meaning, for search and for questions to the material."""
