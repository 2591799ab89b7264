"""Synthetic respondents that are interviewed in place of people."""
