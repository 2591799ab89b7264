"""Tables of the knowledge graph. `graphs.store` is their only writer."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower, Now
from pgvector.django import VectorField

DIMENSIONS = 384


class KGNodeQuerySet(models.QuerySet["KGNode"]):
    """Reads of nodes by the domain's words."""

    def of(self, session_id: uuid.UUID | str) -> KGNodeQuerySet:
        """Nodes of one session."""
        return self.filter(session_id=session_id)

    def live(self) -> KGNodeQuerySet:
        """Nodes that no later statement has replaced."""
        return self.filter(superseded_by__isnull=True)


class KGNode(models.Model):
    """A concept in the respondent's words."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(
        "interviews.Session", on_delete=models.CASCADE, related_name="nodes"
    )
    label = models.CharField(max_length=300)
    node_type = models.CharField(max_length=60)
    level = models.PositiveSmallIntegerField(null=True, blank=True)
    stance = models.SmallIntegerField(default=0, help_text="−1 against, 0 neutral, +1 for.")
    confidence = models.FloatField(default=1.0)
    superseded_by = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="supersedes"
    )
    first_turn = models.PositiveIntegerField()
    position = models.BigIntegerField(
        default=0, help_text="Order in which the nodes of a session were first said."
    )
    created_at = models.DateTimeField(db_default=Now())

    objects = KGNodeQuerySet.as_manager()

    class Meta:
        verbose_name = "node"
        ordering: ClassVar = ["session", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                "session", "node_type", Lower("label"), name="uniq_node_label_per_type"
            ),
            models.CheckConstraint(condition=Q(stance__in=[-1, 0, 1]), name="node_stance_range"),
            models.CheckConstraint(
                condition=Q(confidence__gte=0, confidence__lte=1), name="node_confidence_range"
            ),
            models.CheckConstraint(
                condition=~Q(superseded_by=F("id")), name="node_not_superseded_by_itself"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["session", "node_type"], name="node_by_type")]

    def __str__(self) -> str:
        return self.label


class NodeVector(models.Model):
    """The embedding of a node's label; apart, so that updating a node never rewrites it."""

    node = models.OneToOneField(
        KGNode, primary_key=True, on_delete=models.CASCADE, related_name="vector"
    )
    session = models.ForeignKey("interviews.Session", on_delete=models.CASCADE, related_name="+")
    node_type = models.CharField(max_length=60)
    embedding = VectorField(dimensions=DIMENSIONS)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["session", "node_type"], name="node_vector_by_type")
        ]

    def __str__(self) -> str:
        return f"vector of {self.node_id}"


