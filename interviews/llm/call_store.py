"""Rows of calls: written in one query, summed up for a study's budget."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Sum

from interviews.llm.config import read_study_choice
from interviews.llm.errors import LLMBudgetExceeded
from interviews.llm.gateway import Interview
from interviews.models.turn import LLMCall
from interviews.turns.calls import CallRecord

Id = UUID | str


def save_calls(records: Iterable[CallRecord], *, session_id: Id | None, turn_id: Id | None) -> int:
    """Write `records` in one query (none without any) and return how many they were."""
    rows = [
        LLMCall(
            session_id=session_id,
            turn_id=turn_id,
            task=record.task[:40],
            role=record.role,
            provider=record.provider[:40],
            model=record.model[:80],
            prompt_hash=record.prompt_hash,
            tokens_in=record.tokens_in,
            tokens_out=record.tokens_out,
            tokens_cached=record.tokens_cached,
            cost_usd=record.cost_usd,
            latency_ms=record.latency_ms,
            attempts=record.attempts,
            outcome=record.outcome,
        )
        for record in records
    ]
    if rows:
        LLMCall.objects.bulk_create(rows)
    return len(rows)


def spent(study_id: Id) -> Decimal:
    """US dollars that the calls of all sessions of a study cost so far. One query."""
    total: Decimal | None = LLMCall.objects.filter(session__study_id=study_id).aggregate(
        total=Sum("cost_usd")
    )["total"]
    return total or Decimal(0)


def budget_is_spent(study_id: Id, llm_choice: dict[str, Any]) -> bool:
    """Whether a study has used up the `budget_usd` of its choice; False and no query without one.

    For the faces: a study whose budget is spent takes no new answers.
    """
    cap = read_study_choice(llm_choice).budget_usd
    return cap is not None and spent(study_id) >= cap


class StudyBudget:
    """Stops a study's calls once what they cost has reached its cap."""

    def check(self, session: Interview) -> None:
        """Raise LLMBudgetExceeded where the study's budget is spent."""
        if budget_is_spent(session.study_id, session.llm_choice):
            raise LLMBudgetExceeded("the study's budget for language models is spent")
