"""Questions in languages that the rules do not read: fixed ones, by what the strategy is after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import yaml

from interviews.llm.providers.offline.moves import moves_of
from interviews.llm.providers.offline.wording import rotated, rotation
from interviews.llm.tasks.questions import FocusInput, FollowUpInputs, OpeningInputs, RepairInputs
from interviews.wording.last_resort import last_resort
from interviews.wording.repetition import was_asked

GROUPS = ("broaden", "story", "deepen", "contrast", "clarify", "people")
"""What a question may be after; where those of one are used up, the next one's are asked."""

_MOVES: Mapping[str, Sequence[str]] = {
    "story": ("situation", "sequence", "extremes", "account", "usual", "next_step", "led_up",
              "deeds", "turning", "moment_of_truth", "handover"),
    "clarify": ("meaning", "concretise", "ground", "source", "signs", "connection"),
    "contrast": ("negative", "contrast", "obstacle", "switching", "before_after", "alternatives",
                 "pole", "placement", "other_way", "triad"),
    "people": ("third_person", "person", "other_people", "feelings", "relationship"),
    "broaden": ("broaden", "elements", "occasions", "journey_parts", "circumstances"),
    "summary": ("summary",),
    "last_word": ("last_word",),
}  # fmt: skip
"""The moves of each group by how they begin; every other one deepens."""
ON_FROM_THERE = ("none", "corrected", "instructs", "not_understood")
"""After other answers nothing leads on from what was said: the subject is opened further."""


def group_of(move: str) -> str:
    """What a move is after, as a group of questions."""
    found = (group for group, names in _MOVES.items() if move.startswith(tuple(names)))
    return next(found, "deepen")


def writes(language: str) -> bool:
    """Whether there are fixed questions in this language."""
    return language[:2].lower() in _bank()


def fixed_opening(inputs: OpeningInputs) -> str:
    """A first question that names nothing."""
    return rotated(_words(inputs.language)["opening"], rotation("opening", inputs.seed))[0]


def fixed_question(inputs: FollowUpInputs, moves: Sequence[str] = ()) -> str:
    """The next question: the first of the strategy's group that was not asked, or of the others."""
    words, heard = _words(inputs.language), inputs.acknowledge.kind
    before = words["before"].get(heard, "")
    groups = [group_of(move) for move in moves] or _groups(inputs)
    if inputs.acknowledge.again:
        groups = ["reword", *groups]
    elif heard not in ON_FROM_THERE and "last_word" not in groups:
        groups = ["broaden", *groups]
    turn = rotation(inputs.seed) + len(inputs.asked_questions)
    asked = [_bare(question, words["before"].values()) for question in inputs.asked_questions]
    for question in _in_order(words, groups, turn):
        if not was_asked(question, asked):
            return str(before + question)
    return last_resort("", inputs.asked_questions, language=inputs.language)


def fixed_repair(inputs: RepairInputs) -> str:
    """Another question for one that was refused."""
    refused = (*inputs.asked_questions, inputs.question)
    words = _words(inputs.language)
    group = "last_word" if "not_closing" in inputs.problems else "broaden"
    found = _in_order(words, [group], rotation(inputs.seed) + len(refused))
    fresh = (question for question in found if not was_asked(question, refused))
    return next(fresh, "") or last_resort("", refused, language=inputs.language)


def _groups(inputs: FollowUpInputs) -> list[str]:
    """What the strategy is after.

    Nothing was read of the answer, so the answer itself is the focus. A strategy that only opens
    the subject is chosen again and again where nothing is read: then each group has its turn.
    """
    found = [group_of(m) for m in moves_of(inputs.strategy, inputs.focus or FocusInput(label=""))]
    if found == ["broaden"] and inputs.focus is None:
        return rotated(GROUPS, len(inputs.asked_questions))
    return found


def _in_order(words: Mapping[str, Any], groups: Sequence[str], turn: int) -> Iterator[str]:
    rest = () if "last_word" in groups else GROUPS
    for group in dict.fromkeys((*groups, *rest)):
        yield from rotated(words[group], turn)


def _bare(question: str, before: Iterable[str]) -> str:
    """A question without words that stood before it: they make no other question of it."""
    lead = next((lead for lead in before if question.startswith(lead)), "")
    return question.removeprefix(lead)


def _words(language: str) -> Mapping[str, Any]:
    words: Mapping[str, Any] = _bank()[language[:2].lower()]
    return words


@cache
def _bank() -> Mapping[str, Any]:
    path = resources.files("interviews.llm.providers.offline").joinpath("fixed.yaml")
    document: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document
