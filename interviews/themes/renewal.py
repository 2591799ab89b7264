"""Grouping a study's slots into themes, anew whenever there are slots without one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from uuid import UUID, uuid4

import numpy as np
from django.db import transaction
from django.utils import timezone

from graphs.grouping import Group, Slot, group_slots
from graphs.models import CanonicalSlot, SlotVector, Theme, ThemeMember
from interviews import dispatch
from interviews.models import Session, Study

MAX_NAME = 120
LATELY = timedelta(hours=2)
"""How far back the sweeper looks for interviews that ended; pages and commands look at all."""


def locked(study_id: UUID | str) -> Study:
    """The study, whose themes nobody else changes until the transaction ends."""
    return Study.objects.select_for_update(no_key=True, of=("self",)).only("pk").get(pk=study_id)


def is_due(study_id: UUID | str) -> bool:
    """Whether the study has slots that are in no theme yet."""
    slots = CanonicalSlot.objects.filter(session__study_id=study_id)
    return slots.filter(theme_member__isnull=True).exists()


def ensure(study_id: UUID | str) -> None:
    """Group what is in no theme yet."""
    if is_due(study_id):
        renew(study_id)


def sweep() -> int:
    """Have the themes renewed of studies of which an interview ended lately; return how many."""
    ended = Session.objects.filter(
        ended_at__gte=timezone.now() - LATELY,
        slots__isnull=False,
        slots__theme_member__isnull=True,
    )
    due = list(ended.values_list("study_id", flat=True).order_by("study_id").distinct())
    for study_id in due:
        dispatch.enqueue_task(dispatch.THEMES, study_id)
    return len(due)


def renew(study_id: UUID | str) -> None:
    """Group the study's slots anew around what people decided; doing it twice does no harm."""
    with transaction.atomic():
        locked(study_id)
        members = {
            slot_id: (theme_id, decided, similarity is None)
            for slot_id, theme_id, decided, similarity in ThemeMember.objects.filter(
                theme__study_id=study_id
            ).values_list("slot_id", "theme_id", "decided", "similarity")
        }
        slots = list(_slots(study_id, members))
        groups = group_slots(slots)
        _store(study_id, groups, members)
        name_themes(study_id)


def name_themes(study_id: UUID | str) -> None:
    """Name each theme that no person named after its best supported anchor; drop empty ones."""
    Theme.objects.filter(study_id=study_id, members__isnull=True).delete()
    themes = list(Theme.objects.filter(study_id=study_id))
    anchors: dict[UUID, CanonicalSlot] = {}
    found = CanonicalSlot.objects.filter(theme_member__theme__study_id=study_id)
    # Where the slot that opened a theme was erased, the best supported of the others names it.
    order = found.order_by("-support_count", "slot_name", "pk")
    for slot in order.select_related("theme_member").only(
        "slot_name", "description", "theme_member__theme", "theme_member__similarity"
    ):
        theme_id = slot.theme_member.theme_id
        known = anchors.get(theme_id)
        if known is None or (
            slot.theme_member.similarity is None and known.theme_member.similarity is not None
        ):
            anchors[theme_id] = slot
    taken = {(theme.node_type, theme.name.casefold()) for theme in themes if theme.named}
    changed = []
    for theme in sorted(
        (one for one in themes if not one.named),
        key=lambda one: (anchors[one.pk].slot_name, anchors[one.pk].pk),
    ):
        slot = anchors[theme.pk]
        name = _free_name(slot.slot_name.replace("_", " "), theme.node_type, taken)
        taken.add((theme.node_type, name.casefold()))
        if (theme.name, theme.description) != (name, slot.description):
            theme.name, theme.description = name, slot.description
            changed.append(theme)
    Theme.objects.bulk_update(changed, ["name", "description"])


def _free_name(wanted: str, node_type: str, taken: set[tuple[str, str]]) -> str:
    name, number = wanted[:MAX_NAME], 2
    while (node_type, name.casefold()) in taken:
        tail = f" ({number})"
        name, number = wanted[: MAX_NAME - len(tail)] + tail, number + 1
    return name


def _slots(study_id: UUID | str, members: Mapping[UUID, tuple[UUID, bool, bool]]) -> Iterator[Slot]:
    vectors = dict(
        SlotVector.objects.filter(session__study_id=study_id).values_list("slot_id", "embedding")
    )
    rows = CanonicalSlot.objects.filter(session__study_id=study_id).values_list(
        "pk", "slot_name", "description", "node_type", "support_count"
    )
    for pk, name, description, node_type, support in rows:
        theme, decided, anchor = members.get(pk, (None, False, False))
        vector = vectors.get(pk)
        yield Slot(
            id=str(pk),
            name=name,
            description=description,
            node_type=node_type,
            support=support,
            vector=None if vector is None else np.asarray(vector, dtype=np.float32),
            theme=str(theme) if theme else None,
            decided=decided,
            anchor=decided and anchor,
        )


def _store(
    study_id: UUID | str,
    groups: Iterable[Group],
    members: Mapping[UUID, tuple[UUID, bool, bool]],
) -> None:
    new: list[Theme] = []
    rows: dict[str, list[ThemeMember]] = defaultdict(list)
    for group in groups:
        theme_id = UUID(group.theme) if group.theme else uuid4()
        if group.theme is None:
            new.append(
                Theme(pk=theme_id, study_id=study_id, name=str(theme_id), node_type=group.node_type)
            )
        for slot, similarity in group.members.items():
            pk = UUID(slot)
            known = members.get(pk)
            if known and known[1]:
                continue  # a person's decision, with the similarity it has
            member = ThemeMember(slot_id=pk, theme_id=theme_id, similarity=similarity)
            if known is None:
                rows["new"].append(member)
            elif known[0] != theme_id or known[2] != (similarity is None):
                rows["moved"].append(member)
    Theme.objects.bulk_create(new)
    ThemeMember.objects.bulk_create(rows["new"])
    ThemeMember.objects.bulk_update(rows["moved"], ["theme", "similarity"])
