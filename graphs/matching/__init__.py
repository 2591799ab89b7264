"""Matching of labels: is this concept already in the graph?"""

from graphs.matching.matcher import (
    BAND_THRESHOLD,
    LEXICAL_THRESHOLD,
    SURFACE_THRESHOLD,
    Label,
    Matcher,
    Nearest,
    Resolution,
    Verdict,
)

__all__ = [
    "BAND_THRESHOLD",
    "LEXICAL_THRESHOLD",
    "SURFACE_THRESHOLD",
    "Label",
    "Matcher",
    "Nearest",
    "Resolution",
    "Verdict",
]
