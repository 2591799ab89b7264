"""Results of a search kept under a name: places, so that what is erased leaves them, too."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from interviews import audit
from interviews.errors import FormRefused
from interviews.models import CollectedEntry, SearchCollection, SearchEntry, Study

MOST_NAME = 120
MOST_ENTRIES = 200


def keep(
    entries: Sequence[UUID], *, name: str, text: str, by: str, study: Study | None
) -> SearchCollection:
    """Keep entries, in their order, under a name; `study` is None for those of several studies.

    Raises FormRefused for an empty or too long name, and where nothing is to be kept.
    """
    name = " ".join(name.split())
    if not name or len(name) > MOST_NAME:
        told = f"between 1 and {MOST_NAME} characters"
        raise FormRefused(f"name: {told}.", fields={"name": told})
    order = {pk: place for place, pk in enumerate(dict.fromkeys(entries))}
    there = SearchEntry.objects.filter(pk__in=order)
    if study is not None:
        there = there.filter(study=study)
    keys = sorted(there.values_list("pk", flat=True), key=order.__getitem__)[:MOST_ENTRIES]
    if not keys:
        raise FormRefused("entry: choose results to keep.", fields={"entry": "choose results"})
    with transaction.atomic():
        made = SearchCollection.objects.create(study=study, name=name, text=text[:400], made_by=by)
        CollectedEntry.objects.bulk_create(
            CollectedEntry(collection=made, entry_id=pk, position=place)
            for place, pk in enumerate(keys)
        )
        audit.record(audit.Action.CREATED, made, by=by)
    return made


def discard(collection: SearchCollection, *, by: str) -> None:
    """Delete a collection; what was said stays where it is."""
    with transaction.atomic():
        audit.record(audit.Action.DELETED, collection, by=by)
        collection.delete()
