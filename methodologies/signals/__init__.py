"""Signals: named measurements of an interview that strategies are weighed by."""
