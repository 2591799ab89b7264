"""Why an exploratory choice fell as it did, from the scores that its evidence holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from interviews.acts import LeadReason
from interviews.modes.exploratory.evidence import ExploratoryEvidence
from interviews.modes.exploratory.listening import LEAD_STRENGTHS
from interviews.turns.rationale import Ground, Rationale, Scored, Scores
from interviews.turns.result import TurnResult
from methodologies.qualifiers import UnknownSignalError, parse_key
from methodologies.schema import MethodologySchema
from methodologies.scoring import TIE_DECIMALS, Candidate
from methodologies.signals.words import key_name, statement

GATED_TOLD = 3
LEAD, MENTIONED_NOW = "llm.node.lead", "graph.node.mentioned_now"
LEADS: Mapping[LeadReason, str] = {
    "emotional": "a feeling shows",
    "personal": "something personal is told",
    "episode": "an occasion is told",
    "contradiction": "two things do not go together",
    "unexplained": "it is named and not explained",
    "objective": "it bears on what the research wants to know",
}


def explain(result: TurnResult, methodology: MethodologySchema | None) -> Rationale:
    """Tell a turn's choice; without its methodology some of an old turn's numbers are missing."""
    evidence = result.evidence
    if not isinstance(evidence, ExploratoryEvidence):
        return Rationale(sentences=tuple(_opening(methodology)) if result.turn == 0 else ())
    scores = scores_of(evidence, result, methodology)
    return Rationale(
        standing=_standing(scores),
        sentences=(*_sentences(scores, evidence), *_listening(scores, evidence, result)),
        refusal=_refusal(evidence),
        scores=scores,
    )


def scores_of(
    evidence: ExploratoryEvidence, result: TurnResult, methodology: MethodologySchema | None
) -> Scores:
    """The candidates with their labels, and what the winner's weights acted on."""
    closing = evidence.closing
    if closing is None and result.overridden and methodology is not None:
        # Versions before 4 did not keep it: it is ranked again.
        ranking = evidence.ranked(methodology, left_alone=result.left_alone, closing_only=True)
        closing = ranking.chosen
    return Scores(
        best=tuple(_scored(found, evidence) for found in evidence.best),
        gated=tuple(_scored(found, evidence) for found in evidence.gated),
        considered=evidence.considered,
        closing=_scored(closing, evidence) if closing else None,
        relaxed=evidence.relaxed,
        grounds=tuple(_grounds(evidence.best[0], evidence)),
    )


def _scored(candidate: Candidate, evidence: ExploratoryEvidence) -> Scored:
    node_id = candidate.node_id
    return Scored(
        candidate=candidate, label=evidence.labels.get(node_id, node_id) if node_id else ""
    )


def _grounds(candidate: Candidate, evidence: ExploratoryEvidence) -> Iterator[Ground]:
    """The weights that acted, the strongest first whichever way it spoke."""
    parts = [(part, False) for part in candidate.contributions]
    parts += [(part, True) for part in candidate.node_contributions]
    for part, of_node in sorted(parts, key=lambda pair: -abs(pair[0].contribution)):
        try:
            spec = parse_key(part.key).spec
        except UnknownSignalError:
            value, said = None, key_name(part.key)
        else:
            value = evidence.reading.value(spec, candidate.strategy, candidate.node_id)
            said = key_name(part.key) if value is None else statement(spec, value)
        yield Ground(
            key=part.key,
            said=said,
            value=part.value if value is None else value,
            weight=part.weight,
            contribution=part.contribution,
            of_node=of_node,
        )


def number(value: float) -> str:
    """Up to three decimals, more only where nothing else would be left."""
    if value and abs(value) < 0.0005:
        return f"{value:.1g}"
    return f"{value + 0.0:.3f}".rstrip("0").rstrip(".")


def _opening(methodology: MethodologySchema | None) -> Iterator[str]:
    if methodology is not None:
        method = methodology.method
        yield f"The methodology {method.title or method.name} opens so: {method.opening_bias}"


def _refusal(evidence: ExploratoryEvidence) -> str:
    if evidence.refused:
        return f'"{evidence.refused}" is not asked about again in this interview'
    return "it was about no single concept, so none is closed"


def _standing(scores: Scores) -> str:
    score = number(scores.chosen.candidate.final_score)
    if scores.considered == 1:
        return f"the only candidate, with a score of {score}"
    return f"first of {scores.considered} candidates with a score of {score}"


def _sentences(scores: Scores, evidence: ExploratoryEvidence) -> Iterator[str]:
    candidate = scores.chosen.candidate
    grounds = [ground for ground in scores.grounds if not ground.of_node]
    yield from _for_and_against(grounds, "it")
    yield f"Together this gives {number(candidate.base_score)}{_phase(candidate, evidence.phase)}."
    if of_node := [ground for ground in scores.grounds if ground.of_node]:
        yield from _for_and_against(of_node, f'"{scores.chosen.label}" among the concepts')
        yield f"As a concept for this strategy it comes to {number(candidate.node_score)}."
    if scores.relaxed:
        gates = "; ".join(candidate.gates)
        yield f"Every candidate was ruled out, so this one was taken against: {gates}."
    yield _runner_up(scores, evidence)
    yield _ruled_out(scores)


