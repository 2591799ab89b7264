"""Compose questions from strategy, focus and the respondent's words; never one asked before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from interviews.llm.providers.offline.chooser.choosing import shared_chooser
from interviews.llm.providers.offline.drafts import Drafts, is_sound
from interviews.llm.providers.offline.fixed import (
    fixed_opening,
    fixed_question,
    fixed_repair,
    writes,
)
from interviews.llm.providers.offline.lexicon import plain
from interviews.llm.providers.offline.moves import moves_of
from interviews.llm.providers.offline.voice import Voice, phrases_in, subject_of
from interviews.llm.providers.offline.wording import bank, is_english, rotated, rotation
from interviews.llm.tasks.questions import (
    CLOSING_QUESTION,
    FOLLOW_UP_QUESTION,
    OPENING_QUESTION,
    QUESTION_REPAIR,
    ClosingInputs,
    FocusInput,
    FollowUpInputs,
    OpeningInputs,
    Question,
    RepairInputs,
)
from interviews.wording.last_resort import last_resort

CHOSEN_FROM = 6
"""So many questions are read to find the most suitable."""
SUITS_FROM = 0.2
"""Probability of being suitable from which a strategy's own wording is asked in any case."""
OPENLY = 3
"""So many ways to ask for more are read where no wording suits."""


_OPENINGS: tuple[tuple[str, str], ...] = (
    (r"incident|especially (?:good|well|bad)|went wrong|stands out|critical", "incident"),
    (
        r"first contact|journey|from the beginning|stages|touchpoint|chronolog|first heard",
        "journey",
    ),
    (r"three|triad|elements|alike|differ|compare", "compare"),
    (
        r"circumstance|struggl|need comes up|job|progress|last time they needed|trying to get done",
        "need",
    ),
    (r"notice|associations|attribute|comes to mind|use or do", "notice"),
)


def opening_question(inputs: OpeningInputs) -> Question:
    """Invite a lived account in the way that the methodology's opening asks for."""
    if writes(inputs.language):
        return Question(question=fixed_opening(inputs))
    bias = plain(f"{inputs.opening_bias} {inputs.methodology_name.replace('_', ' ')}")
    name = next((name for pattern, name in _OPENINGS if re.search(pattern, bias)), "story")
    openings: Sequence[str] = bank(inputs.language)["openings"][name]
    template = rotated(openings, rotation("opening", inputs.seed))[0]
    return Question(question=template.format(subject=subject_of(inputs.subject)))


def follow_up_question(inputs: FollowUpInputs) -> Question:
    """Carry out the strategy on its focus in a wording not used before."""
    if writes(inputs.language):
        return Question(question=fixed_question(inputs))
    return Question(question=_first_new(inputs, moves_of(inputs.strategy, inputs.focus)))


def closing_question(inputs: ClosingInputs) -> Question:
    """Leave the last word to the respondent.

    A list of labels is not the main thread: of nine closings with one a reader found three natural
    and apt, of eleven without ten.
    """
    if writes(inputs.language):
        return Question(question=fixed_question(inputs, ("last_word",)))
    return Question(question=_first_new(inputs, ("last_word",)))


def repaired_question(inputs: RepairInputs) -> Question:
    """Ask anew what a refused question was after, in a wording of the bank."""
    if writes(inputs.language):
        return Question(question=fixed_repair(inputs))
    focus = FocusInput(label=inputs.focus_label) if inputs.focus_label else None
    fallback = Voice(
        subject=inputs.subject or "this",
        phrase=phrases_in(focus, inputs.language)[0] if focus else None,
        seed=inputs.seed,
        language=inputs.language,
    )
    moves = ("simpler", "situation", "third_person") if focus else ("broaden",)
    for move in moves:
        for text in fallback.wordings(move, inputs.asked_questions):
            if is_sound(text, (*inputs.asked_questions, inputs.question)):
                return Question(question=text)
    return Question(
        question=last_resort(
            inputs.subject,
            (*inputs.asked_questions, inputs.question),
            language=inputs.language,
        )
    )


def _first_new(inputs: FollowUpInputs, moves: Sequence[str]) -> str:
    """Return a sound question not asked before; about a point, the most suitable of the first few.

    In other languages than English, to which nothing was fitted, they are taken as they come; so
    are plainer words for what was not understood.
    """
    drafts = Drafts(inputs, moves)
    as_they_come = not is_english(inputs.language) or bool(inputs.acknowledge.again)
    if as_they_come or not drafts.about_focus:
        found = next(drafts.all(), "")
    else:
        found = _most_suitable(inputs, drafts)
    if not found and inputs.acknowledge.again:
        return inputs.acknowledge.again
    return found or last_resort(inputs.subject, inputs.asked_questions, language=inputs.language)


def _most_suitable(inputs: FollowUpInputs, drafts: Drafts) -> str:
    """Choose how to speak of the point by the first template, then a template for that way.

    Where none of them suits well enough, the respondent is just asked for more about the point.
    """
    point, answer = _told(inputs)

    def best(texts: Sequence[str]) -> tuple[int, float]:
        chances = shared_chooser().suitable(answer, point, texts)
        return chances.index(max(chances)), max(chances)

    ways = [(way, text) for way in drafts.ways if (text := next(drafts.by(way), ""))]
    if not ways:
        return next(drafts.all(), "")
    way, first = ways[best([text for _, text in ways])[0]]
    texts = list(dict.fromkeys([first, *islice(drafts.by(way), CHOSEN_FROM)]))
    place, chance = best(texts)
    openly = list(islice(drafts.by(way, openly=True), OPENLY))
    if chance < SUITS_FROM and openly and not drafts.compares:
        other, its_chance = best(openly)
        return openly[other] if its_chance > chance else texts[place]
    return texts[place]


def _told(inputs: FollowUpInputs) -> tuple[str, str]:
    """Return the words of the focus, and the answer in which they stand or else the last one."""
    if inputs.focus is None:
        return "", ""
    point = inputs.focus.quote or inputs.focus.label
    answers = [turn.answer for turn in reversed(inputs.recent_turns)]
    return point, next((a for a in answers if point in a), answers[0] if answers else "")


RULES: dict[str, object] = {
    OPENING_QUESTION.name: opening_question,
    FOLLOW_UP_QUESTION.name: follow_up_question,
    CLOSING_QUESTION.name: closing_question,
    QUESTION_REPAIR.name: repaired_question,
}
