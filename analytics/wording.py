"""Names of signals, reasons and phases in a reader's words.

A weight key is a signal's name, with a qualifier where the weight acts on a part of its values
("graph.node.exhaustion_score.low"). What is not listed here is named after its key, so that a new
signal reads well enough before anyone writes a better name for it.
"""

from __future__ import annotations

from collections.abc import Mapping

NAMES: Mapping[str, str] = {
    "graph.node_count": "concepts",
    "graph.edge_count": "links",
    "graph.orphan_count": "orphans",
    "graph.max_depth": "max depth",
    "graph.avg_depth": "average depth",
    "graph.chain_completion.ratio": "chains complete",
    "graph.chain_completion.has_complete": "a complete chain",
    "graph.canonical_concept_count": "slots",
    "graph.canonical_edge_density": "slot density",
    "graph.canonical_exhaustion_score": "slots exhausted",
    "graph.node.exhausted": "exhausted",
    "graph.node.exhaustion_score": "exhaustion",
    "graph.node.yield_stagnation": "no yield of late",
    "graph.node.focus_streak": "focus streak",
    "graph.node.recency_score": "recency",
    "graph.node.is_current_focus": "current focus",
    "graph.node.is_orphan": "orphan",
    "graph.node.edge_count": "links of the concept",
    "graph.node.has_outgoing": "leads on",
    "graph.node.has_incoming": "led up to",
    "graph.node.chain_gap": "gap in its chain",
    "graph.node.first_chain": "gap in the first chain",
    "graph.node.type": "type",
    "graph.node.level": "level",
    "llm.response_depth": "depth",
    "llm.specificity": "specificity",
    "llm.certainty": "certainty",
    "llm.valence": "valence",
    "llm.engagement": "engagement",
    "llm.intellectual_engagement": "reflection",
    "llm.global_response_trend": "trend",
    "temporal.strategy_repetition_count": "same strategy before",
    "temporal.strategy_share": "share of recent turns",
    "temporal.turns_since_strategy_change": "turns without a change",
    "technique.node.strategy_repetition": "same strategy here before",
    "meta.interview.phase": "phase",
    "meta.conversation.saturation": "saturation",
    "meta.conversation.velocity_saturation": "slowing down",
    "meta.canonical.saturation": "slot saturation",
    "meta.node.opportunity": "opportunity",
}

SHORT: Mapping[str, str] = {
    "graph.chain_completion.has_complete.false": "no complete chain yet",
    "graph.chain_completion.has_complete.true": "complete chain there",
    "graph.node.exhausted.false": "branch not exhausted",
    "graph.node.exhausted.true": "branch exhausted",
    "graph.node.exhaustion_score.low": "branch still fresh",
    "graph.node.exhaustion_score.high": "branch worn out",
    "graph.node.exhaustion_score": "branch worked on",
    "graph.node.is_current_focus.true": "just talked about",
    "graph.node.is_current_focus.false": "another subject",
    "graph.node.is_orphan.true": "not linked yet",
    "graph.node.is_orphan.false": "linked already",
    "graph.node.has_outgoing.false": "nothing leads on yet",
    "graph.node.has_outgoing.true": "leads on already",
    "graph.node.has_incoming.false": "nothing leads to it yet",
    "graph.node.has_incoming.true": "led up to already",
    "graph.node.chain_gap.none": "in a complete chain",
    "graph.node.chain_gap.above": "chain open above",
    "graph.node.chain_gap.below": "chain open below",
    "graph.node.chain_gap.both": "chain open at both ends",
    "graph.node.first_chain.none": "some chain is complete",
    "graph.node.first_chain.above": "first chain open above",
    "graph.node.first_chain.below": "first chain open below",
    "graph.node.first_chain.both": "first chain open at both ends",
    "llm.response_depth.surface": "surface answer",
    "llm.response_depth.shallow": "shallow answer",
    "llm.response_depth.moderate": "fairly rich answer",
    "llm.response_depth.deep": "rich answer",
    "llm.engagement.high": "engaged respondent",
    "llm.engagement.low": "respondent losing interest",
    "meta.node.opportunity.fresh": "more to learn",
    "meta.node.opportunity.probe_deeper": "rich answer to probe",
    "meta.node.opportunity.exhausted": "little more to learn",
}

