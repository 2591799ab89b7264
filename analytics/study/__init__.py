"""What is read from all interviews of a study together: themes, matrix, map, saturation."""
