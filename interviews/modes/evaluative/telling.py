"""What analysts and scripts are told of a concept test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from interviews.modes.base import Panel
from interviews.modes.evaluative.evidence import EvaluativeEvidence, ScoredEntry
from interviews.modes.evaluative.state import EvaluativeState, Reaction, Standing
from interviews.turns.rationale import Factor, Rationale, Weighed
from interviews.turns.result import TurnResult
from methodologies.evaluative import SCORERS
from methodologies.schema import MethodologySchema

GAPS: Mapping[str, str] = {
    "unmentioned": "it was not spoken of yet",
    "no_reaction": "no reaction to it is known",
    "no_comprehension": "it is not known what is understood by it",
    "unconnected": "it is not connected yet",
}
SAID: Mapping[str, tuple[str, str]] = {
    "redundancy": ("it was asked much the same lately", ""),
    "knowledge_ceiling": ("they did not know, or refused, when it was last asked about", ""),
    "momentum_alignment": ("it suits an answer of so little energy badly", "it suits the energy"),
    "recency_diversity": ("this strategy was used just before", ""),
    "vertical_laddering": ("", "it climbs towards what it is good for"),
    "branch_health": ("this line was followed long enough", "the line before was followed enough"),
    "coverage_quality": (
        "it was asked for already and brought little",
        "an element of the concept is waiting, or was just opened",
    ),
    "schema_tension_readiness": ("its ends are hardly known yet", "both of its ends are known"),
    "reflection_mode": ("nothing new comes this way", "nothing new comes, so new ground is due"),
}
"""Why each scorer speaks against a candidate, and for it."""
ONE = 1e-9


def explain(result: TurnResult, methodology: MethodologySchema | None) -> Rationale:
    """Why this question: what was open, what the nine scorers made of it, what came second."""
    found = result.evidence
    if not isinstance(found, EvaluativeEvidence):
        told = "A concept test opens by showing the concept and asking for a first reaction."
        return Rationale(sentences=(told,) if result.turn == 0 else ())
    weighed = tuple(_weighed(entry, found.weights) for entry in found.candidates)
    return Rationale(
        standing=_standing(found),
        sentences=tuple(_sentences(found, weighed)),
        refusal=(
            f'"{found.refused}" is not asked about again in this interview'
            if found.refused
            else "it was about no element, so none is closed"
        ),
        weighed=weighed,
    )


def _weighed(entry: ScoredEntry, weights: Mapping[str, float]) -> Weighed:
    return Weighed(
        strategy=entry.strategy,
        tactic=entry.tactic,
        kind=entry.kind or "",
        ref=entry.ref,
        label=entry.label,
        base=entry.base,
        factors=tuple(
            Factor(
                name=name,
                multiplier=entry.multipliers[name],
                weight=weights[name],
                said=_said(name, entry.multipliers[name]),
            )
            for name in SCORERS
        ),
        final=entry.final,
        vetoed_by=entry.vetoed_by,
        flagged=entry.flagged,
    )


def _said(scorer: str, multiplier: float) -> str:
    against, speaks_for = SAID[scorer]
    if abs(multiplier - 1) < ONE:
        return ""
    return against if multiplier < 1 else speaks_for


def _standing(found: EvaluativeEvidence) -> str:
    score = f"{found.chosen.final:.3f}".rstrip("0").rstrip(".")
    valid = sum(not entry.vetoed_by for entry in found.candidates)
    if found.all_vetoed:
        return "taken because nothing else might be asked"
    if valid == 1:
        return f"the only candidate, with a score of {score}"
    return f"first of {valid} candidates with a score of {score}"


def _sentences(found: EvaluativeEvidence, weighed: Sequence[Weighed]) -> Iterator[str]:
    chosen, first = found.chosen, weighed[0]
    if chosen.gap:
        yield f'"{chosen.label}" is asked about because {GAPS[chosen.gap]}.'
    acted = [factor for factor in first.factors if factor.said]
    if acted:
        told = "; ".join(f"{f.said} ({f.name}, ×{f.effect:.3g})" for f in acted)
        yield f"From a base of {first.base:g} it came to {first.final:.3g}: {told}."
    else:
        yield f"It scored its base of {first.base:g}: no scorer spoke for or against it."
    yield f'The tactic is "{chosen.tactic.replace("_", " ")}".'
    others = [other for other in weighed[1:] if not other.vetoed_by]
    if found.all_vetoed:
        yield "Every candidate was vetoed, so new ground is opened."
    elif others:
        about = f' on "{others[0].label}"' if others[0].label else ""
        yield f'Next came "{others[0].strategy}"{about} with {others[0].final:.3g}.'
    if vetoed := [other for other in weighed if other.vetoed_by]:
        names = sorted({f"{other.strategy} ({other.vetoed_by})" for other in vetoed})
        yield f"Ruled out: {', '.join(names)}."
    if first.flagged:
        yield "The score is above 10, which the scorers should not come to together."
    share = round(100 * found.coverage.ratio)
    level = found.momentum.level
    yield f"The concept was covered to {share} %, and the answer's momentum was {level}."


# -- the whole interview ---------------------------------------------------------------------------
def panel(state: EvaluativeState, evidence: Sequence[EvaluativeEvidence]) -> Panel:
    """A row an element: reaction, what is missing, how often it was asked about."""
    rows = [(standing.element, _told(standing, state)) for standing in state.standings]
    if evidence:
        last = evidence[-1]
        rows.append(("coverage", f"{round(100 * last.coverage.ratio)} %"))
        rows.append(("momentum", " · ".join(state.momentum.levels) or "none yet"))
    return Panel(title="Elements of the concept", rows=tuple(rows))


def _told(standing: Standing, state: EvaluativeState) -> str:
    reaction = state.reaction_to(standing.element)
    told = [
        "mentioned" if standing.mentioned else "not mentioned",
        reaction.reaction if reaction else "no reaction",
        "understood" if standing.understood else "not shown to be understood",
        f"asked about {state.focuses(standing.element)} times",
        *(["exhausted"] if standing.exhausted else []),
    ]
    if reaction:
        told.append(f"“{reaction.quote}”")
    return " · ".join(told)


def turn_fields(result: TurnResult) -> Mapping[str, Any]:
    """The turn's `evaluative`, for scripts."""
    found = result.evidence
    if not isinstance(found, EvaluativeEvidence):
        return {}
    return {
        "evaluative": {
            "momentum": found.momentum.model_dump(mode="json"),
            "coverage": found.coverage.model_dump(mode="json"),
            "mapped": [link.model_dump(mode="json") for link in found.mapped],
            "reactions": [
                {"element": r.element, "reaction": r.reaction, "quote": r.quote}
                for r in found.reactions
            ],
            "graph": found.graph.model_dump(mode="json"),
            "tactic": found.tactic,
        }
    }


def session_fields(state: EvaluativeState) -> Mapping[str, Any]:
    """The concept's coverage at the end, element by element."""
    return {"coverage": [_row(standing, state) for standing in state.standings]}


def _row(standing: Standing, state: EvaluativeState) -> dict[str, Any]:
    history = [r for r in state.reactions if r.element == standing.element]
    return {
        "element": standing.element,
        "mentioned": standing.mentioned,
        "reaction": history[-1].reaction if history else None,
        "reactions": [_reaction(reaction) for reaction in history],
        "understood": standing.understood,
        "focuses": state.focuses(standing.element),
        "exhausted": standing.exhausted,
        "gaps": [{"kind": kind, "other": other} for kind, other in standing.gaps],
        "quotes": [
            {"turn": said.turn, "quote": said.quote}
            for said in state.quotes
            if said.element == standing.element
        ],
    }


def _reaction(reaction: Reaction) -> dict[str, Any]:
    return {"reaction": reaction.reaction, "quote": reaction.quote, "turn": reaction.turn}
