"""What a simulated interview is worth: a joined graph, a complete chain, questions worth asking."""

from __future__ import annotations

import pytest
import yaml

from graphs import store as graph_store
from graphs.metrics import complete_chains, graph_state
from interviews.bench.errors import BenchImpossible
from interviews.bench.interviews import bench_interviews
from interviews.llm.providers.offline.wording import bank
from interviews.models import Session, Study, Turn, Utterance
from interviews.simulation.world import available_worlds
from methodologies.registry import LIBRARY, load_library, methodology_of
from tests.integration.simulation.test_interviews import CONCEPTS, interview

pytestmark = pytest.mark.django_db

CONCEPTS_DIR = LIBRARY / "concepts"


def _own_methodology(concept: str) -> str:
    document = yaml.safe_load((CONCEPTS_DIR / f"{concept}.yaml").read_text(encoding="utf-8"))
    return str(document["methodology"])


LADDERED = {
    concept: _own_methodology(concept)
    for concept in CONCEPTS
    if concept in available_worlds()
    and _own_methodology(concept) in {"means_end_chain", "jobs_to_be_done"}
}
"""Concepts whose own methodology climbs from the concrete to a terminal type."""


@pytest.fixture(autouse=True)
def library(db: None) -> None:
    list(load_library())


def questions_of(session: Session) -> list[str]:
    return list(
        Utterance.objects.filter(session=session, speaker="interviewer")
        .order_by("sequence")
        .values_list("text", flat=True)
    )


def test_all_seven_laddered_concepts_are_measured() -> None:
    assert len(LADDERED) >= 7


@pytest.mark.parametrize("concept", sorted(LADDERED))
def test_a_cooperative_interview_gives_a_joined_graph_with_a_complete_chain(concept: str) -> None:
    session = interview(concept, "cooperative", methodology=LADDERED[concept], seed=1)
    graph = graph_store.load_session_graph(session.pk)
    ontology = methodology_of(session.methodology_version).graph_ontology
    state = graph_state(graph, ontology)
    # What edges that were said or asked for give; joining by shared words would give more, and
    # hardly one in ten of those holds against what the respondent knows.
    assert state.edge_count / state.node_count >= 0.75
    assert complete_chains(graph, ontology, limit=1)

    questions = questions_of(session)
    assert [q for q in questions if q.count("?") != 1] == []
    assert len({q.casefold() for q in questions}) == len(questions)
    assert session.status == Session.Status.COMPLETED
    assert session.termination_reason != "respondent_left"
    used = Turn.objects.filter(session=session, number__gte=1).values_list("strategy", flat=True)
    assert len(set(used) - {""}) >= 4


@pytest.mark.parametrize("persona", ["cooperative", "emotional", "verbose"])
def test_talkative_personas_are_led_to_a_terminal_concept(persona: str) -> None:
    session = interview("banking_app", persona, methodology="jobs_to_be_done", seed=1)
    graph = graph_store.load_session_graph(session.pk)
    ontology = methodology_of(session.methodology_version).graph_ontology
    assert [n.label for n in graph.live_nodes() if ontology.is_terminal(n.node_type)]


def test_no_question_about_a_point_is_a_last_resort() -> None:
    session = interview("hiking_backpacks", "cooperative", seed=1)
    angles = [str(angle) for angle in bank()["angles"]]
    focused = Turn.objects.filter(session=session).exclude(focus_label="").exclude(question=None)
    asked = list(focused.values_list("question__text", flat=True))
    assert asked
    assert [q for q in asked if any(f"about {a}" in q or f"of {a} " in q for a in angles)] == []


def test_the_bench_measures_interviews_and_keeps_nothing() -> None:
    result = bench_interviews(
        {
            "BENCH_METHODOLOGIES": "jobs_to_be_done",
            "BENCH_CONCEPTS": "meal_kits",
            "BENCH_PERSONAS": "cooperative,brief",
            "BENCH_SEEDS": "3",
        }
    )
    figures = result["methodologies"]["jobs_to_be_done"]
    assert figures == result["all"]
    assert figures["interviews"] == 2
    assert figures["repeated_questions"] == 0
    assert 0 < figures["edge_node_min"] <= figures["edge_node_mean"]
    assert 0 < figures["elicited_share"] <= 1
    assert sum(figures["termination_reasons"].values()) == 2
    assert result["conditions"]["concepts"] == {"jobs_to_be_done": ["meal_kits"]}
    assert result["conditions"]["seeds"] == [3]
    assert Session.objects.count() == Study.objects.count() == 0


@pytest.mark.parametrize(
    ("environment", "named"),
    [({"BENCH_PERSONAS": "nobody"}, "nobody"), ({"BENCH_SEEDS": "one"}, "one")],
)
def test_the_bench_says_which_name_it_does_not_know(
    environment: dict[str, str], named: str
) -> None:
    with pytest.raises(BenchImpossible, match=named):
        bench_interviews(environment)
