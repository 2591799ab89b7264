"""What an answer was, as the phases need it: signal, act, drift, the reply to an offer."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from graphs.language.embeddings import shared_embedder
from interviews.modes.guided.machine import Step, step
from interviews.modes.guided.plan import Plan, PlanTopic
from interviews.modes.guided.signal import Signal, key_sentence, signal_of
from interviews.modes.guided.situation import Heard, Reply
from interviews.modes.guided.state import GuidedState, PlanRef
from interviews.modes.guided.texts import texts
from interviews.turns.blocks import chosen
from interviews.turns.context import TurnView
from interviews.wording.languages import base

OFF_TOPIC_BELOW = 0.15
"""An answer that is farther (cosine) than this from its topic and the topic's sub-goals drifts."""
LEAST_WORDS = 4
"""A shorter answer is never off its topic."""
DISCLOSURES = frozenset({"personal"})
"""Reasons of a lead for which a topic is not left at once."""


def material(context: TurnView) -> tuple[Plan, PlanRef]:
    """The interview's plan. Raises LookupError where its store gave none."""
    found: Any = context.material
    if found is None:
        raise LookupError("this interview has no plan")
    plan, ref = found
    return plan, ref


def stood(context: TurnView) -> GuidedState:
    """The state in which the answer found the interview."""
    state = context.loaded.mode_state
    if not isinstance(state, GuidedState):
        raise TypeError(f"{type(state).__name__} is no state of a guided interview")
    return state


def remaining_seconds(context: TurnView, plan: Plan) -> float:
    """What is left of the planned time; negative where it is over."""
    return plan.meta.total_time_sec - context.session.active_seconds


def decided(context: TurnView) -> tuple[Step, Heard, Signal]:
    """What the answer led to, by the table, and what was heard of it."""
    plan, _ = material(context)
    state = stood(context)
    signal = signal_of(context.utterance.text, base(context.session.language))
    heard = _heard(context, plan, state, signal)
    return step(plan, state, heard), heard, signal


def _heard(context: TurnView, plan: Plan, state: GuidedState, signal: Signal) -> Heard:
    answer, language = context.utterance.text, base(context.session.language)
    heard = context.heard
    offered = state.phase == "DEEP_OFFER"
    leads = [lead for lead in heard.leads if not _rests(lead.quote, heard.disclaimed)]
    return Heard(
        score=signal.score,
        band=signal.band,
        remaining_seconds=remaining_seconds(context, plan),
        answers_left=context.session.max_turns - context.job.number,
        closure=heard.act == "wants_to_stop" and not offered,
        not_understood=heard.act == "not_understood",
        refused=heard.act == "refuses",
        off_topic=not offered and _off_topic(context, plan.topics[state.topic_index]),
        disclosure=any(lead.reason in DISCLOSURES for lead in leads),
        lead=leads[0].quote if leads else "",
        key_sentence=key_sentence(answer, language),
        reply=reply_to_offer(answer, language) if offered else "NEUTRAL",
    )


def _rests(quote: str, disclaimed: Sequence[str]) -> bool:
    """Whether the words are, or are part of, or hold what was disclaimed."""
    said = quote.casefold()
    return any(said in text.casefold() or text.casefold() in said for text in disclaimed if text)


def _off_topic(context: TurnView, topic: PlanTopic) -> bool:
    """Whether the answer says so, gives the machine orders, or is far from topic and sub-goals."""
    heard, answer = context.heard, context.utterance.text
    if heard.off_track or heard.act in ("drifted", "instructs", "asks"):
        return True
    if heard.act != "answer" or len(answer.split()) < LEAST_WORDS or context.extraction.concepts:
        return False
    embedder = shared_embedder(os.environ.get("EMBEDDING_MODEL"))
    said, *points = embedder.embed([answer, topic.label, *topic.sub_goals])
    return max(float(said @ point) for point in points) < OFF_TOPIC_BELOW


def reply_to_offer(answer: str, language: str) -> Reply:
    """How the offer to go on was answered: by a button, or in words that say one thing only."""
    words = texts(language)
    option = chosen(answer, (words.offer.accept, words.offer.refuse))
    if option is not None:
        return "ACCEPT" if option == words.offer.accept else "REFUSE"
    accepts, refuses = (
        bool(_any_of(found).search(answer.replace("’", "'")))
        for found in (words.accepting, words.refusing)
    )
    if accepts == refuses:
        return "NEUTRAL"
    return "ACCEPT" if accepts else "REFUSE"


@lru_cache(maxsize=64)
def _any_of(phrases: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, phrases))})(?!\w)", re.IGNORECASE)
