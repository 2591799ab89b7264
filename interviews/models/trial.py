"""A trial: an interview that tries a study out, held by somebody here or by a persona."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from interviews.models.session import Session
from interviews.models.study import Study


class Trial(models.Model):
    """What was asked for, and the interview that came of it; without a persona somebody answers."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="trials")
    session = models.OneToOneField(
        Session, null=True, on_delete=models.CASCADE, related_name="trial"
    )
    methodology_version = models.ForeignKey(
        "methodologies.MethodologyVersion", null=True, on_delete=models.PROTECT, related_name="+"
    )
    persona_version = models.ForeignKey(
        "methodologies.PersonaVersion", null=True, on_delete=models.PROTECT, related_name="+"
    )
    turns = models.PositiveSmallIntegerField(default=10)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField(db_default=Now())
    error = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering: ClassVar = ["-made_at"]

    def __str__(self) -> str:
        return f"trial {self.pk} of {self.study}"
