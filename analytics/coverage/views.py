"""The page of a concept test, its table as a file, and the image that was shown."""

from __future__ import annotations

import csv
import io

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from analytics.access import AnalystRequiredMixin, may, study_for
from analytics.coverage.documents import TABLES, table_rows
from analytics.coverage.figures import REACTIONS
from analytics.coverage.reading import CoverageReading, NoConceptTest, read_coverage
from analytics.exports.cells import row
from analytics.inclusion import NAMES, Inclusion, InclusionInvalid, parse
from analytics.rights import Right
from interviews import audit
from interviews.models import Study
from methodologies.registry import concept_of
from methodologies.stimulus_images import image_response, shown_image

SIGNS = {"positive": "+", "negative": "−", "neutral": "○", "skeptical": "?!", "curious": "?"}
"""What stands for a reaction in a cell, beside its name for who hears the page."""


class CoverageView(AnalystRequiredMixin):
    """Elements by respondents, reactions with intervals, chains, and what nobody understood."""

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The page of the interviews that the query string leaves in."""
        study = study_for(request.user, slug)
        problem, inclusion = "", Inclusion()
        try:
            inclusion = parse({name: request.GET.getlist(name) for name in NAMES})
            reading = _reading(study, inclusion)
        except InclusionInvalid as error:
            problem = str(error)
            reading = _reading(study, inclusion := Inclusion())
        concept = concept_of(study.concept_version) if study.concept_version else None
        return render(
            request,
            "analytics/coverage.html",
            {
                "study": study,
                "reading": reading,
                "stimulus": concept.stimulus if concept else None,
                "kinds": [(kind, SIGNS[kind]) for kind in REACTIONS],
                "never": [one for one in reading.rows if one.never_understood],
                "filter": inclusion.describe(),
                "query": request.GET.urlencode(),
                "problem": problem,
                "may_export": may(request.user, Right.EXPORT),
            },
            status=422 if problem else 200,
        )


class CoverageFileView(AnalystRequiredMixin):
    """The matrix as CSV, an element in an interview a line."""

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The file of the interviews that the query string leaves in."""
        study = study_for(request.user, slug, Right.EXPORT)
        try:
            inclusion = parse({name: request.GET.getlist(name) for name in NAMES})
            reading = _reading(study, inclusion)
        except InclusionInvalid as error:
            raise Http404(str(error)) from error
        who = request.user.get_username()
        audit.record(audit.Action.EXPORTED, study, by=who, fields=["coverage"])
        text = io.StringIO()
        writer = csv.writer(text)
        for values in table_rows(TABLES[0], reading):
            writer.writerow(row(values))
        return HttpResponse(
            text.getvalue(),
            content_type="text/csv; charset=utf-8",
            headers={
                "Content-Disposition": f'attachment; filename="{study.slug}-coverage.csv"',
                "Cache-Control": "no-store",
            },
        )


class StimulusView(AnalystRequiredMixin):
    """The image that a study's concept shows, for who may see the study."""

    def get(self, request: HttpRequest, slug: str, name: str) -> HttpResponse:
        """The image."""
        found = shown_image(study_for(request.user, slug).concept_version, name)
        if found is None:
            raise Http404("The concept shows no image of this name.")
        return image_response(found)


def _reading(study: Study, inclusion: Inclusion) -> CoverageReading:
    """What the study heard. Raises Http404 where it shows nothing, and InclusionInvalid."""
    try:
        return read_coverage(study, inclusion)
    except NoConceptTest as error:
        raise Http404(str(error)) from error
