"""A study's report as people edited it, and the links that show it without an account."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models.functions import Now

from interviews.models.study import Study


class StudyReport(models.Model):
    """What people wrote in the place of a section's own sentences, by the section's key."""

    study = models.OneToOneField(
        Study, primary_key=True, on_delete=models.CASCADE, related_name="report"
    )
    edits = models.JSONField(default=dict)
    version = models.PositiveIntegerField(default=0)
    edited_by = models.CharField(max_length=150, blank=True)
    edited_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"report of {self.study_id}"


class ReportLink(models.Model):
    """A read-only link; which interviews count and the cut-off are settled when it is made."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="report_links")
    criteria = models.JSONField(default=dict, help_text="The inclusion filter, by its names.")
    cutoff = models.PositiveIntegerField(default=1)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    made_by = models.CharField(max_length=150)
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["-made_at", "pk"]

    def __str__(self) -> str:
        return f"report link of {self.study_id}"


class ReportOpening(models.Model):
    """That a link was opened, and when; nothing of who did."""

    link = models.ForeignKey(ReportLink, on_delete=models.CASCADE, related_name="openings")
    at = models.DateTimeField(db_default=Now())
    form = models.CharField(max_length=4, help_text="html or pdf.")

    class Meta:
        ordering: ClassVar = ["-at"]

    def __str__(self) -> str:
        return f"{self.form} of {self.link_id}"
