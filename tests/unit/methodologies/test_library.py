"""The documents that ship: each must load without a warning and be fit for an interview."""

from __future__ import annotations

import re
from pathlib import Path

import networkx as nx
import pytest

from graphs.domain import SessionGraph
from graphs.metrics import graph_state
from graphs.tracker import NodeStateTracker
from interviews.llm.providers.offline.moves import moves_of
from interviews.llm.tasks.questions import FocusInput, StrategyInput
from interviews.simulation.world import available_worlds, load_world
from methodologies.qualifiers import parse_key
from methodologies.schema import MethodologySchema
from methodologies.scoring import NodeRef, rank
from methodologies.signals.base import SignalInputs
from methodologies.signals.detection import detect
from methodologies.validation import check
from methodologies.yaml_loader import load_concept, load_methodology, load_persona

LIBRARY = Path(__file__).parents[3] / "methodologies" / "library"
METHODOLOGIES = sorted((LIBRARY / "methodologies").glob("*.yaml"))
CONCEPTS = sorted((LIBRARY / "concepts").glob("*.yaml"))
PERSONAS = sorted((LIBRARY / "personas").glob("*.yaml"))
NODE_SCOPES = ("graph.node.", "technique.node.", "meta.node.")


def stem(path: Path) -> str:
    return path.stem


def methodology(path: Path) -> MethodologySchema:
    return load_methodology(path.read_text(encoding="utf-8"), str(path))


def test_laddering_and_jobs_ship() -> None:
    assert {"means_end_chain", "jobs_to_be_done"} <= {path.stem for path in METHODOLOGIES}


def test_incidents_journeys_and_grids_ship_with_a_concept_each() -> None:
    loaded = [load_concept(p.read_text(encoding="utf-8"), str(p)) for p in CONCEPTS]
    added = {"critical_incident", "customer_journey", "repertory_grid"}
    assert added <= {path.stem for path in METHODOLOGIES}
    assert added <= {concept.methodology for concept in loaded}
    assert {c.id for c in loaded if c.methodology in added} <= set(available_worlds())


@pytest.mark.parametrize("path", METHODOLOGIES, ids=stem)
def test_every_chain_step_upward_is_permitted_directly_or_over_steps_between(path: Path) -> None:
    ontology = methodology(path).graph_ontology
    steps = nx.DiGraph(
        pair
        for name in ontology.chain_edge_types
        for pair in ontology.edges_by_name[name].permitted
    )
    for below in ontology.node_types:
        for above in ontology.node_types:
            if (below.level or 0) < (above.level or 0):
                assert nx.has_path(steps, below.name, above.name), (below.name, above.name)


@pytest.mark.parametrize("path", METHODOLOGIES, ids=stem)
def test_the_offline_interviewer_knows_every_probe(path: Path) -> None:
    # A probe that is not known leaves the choice of moves to the strategy's description.
    def moves(probe: str, description: str) -> tuple[str, ...]:
        asked = StrategyInput(name="unnamed", description=description, probes=(probe,))
        return moves_of(asked, FocusInput(label="blue door"))

    probes = {probe for strategy in methodology(path).strategies for probe in strategy.probes}
    unknown = [p for p in probes if moves(p, "without it") != moves(p, "what they mean by it")]
    assert unknown == []
    assert moves("no such probe", "without it") != moves("no such probe", "what they mean by it")


def test_ten_kinds_of_respondents_ship() -> None:
    assert {path.stem for path in PERSONAS} >= {
        "brief",
        "cooperative",
        "emotional",
        "fatiguing",
        "hedging",
        "rationalising",
        "sceptical",
        "single_topic",
        "thinking_aloud",
        "verbose",
    }


@pytest.mark.parametrize("path", METHODOLOGIES, ids=stem)
def test_a_methodology_is_named_like_its_file_and_has_no_finding(path: Path) -> None:
    loaded = methodology(path)
    assert loaded.method.name == path.stem
    assert [finding.message for finding in check(loaded)] == []


