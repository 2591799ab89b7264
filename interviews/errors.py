"""One root for everything that can go wrong in an interview, with codes that faces can show."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class ErrorCode(StrEnum):
    """Stable names of what a face may have to say; clients switch on them."""

    EMPTY_ANSWER = "empty_answer"
    ANSWER_TOO_LONG = "answer_too_long"
    SESSION_OVER = "session_over"
    SESSION_PAUSED = "session_paused"
    NOT_OFFERED = "not_offered"
    ALREADY_ANSWERED = "already_answered"
    FORM_REFUSED = "form_refused"
    NO_FORM = "no_form"
    TOO_FAST = "too_fast"
    LINK_INVALID = "link_invalid"
    LINK_EXPIRED = "link_expired"
    LINK_REVOKED = "link_revoked"
    STUDY_INCOMPLETE = "study_incomplete"
    MODE_MISSING = "mode_missing"
    STUDY_NOT_OPEN = "study_not_open"
    QUOTA_REACHED = "quota_reached"
    BUDGET_SPENT = "budget_spent"
    STUDY_INVALID = "study_invalid"
    FILE_REFUSED = "file_refused"
    BACKLOG_REFUSED = "backlog_refused"
    TURN_NOT_FAILED = "turn_not_failed"
    EDIT_REFUSED = "edit_refused"
    CORRECTION_OUTDATED = "correction_outdated"
    MEMO_OUTDATED = "memo_outdated"
    THEMES_REFUSED = "themes_refused"
    THEMES_OUTDATED = "themes_outdated"
    ANSWER_UNKNOWN = "answer_unknown"
    ANSWER_SETTLED = "answer_settled"
    NOTHING_TO_HOLD = "nothing_to_hold"
    TOKEN_REFUSED = "token_refused"  # noqa: S105
    TOKEN_INVALID = "token_invalid"  # noqa: S105
    KEY_REUSED = "idempotency_key_reused"
    KEY_UNDER_WAY = "idempotency_key_under_way"
    WEBHOOK_REFUSED = "webhook_refused"
    STUDY_FROZEN = "study_frozen"


class InterviewError(Exception):
    """Something a person did that cannot be taken; `message` is safe to show as it is."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class FormRefused(InterviewError):
    """A form that was not taken; `fields` says of each wrong one, by key, what is wrong with it."""

    def __init__(
        self,
        message: str,
        *,
        fields: Mapping[str, str],
        code: ErrorCode = ErrorCode.FORM_REFUSED,
    ) -> None:
        super().__init__(code, message)
        self.fields = fields


class PipelineError(Exception):
    """Root of what goes wrong while a turn is thought about."""


class PipelineOrderError(PipelineError):
    """A contract was read before its stage ran, or stages stand in an order that cannot work."""


class PermanentPipelineError(PipelineError):
    """What goes wrong in the same way however often the turn is thought about again."""


class DocumentMissing(PermanentPipelineError):
    """A turn needs a document that its study does not have; `Mode.needs` should have asked."""

    def __init__(self, kind: str, study_id: str) -> None:
        super().__init__(f"study {study_id} has no {kind}, which this turn needs")


class StageFailed(PipelineError):
    """A stage raised; names the stage and the turn, and carries the cause."""

    def __init__(self, *, stage: str, turn_id: str) -> None:
        super().__init__(f"stage {stage} of turn {turn_id} failed")
        self.stage = stage
        self.turn_id = turn_id


class LeaseLost(PipelineError):
    """Another worker has claimed the turn since; nothing may be written."""


class GraphChanged(PipelineError):
    """Somebody edited the session's graph while the turn was thought about; nothing is written."""


class AnswerGoesOn(PipelineError):
    """The respondent said more while the turn was thought about; nothing is written."""


class DeadlineExceeded(PipelineError):
    """The turn has used up its wall-clock time."""
