"""Coded interviews played through the real pipeline: what it chooses after each answer.

Every answer meets the interview as it was coded: what the engine chooses is noted, and the coder's
next question is asked all the same. So each choice is made for itself, whatever came of the one
before it. All stages, the mode, the embeddings and the matching are the product's own; only the
wording of questions is left out.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, cast

import yaml
from django.conf import settings

from graphs.domain import SessionGraph
from graphs.language.embeddings import shared_embedder
from graphs.matching import SharedReader
from interviews import dispatch, services
from interviews.bench.listening_models import (
    CLOSE,
    TOPIC,
    CodedExtraction,
    CodedInterview,
    CodedRating,
    CodedTurn,
)
from interviews.bench.listening_sense import Span, Taken, likeness, nearest_label, overlaps
from interviews.llm.budget import Unlimited
from interviews.llm.config import LLMConfig, RoleChoice, read_catalogue
from interviews.llm.gateway import Gateway
from interviews.llm.providers.base import RuleProvider
from interviews.llm.setup import connect, offline_rules
from interviews.llm.tasks.base import In, Out, Task
from interviews.llm.tasks.extraction import EXTRACTION, Concept, ExtractionOutput, Relationship
from interviews.llm.tasks.response_rating import RESPONSE_RATING, RUBRICS, Rating, RatingOutput
from interviews.models import Study, Turn
from interviews.modes.common.focus import focus_on
from interviews.pipeline import runner, tracking
from interviews.pipeline.assembly import directors, stages
from interviews.pipeline.engine import Engine, Stage
from interviews.pipeline.grounding import locate
from interviews.pipeline.stages.continuation import ContinuationStage
from interviews.pipeline.stages.question_generation import QuestionGenerationStage
from interviews.turns.context import TurnView
from interviews.turns.contracts import (
    ContinuationOutput,
    QuestionGenerationOutput,
    Verdict,
)
from methodologies.registry import CONCEPT, METHODOLOGY, newest, publish

MAX_TURNS = 15
"""What an interview of these would have been planned for; none of its eight answers is late."""


class Way(StrEnum):
    """Who reads the answers: the coder, the coder without the leads, or the offline rules."""

    REPLAY = "replay"
    WITHOUT_LEADS = "without_leads"
    OFFLINE = "offline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the engine chose to take up after an answer, and by which strategy."""

    interview: str
    turn: int
    strategy: str
    chosen: str
    taken: Taken


def choices_in(interviews: Sequence[CodedInterview], way: Way) -> list[Choice]:
    """Play every interview and return what was chosen after each answer.

    Wants an open transaction with the library loaded; the caller rolls it back.
    """
    found: list[Choice] = []
    for interview in interviews:
        found += _Replay(interview, way).choices()
    return found


# -- what was read ---------------------------------------------------------------------------------
@dataclass(slots=True)
class CodedReader:
    """A provider that reads the current answer as the coder did; the rules do all other tasks."""

    rules: RuleProvider
    types: dict[str, str]
    with_leads: bool
    turn: CodedTurn | None = None

    def complete(self, task: Task[In, Out], inputs: In) -> Out:
        """Return the coder's extraction or rating, else what the rules answer."""
        if self.turn is not None and task.name == EXTRACTION.name:
            return cast("Out", extraction_of(self.turn.extraction, self.types))
        if self.turn is not None and task.name == RESPONSE_RATING.name:
            return cast("Out", rating_of(self.turn.rating, with_leads=self.with_leads))
        return self.rules.complete(task, inputs)

    def stand_in(self, task: Task[In, Out], inputs: In) -> Out | None:
        """Nobody fails here."""
        return None


def extraction_of(coded: CodedExtraction, types: dict[str, str]) -> ExtractionOutput:
    """The coder's extraction as the task's output."""
    return ExtractionOutput(
        extractable=coded.extractable,
        concepts=tuple(Concept(**concept.model_dump()) for concept in coded.concepts),
        relationships=tuple(
            Relationship(
                **relation.model_dump(),
                source_type=types[relation.source],
                target_type=types[relation.target],
            )
            for relation in coded.relationships
        ),
    )


