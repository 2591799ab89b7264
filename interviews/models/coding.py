"""Answers that people code blind, to tell how far they and the machine agree."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now

from interviews.models.session import Utterance
from interviews.models.study import Study


class SampledAnswer(models.Model):
    """An answer of the study's random sample, in the order in which it is coded."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="sampled")
    utterance = models.OneToOneField(Utterance, on_delete=models.CASCADE, related_name="sampled")
    position = models.PositiveIntegerField()
    seed = models.BigIntegerField()

    class Meta:
        ordering: ClassVar = ["study", "position"]

    def __str__(self) -> str:
        return f"{self.position} of {self.study_id}"


class Coding(models.Model):
    """What one person read in a sampled answer. Validated: analytics.agreement.coding."""

    answer = models.ForeignKey(SampledAnswer, on_delete=models.CASCADE, related_name="codings")
    coder = models.CharField(max_length=150)
    concepts = models.JSONField(default=list, help_text="Spans with their types.")
    links = models.JSONField(default=list, help_text="Pairs of places in the list of concepts.")
    done_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["answer", "coder"], name="uniq_coding")
        ]

    def __str__(self) -> str:
        return f"{self.coder} on {self.answer_id}"
