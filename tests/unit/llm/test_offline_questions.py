"""The offline interviewer's questions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interviews.guards import GuardContext, apply_guards
from interviews.llm.providers.offline import OfflineProvider
from interviews.llm.providers.offline.voice import POINTS_BACK
from interviews.llm.providers.offline.wording import bank, worded_by
from interviews.llm.tasks.questions import (
    CLOSING_QUESTION,
    OPENING_QUESTION,
    QUESTION_REPAIR,
    AcknowledgeInput,
    AcknowledgeKind,
    ClosingInputs,
    FocusInput,
    OpeningInputs,
    RepairInputs,
    StrategyInput,
    TurnInput,
)
from interviews.wording.repetition import similarity
from methodologies.schema import StrategySpec
from tests.unit.llm.offline_samples import FOCI, SHIPPED, follow_up, strategy_input

PROVIDER = OfflineProvider()


class LongestOfThem:
    """Holds the longest question for the most suitable: whichever is chosen has to be sound."""

    def suitable(self, answer: str, point: str, questions: Sequence[str]) -> list[float]:
        return [1 - 1 / len(question) for question in questions]


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("spec", SHIPPED, ids=lambda spec: spec.name)
def test_forty_questions_of_one_strategy_are_sound_and_all_new(
    spec: StrategySpec, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("interviews.llm.providers.offline.questions.shared_chooser", LongestOfThem)
    asked: list[str] = []
    for turn in range(40):
        question = follow_up(
            strategy_input(spec),
            focus=FOCI[turn % len(FOCI)] if spec.node_binding == "required" else None,
            summary_labels=("padded straps", "don't have to worry", "feel safe"),
            asked_questions=tuple(asked),
            language=language,
            seed=turn,
        )
        context = GuardContext(
            subject="your hiking backpack", asked=tuple(asked), language=language
        )
        report = apply_guards(question, context)
        assert report.problems == (), question
        assert report.question == question
        assert all(similarity(question, other) < 0.85 for other in asked)
        asked.append(question)


def test_the_respondents_words_are_taken_up_in_the_second_person() -> None:
    question = follow_up(
        StrategyInput(name="ladder_up", probes=("consequence",)),
        focus=FocusInput(label="takes the weight off my shoulders", level=2),
        recent_turns=(TurnInput(question="q", answer="It takes the weight off my shoulders."),),
    )
    assert "taking the weight off your shoulders" in question


def test_a_turn_to_the_subject_is_announced_and_not_tied_to_the_last_answer() -> None:
    questions = [
        follow_up(
            StrategyInput(name="explore", description="Open a new side", focus_mode="topic"),
            recent_turns=(TurnInput(question="q", answer="I just take the bus into town then."),),
            seed=seed,
        )
        for seed in range(5)
    ]
    assert not any("bus" in question for question in questions)
    assert any(question.startswith("Let me ask about something else. ") for question in questions)


@pytest.mark.parametrize("seed", range(6))
def test_the_same_point_is_not_quoted_twice_running(seed: int) -> None:
    said = "nobody had told me anything"
    asked: list[str] = []
    for probe in ("feelings", "meaning"):
        question = follow_up(
            StrategyInput(name=probe, probes=(probe,)),
            focus=FocusInput(label=said, quote=said),
            recent_turns=(TurnInput(question="q", answer=f"Well, {said}."),),
            asked_questions=tuple(asked),
            seed=seed,
        )
        asked.append(question)
    first, second = asked
    assert "you anything" in first or said in first
    assert "anything" not in second
    assert "I just asked" in second


def test_a_point_that_was_not_asked_about_is_named_though_its_letters_stood_there() -> None:
    question = follow_up(
        StrategyInput(name="x", probes=("feelings",)),
        focus=FocusInput(label="tea", quote="the tea"),
        recent_turns=(TurnInput(question="q", answer="I like the tea."),),
        asked_questions=("What have you tried instead of coffee?",),
    )
    assert "I just asked" not in question
    assert "the tea" in question


def test_what_points_back_says_so_in_the_words_that_a_question_knows_it_by() -> None:
    assert all(POINTS_BACK in lead for lead in bank()["leads"]["again"])


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("quote", ["", "the straps"])
@pytest.mark.parametrize("kind", ["refuses", "objects", "not_understood", "unclear"])
def test_a_closing_question_takes_up_whatever_was_wanted(
    kind: AcknowledgeKind, quote: str, language: str
) -> None:
    inputs = ClosingInputs(
        subject="the bag",
        strategy=StrategyInput(name="close", focus_mode="summary"),
        acknowledge=AcknowledgeInput(kind=kind, quote=quote),
        language=language,
    )
    assert PROVIDER.complete(CLOSING_QUESTION, inputs).question.count("?") == 1


def test_more_is_not_asked_for_twice_running(monkeypatch: pytest.MonkeyPatch) -> None:
    class NothingSuits:
        def suitable(self, answer: str, point: str, questions: Sequence[str]) -> list[float]:
            return [0.1 if _asks_for_more(question) else 0.05 for question in questions]

    monkeypatch.setattr("interviews.llm.providers.offline.questions.shared_chooser", NothingSuits)
    asked: list[str] = []
    for focus in FOCI[:2]:
        strategy = StrategyInput(name="ladder_up", probes=("consequence",))
        asked.append(follow_up(strategy, focus=focus, asked_questions=tuple(asked)))
    assert [_asks_for_more(question) for question in asked] == [True, False]


def _asks_for_more(question: str) -> bool:
    return worded_by(bank()["moves"]["more"], question)


MAIN_POINTS = ("the price of it", "a dry sleeping bag", "weekends with my sister")


@pytest.mark.parametrize("seed", range(3))
def test_what_stands_alone_is_held_against_the_main_point_nearest_to_it(seed: int) -> None:
    connect = StrategyInput(name="connect", probes=("connection",), focus_mode="recent_node")
    focus = FocusInput(label="waterproof cover", quote="a waterproof cover")
    asked = follow_up(connect, focus=focus, summary_labels=MAIN_POINTS, seed=seed)
    assert "a dry sleeping bag" in asked
    other_way = follow_up(connect, focus=focus, summary_labels=MAIN_POINTS[::-1], seed=seed)
    assert "a dry sleeping bag" in other_way


def test_what_has_nothing_to_do_with_the_main_points_is_not_held_against_one() -> None:
    connect = StrategyInput(name="connect", probes=("connection",), focus_mode="recent_node")
    focus = FocusInput(label="left hand knew nothing", quote="the left hand knew nothing")
    asked = follow_up(connect, focus=focus, summary_labels=MAIN_POINTS)
    assert not any(point in asked for point in MAIN_POINTS)


(TRIADS,) = (s for s in SHIPPED if s.name == "triadic_comparison")


def compared(said: str, seed: int, *, beside: tuple[str, ...] = ()) -> str:
    return follow_up(
        strategy_input(TRIADS),
        focus=FocusInput(label=said.lower(), node_type="element", level=1, quote=said),
        subject="the schools you considered",
        beside=beside,
        recent_turns=(TurnInput(question="q", answer=f"Well, {said}."),),
        seed=seed,
    )


@pytest.mark.parametrize("seed", range(6))
def test_what_is_told_of_a_school_sets_the_school_beside_others(seed: int) -> None:
    asked = compared("the river school takes anyone who lives round here", seed)
    assert "the other schools that you know" in asked or "the other schools you know" in asked
    assert "anyone" not in asked
    others = ("at the Castle they start Latin early", "my brother chose the one by the mill")
    three = compared("the third was the big new one at the bridge", seed, beside=others)
    for name in ("the big new one at the bridge", "the Castle", "the one by the mill"):
        assert name in three


@pytest.mark.parametrize("seed", range(6))
def test_what_names_none_of_the_things_compared_is_not_set_beside_others(seed: int) -> None:
    asked = compared("everyone at the club has an opinion", seed, beside=("the Castle", "the Mill"))
    assert "Castle" not in asked
    assert "opinion" in asked
    assert "the other schools that you know" in asked


@pytest.mark.parametrize("spec", SHIPPED, ids=lambda spec: spec.name)
def test_a_question_in_other_words_is_a_plainer_wording_of_what_was_asked(
    spec: StrategySpec,
) -> None:
    focus = FOCI[0] if spec.node_binding == "required" else None
    labels = ("padded straps", "feel safe")
    more = {"focus": focus, "summary_labels": labels}
    asked = [follow_up(strategy_input(spec), **more)]
    for _ in range(2):
        again = follow_up(
            strategy_input(spec),
            acknowledge=AcknowledgeInput(kind="not_understood", again=asked[-1]),
            asked_questions=tuple(asked),
            **more,
        )
        leads = bank()["leads"]["not_understood"]
        assert any(again.startswith(lead.strip()) for lead in leads)
        assert focus is None or "padded straps" in again.lower()
        assert all(similarity(again, other) < 0.85 for other in asked)
        asked.append(again)


def test_other_words_for_a_question_are_first_those_of_the_same_move() -> None:
    strategy = StrategyInput(name="x", probes=("consequence", "situation", "contrast"))
    last = "When was the last time you noticed the padded straps, and what was going on?"
    again = follow_up(
        strategy,
        focus=FOCI[0],
        acknowledge=AcknowledgeInput(kind="not_understood", again=last),
        asked_questions=(last,),
    )
    situations = [t.format(it="the padded straps") for t in bank()["moves"]["situation"]]
    assert any(again.endswith(text) for text in situations if text != last)


def test_what_was_told_before_is_given_back_in_quotation_marks() -> None:
    question = follow_up(
        StrategyInput(name="explore", focus_mode="topic"),
        acknowledge=AcknowledgeInput(kind="objects", quote="the straps {are} soft?"),
    )
    assert "“the straps are soft”" in question


@pytest.mark.parametrize(
    ("kind", "said"),
    [("refuses", "leave"), ("objects", "so|something|side"), ("corrected", "orry")],
)
def test_what_the_answer_asked_for_is_acknowledged_first(kind: str, said: str) -> None:
    question = follow_up(
        StrategyInput(name="explore", focus_mode="topic"),
        acknowledge=AcknowledgeInput(kind=kind),
    )
    leads = bank()["leads"][kind]
    assert any(question.startswith(lead.strip()) for lead in leads)
    assert said.split("|", maxsplit=1)[0] in question.lower()


def test_a_summary_gives_the_points_back_in_the_second_person() -> None:
    question = follow_up(
        StrategyInput(name="reflect", focus_mode="summary"),
        summary_labels=("padded straps", "save my energy", "feel safe"),
    )
    assert "padded straps, saving your energy and feeling safe" in question


def test_the_closing_question_says_that_it_is_the_last_and_lists_no_labels() -> None:
    question = PROVIDER.complete(
        CLOSING_QUESTION,
        ClosingInputs(
            subject="your bicycle",
            strategy=StrategyInput(name="close", focus_mode="summary"),
            summary_labels=("padded straps", "freedom"),
        ),
    ).question
    assert "padded straps" not in question
    context = GuardContext(subject="your bicycle", closing=True)
    assert apply_guards(question, context).repairs == ()


@pytest.mark.parametrize(
    ("bias", "group"),
    [
        ("Ask for one critical incident that stands out.", "incident"),
        ("Start from the first contact and go through the stages.", "journey"),
        ("Present three elements: how are two alike and different from the third?", "compare"),
        ("Begin with the circumstances in which the need comes up.", "need"),
        ("What they notice about it.", "notice"),
        ("Anything.", "story"),
    ],
)
def test_the_opening_follows_the_methodologys_bias(bias: str, group: str) -> None:
    question = PROVIDER.complete(
        OPENING_QUESTION, OpeningInputs(subject="your bicycle", opening_bias=bias, seed=4)
    ).question
    assert question in [t.format(subject="your bicycle") for t in bank()["openings"][group]]


def test_seeds_vary_the_opening() -> None:
    questions = {
        PROVIDER.complete(OPENING_QUESTION, OpeningInputs(subject="tea", seed=seed)).question
        for seed in range(30)
    }
    assert len(questions) == len(bank()["openings"]["story"])


def test_a_repaired_question_is_another_one() -> None:
    refused = "What is it about?"
    question = PROVIDER.complete(
        QUESTION_REPAIR,
        RepairInputs(
            question=refused, problems=("empty",), subject="tea", focus_label="quiet evenings"
        ),
    ).question
    assert "quiet evenings" in question
    assert similarity(question, refused) < 0.85


@settings(max_examples=60)
@given(st.text(max_size=120), st.text(max_size=60), st.integers(0, 10_000))
def test_no_label_or_subject_can_break_a_question(label: str, subject: str, seed: int) -> None:
    question = follow_up(
        StrategyInput(name="ladder_up", probes=("consequence", "meaning", "situation")),
        subject=subject,
        focus=FocusInput(label=label, quote=label),
        recent_turns=(TurnInput(question="q", answer=label),),
        seed=seed,
    )
    assert question.count("?") == 1
    assert len(question.split()) < 60
    assert not set("<>{}[]`") & set(question)


@settings(max_examples=60)
@given(st.text(max_size=60), st.lists(st.text(max_size=40), max_size=4), st.text(max_size=40))
def test_nothing_that_is_compared_can_break_a_question(
    said: str, beside: list[str], subject: str
) -> None:
    question = follow_up(
        strategy_input(TRIADS),
        subject=f"the flats {subject}",
        focus=FocusInput(label=said, quote=f"it was the {said}", level=1),
        beside=tuple(f"we saw the {words}" for words in beside),
        recent_turns=(TurnInput(question="q", answer=f"it was the {said}"),),
    )
    assert question.count("?") == 1
    assert not set("<>{}[]`") & set(question)


def test_a_summary_after_a_refusal_accepts_it_first_and_still_sums_up() -> None:
    question = follow_up(
        StrategyInput(name="reflect", focus_mode="summary"),
        summary_labels=("padded straps",),
        acknowledge=AcknowledgeInput(kind="refuses"),
    )
    assert any(question.startswith(lead.strip()) for lead in bank()["leads"]["refuses"])
    assert "padded straps" in question


def test_without_anything_to_sum_up_the_subject_is_opened_instead() -> None:
    question = follow_up(StrategyInput(name="reflect", focus_mode="summary"))
    assert "your hiking backpack" in question
