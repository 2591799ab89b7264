"""The offline provider itself, and how it rates, names slots and sums up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.llm.providers.offline import OfflineProvider, load_rules
from interviews.llm.providers.offline.provider import NoRuleError
from interviews.llm.providers.offline.slots import slot_name
from interviews.llm.tasks import load_tasks
from interviews.llm.tasks.base import Task
from interviews.llm.tasks.questions import OpeningInputs, Question, TurnInput
from interviews.llm.tasks.response_rating import RESPONSE_RATING, RUBRICS, RatingInputs
from interviews.llm.tasks.session_summary import SESSION_SUMMARY, SummaryConcept, SummaryInputs
from interviews.llm.tasks.slot_proposal import (
    SLOT_PROPOSAL,
    KnownSlot,
    SlotNode,
    SlotProposalInputs,
)

PROVIDER = OfflineProvider()


def test_every_task_has_an_offline_rule() -> None:
    assert set(load_tasks()) - set(load_rules()) == set()


def test_a_task_without_a_rule_is_named() -> None:
    unknown: Task[OpeningInputs, Question] = Task(
        name="unheard_of",
        role="generation",
        inputs=OpeningInputs,
        output=Question,
        prompt="opening_question.md",
        temperature=0.0,
        max_tokens=1,
    )
    with pytest.raises(NoRuleError, match="unheard_of"):
        PROVIDER.complete(unknown, OpeningInputs(subject="tea"))


# -- rating ----------------------------------------------------------------------------------------
EMPTY = "I don't know"
PLAIN = "It's light."
REASONED = "I like that it's light because otherwise my back hurts and I have to rest."
RICH = (
    "Last year in Wales my old one broke after two days, so I had to carry everything in bags, "
    "which means I was exhausted. Since then I always check the seams, because in the end being "
    "independent out there with my son is what really matters to me."
)


def _scores(answer: str, question: str = "What is it like?") -> dict[str, int]:
    return PROVIDER.complete(
        RESPONSE_RATING, RatingInputs(question=question, answer=answer, rubrics="")
    ).scores()


@pytest.mark.parametrize(
    "rubric", ["response_depth", "specificity", "engagement", "intellectual_engagement"]
)
def test_richer_answers_are_never_rated_lower(rubric: str) -> None:
    ratings = [_scores(answer)[rubric] for answer in (EMPTY, PLAIN, REASONED, RICH)]
    assert ratings == sorted(ratings)
    assert ratings[0] == 1
    assert ratings[-1] >= 4


def test_an_answer_of_asides_says_nothing() -> None:
    said = "There's nothing behind it, it speaks for itself. Sorry, it's hard to say."
    assert _scores(said, "Why does that matter to you?")["response_depth"] == 1


def test_depth_tells_a_reason_from_a_remark() -> None:
    plain, reasoned, rich = (_scores(a)["response_depth"] for a in (PLAIN, REASONED, RICH))
    assert plain < reasoned < rich


def test_hedges_lower_certainty_and_firm_words_raise_it() -> None:
    hedged = _scores("Maybe it is kind of light, I'm not sure, it depends.")["certainty"]
    plain = _scores("It is light and it fits into the cupboard.")["certainty"]
    firm = _scores("It is definitely light and it always fits into the cupboard.")["certainty"]
    assert hedged < plain < firm


def test_valence_follows_the_tone() -> None:
    bad = _scores("It is terrible, I hate the awful noise.")["valence"]
    neutral = _scores("It stands next to the door.")["valence"]
    good = _scores("It is wonderful, I love the great sound.")["valence"]
    assert (bad, neutral, good) == (1, 3, 5)


@given(st.text(max_size=600))
def test_scores_stay_on_the_scale(answer: str) -> None:
    scores = _scores(answer)
    assert tuple(scores) == RUBRICS
    assert all(1 <= score <= 5 for score in scores.values())


# -- slots -----------------------------------------------------------------------------------------
def _propose(*labels: str, existing: tuple[KnownSlot, ...] = ()) -> list[str]:
    inputs = SlotProposalInputs(
        node_type="attribute",
        nodes=tuple(SlotNode(number=i, label=label) for i, label in enumerate(labels, start=1)),
        existing_slots=existing,
    )
    proposals = PROVIDER.complete(SLOT_PROPOSAL, inputs).proposals
    assert [p.number for p in proposals] == list(range(1, len(labels) + 1))
    return [p.slot_name for p in proposals]


def test_forms_of_the_same_words_share_a_slot() -> None:
    assert _propose("saves money", "save money", "saving my money") == ["saves_money"] * 3


def test_a_slot_is_named_by_its_best_said_member() -> None:
    nodes = [
        SlotNode(number=1, label="the saving of money", mentions=1),
        SlotNode(number=2, label="my money saved up", mentions=2),
        SlotNode(number=3, label="save money", mentions=1),
    ]
    inputs = SlotProposalInputs(node_type="value", nodes=tuple(nodes))
    found = PROVIDER.complete(SLOT_PROPOSAL, inputs).proposals
    assert [p.slot_name for p in found] == ["money_saved_up"] * 3


def test_opposites_and_other_numbers_get_slots_of_their_own() -> None:
    assert len(set(_propose("sweet", "not sweet", "2 cups", "3 cups", "too sweet"))) == 5


def test_a_known_slot_is_joined_by_its_name() -> None:
    known = (KnownSlot(name="low_weight", description="weighs little"),)
    assert _propose("a low weight", existing=known) == ["low_weight"]


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("peace of mind", "peace_of_mind"),
        ("don't have to worry", "do_not_have_to_worry"),
        ("it's something I can't forget", "it_is_something_i_cannot_forget"),
        ("my way to work is 14 kilometres", "way_to_work_is_14_kilometres"),
        ("my café's terrace", "cafes_terrace"),
        ("my", "my"),
        ("!!!", "other"),
        ("word " * 20, "_".join(["word"] * 12)),
        ("x" * 80, "x" * 60),
    ],
)
def test_slot_names_read_like_their_labels(label: str, name: str) -> None:
    assert slot_name(label) == name


@given(st.lists(st.text(min_size=1, max_size=80), min_size=1, max_size=8))
def test_every_label_gets_a_well_formed_slot(labels: list[str]) -> None:
    _propose(*labels)


# -- summary ---------------------------------------------------------------------------------------
def test_a_summary_rests_on_what_was_said() -> None:
    output = PROVIDER.complete(
        SESSION_SUMMARY,
        SummaryInputs(
            subject="tea",
            turns=(TurnInput(question="q", answer="I like the quiet in the morning."),),
            concepts=(
                SummaryConcept(
                    label="quiet", node_type="a", stance=1, mentions=2, quote="the quiet in the"
                ),
                SummaryConcept(label="cheap", node_type="a", quote="never said so"),
            ),
            chains=(("quiet", "feel calm"),),
        ),
    )
    assert output.quotes == ("the quiet in the",)
    assert output.key_points == ("quiet → feel calm", "cheap")
    assert output.open_points == ("cheap",)
    assert output.summary == (
        "In one answer about tea, the respondent spoke most of “quiet” and “cheap”. "
        "The longest line of thought runs from “quiet” to “feel calm”. What they are for: “quiet”."
    )


def test_an_interview_without_concepts_is_summed_up_as_such() -> None:
    output = PROVIDER.complete(SESSION_SUMMARY, SummaryInputs(subject="tea"))
    assert output.summary == "The interview about tea gave no concept to sum up."
    assert output.key_points == ()
