"""Large exports: written by a worker, with progress, and kept for a day behind a link."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from analytics.exports import format_named
from analytics.exports.loaded import WholeRecord
from analytics.exports.source import ExportOptions, WholeStudy, options_named
from analytics.inclusion import Inclusion, parse
from analytics.models import ExportFile, ExportPiece
from interviews import dispatch
from interviews.models import Study

logger = logging.getLogger(__name__)

WRITE_EXPORT: Final = "analytics.write_export"
MOST_AT_ONCE: Final = 200
"""Interviews up to which a file is sent while it is written."""
KEPT: Final = timedelta(hours=24)
LEASE: Final = timedelta(minutes=2)
MOST_BEGINNINGS: Final = 3
PIECE_BYTES: Final = 1 << 20


class Overtaken(RuntimeError):
    """Somebody else has begun the file anew, or it is gone; nothing more is written."""


def ask_for(
    study: Study, format_name: str, inclusion: Inclusion, options: ExportOptions, *, by: User
) -> ExportFile:
    """Have a file written. Raises InclusionInvalid where the filter leaves nothing."""
    total = WholeStudy(study=study, inclusion=inclusion).count()
    file = ExportFile.objects.create(
        study=study,
        made_by=by,
        format_name=format_name,
        query=inclusion.query(),
        options=options.names,
        total=total,
        expires_at=timezone.now() + KEPT,
    )
    dispatch.enqueue_task(WRITE_EXPORT, file.pk)
    return file


def write(pk: UUID | str) -> None:
    """Write a file that waits; delivering it twice does no harm."""
    file = _claimed(pk)
    if file is None:
        return
    try:
        _written(file)
    except Overtaken:
        return
    except Exception as error:
        logger.exception("export_failed file=%s", file.pk)
        _mine(file).update(
            status=ExportFile.Status.FAILED, error=f"{type(error).__name__}: {error}"[:300]
        )


def content(file: ExportFile) -> Iterator[bytes]:
    """The bytes of a file that is done, a piece in memory at a time."""
    number = 0
    while True:
        piece = ExportPiece.objects.filter(file=file, number=number).first()
        if piece is None:
            return
        yield bytes(piece.data)
        number += 1


def sweep() -> None:
    """Let go of what was kept for long enough, and ring again for what nobody writes."""
    now = timezone.now()
    ExportFile.objects.filter(expires_at__lte=now).delete()
    for pk in ExportFile.objects.filter(_waits(now)).values_list("pk", flat=True):
        dispatch.enqueue_task(WRITE_EXPORT, pk)


def _waits(now: object) -> Q:
    status = ExportFile.Status
    left = Q(status=status.RUNNING, lease_until__lt=now)
    return (Q(status=status.QUEUED) | left) & Q(expires_at__gt=now)


def _claimed(pk: UUID | str) -> ExportFile | None:
    """The file, for this process to write; one that fails again and again is given up."""
    with transaction.atomic():
        now = timezone.now()
        file = (
            ExportFile.objects.select_for_update(of=("self",), skip_locked=True)
            .filter(_waits(now), pk=pk)
            .first()
        )
        if file is None:
            return None
        if file.fence >= MOST_BEGINNINGS:
            file.status, file.error = ExportFile.Status.FAILED, "It was begun three times."
        else:
            file.status, file.fence = ExportFile.Status.RUNNING, file.fence + 1
            file.done, file.size, file.lease_until = 0, 0, now + LEASE
            file.pieces.all().delete()
        file.save()
        return file if file.status == ExportFile.Status.RUNNING else None


def _mine(file: ExportFile) -> QuerySet[ExportFile]:
    return ExportFile.objects.filter(pk=file.pk, fence=file.fence, status=ExportFile.Status.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted(WholeStudy):
    """A study whose interviews are counted while they are read."""

    file: ExportFile

    def records(self, options: ExportOptions) -> Iterator[WholeRecord]:
        """As of the study; after each the page can tell how far it is."""
        for number, record in enumerate(WholeStudy.records(self, options), start=1):
            yield record
            if not _mine(self.file).update(done=number, lease_until=timezone.now() + LEASE):
                raise Overtaken


def _written(file: ExportFile) -> None:
    chosen = format_named(file.format_name)
    options = options_named(file.options)
    source = _Counted(study=file.study, inclusion=parse(file.query), file=file)
    number, size = 0, 0
    for piece in _pieces(chosen.write(source, options)):
        ExportPiece.objects.create(file=file, number=number, data=piece)
        number, size = number + 1, size + len(piece)
    _mine(file).update(status=ExportFile.Status.DONE, size=size, done=F("total"))


def _pieces(parts: Iterator[bytes]) -> Iterator[bytes]:
    held, length = [], 0
    for part in parts:
        held.append(part)
        length += len(part)
        if length >= PIECE_BYTES:
            yield b"".join(held)
            held, length = [], 0
    if held:
        yield b"".join(held)
