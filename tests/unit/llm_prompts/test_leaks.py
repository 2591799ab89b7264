"""An answer that recites its prompt is told from one that quotes the respondent."""

from __future__ import annotations

import pytest

from interviews.llm.leaks import gives_away
from interviews.llm.tasks.base import RenderedPrompt, mark_of, prompt_text, render
from interviews.llm.tasks.extraction import EXTRACTION, Concept, ExtractionOutput
from interviews.llm.tasks.questions import FOLLOW_UP_QUESTION, FollowUpInputs, Question
from interviews.llm.tasks.response_rating import (
    RESPONSE_RATING,
    RUBRICS,
    Rating,
    RatingInputs,
    RatingOutput,
)

from .samples import SAMPLES


def follow_up(**changes: object) -> RenderedPrompt:
    inputs = SAMPLES["follow_up_question"][1]
    assert isinstance(inputs, FollowUpInputs)
    return render(FOLLOW_UP_QUESTION, inputs.model_copy(update=changes))


MARK = mark_of(prompt_text("follow_up_question.md"))
LINE = "You are an experienced qualitative interviewer in the middle of an in-depth interview"
EIGHT = "never asks a bare why vary how you"


@pytest.mark.parametrize(
    "text",
    [
        f"{LINE}. And you?",
        f"Well: {EIGHT}?",
        EIGHT.upper(),
        EIGHT.replace(" ", ",  "),
        EIGHT.replace("v", "\u200bv"),
        f"It is {MARK}, is it not?",
        f"It is {' '.join(MARK)}, is it not?",
        MARK.upper(),
    ],
)
def test_what_recites_the_prompt_is_caught(text: str) -> None:
    assert gives_away(follow_up(), Question(question=text))


@pytest.mark.parametrize(
    "text",
    [
        "What would be missing without it?",
        "You said it has to crack when you press it. What does that give you?",
        "never asks a bare why vary how",  # seven words
        "It has to crack when I press it, because then I know it is fresh: what else?",
        "How do you buy bread?",
    ],
)
def test_what_asks_or_quotes_is_not(text: str) -> None:
    assert not gives_away(follow_up(), Question(question=text))


def test_a_long_subject_may_be_named_in_full() -> None:
    subject = "choosing and wearing a backpack on a hiking tour of several days"
    assert not gives_away(
        follow_up(subject=subject), Question(question=f"What comes to mind about {subject}?")
    )


def test_words_of_the_prompt_that_the_respondent_said_are_no_secret() -> None:
    task, inputs = SAMPLES["extraction_bare"]
    prompt = render(task, inputs.model_copy(update={"answer": f"It said: {LINE}"}))
    own = "You read one answer of a qualitative interview and write down, as data,"

    def said(label: str, quote: str) -> ExtractionOutput:
        concept = Concept(label=label, node_type="topic", quote=quote)
        return ExtractionOutput(extractable=True, concepts=(concept,))

    assert task is EXTRACTION
    assert not gives_away(prompt, said("what it said", LINE))
    assert gives_away(prompt, said(own, "It said"))


def test_grounds_may_cite_a_rubric() -> None:
    rubric = "Reasons, an example or several sides of the matter are given in it"
    prompt = render(RESPONSE_RATING, RatingInputs(question="q", answer="a", rubrics=rubric))
    rating = Rating(score=4, rationale=rubric)
    assert not gives_away(prompt, RatingOutput(**dict.fromkeys(RUBRICS, rating)))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_mark_stands_in_the_system_prompt_alone(name: str) -> None:
    task, inputs = SAMPLES[name]
    prompt = render(task, inputs)
    assert prompt.system.count(prompt.mark) == 1
    assert prompt.mark not in prompt.user + prompt.data
    assert not {"\x02", "\x03"} & set(prompt.system + prompt.user)
