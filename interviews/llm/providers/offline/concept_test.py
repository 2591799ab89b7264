"""Questions of concept tests by rules: the opening, then elements, thoughts and connections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import yaml

from interviews.llm.providers.offline.questions import follow_up_question
from interviews.llm.providers.offline.wording import least_used, rotated, rotation
from interviews.llm.tasks.concept_questions import (
    CONCEPT_OPENING,
    CONCEPT_QUESTION,
    ConceptOpeningInputs,
    ConceptQuestionInputs,
)
from interviews.llm.tasks.questions import Question, StrategyInput
from interviews.wording.languages import DEFAULT
from interviews.wording.last_resort import last_resort
from interviews.wording.repetition import was_asked

PROBES: Mapping[str, tuple[str, ...]] = {
    "specificity_probe": ("meaning", "concretise"),
    "relationship_probe": ("connection",),
    "causal_chain_probe": ("cause", "consequence"),
    "upward_linking": ("consequence", "importance"),
    "consequence_probe": ("consequence",),
    "example_elicitation": ("situation",),
    "return_probe": ("detail", "consequence"),
    "open_element_probe": ("detail", "situation"),
    "temporal_contrast": ("before_and_after",),
}
"""How a tactic asks about what the respondent said; others ask plainly."""
PLAINLY = ("detail", "consequence")
MOST_QUOTED = 14
"""In words; a longer passage is cut."""


def concept_opening(inputs: ConceptOpeningInputs) -> Question:
    """Ask for a first reaction; the wording leads to none."""
    return Question(question=rotated(_words(inputs.language)["opening"], rotation(inputs.seed))[0])


def concept_question(inputs: ConceptQuestionInputs) -> Question:
    """Carry out a tactic on its focus in a wording not used before."""
    if inputs.about == "node" and inputs.focus is not None:
        probes = PROBES.get(inputs.tactic, PLAINLY)
        strategy = StrategyInput(name=inputs.tactic, probes=probes)
        return follow_up_question(inputs.model_copy(update={"strategy": strategy}))
    words = _words(inputs.language)
    before = words["before"].get(inputs.acknowledge.kind, "")
    drafts = (before + draft for draft in _drafts(inputs, words))
    fresh = (text for text in drafts if not was_asked(text, inputs.asked_questions))
    found = next(fresh, "") if inputs.language[:2] in _bank() else ""
    about = inputs.element or inputs.subject
    return Question(
        question=found or last_resort(about, inputs.asked_questions, language=inputs.language)
    )


def _drafts(inputs: ConceptQuestionInputs, words: Mapping[str, Any]) -> Iterator[str]:
    """Wordings in the order in which they are tried: the tactic's, then others of its kind."""
    values = {
        "element": _plain(inputs.element),
        "other": _plain(inputs.other_element),
        "source": _plain(inputs.source),
        "target": _plain(inputs.target),
    }
    turn = rotation(inputs.seed, len(inputs.asked_questions))
    for group in _groups(inputs, words):
        for template in least_used(rotated(group, turn), inputs.asked_questions):
            yield template.format(**values)


def _groups(inputs: ConceptQuestionInputs, words: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    again = bool(inputs.acknowledge.again)
    if inputs.about == "element":
        if again:
            yield words["simpler"]
        if inputs.gap == "unconnected" and inputs.other_element:
            yield words["connection"]
        yield from _of_tactic(words["element"], inputs.tactic)
    elif inputs.about == "tension":
        yield words["tension"]
    else:
        if again:
            yield words["simpler_all"]
        yield from _of_tactic(words["seed"], inputs.tactic)


def _of_tactic(groups: Mapping[str, Sequence[str]], tactic: str) -> Iterator[Sequence[str]]:
    """The tactic's wordings first, then the others."""
    for name in sorted(groups, key=lambda name: name != tactic):
        yield groups[name]


def _plain(text: str) -> str:
    """Words on one line, cut, without marks that would end the quotation."""
    folded = " ".join(text.translate(str.maketrans('“”«»"?{}', "'''''   ")).split())
    words = folded.strip(" .,;:!").split()
    return " ".join(words if len(words) <= MOST_QUOTED else [*words[:MOST_QUOTED], "…"])


def _words(language: str) -> Mapping[str, Any]:
    code = language[:2].lower()
    words: Mapping[str, Any] = _bank().get(code) or _bank()[DEFAULT]
    return words


@cache
def _bank() -> Mapping[str, Any]:
    path = resources.files("interviews.llm.providers.offline").joinpath("concept_test.yaml")
    document: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document


RULES: dict[str, object] = {
    CONCEPT_OPENING.name: concept_opening,
    CONCEPT_QUESTION.name: concept_question,
}
