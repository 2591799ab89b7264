"""Plans of guided interviews: immutable, numbered within their study."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now

from interviews.models.study import Study


class GuidePlan(models.Model):
    """A plan of a study's guide, as :class:`interviews.modes.guided.plan.Plan` reads it.

    `signature` is the SHA-256 of what it was made from; the newest plan of a study whose signature
    is that of its guide counts. An interview keeps the plan that it began with.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="plans")
    number = models.PositiveIntegerField()
    signature = models.CharField(max_length=64)
    data = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["study", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "number"], name="uniq_plan_number"),
            models.CheckConstraint(
                condition=models.Q(number__gte=1), name="guide_plan_number_from_1"
            ),
        ]

    def __str__(self) -> str:
        return f"plan {self.number} of {self.study}"