def _listening(scores: Scores, evidence: ExploratoryEvidence, result: TurnResult) -> Iterator[str]:
    """What the choice takes up of the answer, or that it goes back; evidence of old has neither."""
    read = evidence.reading.node_values.get(scores.chosen.candidate.node_id or "", {})
    strength = read.get(LEAD)
    if result.heard and strength in LEAD_STRENGTHS:
        place = LEAD_STRENGTHS.index(float(strength))
        lead = dict(enumerate(result.heard.leads)).get(place)
        if lead is not None:
            yield f"It follows up “{lead.quote}” ({LEADS[lead.reason]})."
    if read.get(MENTIONED_NOW) is False:
        yield "It goes back to something older: the answer opened nothing or its line is finished."


def _for_and_against(grounds: Sequence[Ground], what: str) -> Iterator[str]:
    speaking = [_ground(ground) for ground in grounds if ground.contribution > 0]
    against = [_ground(ground) for ground in grounds if ground.contribution < 0]
    yield f"For {what} spoke: {'; '.join(speaking)}." if speaking else f"Nothing spoke for {what}."
    yield (
        f"Against {what} spoke: {'; '.join(against)}."
        if against
        else f"Nothing spoke against {what}."
    )


def _ground(ground: Ground) -> str:
    sign = "+" if ground.contribution > 0 else ""
    part = f"{ground.key}, {sign}{number(ground.contribution)}"
    return f"{ground.said} ({part})"


def _phase(candidate: Candidate, phase: str) -> str:
    changes = []
    if candidate.phase_multiplier != 1:
        done = "divided" if candidate.phase_divided else "multiplied"
        changes.append(f"{done} by {number(candidate.phase_multiplier)}")
    if candidate.phase_bonus:
        changes.append(f"changed by {candidate.phase_bonus:+g}")
    if not changes:
        return ""
    final = number(candidate.final_score)
    return f", in the {phase} phase {' and '.join(changes)}, so {final}"


# -- what else could have been asked ---------------------------------------------------------------
def _runner_up(scores: Scores, evidence: ExploratoryEvidence) -> str:
    runner_up, margin = scores.runner_up, scores.margin
    if runner_up is None or margin is None:
        return "Nothing else could have been asked."
    if round(margin, TIE_DECIMALS) == 0:
        decided = _tie(scores.chosen.candidate, runner_up.candidate, evidence)
        return f"Next came {runner_up} with the same score; {decided}."
    score = number(runner_up.candidate.final_score)
    return f"Next came {runner_up} with {score}, {number(margin)} behind."


def _tie(chosen: Candidate, other: Candidate, evidence: ExploratoryEvidence) -> str:
    """What decided between two equal scores."""
    uses, said = evidence.strategy_uses, evidence.said
    later = said.get(chosen.node_id or "", 0) > said.get(other.node_id or "", 0)
    if later and round(chosen.node_score - other.node_score, TIE_DECIMALS) == 0:
        return "what was mentioned last goes first"
    if chosen.strategy == other.strategy:
        if round(chosen.node_score - other.node_score, TIE_DECIMALS) == 0:
            return "the concept that was mentioned first goes first"
        scores = f"{number(chosen.node_score)} against {number(other.node_score)}"
        return f"as concepts for this strategy they come to {scores}"
    mine, others = uses.get(chosen.strategy, 0), uses.get(other.strategy, 0)
    if mine != others:
        return f"the chosen strategy had been used less often, {mine} against {others} times"
    return "both strategies had been used equally often, so the order of their names decided"


def _ruled_out(scores: Scores) -> str:
    if not scores.gated:
        return "No candidate was ruled out."
    better = [scored for scored in scores.gated if _beats(scored.candidate, scores.chosen)]
    if not better:
        return f"Of those ruled out none would have won; the best was {_gated(scores.gated[0])}."
    told = "; ".join(_gated(scored) for scored in better[:GATED_TOLD])
    more = "; and others" if len(better) > GATED_TOLD else ""
    return f"Ruled out, though it would have scored higher: {told}{more}."


def _beats(other: Candidate, winner: Scored) -> bool:
    chosen = winner.candidate
    lead = round(other.final_score - chosen.final_score, TIE_DECIMALS)
    if lead == 0 and other.strategy == chosen.strategy:
        lead = round(other.node_score - chosen.node_score, TIE_DECIMALS)
    return lead > 0


def _gated(scored: Scored) -> str:
    gates = ", ".join(scored.candidate.gates)
    return f"{scored} with {number(scored.candidate.final_score)} ({gates})"
