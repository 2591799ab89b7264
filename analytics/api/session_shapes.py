"""Interviews and their turns as programs get them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from pydantic import ValidationError
from rest_framework import serializers

from interviews.explain.interpreter import entry_of, rationale_of
from interviews.models import Session, Turn, Utterance
from interviews.record import readable_result_of
from interviews.turns.state import SessionState


def name_of(version: Any) -> str | None:
    """A version of a document as `name@number`."""
    return f"{version.document.name}@{version.number}" if version is not None else None


class SessionShape(serializers.ModelSerializer[Session]):
    """An interview in a list."""

    study = serializers.SlugField(source="study.slug", read_only=True)
    mode = serializers.CharField(source="study.mode", read_only=True)

    class Meta:
        model = Session
        fields: ClassVar[Sequence[str]] = (
            *("id", "study", "mode", "status", "simulated", "language", "turn_count", "max_turns"),
            *("started_at", "ended_at", "termination_reason"),
        )
        read_only_fields: ClassVar[Sequence[str]] = fields


class FocusShape(serializers.Serializer[Any]):
    """What a question was about, and by which strategy it was asked."""

    turn = serializers.IntegerField()
    kind = serializers.CharField(allow_null=True)
    ref = serializers.CharField(allow_blank=True)
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    strategy = serializers.CharField(allow_blank=True)


class EvidenceShape(serializers.Serializer[Any]):
    """What the mode rested a turn's choice on, in the mode's own terms."""

    turn = serializers.IntegerField()
    evidence = serializers.DictField()


class SessionDetail(SessionShape):
    """An interview with what was asked about and why; a respondent's program sees no reasons."""

    concept = serializers.SerializerMethodField()
    methodology = serializers.SerializerMethodField()
    guide = serializers.SerializerMethodField()
    revision = serializers.SerializerMethodField()
    pending = serializers.SerializerMethodField()
    segments = serializers.DictField(read_only=True)
    focus_history = serializers.SerializerMethodField()
    evidence = serializers.SerializerMethodField()

    class Meta(SessionShape.Meta):
        fields: ClassVar[Sequence[str]] = (
            *SessionShape.Meta.fields,
            *("concept", "methodology", "guide", "revision", "pending", "segments"),
            *("focus_history", "evidence"),
        )
        read_only_fields: ClassVar[Sequence[str]] = fields

    def get_concept(self, session: Session) -> str | None:
        return name_of(session.concept_version)

    def get_methodology(self, session: Session) -> str | None:
        return name_of(session.methodology_version)

    def get_guide(self, session: Session) -> str | None:
        return name_of(session.guide_version)

    def get_revision(self, session: Session) -> int | None:
        return session.revision.number if session.revision else None

    def get_pending(self, session: Session) -> int | None:
        """The number of the turn that is queued, under way or failed; null where none is."""
        unfinished = session.turns.exclude(status=Turn.Status.DONE).order_by("number")
        return None if session.is_over else unfinished.values_list("number", flat=True).first()

    @extend_schema_field(FocusShape(many=True))
    def get_focus_history(self, session: Session) -> list[dict[str, Any]]:
        if not self.context["reasons"] or not session.state:
            return []
        try:
            history = SessionState.model_validate(session.state).focus_history
        except ValidationError:
            return []  # of a release that kept it otherwise
        return [entry.model_dump() for entry in history]

    @extend_schema_field(EvidenceShape(many=True))
    def get_evidence(self, session: Session) -> list[dict[str, Any]]:
        if not self.context["reasons"]:
            return []
        turns = session.turns.filter(status=Turn.Status.DONE).order_by("number")
        found = ((turn.number, readable_result_of(turn)) for turn in turns)
        return [
            {"turn": number, "evidence": result.evidence.model_dump(mode="json")}
            for number, result in found
            if result is not None and result.evidence is not None
        ]


