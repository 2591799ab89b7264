"""The offline interviewer's questions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interviews.guards import GuardContext, apply_guards
from interviews.llm.providers.offline import OfflineProvider
from interviews.llm.providers.offline.direction import Direction, asked_kinds, direction_of
from interviews.llm.providers.offline.moves import moves_of
from interviews.llm.providers.offline.phrasing import ing, noun_phrase, phrases_of
from interviews.llm.providers.offline.questions import last_resort
from interviews.llm.providers.offline.quoting import reportable, second_person
from interviews.llm.providers.offline.wording import bank
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
    TurnInput,
)
from interviews.llm.tasks.repetition import similarity
from methodologies.schema import StrategySpec
from tests.unit.llm.offline_samples import methodology

PROVIDER = OfflineProvider()
FOCI = (
    FocusInput(label="padded straps", node_type="attribute", level=1, quote="the padded straps"),
    FocusInput(label="don't have to worry", level=2, stance=1),
    FocusInput(label="bag gets wet", level=2, stance=-1, quote="my bag gets wet"),
    FocusInput(label="feel safe", level=3),
    FocusInput(label="freedom", level=5, terminal=True),
)
SHIPPED_METHODOLOGIES = (
    "means_end_chain",
    "jobs_to_be_done",
    "critical_incident",
    "customer_journey",
    "repertory_grid",
)
SHIPPED = [strategy for name in SHIPPED_METHODOLOGIES for strategy in methodology(name).strategies]


def _strategy(spec: StrategySpec) -> StrategyInput:
    return StrategyInput(
        name=spec.name,
        description=spec.description,
        rationale=spec.rationale,
        focus_mode=spec.focus_mode,
        probes=spec.probes,
    )


def _follow_up(strategy: StrategyInput, **more: object) -> str:
    inputs = FollowUpInputs.model_validate(
        {"subject": "your hiking backpack", "strategy": strategy, **more}
    )
    return PROVIDER.complete(FOLLOW_UP_QUESTION, inputs).question


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
        question = _follow_up(
            _strategy(spec),
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
    question = _follow_up(
        StrategyInput(name="ladder_up", probes=("consequence",)),
        focus=FocusInput(label="takes the weight off my shoulders", level=2),
        recent_turns=(TurnInput(question="q", answer="It takes the weight off my shoulders."),),
    )
    assert "taking the weight off your shoulders" in question


@pytest.mark.parametrize(
    ("answer", "given_back"),
    [
        ("I just take the bus into town then.", True),
        ("I can't really explain it any further.", False),
        ("Like I said, it's because those dinners are our glue.", False),
    ],
)
def test_what_says_little_is_not_given_back(answer: str, given_back: bool) -> None:
    questions = [
        _follow_up(
            StrategyInput(name="explore", description="Open a new side", focus_mode="topic"),
            recent_turns=(TurnInput(question="q", answer=answer),),
            seed=seed,
        )
        for seed in range(4)
    ]
    echoes = ("bus into town", "explain it", "dinners are your glue")
    assert any(echo in q for q in questions for echo in echoes) == given_back


def test_a_terminal_concept_is_never_asked_for_its_importance() -> None:
    for spec in SHIPPED:
        if spec.node_binding == "required":
            assert not set(moves_of(_strategy(spec), FOCI[4])) & {
                "importance",
                "consequence",
                "consequence_inner",
                "absence",
                "absence_inner",
            }


def test_a_drawback_is_not_asked_for_its_drawback() -> None:
    strategy = StrategyInput(name="x", probes=("absence", "negative", "consequence"))
    moves = moves_of(strategy, FOCI[2])
    assert moves == ("absence_negative", "consequence_negative")


@pytest.mark.parametrize(
    ("strategy", "move"),
    [
        (StrategyInput(name="why", description="Ask why it matters"), "importance"),
        (StrategyInput(name="past", description="Ask for the last time it happened"), "situation"),
        (StrategyInput(name="x", description="Compare with an alternative"), "contrast"),
        (StrategyInput(name="x", description="What gets in the way of it"), "obstacle"),
        (StrategyInput(name="x", description="Nothing telling here"), "consequence"),
    ],
)
def test_a_strategy_without_probes_is_read_by_its_description(
    strategy: StrategyInput, move: str
) -> None:
    assert moves_of(strategy, FOCI[0])[0] == move


@pytest.mark.parametrize(
    ("move", "direction"),
    [
        ("consequence", Direction.UP),
        ("consequence_inner", Direction.UP),
        ("consequence_negative", Direction.UP),
        ("importance", Direction.UP),
        ("absence", Direction.UP),
        ("absence_inner", Direction.UP),
        ("concretise", Direction.DOWN),
        ("source", Direction.DOWN),
    ],
)
def test_the_wordings_lead_where_their_move_leads(move: str, direction: Direction) -> None:
    for template in bank()["moves"][move]:
        for point in ("that", "the red handle", "not having to rush"):
            question = template.format(it=point, it_bare="red handle", said="“x”", subject="tea")
            assert direction_of(question) is not _OTHER[direction], question


_OTHER = {Direction.UP: Direction.DOWN, Direction.DOWN: Direction.UP}


AIMS = {
    "critical_incident": {
        "find_incident": "occasions", "walk_through": "account", "what_led_up": "led_up",
        "actions_taken": "deeds", "turning_point": "turning", "trace_effect": "aftermath",
        "what_made_it_critical": "weight", "draw_lesson": "lesson",
        "imagine_otherwise": "otherwise", "contrasting_incident": "other_way",
    },
    "customer_journey": {
        "explore_journey": "journey_parts", "walk_forward": "next_step",
        "walk_backward": "led_up", "moment_of_truth": "moment_of_truth", "handovers": "handover",
        "trace_relationship": "relationship", "alternatives_considered": "alternatives",
    },
    "repertory_grid": {
        "elicit_elements": "elements", "triadic_comparison": "triad",
        "elicit_contrast_pole": "pole", "pyramid_down": "signs", "rate_preference": "placement",
    },
    "jobs_to_be_done": {"explore_circumstances": "circumstances", "walk_through": "account"},
    "means_end_chain": {},
}  # fmt: skip
THING = FocusInput(label="padded straps", level=1)


@pytest.mark.parametrize("name", SHIPPED_METHODOLOGIES)
def test_what_a_strategy_is_after_has_wordings_of_its_own(name: str) -> None:
    specs = {spec.name: _strategy(spec) for spec in methodology(name).strategies}
    for strategy, move in AIMS[name].items():
        assert moves_of(specs[strategy], THING) == (move,), strategy
    others = {s: moves_of(specs[s], THING) for s in specs if s not in AIMS[name]}
    special = {move for aims in AIMS.values() for move in aims.values()}
    assert [s for s, moves in others.items() if special & set(moves)] == []


def test_only_what_is_compared_itself_is_set_beside_two_others() -> None:
    triads = next(s for s in SHIPPED if s.name == "triadic_comparison")
    pole = FocusInput(label="strictness", level=3)
    assert moves_of(_strategy(triads), pole) == ("triad_by",)
    named = _follow_up(
        _strategy(triads),
        focus=FocusInput(label="the old bridge", level=1),
        beside=("the station", "the market hall"),
    )
    assert all(name in named for name in ("old bridge", "the station", "the market hall"))
    assert "third" in named


LADDERING = StrategyInput(
    name="x", probes=("consequence", "importance", "absence", "contrast", "third_person")
)


MAIN_POINTS = ("the price of it", "a dry sleeping bag", "weekends with my sister")


@pytest.mark.parametrize("seed", range(3))
def test_what_stands_alone_is_held_against_the_main_point_nearest_to_it(seed: int) -> None:
    connect = StrategyInput(name="connect", probes=("connection",), focus_mode="recent_node")
    focus = FocusInput(label="waterproof cover", quote="a waterproof cover")
    asked = _follow_up(connect, focus=focus, summary_labels=MAIN_POINTS, seed=seed)
    assert "a dry sleeping bag" in asked
    other_way = _follow_up(connect, focus=focus, summary_labels=MAIN_POINTS[::-1], seed=seed)
    assert "a dry sleeping bag" in other_way


@pytest.mark.parametrize(
    "ask", ["What is it about {s} that brings it about?", "Which side of {s} has to do with it?"]
)
def test_a_question_for_the_ground_asks_for_features(ask: str) -> None:
    assert "feature" in asked_kinds(ask.format(s="your backpack"))


@pytest.mark.parametrize(
    ("label", "quote", "ending"),
    [
        ("missed the ferry", "we missed the ferry", "_event"),
        ("ferry was late", "the ferry was late", "_event"),
        ("ferry is late", "the ferry is late", ""),
        ("the ferry", "the ferry", ""),
        ("ferry we missed runs again", "the ferry we missed runs again", ""),
    ],
)
def test_what_happened_once_is_asked_about_in_other_words_than_what_holds(
    label: str, quote: str, ending: str
) -> None:
    moves = moves_of(LADDERING, FocusInput(label=label, quote=quote))
    assert moves == tuple(
        f"{m}{ending}" for m in ("consequence", "importance", "absence", "contrast", "third_person")
    )


def test_an_event_that_only_holds_is_asked_for_its_usual_course() -> None:
    walk = next(s for s in SHIPPED if s.name == "walk_forward")
    focus = FocusInput(label="ferry is late", quote="the ferry is always late")
    assert moves_of(_strategy(walk), focus) == ("usual",)


@pytest.mark.parametrize("label", ["my husband", "staff", "the other parents"])
def test_people_are_not_asked_about_like_things(label: str) -> None:
    assert moves_of(LADDERING, FocusInput(label=label)) == ("person",)


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("spec", SHIPPED, ids=lambda spec: spec.name)
def test_a_question_in_other_words_is_a_plainer_wording_of_what_was_asked(
    spec: StrategySpec, language: str
) -> None:
    focus = FOCI[0] if spec.node_binding == "required" else None
    labels = ("padded straps", "feel safe")
    more = {"focus": focus, "summary_labels": labels, "language": language}
    asked = [_follow_up(_strategy(spec), **more)]
    for _ in range(2):
        again = _follow_up(
            _strategy(spec),
            acknowledge=AcknowledgeInput(kind="clarify", quote=asked[-1]),
            asked_questions=tuple(asked),
            **more,
        )
        leads = bank(language)["leads"]["clarify"]
        assert any(again.startswith(lead.strip()) for lead in leads)
        assert focus is None or "padded straps" in again.lower()
        assert all(similarity(again, other) < 0.85 for other in asked)
        asked.append(again)


def test_other_words_for_a_question_are_first_those_of_the_same_move() -> None:
    strategy = StrategyInput(name="x", probes=("consequence", "situation", "contrast"))
    last = "When was the last time you noticed the padded straps, and what was going on?"
    again = _follow_up(
        strategy,
        focus=FOCI[0],
        acknowledge=AcknowledgeInput(kind="clarify", quote=last),
        asked_questions=(last,),
    )
    situations = [t.format(it="the padded straps") for t in bank()["moves"]["situation"]]
    assert any(again.endswith(text) for text in situations if text != last)


def test_what_was_told_before_is_given_back_in_quotation_marks() -> None:
    question = _follow_up(
        StrategyInput(name="explore", focus_mode="topic"),
        acknowledge=AcknowledgeInput(kind="already_told", quote="the straps {are} soft?"),
    )
    assert "“the straps are soft”" in question


def test_every_move_of_the_shipped_strategies_has_wordings() -> None:
    for language in ("en", "it"):
        known = {*bank(language)["moves"], *bank(language).get("instead", {})}
        for spec in SHIPPED:
            for focus in (None, *FOCI):
                assert set(moves_of(_strategy(spec), focus)) <= known


@pytest.mark.parametrize(
    ("kind", "said"), [("refusal", "leave"), ("already_told", "so|something|side"), ("clarify", "")]
)
def test_what_the_answer_asked_for_is_acknowledged_first(kind: str, said: str) -> None:
    question = _follow_up(
        StrategyInput(name="explore", focus_mode="topic"),
        acknowledge=AcknowledgeInput(kind=kind),
    )
    leads = bank()["leads"][kind]
    assert any(question.startswith(lead.strip()) for lead in leads)
    assert said.split("|", maxsplit=1)[0] in question.lower()


def test_a_summary_gives_the_points_back_in_the_second_person() -> None:
    question = _follow_up(
        StrategyInput(name="reflect", focus_mode="summary"),
        summary_labels=("padded straps", "save my energy", "feel safe"),
    )
    assert "padded straps, saving your energy and feeling safe" in question


def test_the_closing_question_sums_up_and_says_that_it_is_the_last() -> None:
    question = PROVIDER.complete(
        CLOSING_QUESTION,
        ClosingInputs(
            subject="your bicycle",
            strategy=StrategyInput(name="close", focus_mode="summary"),
            summary_labels=("padded straps", "freedom"),
        ),
    ).question
    assert "freedom" in question
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


def test_five_hundred_last_resorts_are_all_different() -> None:
    asked: list[str] = []
    for _ in range(500):
        asked.append(last_resort("tea", asked))
    assert len(set(asked)) == 500


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=120), st.text(max_size=60), st.integers(0, 10_000))
def test_no_label_or_subject_can_break_a_question(label: str, subject: str, seed: int) -> None:
    question = _follow_up(
        StrategyInput(name="ladder_up", probes=("consequence", "meaning", "situation")),
        subject=subject,
        focus=FocusInput(label=label, quote=label),
        recent_turns=(TurnInput(question="q", answer=label),),
        seed=seed,
    )
    assert question.count("?") == 1
    assert len(question.split()) < 60
    assert not set("<>{}[]`") & set(question)


def test_a_summary_after_a_refusal_accepts_it_first_and_still_sums_up() -> None:
    question = _follow_up(
        StrategyInput(name="reflect", focus_mode="summary"),
        summary_labels=("padded straps",),
        acknowledge=AcknowledgeInput(kind="refusal"),
    )
    assert any(question.startswith(lead.strip()) for lead in bank()["leads"]["refusal"])
    assert "padded straps" in question


def test_without_anything_to_sum_up_the_subject_is_opened_instead() -> None:
    question = _follow_up(StrategyInput(name="reflect", focus_mode="summary"))
    assert "your hiking backpack" in question


# -- phrasing --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("label", "quote", "phrase"),
    [
        ("padded straps", "the padded straps", "the padded straps"),
        ("big screen", "", "the big screen"),
        ("small display", "a small display", "a small display"),
        ("peace of mind", "", "peace of mind"),
        ("freedom", "", "freedom"),
        ("save money", "", "saving money"),
        ("saves money", "", "saving money"),
        ("don't have to worry", "", "not having to worry"),
        ("can't sleep", "", "not being able to sleep"),
        ("feel more relaxed", "", "feeling more relaxed"),
        ("light", "", "it being light"),
        ("easy to clean", "", "it being easy to clean"),
        ("too tired to cook", "", "being too tired to cook"),
        ("lid leaks", "the lid leaks", "the lid leaking"),
        ("knees don't hurt", "my knees don't hurt", "your knees not hurting"),
        ("price is too high", "the price is too high", "the price being too high"),
        ("neighbours would complain", "", "neighbours complaining"),
        ("phone died on the way", "my phone died on the way", "your phone dying on the way"),
        ("being there for my kids", "", "being there for your kids"),
        ("know what is left", "", "knowing what is left"),
        ("own garden", "my own garden", "your own garden"),
        ("hardly see each other", "", "hardly seeing each other"),
        ("annoys me", "", "what annoys you"),
        ("felix", "Felix", "Felix"),
    ],
)
def test_labels_become_noun_phrases(label: str, quote: str, phrase: str) -> None:
    assert noun_phrase(label, quote) == phrase


@pytest.mark.parametrize(
    ("verb", "form"),
    [("make", "making"), ("get", "getting"), ("lie", "lying"), ("see", "seeing"),
     ("open", "opening"), ("begin", "beginning"), ("carry", "carrying"), ("wait", "waiting")],
)  # fmt: skip
def test_ing_forms(verb: str, form: str) -> None:
    assert ing(verb) == form


def test_first_person_turns_into_second() -> None:
    assert second_person("I was sure my kids saw me and our dog") == (
        "you were sure your kids saw you and your dog"
    )


@pytest.mark.parametrize(
    "label",
    [
        "one two three four five six seven eight nine ten",
        "the hills ought to stay as they are",
        "kids try new dishes",
        "not the one at the top",
        "light",
        "sitting outside and nobody talks",
        "lid leaks",
        "goes right to my heart",
        "do my share and not help out",
    ],
)
def test_what_makes_no_noun_phrase_is_quoted_before_the_question(label: str) -> None:
    assert phrases_of(FocusInput(label=label))[0].quotes
    question = _follow_up(
        StrategyInput(name="ladder_up", probes=("consequence",)), focus=FocusInput(label=label)
    )
    assert f"“{label}”" in question


def test_a_quotation_keeps_the_subject_that_stands_before_it() -> None:
    focus = FocusInput(label="not tied down", quote="not tied down until spring comes round")
    answer = "Well, I'm not tied down until spring comes round. That is new."
    said = phrases_of(focus, [answer])[0].said
    assert said == "“I'm not tied down until spring comes round”"


@pytest.mark.parametrize(
    ("quote", "answer", "reported"),
    [
        ("my numbers are back to normal", "Well, my numbers are back to normal.",
         "your numbers are back to normal"),
        ("I was shaking", "I was shaking, I was that angry.", "you were shaking"),
        # what is not said to be so, or only its surroundings explain, is not reported
        ("I can touch it", "It leaves before I can touch it.", ""),
        ("they aren't", "The evenings were silent and now they aren't.", ""),
        # fragments have no subject
        ("peel it off", "So I just peel it off.", ""),
        ("once had to stand outside", "I once had to stand outside.", ""),
    ],
)  # fmt: skip
def test_a_clause_is_reported_only_where_that_is_what_was_said(
    quote: str, answer: str, reported: str
) -> None:
    assert (reportable(quote, [answer]) and second_person(quote)) == (reported or False)


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("because the seams have held", "“the seams have held”"),
        ("to put it plainly, my nephew had stomach ache", "“my nephew had stomach ache”"),
        ("maybe we only take it on Sundays", "“we only take it on Sundays”"),
    ],
)
def test_a_quotation_begins_with_the_statement(quote: str, said: str) -> None:
    assert phrases_of(FocusInput(label=quote, quote=quote))[0].said == said
