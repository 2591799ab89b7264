"""Sum up an interview from its concepts, chains and quotes."""

from __future__ import annotations

from interviews.llm.providers.offline.lexicon import words_of
from interviews.llm.providers.offline.phrasing import enumeration
from interviews.llm.providers.offline.quoting import quoted
from interviews.llm.tasks.session_summary import (
    SESSION_SUMMARY,
    SummaryConcept,
    SummaryInputs,
    SummaryOutput,
)

_MAIN = 5
_SIDE = 3


def summarise(inputs: SummaryInputs) -> SummaryOutput:
    """Sum up one interview. The same inputs always give the same text."""
    by_weight = sorted(inputs.concepts, key=lambda c: (-c.mentions, c.label))
    chains = sorted(inputs.chains, key=lambda chain: (-len(chain), chain))
    linked = {label for chain in inputs.chains for label in chain}
    return SummaryOutput(
        summary=_text(inputs, by_weight, chains),
        key_points=_points(by_weight, chains),
        open_points=tuple(c.label for c in by_weight if c.label not in linked)[:5],
        quotes=_quotes(inputs, by_weight),
    )


def _text(
    inputs: SummaryInputs, concepts: list[SummaryConcept], chains: list[tuple[str, ...]]
) -> str:
    if not concepts:
        return f"The interview about {inputs.subject} gave no concept to sum up."
    answers = "one answer" if len(inputs.turns) == 1 else f"{len(inputs.turns)} answers"
    main = enumeration([quoted(c.label) for c in concepts[:_MAIN]])
    parts = [f"In {answers} about {inputs.subject}, the respondent spoke most of {main}."]
    if chains and len(chains[0]) > 1:
        steps = " to ".join(quoted(label) for label in chains[0])
        parts.append(f"The longest line of thought runs from {steps}.")
    for stance, words in ((1, "What they are for"), (-1, "What troubles them")):
        labels = [quoted(c.label) for c in concepts if c.stance == stance][:_SIDE]
        if labels:
            parts.append(f"{words}: {enumeration(labels)}.")
    return " ".join(parts)


def _points(concepts: list[SummaryConcept], chains: list[tuple[str, ...]]) -> tuple[str, ...]:
    lines = [" → ".join(chain) for chain in chains[:4] if len(chain) > 1]
    shown = {label for chain in chains[:4] for label in chain}
    lines += [c.label for c in concepts if c.label not in shown]
    return tuple(lines[:8])


def _quotes(inputs: SummaryInputs, concepts: list[SummaryConcept]) -> tuple[str, ...]:
    """Quotes that are in the answers, of more than two words, each once."""
    answers = [turn.answer for turn in inputs.turns]
    found = [
        c.quote
        for c in concepts
        if len(words_of(c.quote)) > 2 and any(c.quote in answer for answer in answers)
    ]
    return tuple(dict.fromkeys(found))[:5]


RULES = {SESSION_SUMMARY.name: summarise}
