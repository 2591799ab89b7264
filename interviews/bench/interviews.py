"""Quality of whole interviews: simulated respondents, offline rules or whichever model is set.

Each shipped methodology interviews every persona about its own concepts (those that name it; where
none of them has a world, about the first concept that has one). `BENCH_METHODOLOGIES`,
`BENCH_PERSONAS`, `BENCH_CONCEPTS` and `BENCH_SEEDS` narrow this down: names or numbers with commas.
"""

from __future__ import annotations

import os
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from django.conf import settings

from graphs import store as graph_store
from graphs.canonical import unmapped_nodes
from graphs.chains import complete_chains
from graphs.domain import SessionGraph
from graphs.metrics import graph_state
from graphs.provenance import STRENGTH, by_edge
from interviews.bench.dives import Dives, dives_of, summed
from interviews.bench.errors import BenchImpossible
from interviews.bench.turn import rolled_back
from interviews.models import Session, Study, Turn, Utterance
from interviews.simulation.driver import hold_interview
from interviews.simulation.respondent import SimulatedRespondent
from interviews.simulation.truth import edge_truth
from interviews.simulation.world import World, available_worlds, load_world
from interviews.wording.repetition import is_repeat
from methodologies.registry import (
    CONCEPT,
    LIBRARY,
    METHODOLOGY,
    concept_of,
    load_library,
    methodology_of,
    newest,
    persona_named,
)
from methodologies.yaml_loader import load_concept

