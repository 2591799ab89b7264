"""Documents of every kind by name, with immutable, numbered versions."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Now

name_validator = RegexValidator(
    r"^[a-z][a-z0-9_]*$", "Use lower-case letters, digits and underscores, starting with a letter."
)


class Document(models.Model):
    """A named document; its text lives in its versions."""

    name = models.CharField(max_length=60, unique=True, validators=[name_validator])
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        abstract = True
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


class DocumentVersion(models.Model):
    """One immutable version: the text as written and its parsed form.

    `checksum` is the SHA-256 of the text. `shipped` marks texts that came with the software, so
    that loading a newer library never overwrites what a person wrote.
    """

    number = models.PositiveIntegerField()
    text = models.TextField(help_text="The YAML as written.")
    parsed = models.JSONField(help_text="The validated document, as the software reads it.")
    checksum = models.CharField(max_length=64)
    shipped = models.BooleanField(default=False)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    note = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        abstract = True


class Methodology(Document):
    """How to interview."""

    class Meta(Document.Meta):
        verbose_name_plural = "methodologies"


class Concept(Document):
    """What to explore."""


class Persona(Document):
    """How a synthetic respondent answers."""


class Guide(Document):
    """What a guided interview covers."""


class StimulusImage(models.Model):
    """An image that respondents are shown: WebP, encoded anew; it never changes.

    `name` is what a concept calls it; `sha256` that of the file it was made of; sides are pixels.
    """

    name = models.CharField(max_length=120, unique=True)
    content = models.BinaryField()
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.name


class MethodologyVersion(DocumentVersion):
    """A version of a methodology, which sessions pin."""

    document = models.ForeignKey(Methodology, on_delete=models.PROTECT, related_name="versions")

    class Meta:
        ordering: ClassVar = ["document__name", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["document", "number"], name="uniq_methodology_version_number"
            ),
            models.CheckConstraint(
                condition=models.Q(number__gte=1), name="methodology_version_number_from_1"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.document} v{self.number}"


class ConceptVersion(DocumentVersion):
    """A version of a concept, which sessions pin."""

    document = models.ForeignKey(Concept, on_delete=models.PROTECT, related_name="versions")
    image = models.ForeignKey(
        StimulusImage, null=True, blank=True, on_delete=models.PROTECT, related_name="versions"
    )
    """What its stimulus shows, whatever is found under the image's name later."""

    class Meta:
        ordering: ClassVar = ["document__name", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["document", "number"], name="uniq_concept_version_number"
            ),
            models.CheckConstraint(
                condition=models.Q(number__gte=1), name="concept_version_number_from_1"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.document} v{self.number}"


class PersonaVersion(DocumentVersion):
    """A version of a persona."""

    document = models.ForeignKey(Persona, on_delete=models.PROTECT, related_name="versions")

    class Meta:
        ordering: ClassVar = ["document__name", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["document", "number"], name="uniq_persona_version_number"
            ),
            models.CheckConstraint(
                condition=models.Q(number__gte=1), name="persona_version_number_from_1"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.document} v{self.number}"


class GuideVersion(DocumentVersion):
    """A version of a guide, which sessions pin."""

    document = models.ForeignKey(Guide, on_delete=models.PROTECT, related_name="versions")

    class Meta:
        ordering: ClassVar = ["document__name", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["document", "number"], name="uniq_guide_version_number"
            ),
            models.CheckConstraint(
                condition=models.Q(number__gte=1), name="guide_version_number_from_1"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.document} v{self.number}"


class DocumentDraft(models.Model):
    """A text that somebody keeps while they write it, valid or not; nothing can use it.

    One for each author and document; `document_id` is empty for a document that is not there yet.
    """

    kind = models.CharField(max_length=20)
    document_id = models.BigIntegerField(null=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="document_drafts"
    )
    text = models.TextField()
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["kind", "document_id", "author"],
                name="uniq_draft_of_author",
                nulls_distinct=False,
            )
        ]

    def __str__(self) -> str:
        return f"draft of a {self.kind} by {self.author}"
