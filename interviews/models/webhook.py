"""Webhooks: who is told over HTTP what happened in a study, and how each telling went."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from interviews.models.study import Study


class Webhook(models.Model):
    """An address that is told of events of a study. `secret` signs, and is kept encrypted."""

    class Event(models.TextChoices):
        COMPLETED = "session.completed", "an interview is completed"
        FAILED = "session.failed", "an interview waits, for a question could not be made"
        QUOTA = "study.quota_reached", "the study has all the interviews it needs"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    events = ArrayField(models.CharField(max_length=24, choices=Event))
    secret = models.TextField(editable=False)
    active = models.BooleanField(default=True)
    made_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"webhook {str(self.id)[:8]}"


class Delivery(models.Model):
    """An event on its way to a webhook: the outbox's row, written with what it tells of.

    Due from `next_at`; `rung_at` is when somebody was last asked to deliver it. `answered` is the
    last HTTP status, None where nothing answered; `answer` the beginning of its body, or why none.
    """

    class Status(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=24, choices=Webhook.Event)
    subject = models.CharField(max_length=120, help_text="What happened, so that it is told once.")
    payload = models.JSONField()
    status = models.CharField(max_length=9, choices=Status, default=Status.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(db_default=Now())
    rung_at = models.DateTimeField(db_default=Now())
    tried_at = models.DateTimeField(null=True, blank=True)
    answered = models.PositiveSmallIntegerField(null=True, blank=True)
    answer = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(db_default=Now(), db_index=True)

    class Meta:
        verbose_name_plural = "deliveries"
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["webhook", "subject"], name="uniq_delivery_of_event")
        ]
        indexes: ClassVar = [
            models.Index(fields=["next_at"], name="delivery_due", condition=Q(status="waiting"))
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook}"
