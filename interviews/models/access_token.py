"""What programs come with: tokens of people, and the replies that they were given lately."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now


class AccessToken(models.Model):
    """A token by which a program acts for a person, as far as its scopes and their roles go.

    The token itself is shown once and never stored; `digest` is its SHA-256.
    """

    class Scope(models.TextChoices):
        READ = "read", "read whatever its person may read"
        COLLECT = "collect", "invite respondents, hold interviews and see what is asked in them"
        MANAGE = "manage", "make and change what its person may, and read it"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="access_tokens"
    )
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)
    scopes = ArrayField(models.CharField(max_length=8, choices=Scope))
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return self.name


class KeptReply(models.Model):
    """What a POST with an Idempotency-Key was answered, so that sending it again does nothing.

    `status` is None while the first request is under way. `sealed` is the body, encrypted: it may
    hold what is shown once, or what respondents said.
    """

    caller = models.CharField(max_length=80)
    key = models.CharField(max_length=255)
    digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    location = models.CharField(max_length=300, blank=True)
    sealed = models.TextField(blank=True)
    kept_at = models.DateTimeField(db_default=Now(), db_index=True)

    class Meta:
        verbose_name_plural = "kept replies"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["caller", "key"], name="uniq_reply_of_caller")
        ]

    def __str__(self) -> str:
        return f"reply to {self.caller}"
