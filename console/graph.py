"""Console pages of the knowledge graph: for looking up, never for editing."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse

from analytics.access import sessions_of, studies_of
from console.pages import ReadOnlyAdmin, ReadOnlyInline, link
from graphs.models import CanonicalSlot, KGEdge, KGNode, Mention, Merge, SlotMapping


class MentionInline(ReadOnlyInline):
    """Where a node or edge was said."""

    model = Mention
    fields = ("turn", "quote", "label", "tier", "similarity")
    readonly_fields = fields
    show_change_link = False
    verbose_name_plural = "where it was said"


class NodeMentionInline(MentionInline):
    """Mentions of a node."""

    fk_name = "node"


class EdgeMentionInline(MentionInline):
    """Mentions of an edge."""

    fk_name = "edge"


class MappingInline(ReadOnlyInline):
    """The nodes of a slot."""

    model = SlotMapping
    fields = ("node", "similarity", "assigned_turn")
    readonly_fields = fields
    show_change_link = False
    verbose_name_plural = "concepts in this slot"

    def get_queryset(self, request: HttpRequest) -> QuerySet[SlotMapping]:
        """With their nodes, in one query."""
        found: QuerySet[SlotMapping] = super().get_queryset(request)
        return found.select_related("node")


class InSession(ReadOnlyAdmin):
    """Something that belongs to a session."""

    of_study = "session__study"

    @admin.display(description="session")
    def in_session(self, row: KGNode | KGEdge | CanonicalSlot) -> str:
        """A link to the session's page in the console."""
        return link(
            reverse("admin:interviews_session_change", args=[row.session_id]),
            str(row.session_id)[:8],
        )


@admin.register(KGNode)
class KGNodeAdmin(InSession):
    """Concepts in the respondents' words."""

    purpose = "Every concept that respondents named, with the words it came from."
    when_empty = "Concepts appear with the first answer of an interview."
    list_display = ("label", "node_type", "level", "first_turn", "mention_count", "in_session")
    list_filter = ("node_type",)
    search_fields = ("label", "mentions__quote")
    ordering = ("-created_at",)
    fields = (
        "label",
        "node_type",
        "level",
        "stance",
        "confidence",
        "first_turn",
        "superseded_by",
        "in_session",
        "created_at",
    )
    readonly_fields = fields
    inlines = (NodeMentionInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[KGNode]:
        """With the number of mentions."""
        found: QuerySet[KGNode] = super().get_queryset(request)
        return found.annotate(mention_total=Count("mentions"))

    @admin.display(description="mentions", ordering="mention_total")
    def mention_count(self, node: KGNode) -> int:
        """How often it was said."""
        return int(getattr(node, "mention_total", 0))


@admin.register(KGEdge)
class KGEdgeAdmin(InSession):
    """Links between concepts."""

    purpose = "Every link between two concepts of an interview, with the words it came from."
    when_empty = "Links appear when an answer joins two concepts."
    list_display = ("source", "edge_type", "target", "first_turn", "in_session")
    list_display_links = ("source", "edge_type")
    list_filter = ("edge_type",)
    list_select_related = ("source", "target")
    search_fields = ("source__label", "target__label")
    ordering = ("-created_at",)
    fields = ("source", "edge_type", "target", "confidence", "first_turn", "in_session")
    readonly_fields = fields
    inlines = (EdgeMentionInline,)


@admin.register(CanonicalSlot)
class CanonicalSlotAdmin(InSession):
    """Canonical concepts that paraphrases share."""

    purpose = "Canonical concepts: what different words for the same thing have in common."
    when_empty = "Slots appear while an interview runs, where its study has them switched on."
    list_display = ("slot_name", "node_type", "status", "support_count", "in_session")
    list_filter = ("status", "node_type")
    search_fields = ("slot_name", "description")
    fields = (
        "slot_name",
        "description",
        "node_type",
        "status",
        "support_count",
        "first_seen_turn",
        "promoted_turn",
        "in_session",
    )
    readonly_fields = fields
    inlines = (MappingInline,)


@admin.register(Merge)
class MergeAdmin(ReadOnlyAdmin):
    """What analysts merged or split."""

    purpose = "Merges and splits that analysts made, kept so that they can be undone."
    when_empty = "Nobody has merged or split anything yet."
    list_display = ("kind", "scope", "made_by", "made_at", "undone_at")
    list_filter = ("kind", "scope")
    search_fields = ("made_by",)
    ordering = ("-made_at",)
    fields = ("kind", "scope", "made_by", "made_at", "undone_at")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Merge]:
        """Those of interviews and studies that are seen."""
        found: QuerySet[Merge] = super().get_queryset(request)
        user = request.user
        return found.filter(
            Q(session__in=sessions_of(user).values("pk"))
            | Q(study__in=studies_of(user).values("pk"))
        )
