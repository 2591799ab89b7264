"""What a model is asked about an answer, where a mode reads answers by a methodology."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from interviews.llm.tasks.extraction import (
    EXTRACTION,
    MOST_LABELS,
    EdgeTypeInput,
    ExtractionInputs,
    LabelledNode,
    NodeTypeInput,
    RelationshipExampleInput,
)
from interviews.llm.tasks.response_rating import RESPONSE_RATING, RatingInputs
from interviews.modes.base import QuestionTask
from interviews.turns.context import TurnView
from methodologies.schema import MethodologySchema
from methodologies.signals.llm import load_rubrics


def reading_tasks(context: TurnView) -> Sequence[QuestionTask]:
    """Extraction by the study's methodology and, where the mode rates, the answer's rating.

    How the answer was meant is heard by the rating, and by the extraction where there is none.
    """
    terms = extraction_inputs(context)
    if not context.session.rates:
        return [QuestionTask(EXTRACTION, terms.model_copy(update={"hears": True}))]
    inputs = RatingInputs(
        question=context.loaded.last_question,
        answer=context.utterance.text,
        rubrics=rubrics_text(),
        subject=context.subject,
        objective=objective_of(context),
        language=context.session.language,
    )
    return [QuestionTask(EXTRACTION, terms), QuestionTask(RESPONSE_RATING, inputs)]


def objective_of(context: TurnView) -> str:
    """What the research wants to know, "" where the study has no concept."""
    session = context.session
    return session.concept.objective_in(session.language) if session.concept else ""


@cache
def rubrics_text() -> str:
    """The rubrics as the rating prompt shows them."""
    return "\n".join(
        "\n".join(
            [
                f"{rubric.key}: {rubric.question}",
                *(f"  {score} = {text}" for score, text in enumerate(rubric.scale, start=1)),
            ]
        )
        for rubric in load_rubrics()
    )


def extraction_inputs(context: TurnView) -> ExtractionInputs:
    """The answer, its question, the ontology, and what is already in the graph."""
    loaded, session, focus = context.loaded, context.session, context.loaded.previous_focus
    node = context.graph.nodes.get(focus.node_id) if focus and focus.node_id else None
    return reading_terms(context.methodology).model_copy(
        update={
            "answer": context.utterance.text,
            "question": loaded.last_question,
            "language": session.language,
            "subject": context.subject,
            "objective": objective_of(context),
            "existing_labels": known_labels(context),
            "focus": LabelledNode(label=node.label, node_type=node.node_type) if node else None,
            "discourse_relations": context.srl.discourse_relations,
            # What rules and a tagger make of a clause is too often wrong to be a hint.
            "predicate_frames": () if context.srl.approximate else context.srl.srl_frames,
        }
    )


def known_labels(context: TurnView) -> tuple[LabelledNode, ...]:
    """What is known already, oldest first: the focus, what lies beside it, and the newest."""
    graph, focus = context.graph, context.loaded.previous_focus
    asked = graph.successor(focus.node_id) if focus and focus.node_id else None
    ids = [asked] if asked else []
    for edge in graph.live_edges():
        if asked in (edge.source_id, edge.target_id):
            ids += [edge.source_id, edge.target_id]
    near = [(n.label, n.node_type) for n in map(graph.nodes.get, ids) if n and graph.is_live(n.id)]
    newest = context.loaded.recent_node_labels
    wanted = list(dict.fromkeys([*near, *newest[::-1]]))[:MOST_LABELS]
    ordered = dict.fromkeys([*(pair for pair in near if pair not in newest), *newest])
    return tuple(
        LabelledNode(label=pair[0], node_type=pair[1]) for pair in ordered if pair in wanted
    )


def reading_terms(methodology: MethodologySchema, answer: str = "") -> ExtractionInputs:
    """The terms in which a methodology has answers read, before there is anything to read."""
    ontology = methodology.ontology
    return ExtractionInputs(
        answer=answer,
        methodology_name=methodology.method.name,
        goal=methodology.method.goal,
        node_types=_node_types(methodology),
        edge_types=tuple(
            EdgeTypeInput(
                name=e.name,
                description=e.description,
                permitted_connections=e.permitted_connections,
                chain=e.chain,
            )
            for e in ontology.edges
        ),
        guidelines=ontology.extraction_guidelines,
        relationship_examples=tuple(
            RelationshipExampleInput(**example.model_dump())
            for example in ontology.relationship_examples
        ),
        extractability_criteria=dict(ontology.extractability_criteria),
        concept_naming_convention=ontology.concept_naming_convention,
    )


def _node_types(methodology: MethodologySchema) -> tuple[NodeTypeInput, ...]:
    return tuple(
        NodeTypeInput(
            name=n.name,
            level=n.level,
            terminal=n.terminal,
            description=n.description,
            examples=n.examples,
            cues=n.cues,
        )
        for n in methodology.ontology.nodes
    )
