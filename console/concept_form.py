"""A concept as a form: what it writes is the same YAML that the editor shows, comments kept."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import yaml
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from analytics.rights import Right
from console.views import ConsolePage, who
from interviews import audit
from methodologies import registry
from methodologies.models import Concept, ConceptVersion, Methodology
from methodologies.registry import CONCEPT, concept_of
from methodologies.round_trip import with_fields
from methodologies.schema import ConceptElement, ConceptSchema, ElementKind
from methodologies.yaml_loader import DocumentInvalid

ORDER = ("id", "name", "topic", "methodology", "objective", "domain", "synonyms", "elements")
TEXTS = ("name", "topic", "methodology", "objective", "domain")
EMPTY_ROWS = 3
MOST_ELEMENTS = 20
LONGEST_NOTE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementRow:
    """A part of what is shown to respondents, as the form's row."""

    id: str = ""
    label: str = ""
    aliases: str = ""
    kind: str = "other"
    priority: str = "2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What stands in the form."""

    id: str = ""
    name: str = ""
    topic: str = ""
    methodology: str = "means_end_chain"
    objective: str = ""
    domain: str = ""
    synonyms: str = ""
    elements: Sequence[ElementRow] = ()
    note: str = ""
    base: str = ""


class ConceptFormPage(ConsolePage):
    """Shows a concept's form, or an empty one; a POST stores the next version."""

    template = "concept_form.html"
    reads = Right.LIBRARY
    writes = Right.LIBRARY

    def get(self, request: HttpRequest, document: int | None = None) -> HttpResponse:
        """The page."""
        version = _newest(document) if document else None
        filled = _stored(version) if version else Filled(elements=(ElementRow(),) * 0)
        return self._page(request, version, filled)

    def post(self, request: HttpRequest, document: int | None = None) -> HttpResponse:
        """Store it; where something is wrong nothing is stored, and what was typed stays."""
        version = _newest(document) if document else None
        filled = _typed(request.POST, version)
        faults = _faults(filled, version)
        if not faults:
            text = text_of(filled, version)
            try:
                return self._store(request, version, text, filled)
            except DocumentInvalid as error:
                faults = [f"{p.message} (line {p.line} of the text)" for p in error.problems]
        return self._page(request, version, filled, faults=faults, status=422)

    def _store(
        self, request: HttpRequest, version: ConceptVersion | None, text: str, filled: Filled
    ) -> HttpResponse:
        stored = registry.publish(
            CONCEPT,
            text,
            author=request.user,  # type: ignore[arg-type]
            note=filled.note[:LONGEST_NOTE],
        )
        if version is not None and stored.pk == version.pk:
            messages.info(request, "Nothing changed: no new version was stored.")
        else:
            audit.record(audit.Action.PUBLISHED, stored, by=who(request))
            messages.success(request, f"{stored.document.name}: version {stored.number} stored.")
        return redirect("admin:concept_form", stored.document_id)

    def _page(
        self,
        request: HttpRequest,
        version: ConceptVersion | None,
        filled: Filled,
        *,
        faults: Sequence[str] = (),
        status: int = 200,
    ) -> HttpResponse:
        room = min(EMPTY_ROWS, MOST_ELEMENTS - len(filled.elements))
        return self.shown(
            request,
            status,
            title=version.document.name if version else "A new concept",
            version=version,
            filled=filled,
            rows=[*filled.elements, *([ElementRow()] * max(room, 0))],
            kinds=get_args(ElementKind),
            priorities=("1", "2", "3"),
            methodologies=list(Methodology.objects.order_by("name").values_list("name", flat=True)),
            faults=faults,
        )


def _newest(document: int) -> ConceptVersion:
    found = (
        ConceptVersion.objects.filter(document=document)
        .select_related("document")
        .order_by("-number")
        .first()
    )
    if found is None:
        raise Http404("There is no such concept.")
    return found


def _stored(version: ConceptVersion) -> Filled:
    schema = concept_of(version)
    return Filled(
        id=schema.id,
        name=schema.name,
        topic=schema.topic,
        methodology=schema.methodology,
        objective=schema.objective or "",
        domain=schema.domain,
        synonyms="\n".join(", ".join(group) for group in schema.synonyms),
        elements=[_row(one) for one in schema.elements],
        base=str(version.number),
    )


