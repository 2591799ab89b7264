"""Corrections of what was read from an interview: made, undone and redone by people."""
