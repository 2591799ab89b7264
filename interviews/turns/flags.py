"""What people who look at an interview should know of how it was led."""

from __future__ import annotations

from enum import StrEnum


class Flag(StrEnum):
    """Words of at most 20 characters; a session keeps those of all its turns."""

    TRACKER_REBUILT = "tracker_rebuilt"
    """The stored histories of its nodes could not be read and were told anew from its turns."""
    DEGRADED = "degraded"
    """A call failed, and somebody else than the study's choice answered it."""
