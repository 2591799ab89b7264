"""A study: a concept to explore and a methodology to explore it with."""

from __future__ import annotations

import uuid
from copy import copy
from typing import Any, ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator, URLValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from graphs.canonical import MIN_SUPPORT, SLOT_SIMILARITY
from graphs.matching import SURFACE_SIMILARITY
from interviews.models.team import Team
from interviews.wording.languages import DEFAULT, language_choices

DEFAULT_CONSENT = (
    "This is a research interview led by software. Your answers are saved as you go and read by "
    "the research team. You can skip any question, pause, or stop at any time."
)


TOLD_BEFORE_CONSENT = {
    "researcher": "researcher",
    "contact": "contact",
    "research_purpose": "purpose",
    "retention": "retention",
    "withdrawal": "withdrawal",
}
"""What respondents are told before they agree, in order: fields, and their names in the console."""


TRANSLATED = (
    "name",
    "greeting",
    *TOLD_BEFORE_CONSENT,
    "consent_text",
    "reward",
    "next_steps",
)
"""Fields that a study in several languages may have in each of them."""


class Study(models.Model):
    """What a researcher publishes."""

    class Status(models.TextChoices):
        DRAFT = "draft"
        LIVE = "live"
        PAUSED = "paused"
        CLOSED = "closed"
        ARCHIVED = "archived"

    class DataCollection(models.TextChoices):
        FORM = "form", "one form"
        CHAT = "chat", "question by question"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(
        Team,
        on_delete=models.PROTECT,
        related_name="studies",
        help_text="Whose members see this study; the team Default where none is named.",
    )
    slug = models.SlugField(unique=True, help_text="The last part of the study's link.")
    name = models.CharField(max_length=120, help_text="Respondents see this above the chat.")
    mode = models.CharField(
        max_length=12,
        default="exploratory",
        help_text="Who leads the interview: a name that interviews.modes.registry knows.",
    )
    concept_version = models.ForeignKey(
        "methodologies.ConceptVersion",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="studies",
    )
    methodology_version = models.ForeignKey(
        "methodologies.MethodologyVersion",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="studies",
    )
    guide_version = models.ForeignKey(
        "methodologies.GuideVersion",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="studies",
    )
    max_turns = models.PositiveSmallIntegerField(
        default=15,
        validators=[MinValueValidator(3), MaxValueValidator(200)],
        help_text="Answers at most; the last question is always a closing one.",
    )
    language = models.CharField(max_length=8, default=DEFAULT, choices=language_choices)
    translations = models.JSONField(
        "other languages",
        default=dict,
        blank=True,
        db_default={},
        help_text="By code, the texts that respondents read in each: "
        '{"it": {"name": "…", "consent_text": "…"}}. Respondents then choose at the start. Also '
        + ", ".join(name for name in TRANSLATED if name not in ("name", "consent_text"))
        + "; what is not there is shown in the study's own language.",
    )
    time_budget_minutes = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The interview ends when it is used up; empty for none."
    )
    greeting = models.TextField(
        blank=True, help_text="The first words that respondents read, before they agree."
    )
    researcher = models.CharField(
        max_length=200, blank=True, help_text="Who asks: a person and an institution."
    )
    contact = models.CharField(
        max_length=200, blank=True, help_text="Where respondents reach them: an e-mail address."
    )
    research_purpose = models.TextField(
        "purpose", blank=True, help_text="What the interviews are for, and who reads the answers."
    )
    retention = models.TextField(
        blank=True, help_text="How long answers are kept, and what happens to them then."
    )
    withdrawal = models.TextField(
        blank=True, help_text="How respondents withdraw afterwards, and until when."
    )
    consent_text = models.TextField(default=DEFAULT_CONSENT)
    data_fields = models.JSONField(
        default=list,
        blank=True,
        help_text="Asked for at the end, in order, after a consent of their own, e.g. "
        '[{"key": "email", "type": "email", "required": true}]. Types: name, email, phone, '
        "company, text, choice (with options), number. Also label, help, sensitive.",
    )
    data_collection = models.CharField(
        max_length=4,
        choices=DataCollection,
        default=DataCollection.FORM,
        db_default=DataCollection.FORM,
        help_text="Whether the fields are one form, or asked for one by one.",
    )
    extension_minutes = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MaxValueValidator(60)],
        help_text="Offered once when the time budget is used up; 0 for none, empty for the mode's.",
    )
    reward = models.TextField(blank=True, help_text="Shown on the completion page.")
    next_steps = models.TextField(
        "what happens next", blank=True, help_text="Shown on the completion page."
    )
    redirect_url = models.CharField(
        "where respondents go on",
        max_length=400,
        blank=True,
        validators=[
            URLValidator(
                ["https"], message="Enter a whole address that begins with https://, as it is safe."
            )
        ],
        help_text="Linked on the completion page, with the session's id and a completion code "
        "added as the parameters session and code.",
    )
    dictation = models.BooleanField(
        default=False,
        help_text="Offer to dictate answers. The browser's maker processes the sound.",
    )
    quota = models.PositiveIntegerField(
        null=True, blank=True, help_text="Completed interviews after which the study closes."
    )
    recruiting = models.JSONField(
        default=dict,
        blank=True,
        db_default={},
        help_text="Whom the study takes in; validated by interviews.recruiting.",
    )
    llm_choice = models.JSONField(
        default=dict,
        blank=True,
        help_text='Per role, e.g. {"generation": {"provider": "offline"}}; empty for the settings.',
    )
    enable_srl = models.BooleanField(null=True, blank=True, help_text="Empty for the settings.")
    enable_canonical_slots = models.BooleanField(
        null=True, blank=True, help_text="Empty for the settings."
    )
    enable_question_self_selection = models.BooleanField(
        null=True,
        blank=True,
        help_text="Whether the model words three questions and picks one; empty for the settings.",
    )
    surface_similarity_threshold = models.FloatField(
        default=SURFACE_SIMILARITY,
        validators=[MinValueValidator(0.5), MaxValueValidator(1)],
        help_text="Cosine from which a concept is one that is known, unless known differences or "
        "the network that reads both forbid it.",
    )
    canonical_similarity_threshold = models.FloatField(
        default=SLOT_SIMILARITY,
        validators=[MinValueValidator(0.3), MaxValueValidator(1)],
        help_text="Cosine from which a concept joins a canonical slot that is there, instead of "
        "opening one.",
    )
    canonical_min_support_nodes = models.PositiveSmallIntegerField(
        default=MIN_SUPPORT,
        validators=[MinValueValidator(1), MaxValueValidator(20)],
        help_text="Support from which a slot is active: for each of its concepts, the answers that "
        "said it.",
    )
    status = models.CharField(max_length=8, choices=Status, default=Status.DRAFT)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "studies"
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(max_turns__gte=3), name="study_max_turns_from_3"),
            models.CheckConstraint(
                condition=Q(status__in=["draft", "live", "paused", "closed", "archived"]),
                name="study_status_known",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store it; a study that was given to no team belongs to the default one."""
        if not self.team_id:
            self.team = Team.default()
        super().save(*args, **kwargs)

    @property
    def languages(self) -> list[str]:
        """The languages in which an interview can be held, the study's own first."""
        return [self.language, *self.translations]

    def in_language(self, language: str) -> Study:
        """The study with its texts in this language, for reading; never to be saved."""
        said = copy(self)
        for name, text in self.translations.get(language, {}).items():
            setattr(said, name, text)
        return said

    @property
    def untold(self) -> list[str]:
        """What respondents are not told before they agree, because its field is empty."""
        return [
            label for name, label in TOLD_BEFORE_CONSENT.items() if not getattr(self, name).strip()
        ]
