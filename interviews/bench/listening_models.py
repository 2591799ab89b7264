"""Models of the bench of listening: interviews as a coder read them, and readers' judgements.

An interview holds eight answers, each with the extraction and the rating that a careful coder makes
of it. What could be taken up next is judged apart, by readers who saw neither ratings nor choices.
The folder's README is the code book.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from interviews.acts import MOST_LEADS, Act, Lead

TURNS = 8
TOPIC, CLOSE, LEAD = "TOPIC", "CLOSE", "LEAD:"
"""A question on the subject without a node; an ending; a stretch of the answer that is no node."""

Score = Annotated[int, Field(ge=1, le=5)]
Share = Annotated[float, Field(ge=0, le=1)]
Text = Annotated[str, Field(min_length=1)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Asked(_Model):
    """How the question before an answer was meant; `focus` is a label known then, or None."""

    strategy: Text
    focus: Text | None = None


class CodedConcept(_Model):
    """A concept as the coder named it, with a verbatim quote; a known one keeps its label."""

    label: Text
    node_type: Text
    quote: Text
    confidence: Share
    stance: Annotated[int, Field(ge=-1, le=1)]


class CodedRelationship(_Model):
    """A relation that was said, between labels known by then, with one unbroken quote."""

    source: Text
    target: Text
    edge_type: Text
    quote: Text
    confidence: Share


class CodedExtraction(_Model):
    """What a careful coder reads off the answer; both lists are empty where nothing is."""

    extractable: bool
    concepts: tuple[CodedConcept, ...] = ()
    relationships: tuple[CodedRelationship, ...] = ()


class CodedRating(_Model):
    """The six rubric scores, the act, up to three leads (best first), and what was played down."""

    response_depth: Score
    specificity: Score
    certainty: Score
    valence: Score
    engagement: Score
    intellectual_engagement: Score
    act: Act
    leads: Annotated[tuple[Lead, ...], Field(max_length=MOST_LEADS)] = ()
    disclaimed: tuple[Text, ...] = ()
    off_track: bool = False


class CodedTurn(_Model):
    """An answer, the question before it, and the coder's reading."""

    turn: Annotated[int, Field(ge=1, le=TURNS)]
    asked: Asked
    question: Text
    answer: Text
    extraction: CodedExtraction
    rating: CodedRating


class CodedConceptOfStudy(_Model):
    """What the interview is about."""

    name: Text
    subject: Text
    objective: Text


class CodedInterview(_Model):
    """One interview of the bench; `person` says what kind of respondent speaks."""

    id: Text
    split: Literal["dev", "held_out"]
    methodology: Text
    concept: CodedConceptOfStudy
    person: Text
    opening: Text
    turns: Annotated[tuple[CodedTurn, ...], Field(min_length=TURNS, max_length=TURNS)]

    def types_by(self, turn: int) -> dict[str, str]:
        """The node type of each label that is known after the answer of `turn` (1-8)."""
        said = (concept for t in self.turns[:turn] for concept in t.extraction.concepts)
        return {concept.label: concept.node_type for concept in said}


class Judgement(_Model):
    """What a reader finds sensible and senseless to take up after one answer.

    Entries are labels known by then, TOPIC, CLOSE, or LEAD: with a verbatim stretch of the answer.
    """

    turn: Annotated[int, Field(ge=1, le=TURNS)]
    sensible: Annotated[tuple[Text, ...], Field(min_length=1)]
    senseless: tuple[Text, ...] = ()
    why: Text


class ReaderSheet(_Model):
    """One reader's judgements of one interview."""

    interview: Text
    reader: Literal["first", "second"]
    turns: Annotated[tuple[Judgement, ...], Field(min_length=TURNS, max_length=TURNS)]
