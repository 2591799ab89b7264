"""Mail to people who are invited: what is to be sent, and what became of it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now

from interviews.models.session import Invitation


class InvitationMail(models.Model):
    """One mail of an invitation, at most one of a kind. The address is the invitation's, sealed.

    `sending` is who was at it when a process died: whether that mail went out is not known, so
    nobody sends it a second time.
    """

    class Kind(models.TextChoices):
        INVITATION = "invitation"
        REMINDER = "reminder"

    class Status(models.TextChoices):
        WAITING = "waiting"
        SENDING = "sending"
        SENT = "sent"
        SPARED = "spared", "no longer needed"
        FAILED = "failed"

    invitation = models.ForeignKey(Invitation, on_delete=models.CASCADE, related_name="mails")
    kind = models.CharField(max_length=10, choices=Kind)
    status = models.CharField(max_length=7, choices=Status, default=Status.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(db_default=Now())
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=120, blank=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["invitation", "kind"], name="uniq_mail_of_an_invitation"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["next_at"],
                name="waiting_mail",
                condition=models.Q(status="waiting"),
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.invitation_id}"
