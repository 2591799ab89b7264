"""Whole interviews with simulated respondents, offline rules and the real embedding model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graphs import store as graph_store
from interviews.llm.tasks.questions import FollowUpInputs
from interviews.models import Session, Study, Turn, Utterance
from interviews.modes.common.endings import PUT_AGAIN
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine
from interviews.report import session_report
from interviews.simulation.driver import hold_interview
from interviews.simulation.respondent import SimulatedRespondent
from interviews.simulation.world import available_worlds, load_world
from methodologies.registry import (
    CONCEPT,
    LIBRARY,
    METHODOLOGY,
    load_library,
    methodology_of,
    newest,
    persona_named,
)
from methodologies.yaml_loader import load_concept
from tests.records import exploratory

pytestmark = pytest.mark.django_db

PERSONAS = sorted(path.stem for path in (LIBRARY / "personas").glob("*.yaml"))
CONCEPTS = sorted(
    path.stem
    for path in (LIBRARY / "concepts").glob("*.yaml")
    if load_concept(path.read_text(encoding="utf-8")).stimulus is None
)
"""What is explored; concepts with a stimulus are tested in a mode of their own."""
METHODOLOGIES = sorted(path.stem for path in (LIBRARY / "methodologies").glob("*.yaml"))


@pytest.fixture(autouse=True)
def library(db: None) -> None:
    list(load_library())


def interview(
    concept: str, persona: str, *, methodology: str = "means_end_chain", seed: int = 1
) -> Session:
    study, _ = Study.objects.get_or_create(
        slug=f"{methodology}-{concept}"[:50],
        defaults={
            "name": concept,
            "methodology_version": newest(METHODOLOGY, methodology),
            "concept_version": newest(CONCEPT, concept),
        },
    )
    respondent = SimulatedRespondent(load_world(concept), persona_named(persona), seed)
    return hold_interview(study, respondent.answer, seed=seed)


def test_every_shipped_concept_has_a_world_and_all_ten_personas_are_there() -> None:
    assert set(CONCEPTS) <= set(available_worlds())
    assert len(CONCEPTS) >= 6
    assert len(PERSONAS) == 10


# Each concept under a methodology that it was not written for; under its own it is held where
# graphs are judged, and `manage.py bench interviews` holds them all.
FOREIGN = [
    (concept, METHODOLOGIES[(place + 1) % len(METHODOLOGIES)])
    for place, concept in enumerate(CONCEPTS)
]


@pytest.mark.parametrize(("concept", "methodology"), FOREIGN)
def test_a_cooperative_interview_is_sensible_from_opening_to_close(
    concept: str, methodology: str
) -> None:
    session = interview(concept, "cooperative", methodology=methodology)
    questions = list(
        Utterance.objects.filter(session=session, speaker="interviewer")
        .order_by("sequence")
        .values_list("text", flat=True)
    )
    answers = dict(
        Utterance.objects.filter(session=session, speaker="respondent").values_list("id", "text")
    )
    assert session.status == Session.Status.COMPLETED
    assert session.termination_reason != "respondent_left"
    assert len(answers) <= session.max_turns
    assert len(set(questions)) == len(questions)
    assert [q for q in questions if q.count("?") != 1] == []

    graph = graph_store.load_session_graph(session.pk)
    for node in graph.nodes.values():
        mentions = [m for m in graph.mentions if m.node_id == node.id]
        assert mentions, node.label
        for mention in mentions:
            said = next(text for pk, text in answers.items() if str(pk) == mention.utterance_id)
            assert said[mention.start : mention.end] == mention.quote
    last_asked = Turn.objects.filter(session=session).exclude(question=None).order_by("-number")[0]
    closing = {s.name for s in methodology_of(session.methodology_version).closing_strategies}
    assert last_asked.strategy in closing


class RecordingGateway:
    """The real gateway, with a note of what each follow-up was asked to be about."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.focus: list[str | None] = []

    def run(self, task: Any, inputs: Any, **options: Any) -> Any:
        if isinstance(inputs, FollowUpInputs):
            self.focus.append(inputs.focus.label if inputs.focus else None)
        return self.inner.run(task, inputs, **options)

    def run_all(self, calls: Any, **options: Any) -> Any:
        return self.inner.run_all(calls, **options)

    def stand_in(self, task: Any, inputs: Any, **options: Any) -> Any:
        return self.inner.stand_in(task, inputs, **options)


