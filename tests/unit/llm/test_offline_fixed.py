"""Fixed questions in the languages that the rules do not read: sensible anywhere, never English."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from interviews.guards import GuardContext, apply_guards
from interviews.llm.providers.offline import OfflineProvider
from interviews.llm.providers.offline import fixed as rules
from interviews.llm.tasks.questions import (
    CLOSING_QUESTION,
    FOLLOW_UP_QUESTION,
    OPENING_QUESTION,
    QUESTION_REPAIR,
    AcknowledgeInput,
    ClosingInputs,
    FocusInput,
    FollowUpInputs,
    OpeningInputs,
    RepairInputs,
    StrategyInput,
)
from interviews.wording.repetition import REPEATED, similarity
from tests.unit.llm.offline_samples import SHIPPED, strategy_input

LANGUAGES = ("it", "de", "fr", "es")
ENGLISH = frozenset(
    """
    the and you your yours what which that this these those with would could should how why
    when where who is are was were been be have has had do does did it its of to for from
    about more most tell think thing like want need make made life moment time day people feel
    something anything backpack hiking last let us thanks thank sorry yes please question
    topic subject in on at by we they he she me come die war man
    """.split()  # noqa: SIM905 - a list of words is read as words
)
SAME_ELSEWHERE = {
    "it": frozenset({"me", "come", "in"}),
    "de": frozenset({"was", "die", "war", "in", "man"}),
    "fr": frozenset({"me", "on", "pour", "moment", "question", "thanks"}),
    "es": frozenset({"me", "has", "he"}),
}
"""English words that are words of the language, too."""
OFFLINE = OfflineProvider()


def sentences(language: str) -> list[str]:
    words = rules._bank()[language]
    groups = [group for name, group in words.items() if name != "before"]
    return [*words["before"].values(), *(text for group in groups for text in group)]


def asked_in(language: str, strategy: StrategyInput, seed: int = 0) -> Iterator[str]:
    """Twenty questions of an interview by one strategy alone, whose subject is English."""
    asked: list[str] = []
    opening = OpeningInputs(subject="your hiking backpack", language=language, seed=seed)
    asked.append(OFFLINE.complete(OPENING_QUESTION, opening).question)
    yield asked[-1]
    while len(asked) < 20:
        inputs = FollowUpInputs(
            subject="your hiking backpack",
            strategy=strategy,
            focus=FocusInput(label="the straps") if seed else None,
            asked_questions=tuple(asked),
            language=language,
            seed=seed,
        )
        asked.append(OFFLINE.complete(FOLLOW_UP_QUESTION, inputs).question)
        yield asked[-1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_more_than_twenty_questions_a_language_hold_no_english_word(language: str) -> None:
    written = sentences(language)
    assert sum(text.rstrip().endswith("?") for text in written) >= 20
    for text in written:
        words = set(re.findall(r"\w+", text.casefold()))
        assert not words & (ENGLISH - SAME_ELSEWHERE[language]), text
    assert len(set(written)) == len(written)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_may_be_asked_and_none_is_much_like_another(language: str) -> None:
    words = rules._bank()[language]
    questions = [text for name, group in words.items() if name != "before" for text in group]
    for text in questions:
        report = apply_guards(text, GuardContext(subject="x", language=language))
        assert (report.question, report.problems) == (text, ()), text
    pairs = [(a, b) for place, a in enumerate(questions) for b in questions[:place]]
    assert max(similarity(a, b) for a, b in pairs) < REPEATED
    for text in words["last_word"]:
        context = GuardContext(subject="x", language=language, closing=True)
        assert apply_guards(text, context).problems == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_twenty_turns_by_any_strategy_repeat_nothing_and_name_nothing(language: str) -> None:
    for place, spec in enumerate(SHIPPED):
        asked = list(asked_in(language, strategy_input(spec), seed=place))
        assert len(set(asked)) == 20
        assert not re.search("backpack|straps", " ".join(asked))


def test_a_strategy_asks_for_what_it_is_after() -> None:
    def first(description: str, **update: object) -> str:
        strategy = StrategyInput(name="x", description=description)
        inputs = FollowUpInputs(subject="x", strategy=strategy, language="de", **update)
        return OFFLINE.complete(FOLLOW_UP_QUESTION, inputs).question

    bank = rules._bank()["de"]
    assert first("Ask why it matters to them") in bank["deepen"]
    assert first("Ask for the last time it happened") in bank["story"]
    assert first("Ask what gets in the way") in bank["contrast"]
    assert first("Ask what they mean by it exactly") in bank["clarify"]
    refused = AcknowledgeInput(kind="refuses")
    said = first("Ask why it matters to them", acknowledge=refused)
    assert said.startswith("In Ordnung, das lassen wir. ")
    assert said.removeprefix("In Ordnung, das lassen wir. ") in bank["broaden"]
    again = AcknowledgeInput(kind="not_understood", again="Was macht das für Sie wichtig?")
    assert first("Ask why it matters to them", acknowledge=again) in bank["reword"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_last_question_says_so_and_a_refused_one_is_replaced(language: str) -> None:
    closing = ClosingInputs(subject="x", strategy=StrategyInput(name="close"), language=language)
    asked = OFFLINE.complete(CLOSING_QUESTION, closing).question
    assert asked in rules._bank()[language]["last_word"]
    repair = RepairInputs(
        question=asked, problems=("not_closing",), asked_questions=(asked,), language=language
    )
    other = OFFLINE.complete(QUESTION_REPAIR, repair).question
    assert other in rules._bank()[language]["last_word"]
    assert other != asked