@pytest.mark.parametrize("path", CONCEPTS, ids=stem)
def test_a_concept_is_named_like_its_file_and_its_methodology_ships(path: Path) -> None:
    concept = load_concept(path.read_text(encoding="utf-8"), str(path))
    assert concept.id == path.stem
    assert concept.methodology in {p.stem for p in METHODOLOGIES}
    assert concept.topic
    assert concept.objective
    assert concept.domain
    assert concept.synonyms


def test_two_concept_tests_ship_with_six_elements_and_a_world_each() -> None:
    loaded = [load_concept(p.read_text(encoding="utf-8"), str(p)) for p in CONCEPTS]
    shown = [concept for concept in loaded if concept.stimulus is not None]
    assert {c.id: c.methodology for c in shown} == {
        "repair_pass": "jobs_to_be_done",
        "sparkling_tea": "means_end_chain",
    }
    for concept in shown:
        assert concept.unshown == ()
        assert len(concept.elements) == 6
        assert any(element.connects_to for element in concept.elements)
        world = load_world(concept.id)
        told = {word for s in world.statements for topic in s.topics for word in topic.split()}
        for element in concept.elements:
            names = " ".join((element.label, *element.aliases)).lower().split()
            assert told & set(names), element.id


@pytest.mark.parametrize("path", PERSONAS, ids=stem)
def test_a_persona_is_named_like_its_file_and_tells_something(path: Path) -> None:
    persona = load_persona(path.read_text(encoding="utf-8"), str(path))
    assert persona.id == path.stem
    low, high = persona.traits.statements_per_answer
    assert low <= high


@pytest.mark.parametrize("path", METHODOLOGIES, ids=stem)
def test_every_node_type_is_described_exemplified_and_cued(path: Path) -> None:
    for node in methodology(path).ontology.nodes:
        assert node.level is not None, node.name
        assert len(node.examples) >= 3, node.name
        assert len(node.cues) >= 20, node.name
        assert len(set(node.cues)) == len(node.cues), node.name
        assert all(cue == cue.casefold().strip() for cue in node.cues), node.name


@pytest.mark.parametrize("path", METHODOLOGIES, ids=stem)
def test_chains_can_climb_from_every_entry_type_through_all_levels_to_a_terminal(
    path: Path,
) -> None:
    ontology = methodology(path).graph_ontology
    steps = nx.DiGraph(
        pair
        for edge in ontology.edge_types
        if edge.name in ontology.chain_edge_types
        for pair in edge.permitted
    )
    assert ontology.terminal_types
    for entry in ontology.entry_types:
        reachable = {entry, *nx.descendants(steps, entry)}
        assert reachable & ontology.terminal_types, entry
        assert {ontology.level_of(name) for name in reachable} == set(ontology.levels), entry


@pytest.mark.parametrize("path", METHODOLOGIES, ids=stem)
def test_chain_steps_never_run_downward(path: Path) -> None:
    ontology = methodology(path).graph_ontology
    for name in ontology.chain_edge_types:
        for source, target in ontology.edges_by_name[name].permitted:
            assert (ontology.level_of(source) or 0) <= (ontology.level_of(target) or 0), name


@pytest.mark.parametrize("path", METHODOLOGIES, ids=stem)
def test_relationship_examples_show_permitted_relations_of_every_edge_type(path: Path) -> None:
    loaded = methodology(path)
    ontology = loaded.graph_ontology
    for example in loaded.ontology.relationship_examples:
        assert ontology.permits(example.edge_type, example.source_type, example.target_type)
    shown = {example.edge_type for example in loaded.ontology.relationship_examples}
    # A relation that only places a solution in its circumstances is clear from its description.
    assert set(ontology.edges_by_name) - shown <= {"used_in"}


