"""Revisions of a study: what respondents were told and led by, as it was."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now

from interviews.models.study import Study


class StudyRevision(models.Model):
    """What a study was made of when interviews were held: immutable, numbered within the study.

    `data` holds the fields that :mod:`interviews.revisions` freezes, by name.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    data = models.JSONField()
    made_by = models.CharField(max_length=150, blank=True)
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["study", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "number"], name="uniq_study_revision_number")
        ]

    def __str__(self) -> str:
        return f"revision {self.number} of {self.study_id}"
