"""What analysts write beside interviews: memos, starred quotes, what was reviewed, summaries."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from interviews.models.handover import Work
from interviews.models.session import Session, Utterance
from interviews.models.study import Study


class Memo(models.Model):
    """A note on a study, session, theme, node, link or quote.

    `target` is the id of what it is on. A quote's words are those of its answer between `start` and
    `end`, never a copy. `version` counts its changes, so that nobody writes over another's.
    """

    class About(models.TextChoices):
        STUDY = "study"
        SESSION = "session"
        THEME = "theme"
        NODE = "node"
        LINK = "link"
        QUOTE = "quote"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="memos")
    session = models.ForeignKey(
        Session, null=True, blank=True, on_delete=models.CASCADE, related_name="memos"
    )
    about = models.CharField(max_length=7, choices=About)
    target = models.UUIDField()
    utterance = models.ForeignKey(
        Utterance, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    start = models.PositiveIntegerField(null=True, blank=True)
    end = models.PositiveIntegerField(null=True, blank=True)
    text = models.TextField()
    version = models.PositiveIntegerField(default=1)
    written_by = models.CharField(max_length=150)
    written_at = models.DateTimeField(db_default=Now())
    changed_by = models.CharField(max_length=150, blank=True)
    changed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-written_at", "pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(about="quote", utterance__isnull=False, end__gt=F("start"))
                | Q(utterance__isnull=True, start__isnull=True, end__isnull=True)
                & ~Q(about="quote"),
                name="memo_quote_has_its_place",
            ),
            models.CheckConstraint(
                condition=Q(about__in=["study", "theme"], session__isnull=True)
                | Q(about__in=["session", "node", "link", "quote"], session__isnull=False),
                name="memo_session_where_it_is_in_one",
            ),
        ]

    def __str__(self) -> str:
        return f"memo on a {self.about}"


class StarredQuote(models.Model):
    """Words of an answer that somebody marked as telling."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="starred")
    utterance = models.ForeignKey(Utterance, on_delete=models.CASCADE, related_name="starred")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    starred_by = models.CharField(max_length=150)
    starred_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["session", "utterance__sequence", "start"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["utterance", "start", "end"], name="uniq_starred_quote"
            ),
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="star_not_empty"),
        ]

    def __str__(self) -> str:
        return f"star in {self.session_id}"

    @property
    def quote(self) -> str:
        """The words."""
        return self.utterance.text[self.start : self.end]


class SessionReview(models.Model):
    """That somebody has read an interview and its graph, as it was at `graph_version`."""

    session = models.OneToOneField(
        Session, primary_key=True, on_delete=models.CASCADE, related_name="review"
    )
    reviewed_by = models.CharField(max_length=150)
    reviewed_at = models.DateTimeField(db_default=Now())
    graph_version = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"review of {self.session_id}"


class WrittenSummary(Work):
    """A summary of one interview with cited quotes; asked for by hand, and kept until asked anew.

    `told` holds summary, key points, open points, and quotes with their turns. `provider` is who
    wrote it: "offline" for the rules.
    """

    session = models.OneToOneField(
        Session, primary_key=True, on_delete=models.CASCADE, related_name="written_summary"
    )
    told = models.JSONField(default=dict)
    turns = models.PositiveIntegerField(default=0, help_text="Turns that it sums up.")
    provider = models.CharField(max_length=40, blank=True)
    model = models.CharField(max_length=80, blank=True)
    asked_by = models.CharField(max_length=150)
    made_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"summary of {self.session_id}"
