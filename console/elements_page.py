"""Stimulus and elements of a concept: pasted, proposed, corrected, saved as a version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect

from analytics.rights import Right
from console.views import ConsolePage, who
from interviews import audit
from interviews.elements import NothingToPropose, propose
from interviews.llm.errors import LLMError
from interviews.llm.providers.offline.stimulus import slug
from methodologies import registry
from methodologies.concept_text import with_parts
from methodologies.models import Concept, ConceptVersion
from methodologies.schema import ElementKind
from methodologies.stimulus_images import ImageRefused, image_response, take_in
from methodologies.yaml_loader import DocumentInvalid

KINDS: tuple[str, ...] = get_args(ElementKind)
PRIORITIES = ((1, "first"), (2, "then"), (3, "last"))
MOST = 20


@dataclass(slots=True)
class Line:
    """An element as it stands in the form; `connects` are the numbers of other lines, from 0."""

    id: str = ""
    label: str = ""
    aliases: str = ""
    kind: str = "other"
    priority: int = 2
    connects: list[int] = field(default_factory=list)


class ElementsPage(ConsolePage):
    """A form for who would rather not write YAML; the text around both parts stays as it is."""

    template = "elements.html"
    reads = writes = Right.LIBRARY

    def get(self, request: HttpRequest, concept: int) -> HttpResponse:
        """The newest version's stimulus and elements."""
        version = _newest(concept)
        parsed = version.parsed
        return self._page(
            request, version, parsed.get("stimulus") or {}, lines_of(parsed.get("elements") or ())
        )

    def post(self, request: HttpRequest, concept: int) -> HttpResponse:
        """Propose, add lines, or save; what was typed comes back with every fault."""
        version = _newest(concept)
        lines, stimulus = lines_in(request.POST), _stimulus_in(request.POST)
        faults: list[str] = []
        try:
            if (sent := request.FILES.get("file")) is not None:
                stimulus["image"] = take_in(sent.name or "image", sent.read()).name
        except ImageRefused as error:
            faults.append(f"Image: {error}.")
        do = request.POST.get("do")
        if do == "propose" and not faults:
            try:
                lines = lines_of([p.as_json() for p in propose(stimulus["text"])])
                messages.info(request, f"{len(lines)} elements are proposed. Nothing is saved yet.")
            except NothingToPropose as error:
                faults.append(f"Nothing is proposed: {error}.")
            except LLMError as error:
                faults.append(f"Nobody answered ({error.outcome}). Try again.")
        elif do == "save" and not faults:
            text = with_parts(version.text, _parts(stimulus, lines))
            try:
                return self._saved(request, version, text)
            except DocumentInvalid as error:
                faults += [_where(problem.path, problem.message) for problem in error.problems]
        return self._page(request, version, stimulus, lines, faults)

    def _saved(self, request: HttpRequest, before: ConceptVersion, text: str) -> HttpResponse:
        version = registry.publish(
            registry.CONCEPT,
            text,
            source="concept",
            author=request.user,  # type: ignore[arg-type]
            note="Stimulus and elements",
        )
        if version.pk != before.pk:
            audit.record(audit.Action.PUBLISHED, version, by=who(request))
            messages.success(request, f"Saved as version {version.number}.")
        else:
            messages.info(request, "Nothing changed: no new version was stored.")
        return redirect("admin:elements", before.document_id)

    def _page(
        self,
        request: HttpRequest,
        version: ConceptVersion,
        stimulus: Mapping[str, Any],
        lines: list[Line],
        faults: Sequence[str] = (),
    ) -> HttpResponse:
        spare = min(max(2, 1 - len(lines)), MOST - len(lines))
        return self.shown(
            request,
            422 if faults else 200,
            title=f"Stimulus and elements of {version.document.name}",
            concept=version.document,
            version=version,
            stimulus=stimulus,
            lines=[*lines, *(Line() for _ in range(spare))],
            kinds=KINDS,
            priorities=PRIORITIES,
            faults=faults,
        )


class ConceptImageView(ConsolePage):
    """The image of a concept's newest version."""

    reads = Right.LIBRARY

    def get(self, request: HttpRequest, concept: int) -> HttpResponse:
        """The image."""
        image = _newest(concept).image
        if image is None:
            raise Http404("This concept shows no image.")
        return image_response(image)


def _newest(concept: int) -> ConceptVersion:
    document = get_object_or_404(Concept, pk=concept)
    version = document.versions.select_related("document").order_by("-number").first()
    if version is None:
        raise Http404("This concept has no version.")
    return version


def lines_of(elements: Sequence[Mapping[str, Any]]) -> list[Line]:
    """Elements as lines of the form."""
    places = {element["id"]: place for place, element in enumerate(elements)}
    return [
        Line(
            id=element["id"],
            label=element["label"],
            aliases=", ".join(element.get("aliases", ())),
            kind=element.get("kind", "other"),
            priority=element.get("priority", 2),
            connects=[places[other] for other in element.get("connects_to", ()) if other in places],
        )
        for element in elements
    ]


def lines_in(sent: QueryDict) -> list[Line]:
    """The lines that were sent, without those that are empty or to be removed."""
    count = min(int(c) if (c := sent.get("count", "")).isdecimal() and len(c) < 4 else 0, MOST)
    kept = [
        n for n in range(count) if sent.get(f"label-{n}", "").strip() and not sent.get(f"gone-{n}")
    ]
    places = {n: place for place, n in enumerate(kept)}
    return [
        Line(
            id=sent.get(f"id-{n}", "").strip(),
            label=" ".join(sent.get(f"label-{n}", "").split()),
            aliases=sent.get(f"aliases-{n}", "").strip(),
            kind=sent.get(f"kind-{n}", "other"),
            priority=int(p) if (p := sent.get(f"priority-{n}", "2")).isdecimal() else 2,
            connects=[
                places[int(m)]
                for m in sent.getlist(f"connects-{n}")
                if m.isdecimal() and int(m) in places
            ],
        )
        for n in kept
    ]


def _stimulus_in(sent: QueryDict) -> dict[str, Any]:
    return {
        "text": sent.get("text", "").replace("\r\n", "\n").strip(),
        "image": "" if sent.get("no_image") else sent.get("image", "").strip(),
        "image_alt": " ".join(sent.get("image_alt", "").split()),
    }


def _parts(stimulus: Mapping[str, Any], lines: Sequence[Line]) -> dict[str, Any]:
    """Both parts as the document has them; what is empty is left out."""
    names: list[str] = []
    for line in lines:
        name, number = line.id or slug(line.label), 2
        while not line.id and name in names:
            name, number = f"{slug(line.label)}_{number}", number + 1
        names.append(name)
    elements = []
    for line, name in zip(lines, names, strict=True):
        aliases = [alias.strip() for alias in line.aliases.split(",") if alias.strip()]
        element: dict[str, Any] = {"id": name, "label": line.label}
        element |= {"aliases": aliases} if aliases else {}
        element |= {"kind": line.kind, "priority": line.priority}
        connects = [names[place] for place in line.connects]
        elements.append(element | ({"connects_to": connects} if connects else {}))
    return {
        "stimulus": {key: value for key, value in stimulus.items() if value},
        "elements": elements,
    }


def _where(path: Sequence[str | int], message: str) -> str:
    """A fault in the words of the form: which element, which of its fields."""
    if path[:1] == ("elements",) and len(path) > 1 and isinstance(path[1], int):
        return f"Element {path[1] + 1}: {message}."
    return f"{message}."
