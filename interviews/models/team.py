"""A team: the people who may see a study."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models


class Team(models.Model):
    """People who work on the same studies."""

    DEFAULT = "Default"

    name = models.CharField(max_length=80, unique=True)
    members = models.ManyToManyField(
        settings.AUTH_USER_MODEL,
        blank=True,
        related_name="teams",
        help_text="They see this team's studies, each as far as their role goes.",
    )

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def default(cls) -> Team:
        """The team of studies that nobody gave to another one."""
        return cls.objects.get_or_create(name=cls.DEFAULT)[0]
