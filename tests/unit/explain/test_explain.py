"""Decisions on a methodology of three strategies, with scores small enough to add up by hand."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from interviews.acts import Act, Heard
from interviews.explain.interpreter import NotExplainable, explain
from interviews.explain.sentences import PROBLEMS
from interviews.llm.tasks.questions import Problem
from interviews.models import Session, Turn, Utterance
from interviews.modes.exploratory.evidence import ExploratoryEvidence
from interviews.turns.calls import LAST_RESORT, Degraded
from interviews.turns.contracts import Verdict
from interviews.turns.result import Extracted, Selected, TurnResult
from methodologies.models import Methodology, MethodologyVersion
from methodologies.registry import methodology_of
from methodologies.signals.base import SignalReading, Value
from tests.unit.methodologies.samples import TEXT

N1, N2 = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
ENGAGED: dict[str, Value] = {"llm.engagement": 0.8, "graph.node_count": 2, "graph.max_depth": 0.5}
LABELS = {N1: "soft straps", N2: "walks far"}


def turn(
    *,
    text: str = TEXT,
    evidence: dict[str, Any] | None = None,
    nodes: dict[str, bool] | None = None,
    left_alone: tuple[str, ...] = (),
    act: Act = "answer",
    **fields: Any,
) -> Turn:
    """Turn 3 in mid phase: engagement 0.8, two concepts of which only the first is an orphan.

    "deepen" then comes to 0.5 + 0.3 on the first and to 0.5 on the second, "explore" to 0 and
    "close" to 0.7 · 0.5. `nodes` says of each concept whether it is an orphan.
    """
    version = MethodologyVersion(number=1, text=text, document=Methodology(name="laddering"))
    live = {N1: True, N2: False} if nodes is None else nodes
    chosen_from: dict[str, Any] = {
        "phase": "mid",
        "closing_allowed": False,
        "reading": SignalReading(
            global_values={
                "graph.node_count": len(live),
                "graph.max_depth": 0.5,
                **({"llm.engagement": 0.8} if live else {}),
            },
            node_values={node: {"graph.node.is_orphan": orphan} for node, orphan in live.items()},
        ),
        "first_turns": tuple({N1: 1, N2: 2}[node_id] for node_id in live),
        "strategy_history": ("explore", "explore"),
        "strategy_uses": {"explore": 2},
        **(evidence or {}),
    }
    found = ExploratoryEvidence(**chosen_from).with_candidates(
        methodology_of(version),
        left_alone=left_alone,
        label_of=LABELS.__getitem__,
        overridden=fields.get("overridden", False),
    )
    result = TurnResult(
        mode="exploratory",
        turn=3,
        methodology=fields.pop("methodology", "laddering v1"),
        heard=Heard(act=act),
        extracted=Extracted(extractable=True, concepts=1, relationships=0),
        phase=found.phase,
        selected=Selected(
            strategy=found.best[0].strategy,
            node_id=found.best[0].node_id,
            label=LABELS.get(found.best[0].node_id or "", ""),
        ),
        left_alone=left_alone,
        overridden=fields.pop("overridden", False),
        continuation=fields.pop("continuation", Verdict.CONTINUE),
        reason=fields.pop("reason", ""),
        repairs=fields.pop("repairs", ()),
        degraded=fields.pop("degraded", ()),
        evidence=found,
    )
    values: dict[str, Any] = {
        "number": 3,
        "status": Turn.Status.DONE,
        "question": Utterance(text="Why is that?"),
        "result": result.model_dump(mode="json"),
    }
    return Turn(session=Session(methodology_version=version), **values | fields)


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
    told = explain(turn(text=text, nodes={N1: True})).sentences
    assert "Against it spoke: Nothing is related to it yet (graph.node.is_orphan, -0.1)." in (told)
    assert "Together this gives 0.4." in told


def test_a_refused_concept_that_scored_higher_is_named_with_its_gate() -> None:
    refused = turn(left_alone=(N1,), evidence={"refused": "soft straps"}, act="refuses")
    told = explain(refused).sentences
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
    told = explain(turn(evidence={"phase": "early"}, nodes={})).sentences
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
    early: dict[str, Any] = {"evidence": {"phase": "early"}, "nodes": {}}
    # -1.2 / 1.5 + 0.2 and -1.2 · 1.5 + 0.2
    told = explain(turn(text=text, **early)).sentences
    assert told[3].endswith("divided by 1.5 and changed by +0.2, so -0.6.")
    told = explain(turn(text=f"{text}phase_rule: literal\n", **early)).sentences
    assert told[3].endswith("multiplied by 1.5 and changed by +0.2, so -1.6.")


def test_a_choice_against_all_gates_names_the_gates() -> None:
    text = TEXT.replace("explore: 1.5", "explore: 0")
    told = explain(turn(text=text, evidence={"phase": "early"}, nodes={})).sentences
    assert (
        "Every candidate was ruled out, so this one was taken against: phase: weight 0 in early."
        in told
    )


def test_equal_scores_name_what_decided_between_them() -> None:
    told = explain(turn(nodes={N1: False, N2: False})).sentences
    assert told[4] == (
        'Next came the strategy "deepen" on "walks far" with the same score; '
        "the concept that was mentioned first goes first."
    )
    text = TEXT.replace("graph.node_count.zero: 1.0", "llm.engagement.high: 0.5")
    one = {N2: False}
    assert explain(turn(text=text, nodes=one)).sentences[4] == (
        'Next came the strategy "explore" with the same score; '
        "the chosen strategy had been used less often, 0 against 2 times."
    )
    assert explain(turn(text=text, nodes=one, evidence={"strategy_uses": {}})).sentences[4] == (
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
        continuation=Verdict.CLOSE,
        reason="graph_saturated",
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
        evidence={"closing_allowed": True, "reading": SignalReading(global_values=ENGAGED)},
        nodes={},
        continuation=Verdict.CLOSE,
        reason="max_turns_reached",
    )
    assert explain(won).sentences[0] == (
        'After answer 3 the closing question was asked by the strategy "close", '
        "first of 2 candidates with a score of 0.35. "
        "The interview had to close, because the limit of turns had been reached."
    )


def test_the_end_of_an_interview_says_that_nothing_was_asked() -> None:
    ended = turn(
        continuation=Verdict.END, reason="respondent_ended", question=None, act="not_understood"
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
    ("act", "sentence"),
    [
        (
            "refuses",
            (
                "The respondent did not want to answer the last question: "
                "it was about no single concept, so none is closed."
            ),
        ),
        (
            "objects",
            (
                "The respondent had told this before, or corrected it: "
                "the next one was told to acknowledge that and ask something new."
            ),
        ),
        (
            "not_understood",
            (
                "The respondent did not understand the last question: "
                "the next one was told to leave it and ask something simpler."
            ),
        ),
    ],
)
def test_an_answer_that_is_none_is_told_with_what_follows(act: Act, sentence: str) -> None:
    assert explain(turn(act=act)).sentences[-1] == sentence


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


def test_a_strategy_that_ran_too_long_is_among_those_ruled_out() -> None:
    history = {"strategy_history": ("deepen",) * 3, "strategy_uses": {"deepen": 3}}
    scores = explain(turn(evidence=history)).decision.rationale.scores
    assert scores is not None
    assert scores.chosen.candidate.strategy == "explore"
    assert scores.gated[0].candidate.gates == ("max_run: used 3 turns running",)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"status": Turn.Status.QUEUED}, "turn 3 is queued and has decided nothing"),
        ({"result": {}}, "turn 3 holds no decision trace of a known version"),
        ({"result": {"version": 99}}, "turn 3 holds no decision trace of a known version"),
        (
            {"methodology": "laddering v2"},
            "turn 3 was decided by laddering v2, but its session is pinned to laddering v1",
        ),
    ],
)
def test_what_cannot_be_explained_says_why(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(NotExplainable) as caught:
        explain(turn(**fields))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("degraded", "sentence"),
    [
        (
            (Degraded(task="extraction", by="offline", after="timeout"),),
            "The language model failed; rules read the answer.",
        ),
        (
            (
                Degraded(task="extraction", by="offline", after="timeout"),
                Degraded(task="response_rating", by="offline", after="timeout"),
            ),
            "The language model failed; rules read the answer and rated the answer.",
        ),
        (
            (Degraded(task="follow_up_question", by="other", after="timeout"),),
            "The language model failed; other worded the question.",
        ),
        (
            (Degraded(task="response_rating", by=LAST_RESORT, after="timeout"),),
            "The language model failed; the answer was not rated.",
        ),
    ],
)
def test_who_stood_in_for_a_model_that_failed_is_told(
    degraded: tuple[Degraded, ...], sentence: str
) -> None:
    explanation = explain(turn(degraded=degraded))
    assert explanation.sentences[-1] == sentence
    assert explanation.to_dict()["degraded"] == [
        {"task": failed.task, "by": failed.by, "after": "timeout"} for failed in degraded
    ]


def test_every_problem_that_a_guard_may_find_has_words() -> None:
    assert set(PROBLEMS) == set(get_args(Problem))