class UtteranceShape(serializers.ModelSerializer[Utterance]):
    """Something said; `aside` beside the turns: offers of more time, data at the end."""

    turn = serializers.IntegerField(source="turn_number", read_only=True)
    block = serializers.DictField(allow_null=True, read_only=True)

    class Meta:
        model = Utterance
        fields = (
            *("id", "sequence", "turn", "speaker", "text", "block", "aside", "client_message_id"),
            "created_at",
        )
        read_only_fields = fields


class TurnShape(serializers.Serializer[Any]):
    """A turn: answer n and the question that was asked after it; turn 0 is the opening."""

    number = serializers.IntegerField()
    status = serializers.ChoiceField(choices=["queued", "running", "done", "failed"])
    answer = serializers.CharField(allow_null=True)
    question = serializers.CharField(allow_null=True)
    block = serializers.DictField(allow_null=True)
    session_status = serializers.ChoiceField(choices=Session.Status.choices)
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class ContributionShape(serializers.Serializer[Any]):
    """What one weight added to a score: weight × value."""

    key = serializers.CharField()
    value = serializers.FloatField()
    weight = serializers.FloatField()
    contribution = serializers.FloatField()


class CandidateShape(serializers.Serializer[Any]):
    """A strategy, with a node where it needs one, as it was scored."""

    strategy = serializers.CharField()
    node_id = serializers.CharField(allow_null=True)
    label = serializers.CharField(allow_blank=True, allow_null=True)  # type: ignore[assignment]
    rank = serializers.IntegerField()
    final = serializers.FloatField()
    base = serializers.FloatField()
    phase_multiplier = serializers.FloatField()
    phase_bonus = serializers.FloatField()
    gates = serializers.ListField(child=serializers.CharField())
    contributions = ContributionShape(many=True)
    node_score = serializers.FloatField(allow_null=True)
    node_contributions = ContributionShape(many=True)


class PlaceShape(serializers.Serializer[Any]):
    """What a question is about."""

    node_id = serializers.CharField(allow_null=True)
    label = serializers.CharField()  # type: ignore[assignment]


class TurnDetail(TurnShape):
    """A turn with the decision behind its question: empty for a respondent's program."""

    strategy = serializers.CharField(allow_blank=True)
    focus = PlaceShape(allow_null=True)
    phase = serializers.CharField(allow_blank=True)
    continuation = serializers.CharField(allow_blank=True)
    continuation_reason = serializers.CharField(allow_blank=True)
    latency_ms = serializers.IntegerField(allow_null=True)
    signals = serializers.DictField()
    node_signals = serializers.DictField()
    candidates = CandidateShape(many=True)
    contributions = ContributionShape(many=True)
    result = serializers.DictField(allow_null=True)


def turn_row(turn: Turn) -> dict[str, Any]:
    """A turn that came with its answer, question and session."""
    return {
        "number": turn.number,
        "status": turn.status,
        "answer": turn.answer.text if turn.answer else None,
        "question": turn.question.text if turn.question else None,
        "block": turn.question.block if turn.question else None,
        "session_status": turn.session.status,
        "created_at": turn.created_at,
        "finished_at": turn.finished_at,
    }


def turn_detail(turn: Turn, *, reasons: bool) -> dict[str, Any]:
    """A turn with its decision, or with none of it; the contributions are the winner's."""
    row = turn_row(turn)
    result = readable_result_of(turn) if reasons else None
    scores = rationale_of(result).scores if result else None
    candidates = [entry_of(scored) for scored in scores.best] if scores else []
    evidence = result.evidence if result else None
    focus = {"node_id": turn.focus_node_id and str(turn.focus_node_id), "label": turn.focus_label}
    return row | {
        "strategy": turn.strategy if reasons else "",
        "focus": focus if reasons and turn.focus_label else None,
        "phase": turn.phase if reasons else "",
        "continuation": turn.continuation,
        "continuation_reason": turn.continuation_reason if reasons else "",
        "latency_ms": turn.latency_ms,
        "signals": dict(evidence.figures()) if evidence else {},
        "node_signals": dict(evidence.node_figures()) if evidence else {},
        "candidates": candidates,
        "contributions": candidates[0]["contributions"] if candidates else [],
        "result": result.model_dump(mode="json", exclude={"evidence"}) if result else None,
    }