@pytest.mark.parametrize("path", METHODOLOGIES, ids=stem)
def test_strategies_are_varied_explained_and_can_open_and_close(path: Path) -> None:
    strategies = methodology(path).strategies
    assert len(strategies) >= 6
    assert all(s.description and s.rationale and s.probes for s in strategies)
    assert len({s.probes for s in strategies}) == len(strategies)
    free = [s for s in strategies if s.node_binding == "none"]
    assert [s for s in free if not s.generates_closing_question]
    assert [s for s in free if s.generates_closing_question]
    for strategy in free:
        keys = (*strategy.signal_weights, *strategy.valid_when)
        assert not [key for key in keys if key.startswith(NODE_SCOPES)], strategy.name


@pytest.mark.parametrize("path", METHODOLOGIES, ids=stem)
def test_every_weighed_signal_is_listed_and_every_listed_signal_is_used(path: Path) -> None:
    loaded = methodology(path)
    keys = [k for s in loaded.strategies for k in (*s.signal_weights, *s.valid_when)]
    used = {parse_key(key).spec.name for key in keys}
    listed = {name for names in loaded.signals.values() for name in names}
    covered = {name for name in used if any(name == n or name.startswith(n + ".") for n in listed)}
    assert used == covered
    assert len(used) >= 15


@pytest.mark.parametrize("path", METHODOLOGIES, ids=stem)
def test_phases_are_described_and_favour_opening_early_and_closing_late(path: Path) -> None:
    loaded = methodology(path)
    closing = loaded.closing_strategies[0].name
    assert set(loaded.phases) == {"early", "mid", "late"}
    assert all(phase.description for phase in loaded.phases.values())
    assert loaded.phases["early"].signal_weights[closing] == 0
    late = loaded.phases["late"]
    assert late.signal_weights[closing] == max(late.signal_weights.values())


@pytest.mark.parametrize("path", METHODOLOGIES, ids=stem)
def test_a_terminal_concept_is_never_asked_what_lies_above_it(path: Path) -> None:
    loaded = methodology(path)
    ontology = loaded.graph_ontology
    upward = {"consequence", "benefit", "importance"}
    climbing = {s.name for s in loaded.strategies if upward & set(s.probes)} - {"connect"}
    assert climbing
    graph, tracker = SessionGraph(), NodeStateTracker()
    nodes = [
        graph.add_node(label=name, node_type=name, level=ontology.level_of(name), turn=1)
        for name in sorted(ontology.terminal_types)
    ]
    for node in nodes:
        tracker.register_node(node, 1, 0.0, ontology)
    reading = detect(
        [name for names in loaded.signals.values() for name in names],
        SignalInputs(
            graph=graph,
            ontology=ontology,
            graph_state=graph_state(graph, ontology),
            tracker=tracker,
            turn=5,
            max_turns=15,
        ),
    )
    refs = [NodeRef(id=node.id, first_turn=1, order=i) for i, node in enumerate(nodes)]
    ranking = rank(loaded, reading, phase="mid", nodes=refs)
    valid = {candidate.strategy for candidate in ranking.top(len(ranking))}
    assert not valid & climbing
    assert climbing <= {candidate.strategy for candidate in ranking.gated}


@pytest.mark.parametrize("path", METHODOLOGIES, ids=stem)
def test_cues_are_words_of_the_language_and_not_lines_of_a_simulated_respondent(
    path: Path,
) -> None:
    said = [
        phrasing.casefold()
        for concept in available_worlds()
        for statement in load_world(concept).statements
        for phrasing in statement.phrasings
    ]
    cues = [cue for node in methodology(path).ontology.nodes for cue in node.cues]
    lines = [cue for cue in cues if len(cue.split()) >= 5]
    copied = [c for c in lines if any(re.search(rf"\b{re.escape(c)}\b", text) for text in said)]
    assert copied == []
    assert max(len(cue.split()) for cue in cues) <= 6


def test_concepts_come_from_at_least_six_fields_and_use_both_methodologies() -> None:
    loaded = [load_concept(p.read_text(encoding="utf-8"), str(p)) for p in CONCEPTS]
    assert len({concept.domain for concept in loaded}) >= 6
    assert {c.methodology for c in loaded} >= {"means_end_chain", "jobs_to_be_done"}
