"""What a synthetic respondent could say about a concept of one's own, as a researcher wrote it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class WrittenWorld(models.Model):
    """The ladders of a concept: interviews.simulation.ladders reads them, nothing else does."""

    concept = models.OneToOneField(
        "methodologies.Concept", on_delete=models.CASCADE, related_name="written_world"
    )
    text = models.TextField()
    number = models.PositiveIntegerField(default=1, help_text="How often it was saved.")
    written_by = models.CharField(max_length=150)
    written_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["concept"]

    def __str__(self) -> str:
        return f"world of concept {self.concept_id}"
