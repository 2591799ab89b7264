"""A turn: one answer and the question that follows it, with the decision behind that question."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from interviews.models.session import Session, Utterance
from interviews.models.study import Study


class StandingTurns(models.Manager["Turn"]):
    """The turns of an interview as it stands, without those whose answer was taken back."""

    def get_queryset(self) -> models.QuerySet[Turn]:
        return super().get_queryset().exclude(status=Turn.Status.WITHDRAWN)


class Turn(models.Model):
    """Turn 0 is the opening; turn n is answer n and what was asked next.

    The row is the queue: `status`, `lease_until` and `fence` settle which worker may write. Each
    claim raises `fence`; a commit that carries an older number changes nothing. The focus is kept
    as plain id and label, so that migrations run one way.

    A turn whose answer was taken back stays as a withdrawn row without content, and its number is
    free again: `objects`, and `session.turns`, are without such rows, `everything` has them.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        WITHDRAWN = "withdrawn"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="turns")
    number = models.PositiveIntegerField()
    status = models.CharField(max_length=9, choices=Status, default=Status.QUEUED)
    answer = models.OneToOneField(
        Utterance, null=True, blank=True, on_delete=models.CASCADE, related_name="answers_turn"
    )
    question = models.OneToOneField(
        Utterance, null=True, blank=True, on_delete=models.SET_NULL, related_name="asked_in_turn"
    )
    fence = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    held_until = models.DateTimeField(
        null=True, blank=True, help_text="Nobody begins before: the respondent is not finished."
    )
    attempt = models.PositiveSmallIntegerField(default=0)
    strategy = models.CharField(max_length=60, blank=True)
    focus_node_id = models.UUIDField(null=True, blank=True)
    focus_label = models.CharField(max_length=300, blank=True)
    phase = models.CharField(max_length=40, blank=True, help_text="In the mode's own words.")
    continuation = models.CharField(max_length=8, blank=True)
    continuation_reason = models.CharField(max_length=40, blank=True)
    active_seconds = models.FloatField(
        default=0,
        db_default=0,
        help_text="The time that the interview had taken with this answer, pauses not counted.",
    )
    result = models.JSONField(
        default=dict, blank=True, help_text="The record of the turn: what was read, added, decided."
    )
    stage_ms = models.JSONField(default=dict, blank=True)
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = StandingTurns()
    everything = models.Manager["Turn"]()

    class Meta:
        ordering: ClassVar = ["session", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["session", "number"],
                condition=~Q(status="withdrawn"),
                name="uniq_turn_number",
            ),
            models.UniqueConstraint(
                fields=["session"],
                condition=Q(status="running"),
                name="uniq_running_turn_per_session",
            ),
            models.CheckConstraint(
                condition=Q(number=0) | Q(answer__isnull=False), name="turn_has_answer"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["status", "lease_until"],
                name="turn_unfinished",
                condition=Q(status__in=["queued", "running"]),
            )
        ]

    def __str__(self) -> str:
        return f"turn {self.number}"


class BeforeTurn(models.Model):
    """What a turn's answer must find again if the one before it is taken back.

    Written with the turn's commit, from the rows as they stood until then, and kept only for as
    long as the answer can be taken back. What the turn added to the graph bears its number;
    `superseded` holds what it changed of earlier nodes: what each was superseded by, by node id.
    """

    turn = models.OneToOneField(
        Turn, primary_key=True, on_delete=models.CASCADE, related_name="before"
    )
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    state = models.JSONField()
    node_tracker_state = models.JSONField()
    superseded = models.JSONField()
    saturation = models.FloatField(null=True)
    flags = ArrayField(models.CharField(max_length=20))
    kept_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"before {self.turn_id}"


class LLMCall(models.Model):
    """One call of a language model, failed ones too; holds no prompt text.

    The study pays for it. Calls that belong to no interview (a plan, a file) have no session, and
    those outside of an answer no turn. `stands_in_for` is empty where whom the study chose
    answered; else it says why (an outcome) another one, or the rules, answered instead.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="llm_calls")
    session = models.ForeignKey(
        Session, null=True, blank=True, on_delete=models.CASCADE, related_name="llm_calls"
    )
    turn = models.ForeignKey(
        Turn, null=True, blank=True, on_delete=models.CASCADE, related_name="llm_calls"
    )
    task = models.CharField(max_length=40)
    role = models.CharField(max_length=10)
    provider = models.CharField(max_length=40)
    model = models.CharField(max_length=80, blank=True)
    prompt_hash = models.CharField(max_length=64, blank=True)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    tokens_cached = models.PositiveIntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    latency_ms = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=1)
    outcome = models.CharField(max_length=20, help_text="ok, or the kind of failure.")
    stands_in_for = models.CharField(
        max_length=20, blank=True, help_text="The failure after which this call was made instead."
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = "LLM call"
        ordering: ClassVar = ["-created_at"]
        indexes: ClassVar = [
            models.Index(fields=["created_at"], name="llmcall_failed", condition=~Q(outcome="ok"))
        ]

    def __str__(self) -> str:
        return f"{self.task} by {self.provider}"
