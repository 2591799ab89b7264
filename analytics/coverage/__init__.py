"""What respondents made of the elements of a concept: figures, page, files."""
