"""Rows of calls: written in one query, summed up for a study's budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Sum

from interviews.llm.budget import Payer
from interviews.llm.config import read_study_choice
from interviews.llm.errors import LLMBudgetExceeded
from interviews.models.turn import LLMCall
from interviews.turns.calls import CallRecord

Id = UUID | str


def save_calls(
    records: Iterable[CallRecord],
    *,
    study_id: Id,
    session_id: Id | None = None,
    turn_id: Id | None = None,
) -> int:
    """Write `records` in one query (none without any) and return how many they were.

    Calls that belong to no interview have no session; the study pays for all of them.
    """
    rows = [
        LLMCall(
            study_id=study_id,
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
            stands_in_for=record.stands_in_for,
        )
        for record in records
    ]
    if rows:
        LLMCall.objects.bulk_create(rows)
    return len(rows)


def spent(study_id: Id) -> Decimal:
    """US dollars that a study's calls cost so far, in interviews and outside. One query."""
    total: Decimal | None = LLMCall.objects.filter(study_id=study_id).aggregate(
        total=Sum("cost_usd")
    )["total"]
    return total or Decimal(0)


def budget_is_spent(study_id: Id, llm_choice: Mapping[str, Any]) -> bool:
    """Whether a study has used up the `budget_usd` of its choice; False and no query without one.

    For the faces: a study whose budget is spent takes no new answers.
    """
    cap = read_study_choice(llm_choice).budget_usd
    return cap is not None and spent(study_id) >= cap


class StudyBudget:
    """Stops a study's calls once what they cost has reached its cap."""

    def check(self, payer: Payer) -> None:
        """Raise LLMBudgetExceeded where the study's budget is spent."""
        if budget_is_spent(payer.study_id, payer.llm_choice):
            raise LLMBudgetExceeded("the study's budget for language models is spent")
