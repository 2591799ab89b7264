"""What of a study is frozen while it is open, and the numbered revisions of it."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from interviews.models import Study, StudyRevision
from interviews.models.study import TOLD_BEFORE_CONSENT

FROZEN = (
    "slug",
    "mode",
    "concept_version",
    "methodology_version",
    "guide_version",
    "consent_text",
    *TOLD_BEFORE_CONSENT,
    "translations",
)
"""Fields that a study which is open to respondents changes only as a new revision."""


def content_of(study: Study) -> dict[str, Any]:
    """The frozen fields as plain data; versions by their ids."""
    return {
        name: getattr(study, f"{name}_id" if name.endswith("_version") else name) for name in FROZEN
    }


def current(study: Study, *, by: str = "") -> StudyRevision:
    """The revision of the study as it is, numbered now where there is none like it."""
    newest = study.revisions.order_by("-number").first()
    content = content_of(study)
    if newest is not None and newest.data == content:
        return newest
    with transaction.atomic():
        Study.objects.select_for_update(of=("self",)).get(pk=study.pk)
        newest = study.revisions.order_by("-number").first()
        if newest is not None and newest.data == content:
            return newest
        number = newest.number + 1 if newest else 1
        return StudyRevision.objects.create(study=study, number=number, data=content, made_by=by)
