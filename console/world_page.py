"""A world for a concept of one's own: what a persona answers from when a study is tried."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from analytics.rights import Right
from console.views import ConsolePage, who
from interviews import audit
from interviews.models import WrittenWorld
from interviews.simulation.ladders import (
    LEAST_LADDERS,
    LEAST_STATEMENTS,
    LaddersInvalid,
    world_of_ladders,
)
from methodologies.models import Concept


class WorldPage(ConsolePage):
    """Shows the form; a POST stores the world, or says all that is wrong and stores nothing."""

    template = "world.html"
    reads = Right.LIBRARY
    writes = Right.LIBRARY

    def get(self, request: HttpRequest, concept: int) -> HttpResponse:
        """The page."""
        found = _concept(concept)
        written = WrittenWorld.objects.filter(concept=found).first()
        return self._page(request, found, written, written.text if written else "")

    def post(self, request: HttpRequest, concept: int) -> HttpResponse:
        """Store what was written, unless somebody else has stored another one since."""
        found, typed = _concept(concept), request.POST.get("text", "")
        written = WrittenWorld.objects.filter(concept=found).first()
        try:
            if "\0" in typed:
                raise LaddersInvalid(["It has a character that cannot be stored."])
            world = world_of_ladders(found.name, typed)
        except LaddersInvalid as error:
            return self._page(request, found, written, typed, faults=error.faults, status=422)
        base = request.POST.get("base", "0")
        if not _stored(found, typed, base, who(request)):
            newer = WrittenWorld.objects.get(concept=found)
            told = f"{newer.written_by} saved it meanwhile. Save again to put yours in its place."
            return self._page(request, found, newer, typed, faults=[told], status=409)
        messages.success(request, f"Saved: {len(world.statements)} statements. Try a study now.")
        return redirect("admin:concept_world", found.pk)

    def _page(
        self,
        request: HttpRequest,
        concept: Concept,
        written: WrittenWorld | None,
        text: str,
        *,
        faults: tuple[str, ...] | list[str] = (),
        status: int = 200,
    ) -> HttpResponse:
        return self.shown(
            request,
            status,
            title=f"A world for {concept.name}",
            concept=concept,
            base=written.number if written else 0,
            text=text,
            faults=faults,
            lines=LEAST_LADDERS,
            steps=LEAST_STATEMENTS,
        )


def _concept(pk: int) -> Concept:
    found = Concept.objects.filter(pk=pk).first()
    if found is None:
        raise Http404("There is no such concept.")
    return found


def _stored(concept: Concept, text: str, base: str, by: str) -> bool:
    """Store it where the newest is still `base`, the one that was shown; whether it was stored."""
    with transaction.atomic():
        Concept.objects.select_for_update().get(pk=concept.pk)
        written = WrittenWorld.objects.filter(concept=concept).first()
        if str(written.number if written else 0) != base:
            return False
        written = written or WrittenWorld(concept=concept, number=0)
        written.text, written.written_by = text, by
        written.number += 1
        written.save()
        audit.record(audit.Action.CHANGED, concept, by=by, fields=["world"])
    return True
