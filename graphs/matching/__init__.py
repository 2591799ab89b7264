"""Matching of labels: is this concept already in the graph?"""

from graphs.matching.matcher import (
    DOUBTFUL,
    LEXICAL_THRESHOLD,
    READ_FROM,
    Label,
    Matcher,
    Nearest,
    PairJudge,
    Resolution,
    Verdict,
)
from graphs.matching.pairing import SharedReader

__all__ = [
    "DOUBTFUL",
    "LEXICAL_THRESHOLD",
    "READ_FROM",
    "Label",
    "Matcher",
    "Nearest",
    "PairJudge",
    "Resolution",
    "SharedReader",
    "Verdict",
]
