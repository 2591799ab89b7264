"""Coding a sample blind, and what came of it: parse, authorise, delegate."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from analytics import access
from analytics.access import AnalystRequiredMixin, study_for
from analytics.agreement import coding
from analytics.finding.scope import criteria, scope_of
from analytics.rights import Right
from interviews.errors import FormRefused
from interviews.models import Coding, SampledAnswer, Utterance


class AgreementView(AnalystRequiredMixin):
    """The sample, who coded it, and the agreement; a POST draws a sample."""

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The page. Whoever codes sees figures only of what they have finished."""
        study = study_for(request.user, slug)
        told = {
            "study": study,
            "found": coding.document(study),
            "waiting": coding.next_of(study, request.user.get_username()),
            "may_code": access.may(request.user, Right.CORRECT),
        }
        return render(request, "analytics/agreement/agreement.html", told)

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Draw a sample of the interviews that count."""
        study = study_for(request.user, slug, Right.CORRECT)
        try:
            wanted = criteria({"include": request.POST.getlist("include")})
            size, seed = _number(request.POST.get("size")), secrets.randbelow(2**31)
            sessions = scope_of(study, wanted).sessions
            coding.draw(study, sessions, size, seed=seed, by=request.user.get_username())
        except FormRefused as refused:
            messages.error(request, refused.message)
        return redirect("analytics:agreement", slug)


class CodeView(AnalystRequiredMixin):
    """One answer to code, without anything that the machine read in it."""

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The next answer that is not finished."""
        study = study_for(request.user, slug, Right.CORRECT)
        coder = request.user.get_username()
        answer = coding.next_of(study, coder)
        told: dict[str, Any] = {"study": study, "answer": answer}
        if answer is not None:
            asked = Utterance.objects.filter(
                session=answer.utterance.session_id,
                turn_number=answer.utterance.turn_number - 1,
                speaker=Utterance.Speaker.INTERVIEWER,
                aside=False,
            ).first()
            coded = Coding.objects.filter(answer=answer, coder=coder).first()
            text = answer.utterance.text
            concepts = [
                {"words": text[c["start"] : c["end"]], "type": c["type"]}
                for c in (coded.concepts if coded else [])
            ]
            links = [
                (concepts[s]["words"], concepts[t]["words"])
                for s, t in (coded.links if coded else [])
            ]
            told |= {
                "question": asked.text if asked else "",
                "types": coding.types_of(answer),
                "concepts": concepts,
                "links": links,
                "left": SampledAnswer.objects.filter(study=study).count() - answer.position,
            }
        return render(request, "analytics/agreement/code.html", told)

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Do what the form's `do` says to the answer."""
        study = study_for(request.user, slug, Right.CORRECT)
        rows = SampledAnswer.objects.filter(study=study).select_related("utterance__session")
        answer = get_object_or_404(rows, pk=_number(request.POST.get("answer")))
        coder, said = request.user.get_username(), request.POST
        try:
            match said.get("do"):
                case "concept":
                    coding.add_concept(answer, coder, said.get("words", ""), said.get("type", ""))
                case "link":
                    source, target = _number(said.get("source")), _number(said.get("target"))
                    coding.add_link(answer, coder, source, target)
                case "clear":
                    coding.clear(answer, coder)
                case "done":
                    coding.finish(answer, coder)
                case other:
                    told = "concept, link, clear or done"
                    raise FormRefused(f"do: {other!r} is not {told}.", fields={"do": told})
        except FormRefused as refused:
            messages.error(request, refused.message)
        return redirect("analytics:code", slug)


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else -1
