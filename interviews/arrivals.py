"""Who comes to a study: whether there is room for them, and where they go on if there is none."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from uuid import UUID

from interviews.epilogue.fields import FieldsInvalid, read_fields
from interviews.models import Session, Study
from interviews.recruiting import Recruiting, RecruitingInvalid, read_recruiting


def recruiting_of(study: Study) -> Recruiting:
    """The study's rules; none where they cannot be read, so that nobody is locked out by them."""
    try:
        return read_recruiting(study.recruiting)
    except RecruitingInvalid:
        return Recruiting()


def keys_of_fields(study: Study) -> tuple[str, ...]:
    """The keys of the study's data fields."""
    try:
        return tuple(one.key for one in read_fields(study.data_fields))
    except FieldsInvalid:
        return ()


def is_full(study: Study, segments: Mapping[str, str] | None = None) -> bool:
    """Whether the study has all the interviews it needs, in all or of the segment."""
    completed = Session.objects.filter(
        study=study, status=Session.Status.COMPLETED, simulated=False
    )
    if study.quota is not None and completed.count() >= study.quota:
        return True
    quotas = recruiting_of(study).segments
    if quotas is None or not segments or quotas.key not in segments:
        return False
    value = segments[quotas.key]
    if value not in quotas.most:
        return False
    return completed.filter(**{f"segments__{quotas.key}": value}).count() >= quotas.most[value]


def places_left(study: Study) -> list[tuple[str, int, int]]:
    """For each segment with a quota: its value, how many are complete, how many it may have."""
    quotas = recruiting_of(study).segments
    if quotas is None:
        return []
    done: dict[str, int] = {}
    found = Session.objects.filter(
        study=study, status=Session.Status.COMPLETED, simulated=False
    ).values_list(f"segments__{quotas.key}", flat=True)
    for value in found:
        done[value] = done.get(value, 0) + 1
    return [(value, done.get(value, 0), most) for value, most in quotas.most.items()]


def carried_by(session: Session) -> dict[str, str]:
    """What a session's link carried along, of the parameters that the study names."""
    names = recruiting_of(session.study).parameters
    return {key: str(session.segments[key]) for key in names if key in session.segments}


def browser_mark(study_id: UUID, token: str) -> str:
    """A browser's random token as it is kept: nobody can follow it from study to study."""
    return hashlib.sha256(f"{study_id.hex}:{token}".encode()).hexdigest()[:32] if token else ""
