"""Reads an answer in two halves where what is read off the whole exceeds a model's limit."""

from __future__ import annotations

import re

from interviews.acts import MOST_LEADS
from interviews.llm.tasks.extraction import ExtractionOutput, HeardExtraction

_ENDS = (re.compile(r"[.!?…]+\s+"), re.compile(r"\s+"))
"""Where an answer may be cut, the best first: after a sentence, between words."""


def halves_of(answer: str) -> tuple[str, str] | None:
    """Cut an answer as near to its middle as can be; None for a single word."""
    text = answer.strip()
    for ends in _ENDS:
        cuts = [found.end() for found in ends.finditer(text)]
        if cuts:
            cut = min(cuts, key=lambda place: abs(2 * place - len(text)))
            return text[:cut].rstrip(), text[cut:]
    return None


def joined(first: ExtractionOutput, second: ExtractionOutput) -> ExtractionOutput:
    """What both halves of an answer say, and how the whole was meant where they tell it."""
    whole: dict[str, object] = {
        "extractable": first.extractable or second.extractable,
        "reason": first.reason or second.reason,
        "concepts": (*first.concepts, *second.concepts),
        "relationships": (*first.relationships, *second.relationships),
    }
    if isinstance(first, HeardExtraction) and isinstance(second, HeardExtraction):
        whole |= {
            "act": second.act if first.act == "answer" else first.act,
            "leads": (*first.leads, *second.leads)[:MOST_LEADS],
            "disclaimed": (*first.disclaimed, *second.disclaimed),
            "off_track": first.off_track and second.off_track,
        }
    return first.model_copy(update=whole)
