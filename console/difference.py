"""The difference of any two versions of a document."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse

from console.documents import changed_lines
from console.editing import kind_named
from console.views import ConsolePage


class DifferencePage(ConsolePage):
    """Two versions of one document, by their ids."""

    template = "difference.html"
    title = "Difference"

    def get(self, request: HttpRequest, kind: str, old: int, new: int) -> HttpResponse:
        """The lines that came and went. Raises Http404 where they are not of one document."""
        versions = kind_named(kind).version.objects.select_related("document")  # type: ignore[attr-defined]
        found = {version.pk: version for version in versions.filter(pk__in=[old, new])}
        if {old, new} - set(found) or found[old].document_id != found[new].document_id:
            raise Http404("There are no such versions of one document.")
        return self.shown(
            request,
            old=found[old],
            new=found[new],
            lines=changed_lines(found[old].text, found[new].text),
        )
