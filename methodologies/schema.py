"""Pydantic models of what a researcher writes: methodology, concept, persona, guide, study.

The YAML keeps the field names of the interview system these documents come from, so that its files
load here once their weights are valid. Shape is checked here; what a single field cannot know
(signal names, qualifiers, phases for known strategies …) is checked in `methodologies.validation`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from graphs.ontology import EdgeType, NodeType, Ontology
from methodologies.evaluative import EvaluativeSection

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
"""A finite number; text and true/false are none."""
NodeBinding = Literal["required", "none"]
FocusMode = Literal["recent_node", "summary", "topic"]
Phase = Literal["early", "mid", "late"]
Language = Literal["en", "it", "de", "fr", "es"]
"""Those in which an interview can be held."""
Nature = Literal["feeling", "fact"]
Stance = Literal["negative", "neutral", "positive"]
ElementKind = Literal["claim", "feature", "benefit", "price", "name", "visual", "other"]
IMAGE_NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]*\.(png|jpe?g|webp)$"
ImageName = Annotated[str, StringConstraints(pattern=IMAGE_NAME, max_length=120)]
"""The file name of an image, without a folder."""


class StrictModel(BaseModel):
    """Base of all documents: unknown keys are errors, instances are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, ignored_types=(cached_property,))


class MethodText(StrictModel):
    """What a methodology says of itself in another language than English."""

    goal: Text
    opening_bias: Text


class MethodSpec(StrictModel):
    """Who the methodology is and how it opens an interview."""

    name: Name
    version: str = "1.0"
    title: str = ""
    goal: Text
    opening_bias: Text
    description: str = ""
    texts: dict[Language, MethodText] = Field(default_factory=dict)
    """Goal and opening by language; English ones serve where a language has none of its own."""

    def said_in(self, language: str) -> MethodText:
        """Goal and opening for an interview in this language."""
        own = MethodText(goal=self.goal, opening_bias=self.opening_bias)
        return next((text for code, text in self.texts.items() if code == language), own)


class NodeTypeSpec(StrictModel):
    """A kind of concept, with the words that speak for it."""

    name: Name
    level: Annotated[int, Field(strict=True, ge=1, le=9)] | None = None
    terminal: bool = False
    description: Text
    examples: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
    """Words and phrases that speak for this type; the offline extractor reads them."""
    nature: Nature | None = None
    """Whether concepts of this type are feelings or bare facts; none where they are neither."""


class EdgeTypeSpec(StrictModel):
    """A relation and the pairs of node types that it may join."""

    name: Name
    description: Text
    permitted_connections: Annotated[tuple[tuple[str, str], ...], Field(min_length=1)]
    chain: bool = True


class RelationshipExample(StrictModel):
    """A sentence and the relation that an extractor should read from it."""

    text: Text
    source: Text
    source_type: str
    target: Text
    target_type: str
    edge_type: str


class OntologySpec(StrictModel):
    """What can be said, and how an extractor should read it."""

    nodes: Annotated[tuple[NodeTypeSpec, ...], Field(min_length=1)]
    edges: Annotated[tuple[EdgeTypeSpec, ...], Field(min_length=1)]
    extraction_guidelines: tuple[str, ...] = ()
    relationship_examples: tuple[RelationshipExample, ...] = ()
    extractability_criteria: dict[Literal["extractable", "not_extractable"], tuple[str, ...]] = (
        Field(default_factory=dict)
    )
    concept_naming_convention: str = ""
    synonyms: tuple[tuple[str, ...], ...] = ()
    """Groups of words or short phrases that mean the same in this methodology."""


class Suits(StrictModel):
    """Of what kinds of node a strategy makes sense; an empty field says nothing."""

    types: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    stances: tuple[Stance, ...] = ()
    natures: tuple[Literal["feeling", "fact", "other"], ...] = ()


class StrategySpec(StrictModel):
    """A way of asking, with the weights that say when it is worth choosing."""

    name: Name
    description: Text
    rationale: str = ""
    signal_weights: Annotated[dict[str, Number], Field(min_length=1)]
    valid_when: dict[str, bool] = Field(default_factory=dict)
    """Conditions (same keys as weights) that must hold (true) or must not (false)."""
    suits: Suits = Suits()
    """The kinds of node that it may be used on; every kind where nothing is said."""
    ladders: Literal["up", "down"] | None = None
    """Which way along a chain it asks; none for a strategy that does not ladder."""
    node_binding: NodeBinding = "required"
    focus_mode: FocusMode = "recent_node"
    generates_closing_question: bool = False
    probes: tuple[str, ...] = ()
    """Laddering moves this strategy may use: consequence, absence, situation, contrast, …"""


