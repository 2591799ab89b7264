"""Which elements of a concept an answer is about, and how it takes them, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphs.language.lemmas import lemma
from interviews.acts.rules import act_of
from interviews.llm.providers.offline.emptiness import emptiness
from interviews.llm.providers.offline.lexicon import plain, words_of
from interviews.llm.providers.offline.sentiment import polarity
from interviews.llm.tasks.stimulus_reading import (
    MOST_READINGS,
    STIMULUS_READING,
    ElementInput,
    ElementReading,
    ReactionKind,
    StimulusReadingInputs,
    StimulusReadingOutput,
)
from interviews.nlp import clauses

_SKEPTICAL = re.compile(
    r"\b(?:i (?:doubt|don't (?:really )?(?:believe|buy|trust))|sounds? too good|too good to be true"
    r"|hard to believe|not convinced|sceptical|skeptical|(?:is|are) (?:that|it|they) really"
    r"|marketing|i'll believe it|i'd want to see|suspicious|who says|prove|proof"
    r"|non ci credo|dubito|scettic\w+)\b"
)
_CURIOUS = re.compile(
    r"\b(?:i wonder|curious|i'd (?:like|love|want) to (?:know|try|see|taste)|want to (?:know|try)"
    r"|how (?:does|do|would|will) (?:it|that|they|this)|interested|tell me more|mi chiedo|curios\w+"
    r"|vorrei (?:sapere|provare))\b"
)
_VAGUE = re.compile(
    r"\b(?:that sort of thing|that kind of thing|in a way|somehow|a certain something|it depends"
    r"|different|special|natural feel|a bit like that|or whatever|whatever that means)\b"
)
_UNKNOWN = re.compile(
    r"^\W*(?:(?:well|hmm+|um+|sorry|honestly|to be honest|oh|no|eh)\W+)*(?:i (?:really |honestly )?"
    r"(?:don't|do not|dont) know|dunno|no idea|no clue|(?:i'?m )?not (?:really )?sure"
    r"|hard to (?:say|tell)"
    r"|(?:i )?(?:can't|couldn't) (?:really )?(?:say|tell)|non (?:lo )?so|boh)\b"
)
LONGEST_UNKNOWN = 12
"""In words; whoever says more knows something."""


def stimulus_reading(inputs: StimulusReadingInputs) -> StimulusReadingOutput:
    """Read one answer; the same inputs always give the same."""
    said = plain(inputs.answer)
    act = act_of(inputs.answer, inputs.language, inputs.question)
    unknown = act == "adds_nothing" or (
        bool(_UNKNOWN.search(said)) and len(words_of(said)) <= LONGEST_UNKNOWN
    )
    empty = bool(emptiness(inputs.answer)) or act in ("refuses", "wants_to_stop", "not_understood")
    asked = inputs.asked_element if not (empty or unknown) else ""
    return StimulusReadingOutput(
        readings=tuple(_readings(inputs, asked))[:MOST_READINGS],
        reaction=(reaction_in(inputs.answer) or "neutral") if asked else None,
        unknown=unknown,
    )


def _readings(inputs: StimulusReadingInputs, asked: str) -> Iterator[ElementReading]:
    """A reading for each clause that names an element or is vague.

    The answer to a question on an element is about that one until it names another.
    """
    about = asked
    for clause in clauses(inputs.answer):
        named = [e.id for e in inputs.elements if _names(clause.text, e)]
        vague = bool(_VAGUE.search(plain(clause.text)))
        if named and about not in named:
            about = ""
        for element in named or ([about] if about else []):
            yield ElementReading(
                quote=clause.text,
                element_mapping=element,
                reaction=reaction_in(clause.text),
                ambiguous=vague,
            )
        if vague and not (named or about):
            yield ElementReading(quote=clause.text, ambiguous=True)


def reaction_in(text: str) -> ReactionKind | None:
    """How a text takes what it speaks of; None where it takes no side."""
    said = plain(text)
    if _SKEPTICAL.search(said):
        return "skeptical"
    if _CURIOUS.search(said):
        return "curious"
    side = polarity(text)
    if side:
        return "positive" if side > 0 else "negative"
    return None


def _names(text: str, element: ElementInput) -> bool:
    said = _lemmas(text)
    return any(_holds(said, _lemmas(name)) for name in (element.label, *element.aliases))


def _lemmas(text: str) -> list[str]:
    return [lemma(word) for word in words_of(text)]


def _holds(said: list[str], name: list[str]) -> bool:
    size = len(name)
    return bool(size) and any(said[i : i + size] == name for i in range(len(said) - size + 1))


RULES = {STIMULUS_READING.name: stimulus_reading}