CLAUSES: Mapping[str, str] = {
    "graph.chain_completion.has_complete.false": "no chain has reached the top level yet",
    "graph.chain_completion.has_complete.true": "a chain already reaches the top level",
    "graph.chain_completion.ratio.low": "few chains reach the top level yet",
    "graph.chain_completion.ratio.high": "most chains reach the top level",
    "graph.max_depth.low": "the interview is still close to the surface",
    "graph.max_depth.high": "the interview has gone deep already",
    "graph.max_depth": "the interview has gone deep already",
    "graph.orphan_count.nonzero": "some concepts hang loose",
    "graph.node.exhausted.false": "this branch is not exhausted",
    "graph.node.exhausted.true": "this branch is exhausted",
    "graph.node.exhaustion_score.low": "this branch still gives new concepts",
    "graph.node.exhaustion_score.high": "this branch gives little more",
    "graph.node.exhaustion_score": "this branch has been worked on",
    "graph.node.yield_stagnation.true": "it has given nothing new of late",
    "graph.node.yield_stagnation.false": "it has given something new of late",
    "graph.node.focus_streak.none": "it was not the focus just now",
    "graph.node.focus_streak.low": "it has only just come up",
    "graph.node.focus_streak.medium": "it was the focus for two or three turns",
    "graph.node.focus_streak.high": "it was the focus for four turns or more",
    "graph.node.recency_score.high": "it was talked about a moment ago",
    "graph.node.recency_score.low": "it was long out of sight",
    "graph.node.recency_score": "it was talked about not long ago",
    "graph.node.is_current_focus.true": "it is what the answer was about",
    "graph.node.is_current_focus.false": "it is another subject than the last one",
    "graph.node.is_orphan.true": "it is not linked to anything yet",
    "graph.node.is_orphan.false": "it is linked already",
    "graph.node.has_outgoing.false": "nothing leads on from it yet",
    "graph.node.has_outgoing.true": "something already leads on from it",
    "graph.node.has_incoming.false": "nothing leads to it yet",
    "graph.node.has_incoming.true": "something already leads to it",
    "graph.node.chain_gap.none": "a complete chain runs through it",
    "graph.node.chain_gap.above": "no chain from it reaches the top level yet",
    "graph.node.chain_gap.below": "no chain up to it has a beginning yet",
    "graph.node.chain_gap.both": "its chain has neither beginning nor end yet",
    "graph.node.first_chain.none": "a complete chain is there already",
    "graph.node.first_chain.above": "no chain is complete yet, and one up to it has its beginning",
    "graph.node.first_chain.below": "no chain is complete yet, and one from it reaches the top",
    "graph.node.first_chain.both": "no chain is complete yet, and its own is open at both ends",
    "graph.node.edge_count.zero": "it is not linked to anything yet",
    "graph.node.edge_count.nonzero": "it is linked already",
    "llm.response_depth.surface": "the answer stayed on the surface",
    "llm.response_depth.shallow": "the answer was short on reasons",
    "llm.response_depth.moderate": "the answer was fairly rich",
    "llm.response_depth.deep": "the answer was rich",
    "llm.response_depth.low": "the answer stayed on the surface",
    "llm.response_depth.mid": "the answer was fairly rich",
    "llm.response_depth.high": "the answer was rich",
    "llm.engagement.high": "the respondent was engaged",
    "llm.engagement.mid": "the respondent was fairly engaged",
    "llm.engagement.low": "the respondent was losing interest",
    "llm.engagement": "the respondent was engaged",
    "llm.intellectual_engagement.high": "the respondent reflected on it",
    "llm.intellectual_engagement.low": "the respondent did not reflect much",
    "llm.intellectual_engagement": "the respondent reflected on it",
    "llm.valence.high": "the answer was warm",
    "llm.valence.low": "the answer was critical",
    "llm.valence": "the answer was warm",
    "llm.certainty.high": "the respondent was sure",
    "llm.certainty.low": "the respondent was unsure",
    "llm.certainty": "the respondent was sure",
    "llm.specificity.high": "the answer was specific",
    "llm.specificity.low": "the answer was vague",
    "llm.specificity": "the answer was specific",
    "llm.global_response_trend.deepening": "answers have been getting deeper",
    "llm.global_response_trend.stable": "answers have been even",
    "llm.global_response_trend.shallowing": "answers have been getting shallower",
    "llm.global_response_trend.fatigued": "the respondent seems tired",
    "temporal.strategy_repetition_count": "the same strategy was used just before",
    "temporal.strategy_repetition_count.low": "the strategy was not used just before",
    "temporal.strategy_repetition_count.high": "the same strategy was used again and again",
    "temporal.strategy_share": "the strategy was used lately",
    "temporal.strategy_share.low": "the strategy was hardly used lately",
    "temporal.strategy_share.high": "the strategy was used again and again lately",
    "temporal.turns_since_strategy_change": "the strategy has not changed for some turns",
    "technique.node.strategy_repetition.none": "this strategy is new on this concept",
    "technique.node.strategy_repetition.low": "this strategy was used on this concept once",
    "technique.node.strategy_repetition.medium": "this strategy was used on this concept twice",
    "technique.node.strategy_repetition.high": "this strategy was used here three times running",
    "meta.interview.phase.early": "the interview is young",
    "meta.interview.phase.mid": "the interview is in its middle",
    "meta.interview.phase.late": "the interview is near its end",
    "meta.conversation.saturation": "little new is coming up",
    "meta.conversation.saturation.low": "new concepts keep coming up",
    "meta.conversation.saturation.high": "little new is coming up",
    "meta.conversation.velocity_saturation": "new concepts are coming more slowly",
    "meta.conversation.velocity_saturation.low": "new concepts keep coming",
    "meta.conversation.velocity_saturation.high": "new concepts have nearly stopped coming",
    "meta.canonical.saturation": "new words repeat known concepts",
    "meta.canonical.saturation.low": "new words bring new concepts",
    "meta.canonical.saturation.high": "new words repeat known concepts",
    "meta.node.opportunity.fresh": "there is more to learn about it",
    "meta.node.opportunity.probe_deeper": "a rich answer left more to ask about it",
    "meta.node.opportunity.exhausted": "there is little more to learn about it",
}

