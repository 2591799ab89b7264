"""The statements of a turn's own rows, as :mod:`interviews.pipeline.store` runs them.

A turn runs each of them once at most. Written out, they cost what PostgreSQL takes for them;
building them anew from the ORM's querysets takes longer than that. Table names are the models'.
"""

from __future__ import annotations

from graphs import sql as graph_sql
from interviews.models import Session, Study, Turn, Utterance

_TABLES = {
    "turns": Turn._meta.db_table,
    "sessions": Session._meta.db_table,
    "studies": Study._meta.db_table,
    "utterances": Utterance._meta.db_table,
}

CLAIM = """
UPDATE {turns} t
SET status = 'running', lease_until = %(until)s, fence = t.fence + 1,
    attempt = t.attempt + 1, error = ''
FROM {sessions} s
WHERE t.id = %(turn)s AND s.id = t.session_id AND s.ended_at IS NULL
  AND (t.status = 'queued' OR (t.status = 'running' AND t.lease_until < %(now)s))
  AND NOT EXISTS (
      SELECT 1 FROM {turns} other
      WHERE other.session_id = t.session_id
        AND (other.number < t.number AND other.status <> 'done'
             OR other.number > t.number AND other.status = 'running'))
RETURNING t.session_id, t.number, t.fence, t.attempt
""".format(**_TABLES)  # noqa: S608 - the names come from the models, never from input

LOAD = """
SELECT study.mode, study.time_budget_minutes, study.llm_choice::json,
       study.enable_srl, study.enable_canonical_slots,
       s.study_id::text, s.max_turns, s.turn_count, s.language, s.seed, s.started_at,
       s.methodology_version_id, s.concept_version_id, s.state::json,
       (SELECT json_agg(json_build_array(u.id, u.turn_number, u.sequence, u.speaker, u.text)
                        ORDER BY u.sequence)
        FROM {utterances} u WHERE u.session_id = s.id AND u.turn_number <= %(number)s),
       CASE WHEN (SELECT t.question_id FROM {turns} t
                  WHERE t.session_id = s.id AND t.number = %(number)s - 1) = %(held)s::uuid
            THEN NULL ELSE json_build_array(s.node_tracker_state, ({graph})) END
FROM {sessions} s JOIN {studies} study ON study.id = s.study_id
WHERE s.id = %(session)s
""".format(**_TABLES, graph=graph_sql.LOAD_FOR_TURN)  # noqa: S608
"""The session, what was said in it up to a turn, and its tracker and graph, as one row.

The last column, of these two, is null where the worker holds them: the question before the turn is
`held`.
"""

SAVE = """
WITH session AS (
    UPDATE {sessions}
    SET state = %(state)s, node_tracker_state = %(tracker)s, turn_count = %(number)s,
        last_sequence = last_sequence + (%(question)s::uuid IS NOT NULL)::int,
        status = CASE WHEN %(ended_at)s::timestamptz IS NULL THEN status ELSE 'completed' END,
        ended_at = %(ended_at)s, termination_reason = %(termination_reason)s
    WHERE id = %(session)s AND ended_at IS NULL
    RETURNING id, last_sequence
), turn AS (
    UPDATE {turns} t
    SET status = 'done', lease_until = NULL, finished_at = %(now)s, latency_ms = %(latency_ms)s,
        question_id = %(question)s, strategy = %(strategy)s, focus_node_id = %(focus_node_id)s,
        focus_label = %(focus_label)s, phase = %(phase)s, continuation = %(continuation)s,
        continuation_reason = %(reason)s, signals = %(signals)s, node_signals = %(node_signals)s,
        decomposition = %(decomposition)s, saturation = %(saturation)s, result = %(result)s,
        stage_ms = %(stage_ms)s
    FROM session
    WHERE t.id = %(turn)s AND t.session_id = session.id
      AND t.fence = %(fence)s AND t.status = 'running'
    RETURNING t.session_id, t.number, session.last_sequence
), question AS (
    INSERT INTO {utterances} (id, session_id, turn_number, sequence, speaker, text)
    SELECT %(question)s, session_id, number, last_sequence, 'interviewer', %(text)s
    FROM turn WHERE %(question)s::uuid IS NOT NULL
)
SELECT last_sequence FROM turn
""".format(**_TABLES)  # noqa: S608
"""Session, turn and question, in that order: each is written only where the one before it was.

No row comes back where the turn was not this worker's any more; its caller then rolls back.
"""

WAITING = """
SELECT id FROM {turns} WHERE session_id = %(session)s AND number = %(number)s AND status = 'queued'
""".format(**_TABLES)