SEEDS = (1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One interview to hold: who asks how, about what, and who answers."""

    methodology: str
    concept: str
    persona: str
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Condensed:
    """How far slots condense an interview's nodes."""

    slots: int
    active: int
    nodes: int
    in_active: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one interview came to; shares are in [0, 1]."""

    cell: Cell
    nodes: int
    edges: int
    unmapped: int
    terminal: bool
    complete_chain: bool
    turns: int
    strategies: int
    repeated_questions: int
    near_repeated_questions: int
    elicited: float
    truth: Counter[str]
    provenance: Counter[str]
    condensed: Condensed
    dives: Dives
    reason: str


def bench_interviews(environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Hold all interviews and return figures by methodology; nothing is kept.

    Raises BenchImpossible where a name or number of the environment is not known.
    """
    chosen = os.environ if environment is None else environment
    with rolled_back():
        list(load_library())
        cells = list(_cells(chosen))
        outcomes = [_hold(cell) for cell in cells]
    names = list(dict.fromkeys(cell.methodology for cell in cells))
    return {
        "methodologies": {
            name: summarise([o for o in outcomes if o.cell.methodology == name]) for name in names
        },
        "all": summarise(outcomes),
        "personas": {
            name: summarise([o for o in outcomes if o.cell.persona == name])
            for name in sorted({cell.persona for cell in cells})
        },
        "conditions": {
            "interviews": len(cells),
            "concepts": {
                name: sorted({c.concept for c in cells if c.methodology == name}) for name in names
            },
            "personas": sorted({cell.persona for cell in cells}),
            "seeds": sorted({cell.seed for cell in cells}),
            "llm": {
                role: getattr(settings, f"LLM_{role.upper()}_PROVIDER", "") or "offline"
                for role in ("extraction", "scoring", "generation")
            },
            "canonical_slots": True,
            "embedding_model": "all-MiniLM-L6-v2",
        },
    }


def summarise(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return means, extremes and shares over interviews, of which there has to be one at least."""
    ratios = [o.edges / o.nodes if o.nodes else 0.0 for o in outcomes]
    nodes = sum(o.nodes for o in outcomes)
    return {
        "interviews": len(outcomes),
        "terminal_share": _mean([o.terminal for o in outcomes]),
        "complete_chain_share": _mean([o.complete_chain for o in outcomes]),
        "edge_node_mean": _mean(ratios),
        "edge_node_min": round(min(ratios), 3),
        "nodes_mean": _mean([o.nodes for o in outcomes]),
        "unmapped_share": round(sum(o.unmapped for o in outcomes) / nodes, 3) if nodes else None,
        "repeated_questions": sum(o.repeated_questions for o in outcomes),
        "near_repeated_questions": sum(o.near_repeated_questions for o in outcomes),
        "dives": summed([o.dives for o in outcomes]),
        "strategies_mean": _mean([o.strategies for o in outcomes]),
        "strategies_min": min(o.strategies for o in outcomes),
        "turns_mean": _mean([o.turns for o in outcomes]),
        "elicited_share": _mean([o.elicited for o in outcomes]),
        "edges_true_to_the_world": _truth(sum((o.truth for o in outcomes), Counter())),
        "provenance": _provenance(sum((o.provenance for o in outcomes), Counter())),
        "slots": _condensed([o.condensed for o in outcomes]),
        "termination_reasons": dict(Counter(o.reason for o in outcomes).most_common()),
    }


def _truth(counts: Counter[str]) -> dict[str, Any]:
    """How many edges join what the hidden graph joins, of those whose ends it holds."""
    checked = counts.total() - counts["unknown"]
    return {
        "edges": counts.total(),
        "checked": checked,
        "linked_share": round(counts["linked"] / checked, 3) if checked else None,
        "two_steps_share": round(counts["two_steps"] / checked, 3) if checked else None,
    }


def _provenance(counts: Counter[str]) -> dict[str, Any]:
    """Where edges come from, by their best evidence."""
    total = counts.total()
    shares = {name: round(counts[name] / total, 3) if total else None for name in STRENGTH[::-1]}
    return {"edges": total} | {f"{name}_share": share for name, share in shares.items()}


def _condensed(found: Sequence[Condensed]) -> dict[str, Any]:
    """How many slots are active, and how many of the mapped nodes are in one that is."""
    slots, nodes = sum(c.slots for c in found), sum(c.nodes for c in found)
    active, in_active = sum(c.active for c in found), sum(c.in_active for c in found)
    return {
        "slots": slots,
        "active_share": round(active / slots, 3) if slots else None,
        "nodes_in_active_share": round(in_active / nodes, 3) if nodes else None,
    }


def _mean(values: Sequence[float]) -> float:
    return round(statistics.fmean(values), 3)


# -- what to hold ----------------------------------------------------------------------------------
def _cells(chosen: Mapping[str, str]) -> Iterator[Cell]:
    methodologies = _selected(chosen, "BENCH_METHODOLOGIES", _shipped("methodologies"))
    personas = _selected(chosen, "BENCH_PERSONAS", _shipped("personas"))
    concepts = _selected(chosen, "BENCH_CONCEPTS", _with_world())
    seeds = _seeds(chosen)
    for methodology in methodologies:
        own = [c for c in concepts if concept_of(newest(CONCEPT, c)).methodology == methodology]
        for concept in own or concepts[:1]:
            for persona in personas:
                for seed in seeds:
                    yield Cell(methodology=methodology, concept=concept, persona=persona, seed=seed)


def _shipped(folder: str) -> list[str]:
    return sorted(path.stem for path in (LIBRARY / folder).glob("*.yaml"))


def _with_world() -> list[str]:
    """Concepts to explore that somebody can be asked about; those to test have a bench apart."""
    texts = {name: LIBRARY / "concepts" / f"{name}.yaml" for name in _shipped("concepts")}
    return [
        name
        for name in available_worlds()
        if name in texts
        and load_concept(texts[name].read_text(encoding="utf-8"), name).stimulus is None
    ]


def _selected(chosen: Mapping[str, str], variable: str, known: list[str]) -> list[str]:
    wanted = [name.strip() for name in chosen.get(variable, "").split(",") if name.strip()]
    if unknown := sorted(set(wanted) - set(known)):
        raise BenchImpossible(f"{variable}: {', '.join(unknown)} is none of {', '.join(known)}")
    return wanted or known


def _seeds(chosen: Mapping[str, str]) -> tuple[int, ...]:
    text = chosen.get("BENCH_SEEDS", "")
    try:
        return tuple(int(part) for part in text.split(",") if part.strip()) or SEEDS
    except ValueError as error:
        raise BenchImpossible(f"BENCH_SEEDS: {text!r} is no list of whole numbers") from error


# -- holding one -----------------------------------------------------------------------------------
def _hold(cell: Cell) -> Outcome:
    study, _ = Study.objects.get_or_create(
        slug=f"bench-{cell.methodology}-{cell.concept}"[:50],
        defaults={
            "name": f"Bench {cell.concept}",
            "methodology_version": newest(METHODOLOGY, cell.methodology),
            "concept_version": newest(CONCEPT, cell.concept),
            "enable_canonical_slots": True,
        },
    )
    world = load_world(cell.concept)
    respondent = SimulatedRespondent(world, persona_named(cell.persona), cell.seed)
    session = hold_interview(study, respondent.answer, seed=cell.seed)
    return _outcome(cell, session, world, respondent.elicited())


def _outcome(cell: Cell, session: Session, world: World, elicited: float) -> Outcome:
    graph = graph_store.load_session_graph(session.pk)
    ontology = methodology_of(session.methodology_version).graph_ontology
    state = graph_state(graph, ontology)
    questions = Utterance.objects.filter(session=session, speaker=Utterance.Speaker.INTERVIEWER)
    asked = [" ".join(text.casefold().split()) for text in questions.values_list("text", flat=True)]
    used = Turn.objects.filter(session=session, number__gte=1).values_list("strategy", flat=True)
    return Outcome(
        cell=cell,
        nodes=state.node_count,
        edges=state.edge_count,
        unmapped=len(unmapped_nodes(graph)),
        terminal=any(ontology.is_terminal(node.node_type) for node in graph.live_nodes()),
        complete_chain=bool(complete_chains(graph, ontology, limit=1)),
        turns=session.turn_count,
        strategies=len(set(used) - {""}),
        repeated_questions=len(asked) - len(set(asked)),
        near_repeated_questions=sum(is_repeat(a, [b]) for a, b in combinations(set(asked), 2)),
        elicited=elicited,
        truth=edge_truth(graph, world),
        provenance=edge_provenance(graph),
        condensed=condensed(graph),
        dives=dives_of(session),
        reason=session.termination_reason or "none",
    )


def edge_provenance(graph: SessionGraph) -> Counter[str]:
    """How many live edges there are by their best evidence."""
    known = by_edge((mention.edge_id, mention.provenance) for mention in graph.mentions)
    return Counter(known.get(edge.id, "inferred") for edge in graph.live_edges())


def condensed(graph: SessionGraph) -> Condensed:
    """How far the slots of a graph condense its nodes."""
    active = {slot.id for slot in graph.slots.values() if slot.status == "active"}
    mapped = [m.slot_id for m in graph.mappings.values() if graph.is_live(m.node_id)]
    return Condensed(
        slots=len(graph.slots),
        active=len(active),
        nodes=len(mapped),
        in_active=sum(slot_id in active for slot_id in mapped),
    )
