"""What people changed of an interview's graph, row by row, so that it can go back."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models.functions import Now

from interviews.models.session import Session


class CorrectionQuerySet(models.QuerySet["Correction"]):
    """Reads of corrections by the domain's words."""

    def standing(self) -> CorrectionQuerySet:
        """Those that were not undone."""
        return self.filter(undone_at__isnull=True)


class Correction(models.Model):
    """One correction of one interview's graph. `number` counts from 1 within the session."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="corrections")
    number = models.PositiveIntegerField()
    follows = models.PositiveIntegerField(
        default=0, help_text="Number of the newest correction that stood then, 0 for none."
    )
    act = models.CharField(max_length=20)
    detail = models.JSONField(help_text="Validated: interviews.corrections.acts.")
    changes = models.JSONField(help_text="Each changed row before and after: graphs.row_changes.")
    newest_turn = models.PositiveIntegerField(
        default=0, help_text="The newest turn of which it holds words."
    )
    graph_version = models.PositiveIntegerField(
        help_text="The graph's version when it was last made, undone or redone."
    )
    made_by = models.CharField(max_length=150)
    made_at = models.DateTimeField(db_default=Now())
    undone_by = models.CharField(max_length=150, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    objects = CorrectionQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["session", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["session", "number"], name="uniq_correction_number")
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.number}"