def rating_of(coded: CodedRating, *, with_leads: bool) -> RatingOutput:
    """The coder's rating as the task's output, the leads withheld where they are not wanted."""
    return RatingOutput(
        **{name: Rating(score=getattr(coded, name)) for name in RUBRICS},
        act=coded.act,
        leads=coded.leads if with_leads else (),
        disclaimed=coded.disclaimed,
        off_track=coded.off_track,
    )


# -- what was chosen -------------------------------------------------------------------------------
@dataclass(slots=True)
class _Said:
    """Where each node was said, by its id: the turn, the span of its answer, and the label."""

    by_node: defaultdict[str, list[tuple[int, Span, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def hear(self, graph: SessionGraph) -> None:
        for mention in graph.changes.mentions.values():
            if mention.node_id is not None:
                said = (mention.turn, (mention.start, mention.end), mention.label)
                self.by_node[mention.node_id].append(said)


class _AsAsked:
    """The continuation stage, which notes what was chosen and goes on as the coder's question."""

    name: ClassVar[str] = ContinuationStage.name
    reads: ClassVar[tuple[type, ...]] = ContinuationStage.reads
    reads_answer: ClassVar[tuple[type, ...]] = ContinuationStage.reads_answer
    gives: ClassVar[type] = ContinuationStage.gives
    directs: ClassVar[tuple[str, ...]] = ContinuationStage.directs
    opens: ClassVar[bool] = ContinuationStage.opens

    def __init__(self, inner: ContinuationStage, replay: _Replay) -> None:
        self._inner = inner
        self._replay = replay

    def run(self, context: TurnView) -> ContinuationOutput:
        real = self._inner.run(context)
        self._replay.note(context, real)
        asked = self._replay.asked_after(context.job.number)
        if asked is None:
            return real
        node_id = self._replay.node_of(asked.focus, context.graph) if asked.focus else None
        focus = focus_on(context, node_id)
        again = real.rephrases and real.focus == focus
        return replace(
            real,
            verdict=Verdict.CONTINUE,
            reason=real.reason if again else "",
            strategy=asked.strategy,
            focus=focus,
            rephrases=again,
        )


class _CodedQuestion:
    """Asks the coder's next question."""

    name: ClassVar[str] = QuestionGenerationStage.name
    reads: ClassVar[tuple[type, ...]] = QuestionGenerationStage.reads
    reads_answer: ClassVar[tuple[type, ...]] = QuestionGenerationStage.reads_answer
    gives: ClassVar[type] = QuestionGenerationStage.gives
    directs: ClassVar[tuple[str, ...]] = ()
    opens: ClassVar[bool] = QuestionGenerationStage.opens

    def __init__(self, interview: CodedInterview) -> None:
        self._interview = interview

    def run(self, context: TurnView) -> QuestionGenerationOutput:
        number = context.job.number
        turns = self._interview.turns
        return QuestionGenerationOutput(
            question=turns[number].question if number < len(turns) else None
        )


class _Replay:
    """One interview on its way through the pipeline."""

    def __init__(self, interview: CodedInterview, way: Way) -> None:
        self._interview = interview
        self._said = _Said()
        self._choices: list[Choice] = []
        rules = offline_rules()
        self._reader: CodedReader | None = None
        if way is not Way.OFFLINE:
            self._reader = CodedReader(
                rules, interview.types_by(len(interview.turns)), way is Way.REPLAY
            )
        self._engine = self._engine_with(self._reader or rules)

    def choices(self) -> list[Choice]:
        """What was chosen after each answer."""
        with dispatch.held_back():
            session = services.start_session(
                _study(self._interview), seed=1, simulated=True, max_turns=MAX_TURNS
            )
            self._think(Turn.objects.get(session=session, number=0))
            for coded in self._interview.turns:
                if self._reader is not None:
                    self._reader.turn = coded
                services.accept_answer(session.pk, coded.answer, seconds=20)
                self._think(Turn.objects.get(session=session, number=coded.turn))
        return self._choices

    def note(self, context: TurnView, real: ContinuationOutput) -> None:
        """Remember what the engine would have asked about now."""
        self._said.hear(context.graph)
        turn = context.job.number
        node_id = real.focus.node_id if real.focus else None
        closes = real.verdict is not Verdict.CONTINUE
        if closes:
            taken, chosen = Taken(labels=(CLOSE,)), CLOSE
        elif node_id is None:
            taken, chosen = Taken(labels=(TOPIC,)), TOPIC
        else:
            taken = self._taken(node_id, turn)
            chosen = context.graph.nodes[node_id].label
        self._choices.append(
            Choice(
                interview=self._interview.id,
                turn=turn,
                strategy=real.strategy,
                chosen=chosen,
                taken=taken,
            )
        )

    def asked_after(self, turn: int) -> Any:
        """How the coder's question after an answer was meant, None after the last one."""
        turns = self._interview.turns
        return turns[turn].asked if turn < len(turns) else None

    def node_of(self, label: str, graph: SessionGraph) -> str | None:
        """The live node that stands for a coded concept: of its name, else said where it was."""
        if named := graph.called(label):
            return named[0].id
        coded = [
            (turn.turn, span)
            for turn in self._interview.turns
            for concept in turn.extraction.concepts
            if concept.label == label and (span := locate(concept.quote, turn.answer))
        ]
        near = [
            (likeness(span, other), node_id)
            for node_id, said in self._said.by_node.items()
            for when, span, _ in said
            for turn, other in coded
            if graph.is_live(node_id) and when == turn and overlaps(span, other)
        ]
        return max(near)[1] if near else None

    def _taken(self, node_id: str, turn: int) -> Taken:
        """The node in the readers' terms: under the coder's labels, or where it was said."""
        said, known = self._said.by_node[node_id], self._interview.types_by(turn)
        labels = [
            label if label in known else nearest_label(span, self._interview.turns[when - 1])
            for when, span, label in said
        ]
        return Taken(
            labels=tuple(dict.fromkeys(label for label in labels if label)),
            stretches=tuple(span for when, span, _ in said if when == turn),
        )

    def _engine_with(self, rules: RuleProvider) -> Engine:
        roles = {role: RoleChoice() for role in ("extraction", "scoring", "generation")}
        config = LLMConfig(
            roles=cast("Any", roles), catalogue=read_catalogue(), keys={}, base_urls={}
        )
        gateway = Gateway(
            config=lambda: config,
            rules=lambda: rules,
            connect=connect,
            budget=Unlimited(),
            clock=time.monotonic,
            sleep=time.sleep,
            random=lambda: 0.0,
        )
        by_mode = directors()
        made: list[Stage] = []
        for stage in stages(
            gateway=gateway,
            embedder=shared_embedder(settings.EMBEDDING_MODEL),
            by_mode=by_mode,
            reader=SharedReader(),
        ):
            match stage:
                case ContinuationStage():
                    made.append(_AsAsked(stage, self))
                case QuestionGenerationStage():
                    made.append(_CodedQuestion(self._interview))
                case _:
                    made.append(stage)
        return Engine(
            made, directors=list(by_mode.values()), follow=tracking.follow, clock=time.monotonic
        )

    def _think(self, turn: Turn) -> None:
        outcome = runner.process_turn(turn.pk, engine=self._engine)
        if outcome is not runner.Outcome.DONE:
            turn.refresh_from_db()
            raise RuntimeError(f"{self._interview.id}, turn {turn.number}: {turn.error}")


def _study(interview: CodedInterview) -> Study:
    concept = {
        "id": f"listening_{interview.id}",
        "name": interview.concept.name,
        "topic": interview.concept.subject,
        "objective": interview.concept.objective,
        "methodology": interview.methodology,
    }
    study, _ = Study.objects.get_or_create(
        slug=f"listening-{interview.id}".replace("_", "-")[:50],
        defaults={
            "name": interview.id,
            "methodology_version": newest(METHODOLOGY, interview.methodology),
            "concept_version": publish(CONCEPT, yaml.safe_dump(concept, allow_unicode=True)),
            "enable_srl": True,
            "enable_canonical_slots": True,
        },
    )
    return study
