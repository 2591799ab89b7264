"""What may be uploaded and how much a reader may take, and the errors of those who want more."""

from __future__ import annotations

MB = 1024 * 1024
FILE_BYTES = 25 * MB
STUDY_BYTES = 200 * MB
STUDY_FILES = 200
MEMORY_BYTES = 512 * MB
CPU_SECONDS = 60
UNPACKED_BYTES = 200 * MB
ENTRIES = 2_000
RATIO = 100
"""Unpacked bytes for each packed one."""
ROWS_KEPT = 200
"""Rows of a table that are kept as they are; the others are summarised by column."""


class Unreadable(Exception):
    """A file that cannot be read: its text says why, in words for who uploaded it."""


class Refused(Unreadable):
    """A file that is made to do harm, or far larger inside than outside."""
