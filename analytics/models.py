"""Files that are written beside the request that asked for them, and kept for a day."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from interviews.models import Study


class ExportFile(models.Model):
    """An export that was asked for: what it is to hold, how far it is, and until when it is kept.

    `query` are the criteria and `options` the names of what else was chosen. `lease_until` says
    until when whoever writes it is believed to be alive; `fence` rises with every beginning.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="export_files")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    format_name = models.CharField(max_length=20)
    query = models.JSONField(default=dict)
    options = models.JSONField(default=list)
    status = models.CharField(max_length=8, choices=Status, default=Status.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    size = models.PositiveBigIntegerField(default=0)
    fence = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["-created_at"]
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.format_name} of {self.study_id}"


class ExportPiece(models.Model):
    """A piece of such a file, in order: in the database, where every machine finds it."""

    file = models.ForeignKey(ExportFile, on_delete=models.CASCADE, related_name="pieces")
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering: ClassVar = ["file", "number"]
        default_permissions = ()
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["file", "number"], name="uniq_export_piece")
        ]

    def __str__(self) -> str:
        return f"piece {self.number} of {self.file_id}"
