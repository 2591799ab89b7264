"""What the editor of documents asks for while somebody writes: checks, words, drafts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect

from analytics.rights import Right
from console.views import ConsolePage
from methodologies.models import DocumentDraft
from methodologies.qualifiers import qualifiers_of
from methodologies.reference import ANY_ONTOLOGY
from methodologies.registry import KINDS, Kind, checked
from methodologies.signals.base import load_signals
from methodologies.yaml_loader import MODELS, DocumentInvalid, load_document

LONGEST_DRAFT = 1024 * 1024


def kind_named(name: str) -> Kind:
    """One of the kinds of documents. Raises Http404."""
    found = next((kind for kind in KINDS if kind.title == name), None)
    if found is None:
        raise Http404("There is no such kind of document.")
    return found


def problems_of(kind: Kind, text: str) -> list[dict[str, Any]]:
    """Every error and warning of a text, as the editor marks them; by the loader of publishing."""
    try:
        checked(kind, text, source=kind.title)
        found = load_document(text, kind.title).warnings
    except DocumentInvalid as error:
        found = tuple(error.problems)
    return [
        {
            "line": problem.line,
            "column": problem.column,
            "message": problem.message,
            "severity": problem.severity,
        }
        for problem in found
    ]


class CheckView(ConsolePage):
    """Checks a text as publishing would."""

    reads = writes = Right.LIBRARY

    def post(self, request: HttpRequest, kind: str) -> JsonResponse:
        """Its problems."""
        text = request.POST.get("text", "").replace("\r\n", "\n")
        return JsonResponse({"problems": problems_of(kind_named(kind), text)})


class WordsView(ConsolePage):
    """The words that may stand in a kind of document, each with what it means."""

    reads = Right.LIBRARY

    def get(self, request: HttpRequest, kind: str) -> JsonResponse:
        """Keys of the schema, and for methodologies every weight key."""
        return JsonResponse({"words": words_of(kind_named(kind).title)})


@lru_cache(maxsize=len(KINDS))
def words_of(title: str) -> list[dict[str, str]]:
    """Words with their kind and a sentence about them."""
    words = {word["value"]: word for word in _keys(MODELS[title].model_json_schema())}  # type: ignore[index]
    if title == "methodology":
        words |= {word["value"]: word for word in _weights()}
    return [words[value] for value in sorted(words)]


def _keys(schema: dict[str, Any]) -> Iterator[dict[str, str]]:
    for part in (schema, *schema.get("$defs", {}).values()):
        for name, field in part.get("properties", {}).items():
            said = field.get("description") or part.get("description", "")
            yield {"value": name, "meta": "key", "doc": said.partition("\n\n")[0]}
        for value in part.get("enum", ()):
            yield {"value": str(value), "meta": "value", "doc": ""}


def _weights() -> Iterator[dict[str, str]]:
    for spec in load_signals():
        said = f"{spec.summary}. {spec.description}"
        yield {"value": spec.name, "meta": "signal", "doc": said}
        for qualifier in qualifiers_of(spec, ANY_ONTOLOGY):
            yield {"value": f"{spec.name}.{qualifier}", "meta": "weight key", "doc": said}


class DraftView(ConsolePage):
    """Keeps what is in the editor, whatever it is worth, or throws it away."""

    reads = writes = Right.LIBRARY

    def post(self, request: HttpRequest, kind: str) -> HttpResponse:
        """Keep the text, and go back to the editor."""
        found, wanted = kind_named(kind), request.POST.get("document", "")
        document_id = int(wanted) if wanted.isdecimal() and len(wanted) < 19 else None
        key: dict[str, Any] = {
            "kind": found.title,
            "document_id": document_id,
            "author": request.user,
        }
        if request.POST.get("discard"):
            DocumentDraft.objects.filter(**key).delete()
            messages.success(request, "The draft is gone. Here is the newest version.")
        elif len(text := request.POST.get("text", "")) > LONGEST_DRAFT:
            messages.error(request, "A draft of more than 1 MiB is not kept. Shorten it.")
        else:
            text = text.replace("\r\n", "\n").replace("\0", "")
            DocumentDraft.objects.update_or_create(**key, defaults={"text": text})
            count = len(problems_of(found, text))
            state = f"{count} things to mend before it can be published" if count else "it is valid"
            messages.success(request, f"Kept as your draft: {state}. Nothing can use it yet.")
        base = f"admin:methodologies_{found.title}"
        return redirect(f"{base}_change", document_id) if document_id else redirect(f"{base}_add")


TEMPLATES = {
    "methodology": """\
method:
  name: my_methodology
  goal: What the interview is to find out.
  opening_bias: What the first question asks about.
ontology:
  nodes:
    - {name: attribute, level: 1, description: What a thing has.}
    - {name: consequence, level: 2, description: What it leads to.}
    - {name: value, level: 3, terminal: true, description: What matters in the end.}
  edges:
    - name: leads_to
      description: One thing brings about the other.
      permitted_connections:
        - [attribute, consequence]
        - [consequence, value]
signals:
  llm: [llm.engagement]
strategies:
  - name: explore
    description: Ask for more.
    node_binding: none
    signal_weights: {llm.engagement.low: 0.5}
  - name: deepen
    description: Ask why something matters.
    signal_weights: {llm.engagement.high: 0.5}
  - name: close
    description: Ask for the last word.
    node_binding: none
    generates_closing_question: true
    signal_weights: {llm.engagement.low: 0.1}
""",
    "concept": """\
id: my_concept
name: What respondents call it
methodology: means_end_chain
objective: What the study is to find out about it.
""",
    "persona": """\
id: my_persona
name: A name
description: How this respondent answers.
traits: {}
""",
    "guide": """\
id: my_guide
title: What the conversation is about
research_goal: What the study is to find out.
language: en
max_duration_minutes: 20
topics:
  - id: first_topic
    label: The first topic
    sub_goals: [What to learn about it]
""",
}
"""What a new document begins with; a methodology's is the smallest that is one."""
