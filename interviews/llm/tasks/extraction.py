"""Read concepts and relationships off one answer, in the terms of a methodology's ontology."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from types import GenericAlias
from typing import Annotated, Any

from pydantic import Field, create_model

from interviews.acts import Heard
from interviews.llm.tasks.base import Task, TaskModel
from interviews.nlp import DiscourseRelation, PredicateFrame

MOST_LABELS = 30
"""Known concepts that a reader is told of."""

REVISES = "revises"
"""The relation of a correction, which every ontology has."""

Stance = Annotated[int, Field(ge=-1, le=1)]
Confidence = Annotated[float, Field(ge=0, le=1)]


class NodeTypeInput(TaskModel):
    """A node type as the methodology declares it; level 1 is the concrete end."""

    name: str
    level: int | None = None
    terminal: bool = False
    description: str = ""
    examples: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()


class EdgeTypeInput(TaskModel):
    """A relation and the (source type, target type) pairs that it may join."""

    name: str
    description: str = ""
    permitted_connections: tuple[tuple[str, str], ...] = ()
    chain: bool = True

    @property
    def connections(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """The permitted pairs, sources that may join the same targets told together."""
        targets: dict[str, list[str]] = defaultdict(list)
        for source, target in self.permitted_connections:
            targets[source].append(target)
        alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for source in sorted(targets):
            alike[tuple(sorted(targets[source]))].append(source)
        return tuple((tuple(sources), shared) for shared, sources in alike.items())


class RelationshipExampleInput(TaskModel):
    """A sentence and the relation to be read from it."""

    text: str
    source: str
    source_type: str
    target: str
    target_type: str
    edge_type: str


class LabelledNode(TaskModel):
    """A concept of the session: its label and type."""

    label: str
    node_type: str


class ExtractionInputs(TaskModel):
    """One answer with its question, the ontology, and what is already in the graph.

    `existing_labels` are the focus, what lies beside it and the most recent concepts, at most 30;
    `focus` is the concept that the question was about. Relations and frames are those that the
    preprocessing read off the answer.
    `hears` asks for how the answer was meant besides, in a mode that has no other task for it;
    `objective`, what the research wants to know, serves that. `unusual` asks for relations, too,
    that the answer states and the ontology does not permit, in a mode that asks about them.
    """

    answer: str
    question: str = ""
    language: str = "en"
    subject: str = ""
    objective: str = ""
    methodology_name: str
    goal: str = ""
    node_types: tuple[NodeTypeInput, ...]
    edge_types: tuple[EdgeTypeInput, ...]
    guidelines: tuple[str, ...] = ()
    relationship_examples: tuple[RelationshipExampleInput, ...] = ()
    extractability_criteria: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    concept_naming_convention: str = ""
    existing_labels: Annotated[tuple[LabelledNode, ...], Field(max_length=MOST_LABELS)] = ()
    focus: LabelledNode | None = None
    discourse_relations: tuple[DiscourseRelation, ...] = ()
    predicate_frames: tuple[PredicateFrame, ...] = ()
    hears: bool = False
    unusual: bool = False


class Concept(TaskModel):
    """A concept; `quote` is copied from the answer character by character."""

    label: Annotated[str, Field(min_length=1, max_length=120)]
    node_type: str
    quote: Annotated[str, Field(min_length=1)]
    confidence: Confidence = 0.8
    stance: Stance = 0


class Relationship(TaskModel):
    """A relation between two labels, of this answer or of the session.

    `denied` where the respondent says that the one does not lead to the other.
    """

    source: str
    source_type: str
    target: str
    target_type: str
    edge_type: str
    quote: Annotated[str, Field(min_length=1)]
    confidence: Confidence = 0.8
    denied: bool = False


class ExtractionOutput(TaskModel):
    """What the answer says. Nothing to extract leaves both lists empty and gives the reason."""

    extractable: bool
    reason: str = ""
    concepts: tuple[Concept, ...] = ()
    relationships: tuple[Relationship, ...] = ()


class HeardExtraction(ExtractionOutput, Heard):
    """What the answer says, and how it was meant."""


def extraction_output(inputs: ExtractionInputs) -> type[ExtractionOutput]:
    """The model of an extraction with these inputs; its schema names the ontology's types.

    What names another type is no error here: of an answer only what holds is kept.
    """
    return _of_types(
        tuple(node.name for node in inputs.node_types),
        (*(edge.name for edge in inputs.edge_types), REVISES),
        HeardExtraction if inputs.hears else ExtractionOutput,
    )


@lru_cache(maxsize=64)
def _of_types(
    nodes: tuple[str, ...], edges: tuple[str, ...], base: type[ExtractionOutput]
) -> type[ExtractionOutput]:
    node_type = (str, Field(json_schema_extra={"enum": list(nodes)}))
    edge_type = (str, Field(json_schema_extra={"enum": list(dict.fromkeys(edges))}))
    concept = create_model("Concept", __base__=Concept, node_type=node_type)
    relationship = create_model(
        "Relationship",
        __base__=Relationship,
        source_type=node_type,
        target_type=node_type,
        edge_type=edge_type,
    )
    concepts: Any = GenericAlias(tuple, (concept, ...))
    relationships: Any = GenericAlias(tuple, (relationship, ...))
    return create_model(
        base.__name__, __base__=base, concepts=(concepts, ()), relationships=(relationships, ())
    )


EXTRACTION = Task(
    name="extraction",
    role="extraction",
    inputs=ExtractionInputs,
    output=ExtractionOutput,
    narrowed=extraction_output,
    prompt="extraction.md",
    temperature=0.3,
    max_tokens=4096,
)
