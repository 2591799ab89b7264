"""Decisions on a methodology of three strategies, with scores small enough to add up by hand."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from interviews.explain import NotExplainable, explain, replay
from interviews.explain_words import PROBLEMS
from interviews.llm.tasks.questions import Problem
from interviews.models import Session, Turn, Utterance
from methodologies.models import Methodology, MethodologyVersion
from tests.unit.methodologies.samples import TEXT

N1, N2 = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
LABELS = {N1: "soft straps", N2: "walks far"}


def turn(
    *, text: str = TEXT, trace: dict[str, Any] | None = None, intent: str = "answer", **fields: Any
) -> Turn:
    """Turn 3 in mid phase: engagement 0.8, two concepts of which only the first is an orphan.

    "deepen" then comes to 0.5 + 0.3 on the first and to 0.5 on the second, "explore" to 0 and
    "close" to 0.7 · 0.5.
    """
    version = MethodologyVersion(number=1, text=text, document=Methodology(name="laddering"))
    stored = {
        "schema_version": 1,
        "methodology_version": "laddering v1",
        "phase": "mid",
        "reading": {"strategies": {}, "pairs": {}},
        "nodes": [{"id": N1, "first_turn": 1}, {"id": N2, "first_turn": 2}],
        "strategy_history": ["explore", "explore"],
        "strategy_uses": {"explore": 2},
        "closed_nodes": [],
        "closing_allowed": False,
        "refused": None,
        "gated": [{"node_id": node_id, "label": label} for node_id, label in LABELS.items()],
    }
    values: dict[str, Any] = {
        "number": 3,
        "status": Turn.Status.DONE,
        "continuation": "continue",
        "question": Utterance(text="Why is that?"),
        "signals": {"llm.engagement": 0.8, "graph.node_count": 2, "graph.max_depth": 0.5},
        "node_signals": {N1: {"graph.node.is_orphan": True}, N2: {"graph.node.is_orphan": False}},
        "result": {
            "extracted": {"intent": intent},
            "repairs": fields.pop("repairs", []),
            "overridden": fields.pop("overridden", False),
            "trace": stored | (trace or {}),
        },
    }
    return Turn(session=Session(methodology_version=version), **values | fields)


NO_CONCEPTS: dict[str, Any] = {
    "signals": {"graph.node_count": 0, "graph.max_depth": 0.0},
    "node_signals": {},
}


def test_the_choice_its_grounds_and_the_runner_up_are_told_by_their_numbers() -> None:
    explanation = explain(turn())
    assert explanation.sentences == (
        (
            'After answer 3 the next question was asked by the strategy "deepen" on "soft straps", '
            "first of 3 candidates with a score of 0.8."
        ),
        (
            "For it spoke: "
            "How willingly the respondent takes part came out high, at 0.8 of 1 "
            "(llm.engagement.high, +0.5); "
            "Nothing is related to it yet (graph.node.is_orphan, +0.3)."
        ),
        "Nothing spoke against it.",
        "Together this gives 0.8.",
        'Next came the strategy "deepen" on "walks far" with 0.5, 0.3 behind.',
        (
            'Of those ruled out none would have won; the best was the strategy "close" with 0.35 '
            "(closing: neither in the late phase nor saturated)."
        ),
    )
    document = explanation.to_dict()
    assert document["margin"] == pytest.approx(0.3)
    assert document["chosen"]["node_id"] == N1
    assert document["runner_up"]["final"] == 0.5
    assert document["grounds"][0] == {
        "key": "llm.engagement.high",
        "said": "How willingly the respondent takes part came out high, at 0.8 of 1",
        "value": 0.8,
        "weight": 0.5,
        "contribution": 0.5,
        "of_node": False,
    }


def test_what_spoke_against_the_choice_is_told() -> None:
    text = TEXT.replace("graph.node.is_orphan: 0.3", "graph.node.is_orphan: -0.1")
    told = explain(turn(text=text, trace={"nodes": [{"id": N1, "first_turn": 1}]})).sentences
    assert "Against it spoke: Nothing is related to it yet (graph.node.is_orphan, -0.1)." in (told)
    assert "Together this gives 0.4." in told


def test_a_refused_concept_that_scored_higher_is_named_with_its_gate() -> None:
    refused = {"closed_nodes": [N1], "refused": "soft straps"}
    told = explain(turn(trace=refused, intent="refusal")).sentences
    assert told[0].startswith(
        'After answer 3 the next question was asked by the strategy "deepen" on "walks far"'
    )
    assert (
        'Ruled out, though it would have scored higher: the strategy "deepen" on "soft straps" '
        "with 0.8 (left alone: refused, told before or not understood)." in told
    )
    assert told[-1] == (
        "The respondent did not want to answer the last question: "
        '"soft straps" is not asked about again in this interview.'
    )


def test_the_phase_multiplies_a_score_and_adds_to_it() -> None:
    told = explain(turn(trace={"phase": "early", "nodes": []}, **NO_CONCEPTS)).sentences
    # 1.0 · 1.5 + 0.2
    assert (
        "Together this gives 1, in the early phase multiplied by 1.5 and changed by +0.2"
        in (told[3].split(", so")[0])
    )
    assert told[3].endswith("so 1.7.")
    assert told[4] == "Nothing else could have been asked."
    assert "the only candidate, with a score of 1.7." in told[0]


def test_the_phase_divides_a_negative_score_unless_its_rule_is_literal() -> None:
    text = TEXT.replace("graph.node_count.zero: 1.0", "graph.node_count.zero: -1.2")
    early: dict[str, Any] = {"trace": {"phase": "early", "nodes": []}, **NO_CONCEPTS}
    # -1.2 / 1.5 + 0.2 and -1.2 · 1.5 + 0.2
    told = explain(turn(text=text, **early)).sentences
    assert told[3].endswith("divided by 1.5 and changed by +0.2, so -0.6.")
    told = explain(turn(text=f"{text}phase_rule: literal\n", **early)).sentences
    assert told[3].endswith("multiplied by 1.5 and changed by +0.2, so -1.6.")


def test_a_choice_against_all_gates_names_the_gates() -> None:
    text = TEXT.replace("explore: 1.5", "explore: 0")
    told = explain(turn(text=text, trace={"phase": "early", "nodes": []}, **NO_CONCEPTS)).sentences
    assert (
        "Every candidate was ruled out, so this one was taken against: phase: weight 0 in early."
        in told
    )


def test_equal_scores_name_what_decided_between_them() -> None:
    flat = {N1: {"graph.node.is_orphan": False}, N2: {"graph.node.is_orphan": False}}
    told = explain(turn(node_signals=flat)).sentences
    assert told[4] == (
        'Next came the strategy "deepen" on "walks far" with the same score; '
        "the concept that was mentioned first goes first."
    )
    text = TEXT.replace("graph.node_count.zero: 1.0", "llm.engagement.high: 0.5")
    one = {"nodes": [{"id": N2, "first_turn": 2}]}
    assert explain(turn(text=text, trace=one)).sentences[4] == (
        'Next came the strategy "explore" with the same score; '
        "the chosen strategy had been used less often, 0 against 2 times."
    )
    assert explain(turn(text=text, trace=one | {"strategy_uses": {}})).sentences[4] == (
        'Next came the strategy "explore" with the same score; '
        "both strategies had been used equally often, so the order of their names decided."
    )


def test_two_stage_selection_tells_the_concepts_part_by_itself() -> None:
    told = explain(turn(text=f"{TEXT}selection: two_stage\n")).sentences
    assert told[1:8] == (
        (
            "For it spoke: How willingly the respondent takes part came out high, at 0.8 of 1 "
            "(llm.engagement.high, +0.5)."
        ),
        "Nothing spoke against it.",
        "Together this gives 0.5.",
        (
            'For "soft straps" among the concepts spoke: '
            "Nothing is related to it yet (graph.node.is_orphan, +0.3)."
        ),
        'Nothing spoke against "soft straps" among the concepts.',
        "As a concept for this strategy it comes to 0.3.",
        (
            'Next came the strategy "deepen" on "walks far" with the same score; '
            "as concepts for this strategy they come to 0.3 against 0."
        ),
    )


def test_a_turn_that_had_to_close_says_what_it_overrode() -> None:
    closing = turn(
        continuation="close",
        continuation_reason="graph_saturated",
        overridden=True,
        strategy="close",
    )
    assert explain(closing).sentences[0] == (
        'After answer 3 the closing question was asked by the strategy "close", because answer '
        "after answer had brought nothing new. This overrode the choice by score: "
        'the strategy "deepen" on "soft straps", first of 3 candidates with a score of 0.8.'
    )
    document = explain(closing).to_dict()
    assert document["closing"]["final"] == pytest.approx(0.35)
    assert document["chosen"]["strategy"] == "deepen"


def test_a_closing_strategy_that_won_says_why_the_interview_closes() -> None:
    won = turn(
        trace={"closing_allowed": True, "nodes": []},
        continuation="close",
        continuation_reason="max_turns_reached",
    )
    assert explain(won).sentences[0] == (
        'After answer 3 the closing question was asked by the strategy "close", '
        "first of 2 candidates with a score of 0.35. "
        "The interview had to close, because the limit of turns had been reached."
    )


def test_the_end_of_an_interview_says_that_nothing_was_asked() -> None:
    ended = turn(
        continuation="end", continuation_reason="respondent_ended", question=None, intent="clarify"
    )
    explanation = explain(ended)
    assert explanation.question is None
    assert explanation.sentences[0] == (
        "The interview ended with answer 3, because the respondent wanted to stop; no question was "
        'asked. Otherwise the strategy "deepen" on "soft straps" would have come next, '
        "first of 3 candidates with a score of 0.8."
    )
    assert explanation.sentences[-1] == "The respondent did not understand the last question."


@pytest.mark.parametrize(
    ("intent", "sentence"),
    [
        (
            "refusal",
            (
                "The respondent did not want to answer the last question: "
                "it was about no single concept, so none is closed."
            ),
        ),
        (
            "already_told",
            (
                "The respondent had told this before: "
                "the next one was told to acknowledge that and ask something new."
            ),
        ),
        (
            "clarify",
            (
                "The respondent did not understand the last question: "
                "the next one was told to leave it and ask something simpler."
            ),
        ),
    ],
)
def test_an_answer_that_is_none_is_told_with_what_follows(intent: str, sentence: str) -> None:
    assert explain(turn(intent=intent)).sentences[-1] == sentence


@pytest.mark.parametrize(
    ("repairs", "sentence"),
    [
        (
            ["praise", "one_question"],
            "The wording was repaired: praise was cut, it was cut to one question.",
        ),
        (
            ["last_resort:incomplete"],
            (
                "The drafted question could not be asked (it broke off in the middle): "
                "a prepared one was."
            ),
        ),
        (
            ["provider: LLMTimeoutError"],
            "No language model could word it (LLMTimeoutError): a prepared question was asked.",
        ),
    ],
)
def test_what_the_guards_did_is_told(repairs: list[str], sentence: str) -> None:
    assert explain(turn(repairs=repairs)).sentences[-1] == sentence


def test_the_opening_is_explained_by_the_methodology() -> None:
    explanation = explain(turn(number=0, result={"repairs": []}))
    assert explanation.sentences == (
        "This question opened the interview: there was no answer yet, so nothing was scored.",
        "The methodology laddering opens so: Start with what they notice",
    )
    assert explanation.to_dict()["outcome"] == "opening"


def test_the_longest_run_is_replayed_from_the_history() -> None:
    history = {"strategy_history": ["deepen"] * 3, "strategy_uses": {"deepen": 3}}
    ranking = replay(turn(trace=history))
    assert ranking.chosen.strategy == "explore"
    assert ranking.top_gated(1)[0].gates == ("max_run: used 3 turns running",)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"status": Turn.Status.QUEUED}, "turn 3 is queued and has decided nothing"),
        ({"result": {}}, "turn 3 holds no decision trace of a known version"),
        (
            {"trace": {"schema_version": 4}},
            "turn 3 holds no decision trace of a known version",
        ),
        (
            {"trace": {"methodology_version": "laddering v2"}},
            "turn 3 was decided by laddering v2, but its session is pinned to laddering v1",
        ),
    ],
)
def test_what_cannot_be_explained_says_why(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(NotExplainable) as caught:
        explain(turn(**fields))
    assert str(caught.value) == message


def test_every_problem_that_a_guard_may_find_has_words() -> None:
    assert set(PROBLEMS) == set(get_args(Problem))
