"""Rows of calls, and the counters of what they cost: written together in one statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connection
from psycopg.types.json import Jsonb

from interviews.llm.budget import Payer
from interviews.llm.config import OFFLINE, read_study_choice
from interviews.llm.errors import LLMBudgetExceeded
from interviews.models import LLMCall, Session, SessionSummary, StudySpend
from interviews.turns.calls import CallRecord
from interviews.turns.flags import Flag

Id = UUID | str

FIELDS = (
    *("task", "role", "provider", "model", "prompt_hash", "tokens_in", "tokens_out"),
    *("tokens_cached", "cost_usd", "latency_ms", "attempts", "outcome", "stands_in_for"),
)
"""What a record and a row have in common."""
LENGTHS = {"task": 40, "provider": 40, "model": 80}

SAVE = """
WITH session AS (
    SELECT id FROM {sessions} WHERE id = %(session)s FOR KEY SHARE
), calls AS (
    INSERT INTO {calls} (id, study_id, session_id, turn_id, {fields})
    SELECT gen_random_uuid(), %(study)s, session.id,
           CASE WHEN session.id IS NOT NULL THEN %(turn)s::uuid END, {fields}
    FROM jsonb_populate_recordset(NULL::{calls}, %(records)s) LEFT JOIN session ON true
), summary AS (
    INSERT INTO {summaries} AS known (session_id, calls, model_calls, cost_usd, flags)
    SELECT id, %(number)s, %(by_models)s, %(cost)s, %(flags)s::text[] FROM session
    ON CONFLICT (session_id) DO UPDATE
    SET calls = known.calls + excluded.calls,
        model_calls = known.model_calls + excluded.model_calls,
        cost_usd = known.cost_usd + excluded.cost_usd,
        flags = ARRAY(SELECT DISTINCT unnest(known.flags || excluded.flags) ORDER BY 1)
)
INSERT INTO {spend} AS known (study_id, cost_usd)
SELECT %(study)s, %(cost)s WHERE %(cost)s > 0
ON CONFLICT (study_id) DO UPDATE SET cost_usd = known.cost_usd + excluded.cost_usd
""".format(  # noqa: S608 - the names come from the models, never from input
    sessions=Session._meta.db_table,
    calls=LLMCall._meta.db_table,
    summaries=SessionSummary._meta.db_table,
    spend=StudySpend._meta.db_table,
    fields=", ".join(FIELDS),
)
"""Of a session that was erased meanwhile only what its study pays is written."""


def save_calls(
    records: Iterable[CallRecord],
    *,
    study_id: Id,
    session_id: Id | None = None,
    turn_id: Id | None = None,
    degraded: bool = False,
) -> int:
    """Write `records` in one query (none without any) and return how many they were.

    Calls that belong to no interview have no session; the study pays for all of them. `degraded`
    says that not all tasks were answered by whom they were meant for, and flags the session.
    """
    found = list(records)
    if found:
        parameters: dict[str, Any] = {
            "study": str(study_id),
            "session": str(session_id) if session_id else None,
            "turn": str(turn_id) if turn_id else None,
            "records": Jsonb([_row(record) for record in found]),
            "number": len(found),
            "by_models": sum(record.provider != OFFLINE for record in found),
            "cost": sum((record.cost_usd for record in found), Decimal(0)),
            "flags": [Flag.DEGRADED.value] if degraded else [],
        }
        with connection.cursor() as cursor:
            cursor.execute(SAVE, parameters)
    return len(found)


def _row(record: CallRecord) -> dict[str, Any]:
    row = {field: getattr(record, field) for field in FIELDS}
    row["cost_usd"] = str(record.cost_usd)
    return row | {field: row[field][:length] for field, length in LENGTHS.items()}


def spent(study_id: Id) -> Decimal:
    """US dollars that a study's calls cost so far, in interviews and outside. One query."""
    spend = StudySpend.objects.filter(study_id=study_id).values_list("cost_usd", flat=True)
    return next(iter(spend), None) or Decimal(0)


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