class PhaseSpec(StrictModel):
    """What a phase multiplies and adds, strategy by strategy."""

    description: str = ""
    signal_weights: dict[str, Annotated[Number, Field(ge=0)]] = Field(default_factory=dict)
    phase_bonuses: dict[str, Number] = Field(default_factory=dict)


class PhaseBoundaries(StrictModel):
    """Explicit phase limits: early up to and including one turn, late from another on."""

    early_until: Annotated[int, Field(strict=True, ge=0)]
    late_from: Annotated[int, Field(strict=True, ge=1)]


class MethodologySchema(StrictModel):
    """How to interview: ontology, signals, strategies and phases."""

    method: MethodSpec
    ontology: OntologySpec
    signals: dict[str, tuple[str, ...]]
    strategies: Annotated[tuple[StrategySpec, ...], Field(min_length=1)]
    phases: dict[Phase, PhaseSpec] = Field(default_factory=dict)
    phase_boundaries: PhaseBoundaries | None = None
    selection: Literal["joint", "two_stage"] = "joint"
    phase_rule: Literal["sign_aware", "literal"] = "sign_aware"
    max_run: Annotated[int, Field(strict=True, ge=1)] = 3
    evaluative: EvaluativeSection | None = None
    """What concept tests by this methodology do otherwise than the shipped rules."""

    @cached_property
    def graph_ontology(self) -> Ontology:
        """The ontology as the plain data that `graphs` works with."""
        return Ontology(
            node_types=tuple(
                NodeType(
                    name=n.name,
                    level=n.level,
                    terminal=n.terminal,
                    description=n.description,
                    examples=n.examples,
                    nature=n.nature or "",
                )
                for n in self.ontology.nodes
            ),
            edge_types=tuple(
                EdgeType(
                    name=e.name,
                    description=e.description,
                    permitted=frozenset(e.permitted_connections),
                    chain=e.chain,
                )
                for e in self.ontology.edges
            ),
        )

    @cached_property
    def strategies_by_name(self) -> Mapping[str, StrategySpec]:
        return {strategy.name: strategy for strategy in self.strategies}

    @property
    def closing_strategies(self) -> tuple[StrategySpec, ...]:
        return tuple(s for s in self.strategies if s.generates_closing_question)


class ConceptContext(StrictModel):
    """What the research is after."""

    objective: str | None = None


