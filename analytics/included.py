"""The inclusion filter on rows: which sessions of a study it leaves."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from typing import Final

from django.db.models import Q, QuerySet

from analytics.inclusion import Inclusion, InclusionInvalid
from interviews.epilogue.fields import DataField, FieldsInvalid, read_fields
from interviews.models import Session, Study, StudyRevision
from interviews.recruiting import RecruitingInvalid, read_recruiting

Criterion = tuple[str, Q]
"""The name of a criterion and what it leaves in."""

_REAL: Final = Q(trial__isnull=True, simulated=False)
_TRIAL: Final = Q(trial__isnull=False)
_SIMULATED: Final = Q(trial__isnull=True, simulated=True)


def included(study: Study, inclusion: Inclusion) -> QuerySet[Session]:
    """The interviews of the study that count, in the order of their own.

    Days are those of UTC. Raises InclusionInvalid for a data field or revision that the study has
    not.
    """
    check(study, inclusion)
    found = Session.objects.filter(study=study)
    for _, criterion in _criteria(inclusion):
        found = found.filter(criterion)
    return found


def some_included(study: Study, inclusion: Inclusion) -> QuerySet[Session]:
    """As :func:`included`, for whoever has nothing to do with none.

    Raises InclusionInvalid that names the criterion after which nothing of a study's interviews is
    left. A study without any interview has none, and that is no fault of the filter.
    """
    found = included(study, inclusion)
    if found.exists():
        return found
    left = Session.objects.filter(study=study)
    before = left.count()
    for name, criterion in _criteria(inclusion):
        left = left.filter(criterion)
        if before and not left.exists():
            raise InclusionInvalid({name: _emptied(name, before)})
        before = left.count()
    return found


def check(study: Study, inclusion: Inclusion) -> None:
    """Raise InclusionInvalid where a criterion names what this study has not."""
    wrong: dict[str, str] = {}
    known = segment_keys(study)
    strange = [key for key in inclusion.segments if key not in known]
    if strange:
        there = ", ".join(known) or "none"
        wrong["where"] = f"the study has no data field {strange[0]!r} to choose by; it has {there}"
    if inclusion.revision:
        numbers = set(StudyRevision.objects.filter(study=study).values_list("number", flat=True))
        missing = [number for number in inclusion.revision if number not in numbers]
        if missing:
            there = ", ".join(str(number) for number in sorted(numbers)) or "none"
            wrong["revision"] = f"the study has no revision {missing[0]}; it has {there}"
    if wrong:
        raise InclusionInvalid(wrong)


def segment_keys(study: Study) -> tuple[str, ...]:
    """What may choose interviews: data fields that are not sensitive, and what recruiting told."""
    return tuple(one.key for one in open_fields(study))


def open_fields(study: Study) -> tuple[DataField, ...]:
    """The study's data fields that are not sensitive, its screener's answers, its parameters.

    None where they cannot be read.
    """
    if late := study.get_deferred_fields() & {"data_fields", "recruiting"}:
        study.refresh_from_db(fields=late)  # both in one query
    try:
        given = [one for one in read_fields(study.data_fields) if not one.is_sensitive]
    except FieldsInvalid:
        given = []
    try:
        rules = read_recruiting(study.recruiting)
    except RecruitingInvalid:
        return tuple(given)
    keys = (*(one.key for one in rules.screener), *rules.parameters)
    return (
        *given,
        *(DataField.model_construct(key=key, type="text", sensitive=False) for key in keys),
    )


def _criteria(inclusion: Inclusion) -> Iterator[Criterion]:
    kinds = _REAL
    if inclusion.trial:
        kinds |= _TRIAL
    if inclusion.simulated:
        kinds |= _SIMULATED
    if not (inclusion.trial and inclusion.simulated):
        yield "include", kinds
    if inclusion.status:
        yield "status", Q(status__in=inclusion.status)
    if inclusion.without:
        yield "without", Q(summary__isnull=True) | ~Q(summary__flags__overlap=inclusion.without)
    for key, values in inclusion.segments.items():
        yield "where", Q(**{f"segments__{key}__in": list(values)})
    if inclusion.revision:
        yield "revision", Q(revision__number__in=inclusion.revision)
    if inclusion.ended_from:
        yield "from", Q(ended_at__gte=datetime.combine(inclusion.ended_from, time(), UTC))
    if inclusion.ended_to:
        after = datetime.combine(inclusion.ended_to, time(), UTC) + timedelta(days=1)
        yield "to", Q(ended_at__lt=after)


def _emptied(name: str, before: int) -> str:
    if name == "include":
        return (
            f"nothing is left: all {before} interviews are trials or simulated; "
            "include=trial,simulated takes them in"
        )
    return f"nothing is left: of {before} interviews none meets it"
