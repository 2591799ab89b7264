"""Matching of labels: is this concept already in the graph?"""

from graphs.matching.matcher import (
    DOUBTFUL,
    LEXICAL_THRESHOLD,
    Label,
    Matcher,
    Nearest,
    Resolution,
    Verdict,
)

__all__ = [
    "DOUBTFUL",
    "LEXICAL_THRESHOLD",
    "Label",
    "Matcher",
    "Nearest",
    "Resolution",
    "Verdict",
]
