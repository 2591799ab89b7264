"""Errors as problem documents (RFC 9457): a code, a sentence, and the field that is at fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from interviews.errors import ErrorCode, FormRefused, InterviewError

CONTENT_TYPE = "application/problem+json"

STATUS = {
    ErrorCode.EMPTY_ANSWER: 422,
    ErrorCode.ANSWER_TOO_LONG: 422,
    ErrorCode.SESSION_OVER: 409,
    ErrorCode.SESSION_PAUSED: 409,
    ErrorCode.MODE_MISSING: 409,
    ErrorCode.BUDGET_SPENT: 409,
    ErrorCode.QUOTA_REACHED: 409,
    ErrorCode.STUDY_INCOMPLETE: 409,
    ErrorCode.STUDY_FROZEN: 409,
    ErrorCode.STUDY_NOT_OPEN: 404,
    ErrorCode.STUDY_INVALID: 422,
    ErrorCode.FORM_REFUSED: 422,
    ErrorCode.WEBHOOK_REFUSED: 422,
    ErrorCode.FILE_REFUSED: 422,
    ErrorCode.TOKEN_REFUSED: 422,
    ErrorCode.TURN_NOT_FAILED: 409,
    ErrorCode.ANSWER_UNKNOWN: 404,
    ErrorCode.ANSWER_SETTLED: 409,
    ErrorCode.LINK_INVALID: 401,
    ErrorCode.LINK_EXPIRED: 401,
    ErrorCode.LINK_REVOKED: 401,
    ErrorCode.TOKEN_INVALID: 401,
    ErrorCode.KEY_REUSED: 409,
    ErrorCode.KEY_UNDER_WAY: 409,
    ErrorCode.EDIT_REFUSED: 422,
    ErrorCode.CORRECTION_OUTDATED: 409,
    ErrorCode.MEMO_OUTDATED: 409,
    ErrorCode.THEMES_REFUSED: 409,
    ErrorCode.THEMES_OUTDATED: 409,
    ErrorCode.TOO_FAST: 429,
}
"""The HTTP status of what a verb refuses; 400 for what is not named."""
FIELDS = {
    ErrorCode.EMPTY_ANSWER: "text",
    ErrorCode.ANSWER_TOO_LONG: "text",
    ErrorCode.KEY_REUSED: "Idempotency-Key",
    ErrorCode.KEY_UNDER_WAY: "Idempotency-Key",
    ErrorCode.CORRECTION_OUTDATED: "version",
    ErrorCode.MEMO_OUTDATED: "version",
    ErrorCode.THEMES_OUTDATED: "version",
}


class Problem(exceptions.APIException):
    """Something that is wrong with a request, with its status, code, sentence and field.

    `details` are further sentences, of which each becomes one of the document's `errors`.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        field: str | None = None,
        details: Sequence[str] = (),
    ) -> None:
        super().__init__(detail=detail, code=code)
        self.status_code = status
        self.field = field
        self.errors = [{"field": field, "code": code, "detail": one} for one in details]


class Unprocessable(exceptions.ValidationError):
    """Fields of a body that say what cannot be."""

    status_code = 422


def problem_response(exc: Exception, context: dict[str, Any]) -> Response | None:
    """What the framework calls for every error; None where it is none of these, and is a 500."""
    response = exception_handler(_known(exc), context)
    if response is None:
        return None
    document = _document(_known(exc), response)
    told = Response(document, status=response.status_code, headers=dict(response.items()))
    told.content_type = CONTENT_TYPE
    told["Cache-Control"] = "no-store"
    if response.status_code == 401:
        told["WWW-Authenticate"] = 'Bearer realm="api"'
    return told


def document_of(
    status: int, code: str, detail: str, *, field: str | None = None, errors: Any = None
) -> dict[str, Any]:
    """The document: `field` is None where no field is at fault, `errors` names every one."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        "field": field,
        "errors": [] if errors is None else errors,
    }


def _known(exc: Exception) -> Exception:
    """The error in the framework's own terms."""
    if isinstance(exc, FormRefused):
        told = exceptions.ErrorDetail
        return Unprocessable(
            {name: [told(said, exc.code.value)] for name, said in exc.fields.items()}
        )
    if isinstance(exc, InterviewError):
        status = STATUS.get(exc.code, 400)
        return Problem(status, exc.code.value, exc.message, field=FIELDS.get(exc.code))
    if isinstance(exc, RequestDataTooBig):
        return Problem(413, "too_large", "This request is larger than is taken here.")
    if isinstance(exc, SuspiciousOperation):
        return Problem(400, "malformed", "This request cannot be read.")
    return exc


def _document(exc: Exception, response: Response) -> dict[str, Any]:
    status = response.status_code
    if isinstance(exc, Http404):
        return document_of(status, "not_found", "There is nothing here that you may see.")
    if isinstance(exc, PermissionDenied):
        return document_of(status, "forbidden", "You may see this, but not do that with it.")
    if isinstance(exc, exceptions.ValidationError):
        found = list(_faults(exc.detail))
        first: dict[str, Any] = found[0]
        return document_of(
            status, first["code"], first["detail"], field=first["field"], errors=found
        )
    if isinstance(exc, exceptions.APIException):
        code = getattr(exc.detail, "code", exc.default_code)
        field = getattr(exc, "field", None)
        errors = getattr(exc, "errors", None)
        return document_of(status, str(code), str(exc.detail), field=field, errors=errors)
    return document_of(status, "error", "This request cannot be answered.")


def _faults(detail: Any, path: str = "") -> Iterator[dict[str, Any]]:
    """Every fault with the path of its field, e.g. `data_fields.0.key`."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            below = "" if name == "non_field_errors" else str(name)
            yield from _faults(inner, ".".join(part for part in (path, below) if part))
    elif isinstance(detail, list):
        plain = all(isinstance(one, str) for one in detail)
        for index, inner in enumerate(detail):
            yield from _faults(inner, path if plain else ".".join(filter(None, (path, str(index)))))
    else:
        code = str(getattr(detail, "code", "invalid"))
        yield {"field": path or None, "code": code, "detail": str(detail)}
