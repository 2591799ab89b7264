"""Puts the doubtful matches of one answer to the model, in one call, where the study wants it."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from graphs.matching import Given, Resolution
from interviews.llm.config import read_study_choice
from interviews.llm.errors import LLMError
from interviews.llm.gateway import Gateway
from interviews.llm.tasks.match_adjudication import (
    MATCH_ADJUDICATION,
    MOST_PAIRS,
    DoubtfulPair,
    MatchAdjudicationInputs,
)
from interviews.turns.context import TurnView


def adjudicated(
    context: TurnView, resolutions: Sequence[Resolution], given: Given, gateway: Gateway
) -> list[Resolution]:
    """Return `resolutions` with the doubtful ones decided; without a verdict they stay as they are.

    Asked about are merges on weak grounds and labels that nearly were merged. Nothing is asked
    where there are none or the study does not pay for it.
    """
    settled = list(resolutions)
    asked = [i for i, found in enumerate(settled) if found.doubtful or found.nearly][:MOST_PAIRS]
    if not asked or not read_study_choice(context.session.llm_choice).adjudicate_matches:
        return settled
    try:
        reply = gateway.run(
            MATCH_ADJUDICATION,
            MatchAdjudicationInputs(
                subject=context.subject,
                pairs=tuple(_pair(context, place, settled[place]) for place in asked),
            ),
            payer=context.session,
            log=context.calls,
            deadline=context.deadline,
        )
    except LLMError:
        return settled
    verdicts = {verdict.number - 1: verdict.same for verdict in reply.verdicts}
    for place in asked:
        if place in verdicts:
            taken = {settled[other].node_id for other in given.related(place)}
            settled[place] = _decided(settled[place], taken, same=verdicts[place])
    return [_following(found, settled) for found in settled]


def _decided(found: Resolution, taken: Set[str | None], *, same: bool) -> Resolution:
    """What a verdict makes of a resolution; no label joins a node that is `taken` by a related one.

    A merge that is none leaves the label new.
    """
    if found.nearly is None:
        kept = replace(found, tier="llm", doubtful=False)
        return kept if same else Resolution(similarity=found.similarity, vector=found.vector)
    if same and found.nearly not in taken:
        return replace(found, node_id=found.nearly, tier="llm", nearly=None)
    return found


def _following(found: Resolution, settled: Sequence[Resolution]) -> Resolution:
    """A label that repeats an earlier one goes where that went."""
    if found.same_as is None:
        return found
    return replace(found, node_id=settled[found.same_as].node_id)


def _pair(context: TurnView, place: int, found: Resolution) -> DoubtfulPair:
    concepts, graph = context.extraction.concepts, context.graph
    node_id = found.nearly or found.node_id
    if node_id is not None:
        known_label, known_quote = graph.nodes[node_id].label, graph.latest_quote(node_id)
    else:
        earlier = concepts[found.same_as or 0]
        known_label, known_quote = earlier.label, earlier.quote
    return DoubtfulPair(
        number=place + 1,
        node_type=concepts[place].node_type,
        label=concepts[place].label,
        quote=concepts[place].quote,
        known_label=known_label,
        known_quote=known_quote,
    )