class Stimulus(StrictModel):
    """What respondents are shown of a concept: a text, an image, or both."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, max_length=4000)] = ""
    image: ImageName | None = None
    image_alt: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)] = ""
    """The image in words, for who cannot see it."""


class ConceptElement(StrictModel):
    """A part of a stimulus that respondents are to be heard on."""

    id: Name
    label: Annotated[Text, Field(max_length=200)]
    aliases: tuple[Text, ...] = ()
    """Other words that respondents may have for it."""
    kind: ElementKind = "other"
    priority: Annotated[int, Field(strict=True, ge=1, le=3)] = 2
    """1 is asked about first."""
    connects_to: tuple[Name, ...] = ()
    """Ids of elements that respondents are to bring into connection with this one."""


class ConceptText(StrictModel):
    """A concept in another language than its own; what is empty there stands as it is in that."""

    name: Text
    topic: str = ""
    objective: str = ""


class ConceptSchema(StrictModel):
    """What to explore, independent of how."""

    id: Name
    name: Text
    topic: str = ""
    """How a question names the subject: "a hiking backpack"; the name where empty."""
    methodology: Name
    objective: str | None = None
    language: Language = "en"
    """The language in which name, topic and objective are written."""
    texts: dict[Language, ConceptText] = Field(default_factory=dict)
    """The same in other languages; interviews in one that is missing here name no subject."""
    context: ConceptContext = ConceptContext()
    domain: str = ""
    synonyms: tuple[tuple[str, ...], ...] = ()
    stimulus: Stimulus | None = None
    elements: Annotated[tuple[ConceptElement, ...], Field(min_length=1, max_length=20)] = ()

    @property
    def research_objective(self) -> str:
        return self.objective or self.context.objective or f"Explore how people see {self.name}"

    @property
    def subject(self) -> str:
        return self.topic or self.name

    def speaks(self, language: str) -> bool:
        """Whether it has a text in this language."""
        return language == self.language or language in self.texts

    def subject_in(self, language: str) -> str:
        """How a question in this language names the subject, "" where it has no text in it."""
        text = next((text for code, text in self.texts.items() if code == language), None)
        if text is not None:
            return text.topic or text.name
        return self.subject if language == self.language else ""

    def objective_in(self, language: str) -> str:
        """What the research is after, in this language where it has a text in it."""
        found = (text.objective for code, text in self.texts.items() if code == language)
        return next(found, "") or self.research_objective

    @property
    def unshown(self) -> tuple[Literal["stimulus", "elements"], ...]:
        """What it lacks of what an interview needs that shows it and asks about its parts."""
        lacking: tuple[tuple[Literal["stimulus", "elements"], bool], ...] = (
            ("stimulus", self.stimulus is None),
            ("elements", not self.elements),
        )
        return tuple(part for part, lacks in lacking if lacks)


class PersonaSchema(StrictModel):
    """How a synthetic respondent answers; what it knows stands in a world."""

    id: Name
    name: Text
    description: Text
    traits: PersonaTraits
    openers: tuple[Text, ...] = ()
    """Phrases that an answer may begin with."""
    deflections: tuple[Text, ...] = ()
    """What it says instead of an answer; the shipped phrases where there are none."""


class PersonaTraits(StrictModel):
    """Rates are in [0, 1]; statements are those of a world that one answer may tell."""

    statements_per_answer: tuple[
        Annotated[int, Field(strict=True, ge=0)], Annotated[int, Field(strict=True, ge=1)]
    ] = (1, 3)
    hedging: Annotated[Number, Field(ge=0, le=1)] = 0.0
    emotion: Annotated[Number, Field(ge=0, le=1)] = 0.2
    reasons: Annotated[Number, Field(ge=0, le=1)] = 0.8
    """How often a statement comes with its reason or consequence."""
    tangents: Annotated[Number, Field(ge=0, le=1)] = 0.0
    refusals: Annotated[Number, Field(ge=0, le=1)] = 0.0
    scepticism: Annotated[Number, Field(ge=0, le=1)] = 0.0
    fatigue_after: Annotated[int, Field(strict=True, ge=1)] | None = None
    """Turn after which answers shrink; none for a respondent who does not tire."""
    single_topic: bool = False
    """Comes back to the first subject whatever is asked."""


PersonaSchema.model_rebuild()


class GuideTopic(StrictModel):
    """Something that a guided interview covers, and what is to be learned about it, in order."""

    id: Name
    label: Annotated[Text, Field(max_length=120)]
    sub_goals: Annotated[
        tuple[Annotated[Text, Field(max_length=200)], ...], Field(max_length=8)
    ] = ()


class GuideSchema(StrictModel):
    """What a guided interview is to cover, in which order, in how much time."""

    kind: Literal["guide"] = "guide"
    id: Name
    title: Annotated[Text, Field(max_length=120)]
    language: Language = "en"
    research_goal: Text
    max_duration_minutes: Annotated[int, Field(strict=True, ge=3, le=120)]
    topics: Annotated[tuple[GuideTopic, ...], Field(min_length=1, max_length=12)]
    manual_guide: Annotated[str, Field(max_length=4000)] = ""
    """Takes the place of what a model made of the topics, where it is not empty."""


class StudySchema(StrictModel):
    """A study as a file: its settings and the names of its documents.

    A document is a name, a path relative to the file, or the document itself, which is read apart
    (:func:`methodologies.yaml_loader.load_study`).
    """

    kind: Literal["study"] = "study"
    slug: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=50)]
    name: Annotated[Text, Field(max_length=120)]
    mode: Name = "exploratory"
    language: Language | None = None
    translations: dict[Language, dict[str, Text]] = Field(default_factory=dict)
    concept: Text | None = None
    methodology: Text | None = None
    guide: Text | None = None
    max_turns: Annotated[int, Field(strict=True, ge=3, le=200)] | None = None
    time_budget_minutes: Annotated[int, Field(strict=True, ge=1, le=600)] | None = None
    extension_minutes: Annotated[int, Field(strict=True, ge=0, le=60)] | None = None
    consent_text: Text | None = None
    data_fields: tuple[dict[str, Any], ...] = ()
    data_collection: Literal["form", "chat"] = "form"
    reward: str = ""
    files: Annotated[tuple[Text, ...], Field(max_length=200)] = ()
    llm_choice: dict[str, Any] = Field(default_factory=dict)
    greeting: str = ""
    researcher: Annotated[str, Field(max_length=200)] = ""
    contact: Annotated[str, Field(max_length=200)] = ""
    research_purpose: str = ""
    retention: str = ""
    withdrawal: str = ""
    next_steps: str = ""
    redirect_url: Annotated[str, Field(max_length=400)] = ""
    dictation: bool = False
    quota: Annotated[int, Field(strict=True, ge=1)] | None = None
    recruiting: dict[str, Any] = Field(default_factory=dict)
