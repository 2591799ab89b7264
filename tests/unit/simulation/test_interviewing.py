"""The shipped methodologies lead sensible interviews where extraction misses nothing.

What the simulated respondent tells enters the graph as it is, so that only the methodologies'
weights, the tracker and the scoring are at work. Questions are one fixed wording a strategy.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

from graphs.chains import Chains
from graphs.domain import SessionGraph
from graphs.metrics import graph_state, node_depths
from graphs.ontology import Ontology
from graphs.tracker import NodeStateTracker
from interviews.simulation.respondent import SimulatedRespondent
from interviews.simulation.world import World, available_worlds, load_world
from methodologies.schema import MethodologySchema
from methodologies.scoring import NodeRef, Ranking, rank
from methodologies.signals.base import SignalInputs, Velocity
from methodologies.signals.detection import detect
from methodologies.signals.llm import depth_of
from methodologies.signals.meta import interview_phase
from methodologies.yaml_loader import load_concept, load_methodology, load_persona

LIBRARY = Path(__file__).parents[3] / "methodologies" / "library"
MAX_TURNS = 15
LAST_ASKED = MAX_TURNS - 1
CHARACTERS = ("cooperative", "brief", "rationalising", "fatiguing")
PROBES = {
    "broaden": "What else comes to mind about it?",
    "situation": "Can you remember a time when {label} played a role?",
    "consequence": "You said '{label}'. What does that give you?",
    "obstacle": "With '{label}', what makes that difficult, and why?",
    "contrast": "How does '{label}' compare with what you had before?",
    "absence": "What would you miss without '{label}'?",
    "concretise": "What exactly makes you say '{label}'?",
    "ground": "What exactly is it about that which leads to '{label}'?",
    "source": "What exactly is it about '{label}'?",
    "connection": "What does '{label}' lead to for you?",
    "meaning": "What exactly do you mean by '{label}'?",
    "sequence": "With '{label}', what happened next?",
    "next_step": "After '{label}', what happened, and what was done then?",
    "turning_point": "Which moment to do with '{label}' do you remember best?",
    "best_and_worst": "Which time was the best or the worst with '{label}'?",
    "extremes": "Where does '{label}' stand, compared with the others?",
    "importance": "What makes '{label}' important to you?",
    "third_person": "Why would you tell a friend about '{label}'?",
    "impact": "What follows from '{label}' for how you see them?",
    "alternative": "Which alternative was there to '{label}'?",
    "comparison": "Compared with two others, how is '{label}' alike or different?",
    "opposite": "What would be the opposite of '{label}'?",
    "evidence": "What exactly shows you '{label}'?",
    "avoidance": "What do you want to avoid when you think of '{label}'?",
    "summary": "So far I have heard about {label}. What is missing?",
}


def text(kind: str, name: str) -> str:
    return (LIBRARY / kind / f"{name}.yaml").read_text(encoding="utf-8")


def types_of(world: World, ontology: Ontology) -> dict[str, str]:
    """A node type for each statement, by its level; types of one level take turns."""
    found = {}
    for number, statement in enumerate(world.statements):
        options = [t.name for t in ontology.node_types if t.level == statement.level]
        found[statement.id] = options[number % len(options)]
    return found


@dataclass
class Interview:
    """One interview held with perfect extraction."""

    world: World
    methodology: MethodologySchema
    respondent: SimulatedRespondent
    graph: SessionGraph = field(default_factory=SessionGraph)
    tracker: NodeStateTracker = field(default_factory=NodeStateTracker)
    velocity: Velocity = field(default_factory=Velocity)
    depths: list[str] = field(default_factory=list)
    strategies: list[str] = field(default_factory=list)
    foci: list[str | None] = field(default_factory=list)

    def hold(self) -> None:
        question = "What comes to mind first about it?"
        for turn in range(1, MAX_TURNS):
            answer = self.respondent.answer(question, turn)
            new = self.take_in(turn)
            ranking = self.choose(answer, turn, new)
            question = self.ask(ranking, turn)
            if self.methodology.strategies_by_name[self.strategies[-1]].generates_closing_question:
                return

    def take_in(self, turn: int) -> int:
        ontology = self.methodology.graph_ontology
        types = types_of(self.world, ontology)
        before, edges = len(self.graph.nodes), len(self.graph.edges)
        for name in self.respondent.told:
            if self.graph.find(types[name], name) is None:
                level = self.world.by_id[name].level
                self.graph.add_node(label=name, node_type=types[name], level=level, turn=turn)
        for source, target in self.world.edges:
            ends = self.graph.find(types[source], source), self.graph.find(types[target], target)
            if ends[0] is None or ends[1] is None:
                continue
            for edge_type in sorted(ontology.chain_edge_types):
                if ontology.permits(edge_type, ends[0].node_type, ends[1].node_type):
                    self.graph.add_edge(
                        source_id=ends[0].id, target_id=ends[1].id, edge_type=edge_type, turn=turn
                    )
                    break
        depth = node_depths(self.graph, ontology)
        for node in list(self.graph.nodes.values())[before:]:
            self.tracker.register_node(node, turn, depth.get(node.id, 0.0), ontology)
        self.tracker.update_edge_counts(self.graph)
        if len(self.graph.nodes) > before or len(self.graph.edges) > edges:
            self.tracker.record_yield(turn)
        return len(self.graph.nodes) - before

    def choose(self, answer: str, turn: int, new: int) -> Ranking:
        length = len(answer.split())
        ratings = {
            "response_depth": min(5, 1 + length // 8),
            "specificity": min(5, 1 + length // 8),
            "certainty": 4,
            "valence": 3,
            "engagement": min(5, 1 + length // 7),
            "intellectual_engagement": 3,
        }
        self.depths.append(depth_of(ratings["response_depth"]))
        self.tracker.append_response_depth(self.depths[-1])
        self.velocity = self.velocity.updated(new, turn)
        ontology = self.methodology.graph_ontology
        phase = interview_phase(turn, MAX_TURNS)
        reading = detect(
            [name for names in self.methodology.signals.values() for name in names],
            SignalInputs(
                graph=self.graph,
                ontology=ontology,
                graph_state=graph_state(self.graph, ontology),
                tracker=self.tracker,
                turn=turn,
                max_turns=MAX_TURNS,
                velocity=self.velocity,
                ratings=ratings,
                depth_history=tuple(self.depths),
                strategy_history=tuple(self.strategies),
                new_node_count=new,
                focus_yielded=new > 0,
            ),
        )
        return rank(
            self.methodology,
            reading,
            phase=phase,
            nodes=[
                NodeRef(id=node.id, first_turn=node.first_turn, order=order)
                for order, node in enumerate(self.graph.live_nodes())
            ],
            strategy_history=self.strategies,
            closing_allowed=phase == "late",
            closing_only=turn >= LAST_ASKED,
        )

    def ask(self, ranking: Ranking, turn: int) -> str:
        chosen = ranking.chosen
        assert not ranking.relaxed
        self.strategies.append(chosen.strategy)
        self.foci.append(chosen.node_id)
        self.tracker.update_focus(chosen.node_id, turn, chosen.strategy)
        told = self.respondent.told
        label = self.graph.nodes[chosen.node_id].label if chosen.node_id else ""
        probe = self.methodology.strategies_by_name[chosen.strategy].probes[0]
        return PROBES[probe].format(label=told.get(label, "that"))


@cache
def held(concept: str, character: str) -> Interview:
    methodology = load_concept(text("concepts", concept)).methodology
    persona = load_persona(text("personas", character))
    world = load_world(concept)
    interview = Interview(
        world=world,
        methodology=load_methodology(text("methodologies", methodology)),
        respondent=SimulatedRespondent(world, persona, 1),
    )
    interview.hold()
    return interview


SHOWN = frozenset({"repair_pass", "sparkling_tea"})
"""Worlds of concepts that are shown to respondents: another mode leads their interviews."""
every_interview = pytest.mark.parametrize(
    ("concept", "character"),
    [(w, c) for w in available_worlds() for c in CHARACTERS if w not in SHOWN],
)


@every_interview
def test_at_least_four_strategies_are_used_and_none_more_than_three_times_running(
    concept: str, character: str
) -> None:
    strategies = held(concept, character).strategies
    assert len(set(strategies)) >= 4
    assert max(len(list(run)) for _, run in groupby(strategies)) <= 3


@every_interview
def test_no_concept_is_asked_about_more_than_three_times_running(
    concept: str, character: str
) -> None:
    foci = held(concept, character).foci
    assert max(len(list(run)) for node_id, run in groupby(foci) if node_id) <= 3
    assert max(Counter(f for f in foci if f).values()) <= 5


@every_interview
def test_the_last_question_before_the_end_closes(concept: str, character: str) -> None:
    interview = held(concept, character)
    closing = {s.name for s in interview.methodology.closing_strategies}
    assert interview.strategies[-1] in closing
    assert not closing & set(interview.strategies[:-1])


@every_interview
def test_depth_comes_after_breadth(concept: str, character: str) -> None:
    interview = held(concept, character)
    state = graph_state(interview.graph, interview.methodology.graph_ontology)
    # Five levels: 0.5 is a chain that has climbed through three of them, 0.25 through two.
    assert state.max_depth >= (0.5 if character in {"cooperative", "rationalising"} else 0.25)
    assert len({focus for focus in interview.foci if focus}) >= 5


@pytest.mark.parametrize("concept", available_worlds())
def test_chains_reach_terminals_with_a_willing_respondent(concept: str) -> None:
    interview = held(concept, "cooperative")
    ratio = Chains(interview.graph, interview.methodology.graph_ontology).completion_ratio
    assert ratio is not None
    assert ratio > 0
