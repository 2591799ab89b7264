"""An interview about hiking backpacks at its twentieth turn, led by the shipped methodology."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import yaml

from graphs.domain import Mention, SessionGraph
from graphs.neighbours import Neighbours
from graphs.ontology import Ontology
from graphs.tracker import NodeStateTracker
from interviews import nlp
from interviews.acts import Heard
from interviews.modes.exploratory.director import ExploratoryDirector
from interviews.pipeline.stages.context_loading import ContextLoadingStage
from interviews.pipeline.stages.continuation import ContinuationStage
from interviews.pipeline.stages.srl_preprocessing import SRLPreprocessingStage
from interviews.pipeline.stages.state_computation import StateComputationStage
from interviews.pipeline.stages.strategy_selection import StrategySelectionStage
from interviews.pipeline.stages.utterance_saving import UtteranceSavingStage
from interviews.turns.context import (
    LoadedTurn,
    SessionSnapshot,
    TurnContext,
    TurnJob,
    UtteranceSnapshot,
)
from interviews.turns.contracts import (
    ExtractionOutput,
    GraphUpdateOutput,
    SlotDiscoveryOutput,
)
from interviews.turns.deadline import Deadline
from interviews.turns.state import FocusEntry, SessionState, VelocityState
from methodologies.registry import LIBRARY
from methodologies.yaml_loader import load_concept, load_methodology

TURN = 20
MAX_TURNS = 24

_WRITTEN = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
EXCHANGES: list[tuple[str, str]] = [(e["question"], e["answer"]) for e in _WRITTEN["exchanges"]]
CHAINS: list[list[tuple[str, str]]] = _WRITTEN["chains"]
RATINGS: Mapping[str, int] = {
    "response_depth": 4,
    "specificity": 4,
    "certainty": 4,
    "valence": 4,
    "engagement": 5,
    "intellectual_engagement": 4,
}


def at_turn_twenty() -> TurnContext:
    """The context after stage 7 of turn 20, with the stages' own contracts on it."""
    methodology = load_methodology(
        (LIBRARY / "methodologies" / "means_end_chain.yaml").read_text(encoding="utf-8")
    )
    graph, tracker = SessionGraph(), NodeStateTracker()
    ontology = methodology.graph_ontology
    _fill(graph, ontology)
    for node in graph.nodes.values():
        tracker.register_node(node, node.first_turn, 0.0, ontology)
    tracker.update_edge_counts(graph)
    strategies = [s.name for s in methodology.strategies if not s.generates_closing_question]
    focused = [node for node in graph.nodes.values() if node.node_type != "terminal_value"]
    history: list[FocusEntry] = []
    for turn in range(1, TURN):
        node, strategy = focused[turn], strategies[turn % len(strategies)]
        tracker.update_focus(node.id, turn, strategy)
        tracker.append_response_depth("deep")
        history.append(
            FocusEntry(turn=turn, kind="node", ref=node.id, label=node.label, strategy=strategy)
        )
    context = TurnContext(
        TurnJob(turn_id="t", session_id="s", number=TURN, fence=1, attempt=1),
        LoadedTurn(
            session=SessionSnapshot(
                id="s",
                study_id="study",
                mode="exploratory",
                max_turns=MAX_TURNS,
                turn_count=TURN - 1,
                language="en",
                seed=7,
                started_at=datetime(2026, 1, 1, tzinfo=UTC),
                time_budget_minutes=None,
                enable_srl=True,
                enable_canonical_slots=False,
                llm_choice={},
                methodology=methodology,
                methodology_version="means_end_chain v1",
                concept=load_concept(
                    (LIBRARY / "concepts" / "hiking_backpacks.yaml").read_text(encoding="utf-8")
                ),
                state=SessionState(
                    strategy_history=tuple(entry.strategy for entry in history),
                    depth_history=("deep",) * (TURN - 1),
                    focus_history=tuple(history),
                    velocity=VelocityState(prev_surface_node_count=len(graph.nodes)),
                ),
            ),
            graph=graph,
            neighbours=Neighbours(lambda types: {}),
            tracker=tracker,
            utterances=_utterances(),
            answer=_utterances()[-1],
        ),
        Deadline(45, lambda: 0.0),
    )
    _run_stages(context)
    return context


def _run_stages(context: TurnContext) -> None:
    director = ExploratoryDirector()
    directors = {director.mode: director}
    context.record(ContextLoadingStage().run(context))
    context.record(UtteranceSavingStage().run(context))
    context.record(SRLPreprocessingStage(nlp.analyse).run(context))
    context.record(
        ExtractionOutput(
            extractable=True,
            heard=Heard(),
            concepts=(),
            relationships=(),
            dropped=(),
            ratings=RATINGS,
        )
    )
    newest = tuple(node for node in context.graph.nodes.values() if node.first_turn == TURN)
    context.record(
        GraphUpdateOutput(nodes_added=newest, edges_added=(), merges=(), revived=(), dropped=())
    )
    context.record(SlotDiscoveryOutput(changes=None))
    context.record(StateComputationStage(directors).run(context))
    context.record(StrategySelectionStage(directors).run(context))
    context.record(ContinuationStage(directors).run(context))


def _fill(graph: SessionGraph, ontology: Ontology) -> None:
    """The chains, spread over the turns, each node with a quote from the answers."""
    answers = [answer for _, answer in EXCHANGES]
    number = 0
    for chain in CHAINS:
        previous = ""
        for node_type, label in chain:
            turn = min(1 + number * TURN // 38, TURN)
            node = graph.add_node(
                label=label,
                node_type=node_type,
                level=ontology.level_of(node_type),
                turn=turn,
            )
            quote = answers[number % len(answers)].split(". ")[0]
            graph.add_mention(
                Mention(
                    id=f"m{number}",
                    utterance_id=f"u{turn}",
                    quote=quote,
                    start=0,
                    end=len(quote),
                    turn=turn,
                    node_id=node.id,
                    label=label,
                )
            )
            if previous:
                graph.add_edge(
                    source_id=previous, target_id=node.id, edge_type="leads_to", turn=turn
                )
            previous = node.id
            number += 1


def _utterances() -> tuple[UtteranceSnapshot, ...]:
    said = []
    for turn, (question, answer) in enumerate(EXCHANGES):
        said.append(_said(turn, 2 * turn + 1, "interviewer", question))
        said.append(_said(turn + 1, 2 * turn + 2, "respondent", answer))
    return tuple(said)


def _said(turn: int, sequence: int, speaker: str, text: str) -> UtteranceSnapshot:
    return UtteranceSnapshot(
        id=f"u{sequence}", turn_number=turn, sequence=sequence, speaker=speaker, text=text
    )
