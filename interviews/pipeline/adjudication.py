"""Puts the doubtful matches of one answer to the model, in one call, where the study wants it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graphs.matching import Resolution
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
    context: TurnView, resolutions: Sequence[Resolution], gateway: Gateway
) -> list[Resolution]:
    """Return `resolutions` with the doubtful ones decided; without a verdict they stay new.

    Nothing is asked where nothing is doubtful or the study does not pay for it.
    """
    settled = list(resolutions)
    doubtful = [place for place, found in enumerate(settled) if found.doubtful][:MOST_PAIRS]
    if not doubtful or not read_study_choice(context.session.llm_choice).adjudicate_matches:
        return settled
    try:
        reply = gateway.run(
            MATCH_ADJUDICATION,
            MatchAdjudicationInputs(
                subject=context.subject,
                pairs=tuple(_pair(context, place, settled[place]) for place in doubtful),
            ),
            payer=context.session,
            log=context.calls,
            deadline=context.deadline,
        )
    except LLMError:
        return settled
    same = {verdict.number - 1 for verdict in reply.verdicts if verdict.same}
    for place in same.intersection(doubtful):
        found = settled[place]
        settled[place] = replace(found, node_id=found.doubtful, tier="llm", doubtful=None)
    return settled


def _pair(context: TurnView, place: int, found: Resolution) -> DoubtfulPair:
    concept, known = context.extraction.concepts[place], context.graph.nodes[found.doubtful or ""]
    return DoubtfulPair(
        number=place + 1,
        node_type=concept.node_type,
        label=concept.label,
        quote=concept.quote,
        known_label=known.label,
        known_quote=context.graph.latest_quote(known.id),
    )
