"""Matching of labels: is this concept already in the graph?"""

from graphs.matching.comparisons import (
    DOUBTFUL,
    SURFACE_SIMILARITY,
    Comparison,
    Label,
    Nearest,
    PairJudge,
    Resolution,
)
from graphs.matching.given import Given
from graphs.matching.matcher import READ_FROM, Matcher
from graphs.matching.pairing import SharedReader
from graphs.matching.resolving import LEXICAL_THRESHOLD

__all__ = [
    "DOUBTFUL",
    "LEXICAL_THRESHOLD",
    "READ_FROM",
    "SURFACE_SIMILARITY",
    "Comparison",
    "Given",
    "Label",
    "Matcher",
    "Nearest",
    "PairJudge",
    "Resolution",
    "SharedReader",
]
