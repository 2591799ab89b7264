"""Coverage quality: first contact with an element counts most, and what was just opened."""

from __future__ import annotations

from interviews.modes.evaluative.coverage import OWN_CHECKS
from interviews.modes.evaluative.situation import Option, Situation
from methodologies.evaluative import CoverageQualitySpec


def coverage_quality(option: Option, situation: Situation, spec: CoverageQualitySpec) -> float:
    """For foci on elements, by what is open of the element and how often it was asked about."""
    target = option.target
    if target.kind != "element":
        return 1.0
    about = [a for a in situation.asked if a.kind == "element" and a.ref == target.ref]
    standing = situation.coverage.standings[target.ref]
    if not standing.mentioned and not about:
        found = spec.first
    elif standing.closed < OWN_CHECKS:
        found = spec.own_checks
    else:
        asked_for = any(asked.gap == "unconnected" for asked in about)
        found = spec.connection_again if asked_for else spec.connection
    if len(about) >= spec.stuck and not any(asked.edges for asked in about):
        found /= spec.stuck_divisor
    return found * (spec.opened if target.ref in situation.opened else 1.0)
