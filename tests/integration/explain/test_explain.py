"""Whole interviews: every turn's choice can be made again from its trace alone, and told."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from io import StringIO
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from graphs.models import KGNode
from interviews import services
from interviews.explain.interpreter import entry_of, explain
from interviews.models import Session, Study, Turn
from interviews.modes.exploratory.evidence import CANDIDATES_KEPT, GATED_KEPT
from interviews.record import result_of
from interviews.simulation.driver import hold_interview
from interviews.simulation.respondent import SimulatedRespondent
from interviews.simulation.world import load_world
from methodologies.qualifiers import parse_key
from methodologies.registry import (
    CONCEPT,
    LIBRARY,
    METHODOLOGY,
    methodology_of,
    persona_named,
    publish,
)
from methodologies.scoring import Contribution
from methodologies.signals.words import statement
from tests.records import exploratory

pytestmark = pytest.mark.django_db


@pytest.fixture
def session() -> Session:
    """A simulated interview of 15 turns."""
    folder = LIBRARY / "methodologies/means_end_chain.yaml"
    study = Study.objects.create(
        slug="oat",
        name="Oat milk",
        methodology_version=publish(METHODOLOGY, folder.read_text(encoding="utf-8")),
        concept_version=publish(
            CONCEPT, (LIBRARY / "concepts/oat_milk.yaml").read_text(encoding="utf-8")
        ),
    )
    persona = persona_named(str(LIBRARY / "personas/cooperative.yaml"))
    respondent = SimulatedRespondent(load_world("oat_milk"), persona, 1)
    return hold_interview(study, respondent.answer, seed=1, max_turns=15)


def turns_of(session: Session) -> list[Turn]:
    return list(Turn.objects.filter(session=session, number__gte=1).order_by("number"))


def refusing_interview(study: Study) -> Session:
    """Three answers, the last of which refuses to talk about the concept it was asked about."""
    answers = iter(
        [
            "I use oat milk because it tastes creamy in my coffee.",
            "It froths well, so I can make a proper flat white at home.",
            "I would rather not talk about that.",
        ]
    )
    return hold_interview(study, lambda question, turn: next(answers, None), seed=1)


ANSWERS = (
    "I use oat milk because it tastes creamy in my coffee.",
    "What do you mean?",
    "It froths well, so I can make a proper flat white at home.",
    "I would rather not talk about that.",
    "It is better for the climate, and that matters to me.",
    "I already told you that.",
    "My flatmates drink it too, so we buy it together.",
    "I don't understand.",
    "I still don't understand.",
    "What do you mean?",
    "It keeps for weeks, so I always have some.",
    "I feel good when I do my bit.",
    "Yes, that is about right.",
)


REACHING_DEEP = (
    "I buy oat milk because it is creamy in my coffee and it froths well.",
    "When it froths well my coffee feels like a treat in the morning.",
    "A treat in the morning means I start the day calm.",
    "Not sure what you mean.",
    "I would rather not talk about that.",
    "It is also better for the climate, so I feel I do my part.",
    "Doing my part matters because I want my kids to have a liveable planet.",
)
"""Answers after which there is still so much to ask that closing does not score highest."""


def told_numbers(sentences: Sequence[str], start: str) -> float:
    """The number that follows `start` in the sentence that holds it."""
    found = [re.search(re.escape(start) + r" (-?[\d.]*\d)", line) for line in sentences]
    return float(next(match for match in found if match)[1])


def test_ten_different_turns_are_told_true_to_their_numbers(session: Session) -> None:
    answers = iter(ANSWERS)
    held = hold_interview(
        session.study, lambda question, turn: next(answers, None), seed=2, max_turns=13
    )
    turns = turns_of(held)
    acts = [explain(turn).decision.act for turn in turns]
    assert {"answer", "refuses", "objects", "not_understood"} <= set(acts)
    assert [turn.continuation for turn in turns][-2:] == ["close", "end"]
    assert [turn.continuation_reason for turn in turns].count("not_understood") == 3
    for turn in turns:
        told, evidence = explain(turn).sentences, exploratory(turn)
        best, reading = evidence.best[0], evidence.reading
        assert told_numbers(told, "with a score of") == pytest.approx(best.final_score, abs=6e-4)
        base = told_numbers(told, "Together this gives")
        assert base == pytest.approx(best.base_score, abs=6e-4)
        acting = [part for part in best.contributions if part.contribution]
        grounds = "".join(told[1:3])
        parts = re.findall(r"\(([\w.]+), ([+-][\d.e-]+)\)", grounds)
        assert {key: pytest.approx(part, abs=6e-4) for key, part in by_key(acting)} == {
            key: float(part) for key, part in parts
        }
        for part in acting:
            spec = parse_key(part.key).spec
            value = reading.value(spec, best.strategy, best.node_id)
            assert value is not None
            assert f"{statement(spec, value)} ({part.key}, " in grounds
        if len(evidence.best) > 1:
            margin = best.final_score - evidence.best[1].final_score
            behind = [re.search(r", ([\d.e-]+) behind\.$", line) for line in told]
            said = next((float(match[1]) for match in behind if match), 0.0)
            assert said == pytest.approx(margin, abs=6e-4)
        assert turn_is_told_for_what_it_was(turn, told)


def by_key(parts: Sequence[Contribution]) -> list[tuple[str, float]]:
    return [(part.key, part.contribution) for part in parts]


def turn_is_told_for_what_it_was(turn: Turn, told: Sequence[str]) -> bool:
    """Whether the first sentence names the strategy and concept that were really asked by."""
    asked = f'"{turn.strategy}"' + (f' on "{turn.focus_label}"' if turn.focus_label else "")
    if turn.continuation == "end":
        return "no question was asked" in told[0]
    if turn.continuation_reason == "not_understood":
        return f"put in other words, by the strategy {asked}," in told[0]
    kind = "closing" if turn.continuation == "close" else "next"
    return f"the {kind} question was asked by the strategy {asked}," in told[0]


def test_every_turn_is_ranked_again_to_the_same_candidates_from_its_record_alone(
    session: Session,
) -> None:
    turns = turns_of(session)
    assert len(turns) >= 10
    turns += turns_of(refusing_interview(session.study))
    KGNode.objects.all().delete()
    Session.objects.update(state={}, node_tracker_state={})
    for turn in turns:
        result, evidence = result_of(turn), exploratory(turn)
        methodology = methodology_of(turn.session.methodology_version)
        ranking = evidence.ranked(methodology, left_alone=result.left_alone)
        assert ranking.top(CANDIDATES_KEPT) == evidence.best
        assert ranking.top_gated(GATED_KEPT) == evidence.gated
        assert (len(ranking), ranking.relaxed) == (evidence.considered, evidence.relaxed)
        assert result.selected is not None
        chosen = (ranking.chosen.strategy, ranking.chosen.node_id)
        assert (result.selected.strategy, result.selected.node_id) == chosen
    assert any(exploratory(turn).gated for turn in turns)


def test_every_question_is_explained_by_what_was_really_asked(session: Session) -> None:
    for turn in turns_of(session):
        explanation = explain(turn)
        decision = explanation.decision
        scores = decision.rationale.scores
        assert scores is not None
        asked = scores.closing or scores.chosen
        if turn.question is None:
            assert explanation.sentences[0].startswith("The interview ended with answer")
        else:
            assert asked.candidate.strategy == turn.strategy
            assert asked.label == turn.focus_label
            assert asked.candidate.node_id == (
                str(turn.focus_node_id) if turn.focus_node_id else None
            )
            assert str(asked) in explanation.sentences[0]
        acted = sum(ground.contribution for ground in scores.grounds)
        assert acted == pytest.approx(scores.chosen.candidate.base_score)
        document = json.loads(json.dumps(explanation.to_dict()))
        assert document["chosen"] == entry_of(scores.chosen)


def test_the_closing_rule_is_told_where_it_overrode_the_choice(session: Session) -> None:
    answers = iter(REACHING_DEEP)
    held = hold_interview(
        session.study, lambda question, turn: next(answers, None), seed=3, max_turns=7
    )
    closing = Turn.objects.get(session=held, continuation="close")
    assert result_of(closing).overridden
    scores = explain(closing).decision.rationale.scores
    assert scores is not None
    assert scores.closing is not None
    assert scores.closing.candidate.strategy == closing.strategy
    assert scores.chosen.candidate.strategy != closing.strategy


def test_a_refused_concept_is_closed_in_the_record(session: Session) -> None:
    refusing = refusing_interview(session.study)
    second, third = Turn.objects.filter(session=refusing, number__in=(2, 3)).order_by("number")
    assert second.focus_label
    assert exploratory(third).refused == second.focus_label
    assert str(second.focus_node_id) in result_of(third).left_alone
    assert explain(third).sentences[-1] == (
        "The respondent did not want to answer the last question: "
        f'"{second.focus_label}" is not asked about again in this interview.'
    )


def command(*args: str) -> str:
    out = StringIO()
    call_command("explain", *args, stdout=out)
    return out.getvalue()


def test_the_command_prints_sentences_or_one_json_document(session: Session) -> None:
    turn = turns_of(session)[2]
    assert turn.question is not None
    printed = command(str(session.pk), "3")
    assert printed.startswith(f"“{turn.question.text}”\n\nAfter answer 3 ")
    document = json.loads(command(str(session.pk), "3", "--json"))
    assert (document["turn"], document["outcome"]) == (3, "continue")
    assert "\n".join(document["sentences"]) in printed
    assert "nothing was scored" in command(str(session.pk), "0")


def test_the_command_refuses_unknown_sessions_and_turns(session: Session) -> None:
    unknown = str(UUID(int=1))
    waiting = services.start_session(session.study, seed=2)
    last = Turn.objects.filter(session=session).count() - 1
    for args, message in [
        ((unknown, "1"), f"no session '{unknown}'"),
        (("nonsense", "1"), "no session 'nonsense'"),
        ((str(session.pk), "99"), f"no turn 99: the session has turns 0 to {last}"),
        ((str(waiting.pk), "0"), "turn 0 is queued and has decided nothing"),
    ]:
        with pytest.raises(CommandError) as caught:
            command(*args)
        assert str(caught.value) == message
        assert caught.value.returncode == 1
