"""What people who look at an interview should know of how it was led."""

from __future__ import annotations

from enum import StrEnum


class Flag(StrEnum):
    """Words of at most 20 characters; a session keeps those of all its turns."""

    TRACKER_REBUILT = "tracker_rebuilt"
    """The stored histories of its nodes could not be read and were told anew from its turns."""
    DEGRADED = "degraded"
    """A call failed, and somebody else than the study's choice answered it."""
    SAME_BROWSER = "same_browser"
    """The browser had held an interview of the study before."""
    PASTED = "pasted"
    """Half of what was answered, or more, was pasted."""
    FAST = "fast_answers"
    """Answers came faster than anybody writes."""