class KGEdge(models.Model):
    """A directed relation between two nodes of one session."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(
        "interviews.Session", on_delete=models.CASCADE, related_name="edges"
    )
    source = models.ForeignKey(KGNode, on_delete=models.CASCADE, related_name="outgoing")
    target = models.ForeignKey(KGNode, on_delete=models.CASCADE, related_name="incoming")
    edge_type = models.CharField(max_length=60)
    confidence = models.FloatField(default=1.0)
    first_turn = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = "edge"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["session", "source", "target", "edge_type"], name="uniq_edge"
            ),
            models.CheckConstraint(condition=~Q(source=F("target")), name="edge_joins_two_nodes"),
            models.CheckConstraint(
                condition=Q(confidence__gte=0, confidence__lte=1), name="edge_confidence_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source_id} {self.edge_type} {self.target_id}"


class Mention(models.Model):
    """A node or an edge in an utterance, with the quote and its character span (end exclusive)."""

    class Provenance(models.TextChoices):
        STATED = "stated"
        ANSWER_TO_PROBE = "answer_to_probe"
        INFERRED = "inferred"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(
        "interviews.Session", on_delete=models.CASCADE, related_name="mentions"
    )
    node = models.ForeignKey(
        KGNode, null=True, blank=True, on_delete=models.CASCADE, related_name="mentions"
    )
    edge = models.ForeignKey(
        KGEdge, null=True, blank=True, on_delete=models.CASCADE, related_name="mentions"
    )
    utterance = models.ForeignKey(
        "interviews.Utterance", on_delete=models.CASCADE, related_name="mentions"
    )
    label = models.CharField(max_length=300, blank=True, help_text="The words of this mention.")
    quote = models.TextField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    turn = models.PositiveIntegerField()
    tier = models.CharField(max_length=12, blank=True, help_text="How a paraphrase was matched.")
    similarity = models.FloatField(null=True, blank=True)
    doubtful = models.BooleanField(
        default=False, db_default=False, help_text="Merged on weak grounds, and nobody decided."
    )
    provenance = models.CharField(
        max_length=16,
        blank=True,
        choices=Provenance,
        db_default="",
        help_text="Where an edge comes from: said, given in answer to a question, or inferred.",
    )
    probe = models.ForeignKey(
        "interviews.Utterance",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="probed_mentions",
        help_text="The question that named one end of the edge, where the answer named the other.",
    )

    class Meta:
        ordering: ClassVar = ["session", "turn", "start"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(node__isnull=False, edge__isnull=True)
                | Q(node__isnull=True, edge__isnull=False),
                name="mention_of_one_thing",
            ),
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="mention_span_not_empty"),
        ]

    def __str__(self) -> str:
        return self.quote


class CanonicalSlot(models.Model):
    """A canonical concept that paraphrases of one session share."""

    class Status(models.TextChoices):
        CANDIDATE = "candidate"
        ACTIVE = "active"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(
        "interviews.Session", on_delete=models.CASCADE, related_name="slots"
    )
    slot_name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    node_type = models.CharField(max_length=60)
    status = models.CharField(max_length=10, choices=Status, default=Status.CANDIDATE)
    support_count = models.PositiveIntegerField(default=0)
    first_seen_turn = models.PositiveIntegerField()
    promoted_turn = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        verbose_name = "canonical slot"
        ordering: ClassVar = ["session", "first_seen_turn", "slot_name"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["session", "node_type", "slot_name"], name="uniq_slot_name_per_type"
            ),
            models.CheckConstraint(
                condition=Q(status="candidate", promoted_turn__isnull=True)
                | Q(status="active", promoted_turn__isnull=False),
                name="slot_promoted_when_active",
            ),
        ]

    def __str__(self) -> str:
        return self.slot_name


class SlotVector(models.Model):
    """The embedding of "name: description" of a slot."""

    slot = models.OneToOneField(
        CanonicalSlot, primary_key=True, on_delete=models.CASCADE, related_name="vector"
    )
    session = models.ForeignKey("interviews.Session", on_delete=models.CASCADE, related_name="+")
    node_type = models.CharField(max_length=60)
    embedding = VectorField(dimensions=DIMENSIONS)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["session", "node_type"], name="slot_vector_by_type")
        ]

    def __str__(self) -> str:
        return f"vector of {self.slot_id}"


class SlotMapping(models.Model):
    """Which slot a surface node belongs to."""

    node = models.OneToOneField(
        KGNode, primary_key=True, on_delete=models.CASCADE, related_name="slot_mapping"
    )
    session = models.ForeignKey("interviews.Session", on_delete=models.CASCADE, related_name="+")
    slot = models.ForeignKey(CanonicalSlot, on_delete=models.CASCADE, related_name="mappings")
    similarity = models.FloatField()
    assigned_turn = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.node_id} → {self.slot_id}"


class CanonicalEdge(models.Model):
    """An edge between slots, aggregated over surface edges."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(
        "interviews.Session", on_delete=models.CASCADE, related_name="canonical_edges"
    )
    source = models.ForeignKey(CanonicalSlot, on_delete=models.CASCADE, related_name="outgoing")
    target = models.ForeignKey(CanonicalSlot, on_delete=models.CASCADE, related_name="incoming")
    edge_type = models.CharField(max_length=60)
    surface_edges: models.ManyToManyField[KGEdge, CanonicalEdgeSupport] = models.ManyToManyField(
        KGEdge, through="CanonicalEdgeSupport", related_name="canonical_edges"
    )

    class Meta:
        verbose_name = "canonical edge"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["session", "source", "target", "edge_type"], name="uniq_canonical_edge"
            ),
            models.CheckConstraint(
                condition=~Q(source=F("target")), name="canonical_edge_joins_two_slots"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source_id} {self.edge_type} {self.target_id}"


