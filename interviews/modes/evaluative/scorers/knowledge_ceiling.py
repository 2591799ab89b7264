"""Knowledge ceiling: what the respondent does not know, or does not want to answer."""

from __future__ import annotations

from interviews.modes.evaluative.situation import Option, Situation
from methodologies.evaluative import KnowledgeCeilingSpec


def knowledge_ceiling(option: Option, situation: Situation, spec: KnowledgeCeilingSpec) -> float:
    """`unknown` where one of the last answers did not know this very focus, or refused it."""
    target = option.target
    if target.kind is None:
        return 1.0
    lately = situation.asked[-spec.answers :]
    met = any(a.unknown and (a.kind, a.ref) == (target.kind, target.ref) for a in lately)
    return spec.unknown if met else 1.0
