"""A session: one interview with one respondent, its invitation and its utterances."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from interviews.models.study import Study


class SessionQuerySet(models.QuerySet["Session"]):
    """Reads of sessions by the domain's words."""

    def open(self) -> SessionQuerySet:
        """Sessions whose interview has not ended."""
        return self.filter(status__in=[Session.Status.ACTIVE, Session.Status.PAUSED])


class Session(models.Model):
    """One interview. `turn_count` counts completed turns; versions are pinned at the start."""

    class Status(models.TextChoices):
        ACTIVE = "active"
        PAUSED = "paused"
        COMPLETED = "completed"
        ABANDONED = "abandoned"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="sessions")
    concept_version = models.ForeignKey(
        "methodologies.ConceptVersion",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="sessions",
    )
    methodology_version = models.ForeignKey(
        "methodologies.MethodologyVersion",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="sessions",
    )
    guide_version = models.ForeignKey(
        "methodologies.GuideVersion",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="sessions",
    )
    revision = models.ForeignKey(
        "interviews.StudyRevision",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="sessions",
        help_text="What the study was when the interview began.",
    )
    status = models.CharField(max_length=9, choices=Status, default=Status.ACTIVE)
    max_turns = models.PositiveSmallIntegerField(default=15)
    turn_count = models.PositiveIntegerField(default=0)
    progress = models.FloatField(
        default=0, db_default=0, help_text="The furthest that the respondent was shown."
    )
    minutes_left = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The fewest that the respondent was shown."
    )
    last_sequence = models.PositiveIntegerField(
        default=0, help_text="Sequence number of the newest utterance."
    )
    state = models.JSONField(default=dict, help_text="Validated: interviews.turns.state.")
    epilogue = models.JSONField(
        default=dict, blank=True, db_default={}, help_text="Validated: interviews.epilogue.state."
    )
    segments = models.JSONField(
        default=dict,
        blank=True,
        db_default={},
        help_text="Values of the study's fields that are not sensitive, by key, with answers to "
        "its screener and parameters of its link.",
    )
    browser = models.CharField(
        max_length=32,
        blank=True,
        db_default="",
        help_text="Which browser began it, as a hash of a random token; tells repeated interviews.",
    )
    pasted = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Characters of answers that were pasted."
    )
    marked = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether interviews.marks has looked at it since it ended.",
    )
    node_tracker_state = models.JSONField(default=dict, blank=True)
    graph_version = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="Raised by whoever writes the session's graph or tracker.",
    )
    language = models.CharField(max_length=8, default="en")
    seed = models.BigIntegerField(default=0, help_text="Feeds every random choice of the session.")
    simulated = models.BooleanField(default=False)
    consented_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True, blank=True)
    termination_reason = models.CharField(max_length=40, blank=True)

    objects = SessionQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-started_at"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(status__in=["active", "paused"], ended_at__isnull=True)
                | Q(status__in=["completed", "abandoned"], ended_at__isnull=False),
                name="session_ended_when_over",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["study", "status"], name="session_by_study_status"),
            models.Index(
                fields=["ended_at"],
                name="session_to_be_marked",
                condition=Q(marked=False, ended_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study} · {str(self.id)[:8]}"

    @property
    def is_over(self) -> bool:
        return self.status in (self.Status.COMPLETED, self.Status.ABANDONED)


class Erasure(models.Model):
    """What is left of an erased session: that it was erased, when, by whom; nothing of it."""

    session_id = models.UUIDField(unique=True)
    study = models.ForeignKey(Study, null=True, on_delete=models.SET_NULL, related_name="erasures")
    consented_at = models.DateTimeField(null=True)
    erased_at = models.DateTimeField(db_default=Now())
    erased_by = models.CharField(max_length=150)

    class Meta:
        ordering: ClassVar = ["-erased_at"]

    def __str__(self) -> str:
        return f"erased session {self.session_id}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    """Invitations, read."""

    def standing(self, now: datetime) -> Self:
        """Links that still count: not withdrawn, not expired."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)


class Invitation(models.Model):
    """A link to a study. The token is signed and opaque and carries only this row's id."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invitations")
    session = models.OneToOneField(
        Session, null=True, blank=True, on_delete=models.SET_NULL, related_name="invitation"
    )
    note = models.CharField(max_length=120, blank=True, help_text="For the researcher only.")
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    sealed_address = models.TextField(
        blank=True, db_default="", help_text="Whom the link is mailed to: interviews.mailing."
    )
    created_at = models.DateTimeField(db_default=Now())

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.study} · {self.note or str(self.id)[:8]}"


class StandingUtterances(models.Manager["Utterance"]):
    """What was said and not taken back: what everybody means who reads a conversation."""

    def get_queryset(self) -> models.QuerySet[Utterance]:
        return super().get_queryset().filter(withdrawn_at__isnull=True)


class Utterance(models.Model):
    """Something said. `sequence` is gapless within a session and starts at 1.

    What the respondent has taken back, and the question that it led to, stays as a row without
    words: `objects`, and `session.utterances`, are without these rows, `everything` has them.
    """

    class Speaker(models.TextChoices):
        RESPONDENT = "respondent"
        INTERVIEWER = "interviewer"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="utterances")
    turn_number = models.PositiveIntegerField()
    sequence = models.PositiveIntegerField()
    speaker = models.CharField(max_length=11, choices=Speaker)
    text = models.TextField()
    block = models.JSONField(
        null=True, blank=True, help_text="What stands beside a question: interviews.turns.blocks."
    )
    aside = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Said beside the turns: an offer of more time, the collection of data.",
    )
    client_message_id = models.UUIDField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = StandingUtterances()
    everything = models.Manager["Utterance"]()

    class Meta:
        ordering: ClassVar = ["session", "sequence"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["session", "sequence"], name="uniq_utterance_sequence"),
            models.UniqueConstraint(
                fields=["session", "client_message_id"], name="uniq_client_message"
            ),
            models.UniqueConstraint(
                fields=["session", "turn_number", "speaker"],
                condition=Q(withdrawn_at__isnull=True, aside=False),
                name="uniq_speaker_per_turn",
            ),
            models.CheckConstraint(condition=Q(sequence__gte=1), name="utterance_sequence_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.speaker} {self.sequence}"