REASONS: Mapping[str, str] = {
    "graph_saturated": "five turns running brought nothing new",
    "quality_degraded": "six answers running stayed on the surface",
    "depth_plateau": "the interview was not going any deeper",
    "all_nodes_exhausted": "every concept had been asked about and gave nothing more",
    "max_turns": "all turns were used",
    "max_turns_reached": "all turns were used",
    "closing_strategy": "a closing strategy was chosen",
    "closing_question_answered": "closing question answered",
    "respondent_ended": "the respondent ended it",
    "respondent_left": "the respondent left",
    "time_budget": "the time was used up",
    "time_used_up": "the time was used up",
}

PHASES: Mapping[str, str] = {"early": "early", "mid": "middle", "late": "late"}


_TYPE = "graph.node.type."


def name_of(key: str) -> str:
    """The short name of a weight key; where it has none, the signal's with the qualifier."""
    if found := SHORT.get(key) or NAMES.get(key):
        return found
    if key.startswith(_TYPE):
        return human(key.removeprefix(_TYPE))
    base, _, qualifier = key.rpartition(".")
    if base in NAMES:
        return f"{NAMES[base]}: {human(qualifier)}"
    return human(key.split(".", 1)[-1].replace(".", " "))


def signal_name(key: str) -> str:
    """The short name of a signal."""
    return NAMES.get(key) or human(key.split(".", 1)[-1].replace(".", " "))


def clause_of(key: str) -> str:
    """A weight key as a clause that can follow "because"."""
    if key in CLAUSES:
        return CLAUSES[key]
    base, _, qualifier = key.rpartition(".")
    if key.startswith(_TYPE):
        return f"it is of the type {human(qualifier)}"
    if base in NAMES:
        return f"{NAMES[base]} was {human(qualifier)}"
    return f"{name_of(key)} spoke for it"


def reason_of(code: str) -> str:
    """Why an interview closed or ended, from the code that was stored."""
    return REASONS.get(code, human(code))


def human(code: str) -> str:
    """An identifier as words: "strategy_name" becomes "strategy name"."""
    return code.replace("_", " ").strip()


def listing(clauses: list[str]) -> str:
    """Join as in a sentence: "a, b and c"; empty for none."""
    if len(clauses) < 2:
        return "".join(clauses)
    return f"{', '.join(clauses[:-1])} and {clauses[-1]}"