class CanonicalEdgeSupport(models.Model):
    """A surface edge that supports a canonical edge."""

    session = models.ForeignKey("interviews.Session", on_delete=models.CASCADE, related_name="+")
    canonical_edge = models.ForeignKey(
        CanonicalEdge, on_delete=models.CASCADE, related_name="support"
    )
    surface_edge = models.ForeignKey(KGEdge, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["canonical_edge", "surface_edge"], name="uniq_canonical_edge_support"
            )
        ]

    def __str__(self) -> str:
        return f"{self.surface_edge_id} supports {self.canonical_edge_id}"


class Theme(models.Model):
    """Slots of all sessions of a study that mean the same: what is aggregated, is by theme."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey("interviews.Study", on_delete=models.CASCADE, related_name="themes")
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    named = models.BooleanField(
        default=False, db_default=False, help_text="Whether a person gave it its name."
    )
    node_type = models.CharField(max_length=60)
    slots: models.ManyToManyField[CanonicalSlot, ThemeMember] = models.ManyToManyField(
        CanonicalSlot, through="ThemeMember", related_name="themes"
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["study", "node_type", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["study", "node_type", "name"],
                name="uniq_theme_name_per_type",
                deferrable=models.Deferrable.DEFERRED,
            )
        ]

    def __str__(self) -> str:
        return self.name


class ThemeMember(models.Model):
    """A slot in a theme; a slot is in one theme at most. Similarity is the cosine it joined at.

    A slot without a similarity opened the theme or was put there by a person: others join the theme
    for being near to it. What a person `decided` stays when slots are grouped anew.
    """

    slot = models.OneToOneField(
        CanonicalSlot, primary_key=True, on_delete=models.CASCADE, related_name="theme_member"
    )
    theme = models.ForeignKey(Theme, on_delete=models.CASCADE, related_name="members")
    similarity = models.FloatField(null=True, blank=True)
    decided = models.BooleanField(default=False, db_default=False)

    def __str__(self) -> str:
        return f"{self.slot_id} in {self.theme_id}"


class Merge(models.Model):
    """What a person did to themes, kept so that it can be undone and redone.

    `number` counts from 1 within the study. `version` is the highest number of acts, undone and
    redone ones counted too, when it was last done or undone: whoever knows an older one was slower.
    `before` and `after` hold ids and names that people gave, and no words of respondents.
    """

    class Kind(models.TextChoices):
        MERGE = "merge"
        SPLIT = "split"
        RENAME = "rename"
        MOVE = "move"

    class Scope(models.TextChoices):
        SESSION = "session"
        STUDY = "study"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    scope = models.CharField(max_length=8, choices=Scope)
    kind = models.CharField(max_length=6, choices=Kind)
    session = models.ForeignKey(
        "interviews.Session", null=True, blank=True, on_delete=models.CASCADE, related_name="merges"
    )
    study = models.ForeignKey(
        "interviews.Study", null=True, blank=True, on_delete=models.CASCADE, related_name="merges"
    )
    number = models.PositiveIntegerField(default=0, db_default=0)
    follows = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Number of the newest act that stood then, 0 for none."
    )
    version = models.PositiveIntegerField(default=0, db_default=0)
    before = models.JSONField(help_text="What stood where, enough to undo.")
    after = models.JSONField()
    made_by = models.CharField(max_length=150)
    made_at = models.DateTimeField(db_default=Now())
    undone_by = models.CharField(max_length=150, blank=True, db_default="")
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(scope="session", session__isnull=False, study__isnull=True)
                | Q(scope="study", study__isnull=False, session__isnull=True),
                name="merge_scope_matches_owner",
            ),
            models.UniqueConstraint(
                fields=["study", "number"],
                condition=Q(number__gt=0),
                name="uniq_merge_number",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} in {self.scope}"
