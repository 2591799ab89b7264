"""Schema tension readiness: an odd connection is asked about once both of its ends are known."""

from __future__ import annotations

from interviews.modes.evaluative.situation import Option, Situation
from methodologies.evaluative import SchemaTensionReadinessSpec


def schema_tension_readiness(
    option: Option, situation: Situation, spec: SchemaTensionReadinessSpec
) -> float:
    """For tensions alone: `ready` where each end has an edge or was a focus."""
    tension = next((t for t in situation.tensions if t.id == option.target.ref), None)
    if option.target.kind != "tension" or tension is None:
        return 1.0
    foci = {asked.ref for asked in situation.asked if asked.kind == "node"}
    ends = (tension.source_id, tension.target_id)
    ready = all(situation.topology.degree.get(end, 0) > 0 or end in foci for end in ends)
    return spec.ready if ready else spec.early
