from __future__ import annotations

from interviews.llm.errors import LLMTimeoutError
from interviews.llm.tasks.extraction import EXTRACTION, ExtractionOutput
from interviews.llm.tasks.response_rating import RESPONSE_RATING
from interviews.turns.replies import NO_REPLIES, Replies

ONE, TWO = (ExtractionOutput(extractable=False, reason=reason) for reason in ("one", "two"))


def test_a_reply_is_found_by_its_task() -> None:
    replies = Replies([("extraction", ONE), ("extraction", TWO)])
    assert replies.get(EXTRACTION) is ONE
    assert replies.every(EXTRACTION) == [ONE, TWO]
    assert replies.error(EXTRACTION) is None
    assert replies.get(RESPONSE_RATING) is None


def test_a_task_that_failed_has_an_error_and_no_reply() -> None:
    error = LLMTimeoutError("late")
    replies = Replies([("response_rating", error)])
    assert replies.get(RESPONSE_RATING) is None
    assert replies.error(RESPONSE_RATING) is error


def test_where_nothing_was_asked_there_is_nothing() -> None:
    assert NO_REPLIES.get(EXTRACTION) is None
    assert NO_REPLIES.error(EXTRACTION) is None
