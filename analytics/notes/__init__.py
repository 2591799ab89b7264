"""Memos, stars, reviews and summaries on pages, and as plain data for exports."""
