"""What a respondent has given of themselves, apart from everything that was said."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now

from interviews.models.session import Session


class PersonalValue(models.Model):
    """A sensitive value of a study's field, as ciphertext: `interviews.vault` opens it."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="personal_values")
    key = models.CharField(max_length=40)
    ciphertext = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["session", "id"]
        default_permissions = ("view", "delete")
        permissions: ClassVar = [("export_personalvalue", "Can export personal values")]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["session", "key"], name="uniq_personal_value")
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.session_id}"
