"""Corrections over HTTP: parse, authorise, delegate."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.http import HttpRequest, JsonResponse

from analytics.access import AnalystRequiredMixin, session_for
from analytics.corrections_shown import sentences_of_others
from analytics.rights import Right
from interviews.corrections.acts import read_act
from interviews.corrections.service import CorrectionOutdated, correct, redo, undo
from interviews.errors import FormRefused, InterviewError
from interviews.models import Correction, Session


class CorrectionsView(AnalystRequiredMixin):
    """Correct a session's graph, undo and redo."""

    def post(self, request: HttpRequest, pk: UUID) -> JsonResponse:
        """Take {"version", "act", …}, or "undo" or "redo" as the act.

        400 says which field is wrong or what forbids it; 409 what another analyst did meanwhile.
        """
        session = session_for(request.user, pk, Right.CORRECT)
        try:
            data = _read(request.body)
            done = _carry_out(session, data, by=request.user.get_username())
        except CorrectionOutdated as outdated:
            return _refused(
                outdated,
                409,
                theirs=sentences_of_others(outdated.since, pk),
                version=_version(session),
            )
        except FormRefused as refused:
            return _refused(refused, 400, fields=dict(refused.fields))
        except InterviewError as refused:
            return _refused(refused, 400)
        return JsonResponse({"correction": str(done.pk), "version": done.graph_version})


def _read(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except ValueError as error:
        raise FormRefused("This is not JSON.", fields={"": "not JSON"}) from error
    if not isinstance(data, dict):
        raise FormRefused("A correction is an object.", fields={"": "not an object"})
    version = data.get("version")
    if type(version) is not int or version < 0:
        raise FormRefused(
            "version: the graph's version that the correction is based on, a whole number.",
            fields={"version": "a whole number"},
        )
    return data


def _carry_out(session: Session, data: dict[str, Any], *, by: str) -> Correction:
    rest = dict(data)
    version: int = rest.pop("version")
    if data.get("act") == "undo":
        return undo(session.pk, by=by, version=version)
    if data.get("act") == "redo":
        return redo(session.pk, by=by, version=version)
    return correct(session.pk, read_act(rest), by=by, version=version)


def _version(session: Session) -> int:
    return Session.objects.values_list("graph_version", flat=True).get(pk=session.pk)


def _refused(error: InterviewError, status: int, **more: Any) -> JsonResponse:
    told = {"code": error.code, "message": error.message}
    return JsonResponse({"error": told, **more}, status=status)
