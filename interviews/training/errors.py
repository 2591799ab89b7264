"""What may keep labels from being read."""

from __future__ import annotations


class LabelsUnusable(Exception):
    """Labelled data is not there or not valid; the message says what, and where."""
