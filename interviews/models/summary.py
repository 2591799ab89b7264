"""Read models: what lists and budgets need, kept up to date by whoever changes it."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from interviews.models.session import Session
from interviews.models.study import Study


class SessionSummary(models.Model):
    """A session's figures, so that no list counts them anew; one without a turn has none yet.

    Of the live graph, written with each turn's commit and each edit of the graph: `nodes`, `edges`,
    `chains` (complete ones, 200 at most, None where the ontology has no terminal type) and
    `active_slots`. With each turn also `saturation` (of the conversation, 0 to 1) and
    `strategy_counts` (questions by strategy). With the rows of its calls: `calls`, how many of them
    went to a model (`model_calls`; the others the offline rules answered), and what they cost.
    """

    session = models.OneToOneField(
        Session, primary_key=True, on_delete=models.CASCADE, related_name="summary"
    )
    nodes = models.PositiveIntegerField(default=0, db_default=0)
    edges = models.PositiveIntegerField(default=0, db_default=0)
    chains = models.PositiveSmallIntegerField(null=True, blank=True)
    active_slots = models.PositiveIntegerField(default=0, db_default=0)
    saturation = models.FloatField(null=True, blank=True)
    strategy_counts = models.JSONField(default=dict, db_default={})
    flags = ArrayField(models.CharField(max_length=20), default=list, db_default=[])
    calls = models.PositiveIntegerField(default=0, db_default=0)
    model_calls = models.PositiveIntegerField(default=0, db_default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, default=0, db_default=0)

    class Meta:
        verbose_name_plural = "session summaries"

    def __str__(self) -> str:
        return f"summary of {self.session_id}"

    @property
    def only_offline(self) -> bool:
        """Whether there were calls and the offline rules answered every one of them."""
        return self.calls > 0 and not self.model_calls


class StudySpend(models.Model):
    """What the language models of a study have cost so far, interviews that were erased included.

    A row of its own: a form that saves a study must not set the counter back.
    """

    study = models.OneToOneField(
        Study, primary_key=True, on_delete=models.CASCADE, related_name="spend"
    )
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, default=0, db_default=0)

    class Meta:
        verbose_name_plural = "study spend"

    def __str__(self) -> str:
        return f"${self.cost_usd} for {self.study_id}"
