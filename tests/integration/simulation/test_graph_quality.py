"""What a simulated interview is worth: a joined graph, a complete chain, questions worth asking."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib import resources

import pytest
import yaml

from graphs import store as graph_store
from graphs.chains import complete_chains
from graphs.domain import SessionGraph
from graphs.metrics import graph_state
from interviews.bench.errors import BenchImpossible
from interviews.bench.interviews import bench_interviews
from interviews.models import Session, Study, Turn, Utterance
from interviews.simulation.truth import edge_truth
from interviews.simulation.world import available_worlds, load_world
from methodologies.registry import LIBRARY, load_library, methodology_of
from tests.integration.simulation.test_interviews import CONCEPTS, interview

pytestmark = pytest.mark.django_db

SEEDS = (0, 1)
CONCEPTS_DIR = LIBRARY / "concepts"


def _own_methodology(concept: str) -> str:
    document = yaml.safe_load((CONCEPTS_DIR / f"{concept}.yaml").read_text(encoding="utf-8"))
    return str(document["methodology"])


OWN = {concept: _own_methodology(concept) for concept in CONCEPTS if concept in available_worlds()}


@pytest.fixture(autouse=True)
def library(db: None) -> None:
    list(load_library())


def questions_of(session: Session) -> list[str]:
    return list(
        Utterance.objects.filter(session=session, speaker="interviewer")
        .order_by("sequence")
        .values_list("text", flat=True)
    )


def test_every_shipped_concept_is_measured() -> None:
    assert set(OWN) == set(CONCEPTS)
    assert len(set(OWN.values())) == 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Two cooperative interviews about one concept: edges a node, chains, truth of the edges."""

    ratios: tuple[float, ...]
    chains: tuple[bool, ...]
    truth: Counter[str]


_MEASURED: dict[str, Measured] = {}


def measured(concept: str) -> Measured:
    """Hold the interviews of a concept, once for all tests, and check the course of each."""
    if concept not in _MEASURED:
        ratios, chains, truth = [], [], Counter[str]()
        for seed in SEEDS:
            session = interview(concept, "cooperative", methodology=OWN[concept], seed=seed)
            graph = graph_store.load_session_graph(session.pk)
            ontology = methodology_of(session.methodology_version).graph_ontology
            state = graph_state(graph, ontology)
            ratios.append(state.edge_count / state.node_count)
            chains.append(bool(complete_chains(graph, ontology, limit=1)))
            truth += edge_truth(graph, load_world(concept))
            check_the_course(session)
            check_the_quotes(session, graph)
        _MEASURED[concept] = Measured(ratios=tuple(ratios), chains=tuple(chains), truth=truth)
    return _MEASURED[concept]


@pytest.mark.parametrize("concept", sorted(OWN))
def test_cooperative_interviews_give_a_joined_graph(concept: str) -> None:
    found = measured(concept)
    assert min(found.ratios) >= 0.9
    assert all(found.chains)
    # Edges are read, not padded: they hold against what the respondent knows.
    checked = found.truth.total() - found.truth["unknown"]
    assert checked >= 0.75 * found.truth.total()
    assert (found.truth["linked"] + found.truth["two_steps"]) / checked >= 0.8


def check_the_course(session: Session) -> None:
    """One question a turn and none twice; the interview closes by itself with a closing one."""
    questions = questions_of(session)
    assert [q for q in questions if q.count("?") != 1] == []
    assert len({q.casefold() for q in questions}) == len(questions)
    assert session.status == Session.Status.COMPLETED
    assert session.termination_reason != "respondent_left"
    used = Turn.objects.filter(session=session, number__gte=1).values_list("strategy", flat=True)
    assert len(set(used) - {""}) >= 4
    last = Turn.objects.exclude(question=None).filter(session=session).latest("number")
    assert last.strategy == "reflect_and_close"


def check_the_quotes(session: Session, graph: SessionGraph) -> None:
    """Every node has a mention, and every mention's quote is in its answer."""
    mentions = [mention for mention in graph.mentions if mention.node_id is not None]
    assert {mention.node_id for mention in mentions} >= {node.id for node in graph.live_nodes()}
    answers = {str(u.pk): u.text for u in Utterance.objects.filter(session=session)}
    assert [m.quote for m in mentions if m.quote not in answers[m.utterance_id]] == []


@pytest.mark.parametrize("persona", ["cooperative", "emotional", "verbose"])
def test_talkative_personas_are_led_to_a_terminal_concept(persona: str) -> None:
    session = interview("banking_app", persona, methodology="jobs_to_be_done", seed=1)
    graph = graph_store.load_session_graph(session.pk)
    ontology = methodology_of(session.methodology_version).graph_ontology
    assert [n.label for n in graph.live_nodes() if ontology.is_terminal(n.node_type)]


def test_no_question_about_a_point_is_a_last_resort() -> None:
    session = interview("hiking_backpacks", "cooperative", seed=1)
    words = resources.files("interviews.wording").joinpath("last_resorts.yaml").read_text("utf-8")
    leads = [str(lead).split("{")[0] for lead in yaml.safe_load(words)["en"]["leads"]]
    focused = Turn.objects.filter(session=session).exclude(focus_label="").exclude(question=None)
    asked = list(focused.values_list("question__text", flat=True))
    assert asked
    assert [q for q in asked if q.startswith(tuple(leads))] == []


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