def _row(one: ConceptElement) -> ElementRow:
    return ElementRow(
        id=one.id,
        label=one.label,
        aliases=", ".join(one.aliases),
        kind=one.kind,
        priority=str(one.priority),
    )


def _typed(post: QueryDict, version: ConceptVersion | None) -> Filled:
    columns = [post.getlist(f"element_{name}") for name in ("id", "label", "aliases", "kind")]
    rows = zip(*columns, post.getlist("element_priority"), strict=False)
    elements = [
        ElementRow(id=i, label=label.strip(), aliases=aliases.strip(), kind=kind, priority=priority)
        for i, label, aliases, kind, priority in rows
        if label.strip()
    ]
    texts = {name: " ".join(post.get(name, "").split()) for name in TEXTS}
    return Filled(
        id=version.document.name if version else post.get("id", "").strip(),
        synonyms=post.get("synonyms", "").replace("\r\n", "\n").strip(),
        elements=elements,
        note=post.get("note", "").strip(),
        base=post.get("base", ""),
        **texts,
    )


def _faults(filled: Filled, version: ConceptVersion | None) -> list[str]:
    faults = []
    if version is None and Concept.objects.filter(name=filled.id).exists():
        faults.append(f"There is a concept {filled.id!r} already: choose another short name.")
    if version is not None and filled.base != str(version.number):
        faults.append(
            f"Version {version.number} was saved while you were writing. What you typed is still "
            "here; save again to go over it."
        )
    labels = [row.label.casefold() for row in filled.elements]
    faults += [
        f"Two parts are called {label!r}; give each a name of its own."
        for label in sorted({one for one in labels if labels.count(one) > 1})
    ]
    return faults


def text_of(filled: Filled, version: ConceptVersion | None) -> str:
    """The YAML that the form stands for: the version's own text, changed where the form says so."""
    text = version.text if version else f"id: {_quoted(filled.id)}\n"
    raw = yaml.safe_load(text) or {}
    known = concept_of(version) if version else None
    fields: dict[str, Any] = {name: getattr(filled, name) for name in TEXTS}
    if known is not None:
        fields = {name: value for name, value in fields.items() if value != _said(known, name)}
    if known is None or _groups(filled.synonyms) != [list(one) for one in known.synonyms]:
        fields["synonyms"] = _groups(filled.synonyms)
    fields["elements"] = _elements(filled.elements, raw, known)
    return with_fields(text, fields, ORDER)


def _quoted(name: str) -> str:
    """A name as a YAML scalar, whatever was typed: the loader says what is wrong with it."""
    return yaml.safe_dump(name, default_flow_style=True, width=1000).removesuffix("...\n").strip()


def _said(known: ConceptSchema, name: str) -> str:
    return " ".join((getattr(known, name) or "").split())


def _groups(text: str) -> list[list[str]]:
    groups = (
        [part.strip() for part in line.split(",") if part.strip()] for line in text.split("\n")
    )
    return [group for group in groups if group]


def _elements(
    rows: Sequence[ElementRow], raw: Mapping[str, Any], known: ConceptSchema | None
) -> list[dict[str, Any]]:
    """Elements as plain data; one that was not touched is as it was written."""
    written = {one["id"]: one for one in raw.get("elements") or ()}
    before = {one.id: _row(one) for one in known.elements} if known else {}
    found: list[dict[str, Any]] = []
    taken = {row.id for row in rows if row.id}
    for row in rows:
        if row.id and before.get(row.id) == row:
            found.append(written[row.id])
            continue
        made = dict(written.get(row.id, {}))
        made["id"] = row.id or _fresh(row.label, taken)
        taken.add(made["id"])
        made["label"] = row.label
        aliases = [part.strip() for part in row.aliases.split(",") if part.strip()]
        for name, value, silent in (
            ("aliases", aliases, []),
            ("kind", row.kind, "other"),
            ("priority", int(row.priority) if row.priority.isdecimal() else row.priority, 2),
        ):
            if value == silent:
                made.pop(name, None)
            else:
                made[name] = value
        found.append(made)
    return found


def _fresh(label: str, taken: set[str]) -> str:
    """A short name for a new part, made of its label."""
    base = re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")[:50] or "part"
    base = base if base[0].isalpha() else f"part_{base}"
    name, number = base, 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    return name
