"""Interviews held once and written down: the same seed asks, chooses and understands the same.

UPDATE_RECORDED=1 in the environment writes the files in `tests/data/recorded` anew; the commit that
keeps the difference says which interviews differ and why.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from graphs import store as graph_store
from graphs.domain import SessionGraph
from interviews.llm.gateway import prompt_hash
from interviews.llm.setup import build_gateway
from interviews.llm.tasks.base import render
from interviews.models import Session, Study, Turn, Utterance
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine
from interviews.simulation.driver import hold_interview
from interviews.simulation.respondent import SimulatedRespondent
from interviews.simulation.world import load_world
from methodologies.registry import CONCEPT, METHODOLOGY, load_library, newest, persona_named

pytestmark = pytest.mark.django_db

RECORDED = Path(__file__).parents[2] / "data" / "recorded"
MAX_TURNS = 9
HASH_DIGITS = 12
CONCEPTS = {
    "critical_incident": "hospital_visit",
    "customer_journey": "online_returns",
    "jobs_to_be_done": "meal_kits",
    "means_end_chain": "hiking_backpacks",
    "repertory_grid": "choosing_a_school",
}
PERSONAS = {"cooperative": 11, "hedging": 12, "fatiguing": 13}
"""Each with the seed of its interviews."""


class HashingGateway:
    """The real gateway, with a hash of every prompt as a model would get it."""

    def __init__(self) -> None:
        self._inner = build_gateway()
        self.prompts: list[str] = []

    def run(self, task: Any, inputs: Any, **options: Any) -> Any:
        self._note([(task, inputs)])
        return self._inner.run(task, inputs, **options)

    def run_all(self, calls: Sequence[tuple[Any, Any]], **options: Any) -> Any:
        self._note(calls)
        return self._inner.run_all(calls, **options)

    def stand_in(self, task: Any, inputs: Any, **options: Any) -> Any:
        return self._inner.stand_in(task, inputs, **options)

    def _note(self, calls: Iterable[tuple[Any, Any]]) -> None:
        self.prompts += [
            f"{task.name} {prompt_hash(render(task, inputs))[:HASH_DIGITS]}"
            for task, inputs in calls
        ]

    def drain(self) -> list[str]:
        """The prompts since the last call, in their order."""
        prompts, self.prompts = self.prompts, []
        return prompts


def held(methodology: str, persona: str, gateway: HashingGateway) -> dict[str, Any]:
    """Hold one interview and return what it came to, without ids and times."""
    study = Study.objects.create(
        slug=f"{methodology}-{persona}",
        name=methodology,
        methodology_version=newest(METHODOLOGY, methodology),
        concept_version=newest(CONCEPT, CONCEPTS[methodology]),
    )
    seed = PERSONAS[persona]
    world = load_world(CONCEPTS[methodology])
    respondent = SimulatedRespondent(world, persona_named(persona), seed)
    prompts: dict[int, list[str]] = {}

    def after(turn: Turn) -> None:
        prompts[turn.number] = gateway.drain()

    session = hold_interview(
        study, respondent.answer, seed=seed, max_turns=MAX_TURNS, after_turn=after
    )
    return {
        "methodology": methodology,
        "persona": persona,
        "seed": seed,
        "ended": session.termination_reason,
        "turns": list(turns_of(session, prompts)),
        **graph_of(graph_store.load_session_graph(session.pk)),
    }


def turns_of(session: Session, prompts: dict[int, list[str]]) -> Iterable[dict[str, Any]]:
    """Each turn's answer, choice and question."""
    said = {
        (u.turn_number, u.speaker): u.text
        for u in Utterance.objects.filter(session=session).order_by("sequence")
    }
    for turn in Turn.objects.filter(session=session).order_by("number"):
        yield {
            "turn": turn.number,
            "answer": said.get((turn.number, "respondent")),
            "phase": turn.phase,
            "strategy": turn.strategy,
            "focus": turn.focus_label,
            "continuation": turn.continuation,
            "reason": turn.continuation_reason,
            "question": said.get((turn.number, "interviewer")),
            "prompts": prompts[turn.number],
        }


def graph_of(graph: SessionGraph) -> dict[str, Any]:
    """Nodes, edges and slots by their labels, sorted: the order of one answer's rows is open."""
    members = {
        slot.id: [
            graph.nodes[m.node_id].label for m in graph.mappings.values() if m.slot_id == slot.id
        ]
        for slot in graph.slots.values()
    }
    return {
        "nodes": sorted(
            f"{node.node_type}: {node.label} ({node.stance:+d}, turn {node.first_turn})"
            for node in graph.live_nodes()
        ),
        "edges": sorted(
            f"{graph.nodes[edge.source_id].label} {edge.edge_type} "
            f"{graph.nodes[edge.target_id].label}"
            for edge in graph.live_edges()
        ),
        "slots": sorted(
            f"{slot.slot_name} ({slot.status}): {', '.join(sorted(members[slot.id]))}"
            for slot in graph.slots.values()
        ),
    }


@pytest.fixture
def gateway(db: None, monkeypatch: pytest.MonkeyPatch) -> HashingGateway:
    list(load_library())
    hashing = HashingGateway()
    engine = build_engine(runner._observe, gateway=hashing)  # type: ignore[arg-type]
    monkeypatch.setattr(runner, "shared_engine", lambda: engine)
    return hashing


@pytest.mark.parametrize("methodology", CONCEPTS)
def test_an_interview_goes_as_it_was_recorded(methodology: str, gateway: HashingGateway) -> None:
    for persona in PERSONAS:
        file = RECORDED / f"{methodology}.{persona}.json"
        found = json.dumps(held(methodology, persona, gateway), ensure_ascii=False, indent=1) + "\n"
        if os.environ.get("UPDATE_RECORDED") == "1":
            file.write_text(found, encoding="utf-8")
        assert found == file.read_text(encoding="utf-8"), file.name


def test_every_recording_is_of_an_interview_that_is_held() -> None:
    assert {file.name for file in RECORDED.iterdir()} == {
        f"{methodology}.{persona}.json" for methodology in CONCEPTS for persona in PERSONAS
    }
