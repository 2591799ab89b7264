"""What may keep a bench from measuring."""

from __future__ import annotations


class BenchImpossible(Exception):
    """What a bench needs is not there; the message says what, and where it was looked for."""