@pytest.mark.parametrize("persona", PERSONAS)
def test_the_question_is_about_the_node_that_scoring_chose_and_credit_goes_there(
    persona: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from interviews.llm.setup import build_gateway

    gateway = RecordingGateway(build_gateway())
    engine = build_engine(runner._observe, gateway=gateway)  # type: ignore[arg-type]
    monkeypatch.setattr(runner, "shared_engine", lambda: engine)
    session = interview("hiking_backpacks", persona)
    turns = list(Turn.objects.filter(session=session, number__gte=1).order_by("number"))
    asked = [turn for turn in turns if turn.question_id]
    assert len(asked) >= 4
    assert [turn.focus_label or None for turn in asked] == gateway.focus
    focus_count: dict[str, int] = {}
    for turn in asked:
        if turn.continuation_reason in PUT_AGAIN:
            continue
        chosen = exploratory(turn).best[0]
        if turn.continuation == "continue":
            assert turn.strategy == chosen.strategy
            assert (str(turn.focus_node_id) if turn.focus_node_id else None) == chosen.node_id
        if turn.focus_node_id:
            key = str(turn.focus_node_id)
            focus_count[key] = focus_count.get(key, 0) + 1
    history = session.state["focus_history"]
    assert [(e["turn"], e["strategy"], e["ref"]) for e in history] == [
        (t.number, t.strategy, str(t.focus_node_id) if t.focus_node_id else "") for t in asked
    ]
    states = session.node_tracker_state["states"]
    assert sum(s["focus_count"] for s in states.values()) == sum(focus_count.values())


def test_the_same_seed_gives_the_same_interview() -> None:
    first, second = (
        [
            (turn["question"], turn["answer"], turn["strategy"], (turn["focus"] or {}).get("label"))
            for turn in session_report(interview("oat_milk", "cooperative", seed=5))["turns"]
        ]
        for _ in range(2)
    )
    assert first == second


def test_the_report_gives_every_turn_with_its_mode_s_evidence() -> None:
    session = interview("oat_milk", "cooperative", seed=5)
    report = json.loads(json.dumps(session_report(session)))
    assert report["mode"] == "exploratory"
    for turn, told in zip(
        Turn.objects.filter(session=session, number__gte=1).order_by("number"),
        report["turns"],
        strict=True,
    ):
        evidence = exploratory(turn)
        assert told["evidence"] == evidence.model_dump(mode="json")
        assert told["signals"] == evidence.figures()
        best = [(c.strategy, c.node_id, c.final_score) for c in evidence.best[:5]]
        given = [(c["strategy"], c["node_id"], c["final"]) for c in told["candidates"]]
        assert given == best
        assert {part["key"] for part in told["candidates"][0]["contributions"]} == {
            part.key for part in evidence.best[0].contributions
        }


def test_an_interview_needs_nothing_from_the_worlds(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interviewer never reads a world: an interview goes on where the folder is away."""
    from interviews.simulation import world

    monkeypatch.setattr(world, "WORLDS_DIR", tmp_path)
    study = Study.objects.create(
        slug="no-worlds",
        name="No worlds",
        methodology_version=newest(METHODOLOGY, "means_end_chain"),
        concept_version=newest(CONCEPT, "oat_milk"),
    )
    answers = iter(
        [
            "I use oat milk because it tastes creamy in my coffee.",
            "It froths well, so I can make a proper flat white at home.",
            "That means I save money and I feel a bit proud of myself.",
        ]
    )
    session = hold_interview(study, lambda question, turn: next(answers, None), seed=1)
    assert session.turn_count == 3
    assert graph_store.load_session_graph(session.pk).nodes
