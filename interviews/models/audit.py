"""The audit log: who did what to what, and when. Rows are added and never touched again."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now


class AuditEntry(models.Model):
    """One act, by ids and names of fields, never by contents.

    `study_id` is the study that the object belongs to, if any; no foreign key, for the entry
    outlives what it tells of. A trigger in the database refuses every change and deletion.
    """

    at = models.DateTimeField(db_default=Now(), db_index=True)
    by = models.CharField(max_length=150)
    action = models.CharField(max_length=30, db_index=True)
    kind = models.CharField("what", max_length=40)
    object_id = models.CharField("id", max_length=64, db_index=True)
    study_id = models.UUIDField("study", null=True, db_index=True)
    fields = ArrayField(models.CharField(max_length=80), default=list)

    class Meta:
        verbose_name_plural = "audit entries"
        ordering: ClassVar = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.by} {self.action} {self.kind} {self.object_id}"
