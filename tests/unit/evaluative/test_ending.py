"""An interview ends, whatever is answered: the director alone, on answers made at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.domain import Mention, SessionGraph
from interviews.acts.heard import Act, Heard
from interviews.llm.tasks.momentum import MOMENTUM, MomentumOutput
from interviews.llm.tasks.stimulus_reading import (
    STIMULUS_READING,
    ElementReading,
    StimulusReadingOutput,
)
from interviews.modes.evaluative.director import EvaluativeDirector
from interviews.modes.evaluative.evidence import EvaluativeEvidence
from interviews.modes.evaluative.state import EvaluativeState
from interviews.turns.contracts import Continuation, GraphUpdateOutput, Verdict
from methodologies.schema import ConceptElement
from tests.unit.evaluative.samples import LADDER

ELEMENTS = (
    ConceptElement(id="foam", label="foams like milk", connects_to=("price",)),
    ConceptElement(id="price", label="costs less", priority=1),
    ConceptElement(id="farms", label="oats from farms", priority=3),
)
TYPES = [one.name for one in LADDER.node_types]
WORDS = ("foam", "price", "farms", "taste", "ease", "calm", "home", "time")

Said = dict[str, Any]
SAID = st.fixed_dictionaries(
    {
        "act": st.sampled_from([act for act in get_args(Act) if act != "wants_to_stop"]),
        "level": st.sampled_from(["high", "neutral", "low"]),
        "nodes": st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(TYPES)), max_size=3),
        "edges": st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=3),
        "confidence": st.sampled_from([0.3, 0.9]),
        "element": st.sampled_from([None, "foam", "price", "farms", "unheard_of"]),
        "reaction": st.sampled_from([None, "positive", "skeptical"]),
        "unknown": st.booleans(),
        "ambiguous": st.booleans(),
        "complete_chain": st.booleans(),
    }
)


def worked_in(graph: SessionGraph, said: Said, turn: int) -> GraphUpdateOutput:
    """What the answer brings to the graph."""
    added, edges = [], []
    for label, node_type in said["nodes"]:
        known = graph.find(node_type, label)
        if known is None:
            known = graph.add_node(
                label=label, node_type=node_type, turn=turn, confidence=said["confidence"]
            )
            added.append(known)
        mention = Mention(
            id=f"{turn}.{label}.{node_type}",
            utterance_id=str(turn),
            node_id=known.id,
            label=label,
            quote=label,
            start=0,
            end=len(label),
            turn=turn,
        )
        graph.add_mention(mention)
    nodes = list(graph.nodes)
    for one, other in said["edges"]:
        ends = [nodes[place % len(nodes)] for place in (one, other)] if nodes else []
        if len(set(ends)) == 2:
            edge, new = graph.add_edge(
                source_id=ends[0], target_id=ends[1], edge_type="leads_to", turn=turn
            )
            edges += [edge] if new else []
    return GraphUpdateOutput(
        nodes_added=tuple(added), edges_added=tuple(edges), merges=(), revived=(), dropped=()
    )


def held(answers: Sequence[Said], max_turns: int) -> Iterator[SimpleNamespace]:
    """An interview without its stages: what the director saw and decided, turn by turn."""
    director, graph, state = EvaluativeDirector(), SessionGraph(), EvaluativeState()
    previous: Continuation | None = None
    rephrasings, closing = 0, ""
    for number, said in enumerate(answers, start=1):
        text = " ".join(label for label, _ in said["nodes"]) or "hm"
        reading = ElementReading(
            quote=text,
            element_mapping=said["element"],
            reaction=said["reaction"],
            ambiguous=said["ambiguous"],
        )
        replies = {
            STIMULUS_READING: StimulusReadingOutput(
                readings=(reading,), reaction=said["reaction"], unknown=said["unknown"]
            ),
            MOMENTUM: MomentumOutput(level=said["level"]),
        }
        focus = previous.focus.node_id if previous and previous.focus else None
        context: Any = SimpleNamespace(
            is_opening=False,
            job=SimpleNamespace(number=number),
            utterance=SimpleNamespace(text=text),
            heard=Heard(act=said["act"]),
            concept=SimpleNamespace(elements=ELEMENTS),
            methodology=SimpleNamespace(evaluative=None),
            ontology=LADDER,
            graph=graph,
            tracker=SimpleNamespace(
                closed=frozenset(),
                is_closed=lambda _: False,
                is_current_focus=lambda node_id, focus=focus: node_id == focus,
            ),
            session=SimpleNamespace(max_turns=max_turns, time_is_up=False, may_extend=False),
            loaded=SimpleNamespace(
                mode_state=state,
                state=SimpleNamespace(closing_reason=closing, rephrasings=rephrasings),
                previous_focus=previous
                and SimpleNamespace(strategy=previous.strategy, node_id=focus),
            ),
            extraction=SimpleNamespace(replies=replies),
            graph_update=worked_in(graph, said, number),
        )
        context.state = SimpleNamespace(
            mode_state=director.observe(context),
            graph_state=SimpleNamespace(has_complete_chain=said["complete_chain"]),
        )
        context.selection = director.choose(context)
        context.continuation = previous = director.proceed(context)
        state = director.remember(context)
        rephrasings = rephrasings + 1 if previous.rephrases else 0
        closing = previous.reason if previous.verdict is Verdict.CLOSE else ""
        yield context
        if previous.verdict is Verdict.END:
            return


@settings(max_examples=30)
@given(st.lists(SAID, min_size=12, max_size=12), st.integers(3, 12))
def test_it_ends_on_any_answers_and_every_question_is_one_that_may_be_asked(
    answers: list[Said], max_turns: int
) -> None:
    seen = list(held(answers, max_turns))
    assert seen[-1].continuation.verdict is Verdict.END
    assert len(seen) <= max_turns
    assert [c.continuation.verdict for c in seen].count(Verdict.CLOSE) <= 1
    reactions = [context.state.mode_state.reactions for context in seen]
    for before, after in pairwise(reactions):
        assert after[: len(before)] == before  # none is lost
    for context in seen:
        evidence: EvaluativeEvidence = context.selection.evidence
        asked = context.state.mode_state.asked
        if asked and len(evidence.candidates) > 1:
            assert evidence.chosen.tactic != asked[-1].tactic
        assert evidence.all_vetoed or not evidence.chosen.vetoed_by
        if evidence.chosen.kind == "element":
            about = context.state.mode_state.focuses(evidence.chosen.ref)
            assert about < 3
            assert evidence.chosen.ref not in context.state.mode_state.refused
