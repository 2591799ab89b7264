"""Fill the summaries of sessions, and the spend of studies, that were there before them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Count, Q, Sum
from pydantic import ValidationError

from graphs.domain import Edge, Node, SessionGraph, Slot
from graphs.figures import graph_figures
from graphs.ontology import Ontology
from methodologies.schema import MethodologySchema

AT_ONCE = 200


def count(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Count everything once; a session's figures as its last turn left them."""
    model = apps.get_model
    calls = model("interviews", "LLMCall").objects
    model("interviews", "StudySpend").objects.bulk_create(
        model("interviews", "StudySpend")(**row)
        for row in calls.order_by().values("study_id").annotate(cost_usd=Sum("cost_usd"))
        if row["cost_usd"]
    )

    @lru_cache(maxsize=8)
    def ontology_of(version: int) -> Ontology:
        versions = model("methodologies", "MethodologyVersion").objects
        parsed = versions.values_list("parsed", flat=True).get(pk=version)
        try:
            return MethodologySchema.model_validate(parsed).graph_ontology
        except ValidationError:  # of an older release
            return Ontology(node_types=(), edge_types=())

    sessions = model("interviews", "Session").objects.order_by("pk")
    ids = list(sessions.values_list("pk", flat=True))
    for start in range(0, len(ids), AT_ONCE):
        batch = sessions.filter(pk__in=ids[start : start + AT_ONCE]).only(
            "state", "methodology_version_id"
        )
        nodes, edges, slots = (
            _by_session(model("graphs", name).objects.filter(session__in=batch).order_by("pk"))
            for name in ("KGNode", "KGEdge", "CanonicalSlot")
        )
        turns = model("interviews", "Turn").objects.filter(
            session__in=batch, status="done", number__gte=1
        )
        saturation = {turn.session_id: turn.saturation for turn in turns.order_by("number")}
        called = {
            row.pop("session_id"): row
            for row in calls.filter(session__in=batch)
            .order_by()
            .values("session_id")
            .annotate(
                calls=Count("pk"),
                model_calls=Count("pk", filter=~Q(provider="offline")),
                cost_usd=Sum("cost_usd"),
            )
        }
        model("interviews", "SessionSummary").objects.bulk_create(
            model("interviews", "SessionSummary")(
                session_id=session.pk,
                saturation=saturation.get(session.pk, {}).get("conversation"),
                strategy_counts=session.state.get("strategy_uses", {}),
                **asdict(
                    graph_figures(
                        _graph(nodes[session.pk], edges[session.pk], slots[session.pk]),
                        ontology_of(session.methodology_version_id),
                    )
                ),
                **called.get(session.pk, {}),
            )
            for session in batch
        )


def _by_session(rows: Iterable[Any]) -> dict[Any, list[Any]]:
    found: dict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        found[row.session_id].append(row)
    return found


def _graph(nodes: Iterable[Any], edges: Iterable[Any], slots: Iterable[Any]) -> SessionGraph:
    """As much of a graph as its figures need; labels are not among it."""
    return SessionGraph(
        nodes=[
            Node(
                id=str(node.pk),
                label=str(node.pk),
                node_type=node.node_type,
                superseded_by=str(node.superseded_by_id) if node.superseded_by_id else None,
            )
            for node in nodes
        ],
        edges=[
            Edge(
                id=str(edge.pk),
                source_id=str(edge.source_id),
                target_id=str(edge.target_id),
                edge_type=edge.edge_type,
            )
            for edge in edges
        ],
        slots=[
            Slot(
                id=str(slot.pk),
                slot_name=slot.slot_name,
                description="",
                node_type=slot.node_type,
                status=slot.status,
            )
            for slot in slots
        ],
    )


class Migration(migrations.Migration):
    dependencies = [
        ("interviews", "0004_summarise_sessions"),
        ("graphs", "0002_group_slots_into_themes"),
        ("methodologies", "0001_store_versioned_documents"),
    ]

    operations = [migrations.RunPython(count, migrations.RunPython.noop)]
