"""Themes of a study: grouped by themselves, and merged, split, named and moved by people."""
