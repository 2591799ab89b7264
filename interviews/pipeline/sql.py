"""The statements of a turn's own rows, as :mod:`interviews.pipeline.store` runs them.

A turn runs each of them once at most. Written out, they cost what PostgreSQL takes for them;
building them anew from the ORM's querysets takes longer than that. Table names are the models'.
"""

from __future__ import annotations

from graphs import sql as graph_sql
from interviews.models import BeforeTurn, Session, SessionSummary, Study, Turn, Utterance

_TABLES = {
    "turns": Turn._meta.db_table,
    "sessions": Session._meta.db_table,
    "studies": Study._meta.db_table,
    "utterances": Utterance._meta.db_table,
    "summaries": SessionSummary._meta.db_table,
    "befores": BeforeTurn._meta.db_table,
}

CLAIM = """
UPDATE {turns} t
SET status = 'running', lease_until = %(until)s, fence = t.fence + 1,
    attempt = t.attempt + 1, error = '', held_until = NULL
FROM {sessions} s
WHERE t.id = %(turn)s AND s.id = t.session_id AND s.ended_at IS NULL
  AND s.epilogue ->> 'step' IS DISTINCT FROM 'offer'
  AND (t.held_until IS NULL OR t.held_until < %(now)s)
  AND (t.status = 'queued' OR (t.status = 'running' AND t.lease_until < %(now)s))
  AND NOT EXISTS (
      SELECT 1 FROM {turns} other
      WHERE other.session_id = t.session_id
        AND (other.number < t.number AND other.status NOT IN ('done', 'withdrawn')
             OR other.number > t.number AND other.status = 'running'))
RETURNING t.id::text AS turn_id, t.session_id::text AS session_id, t.number, t.fence, t.attempt
""".format(**_TABLES)  # noqa: S608 - the names come from the models, never from input

RENEW = """
UPDATE {turns} t
SET lease_until = %(until)s
FROM unnest(%(turns)s::uuid[], %(fences)s::bigint[]) AS held (id, fence)
WHERE t.id = held.id AND t.fence = held.fence AND t.status = 'running'
""".format(**_TABLES)

LOAD = """
SELECT study.mode, study.name AS study_name, study.consent_text AS study_text,
       study.time_budget_minutes,
       study.data_fields::json AS data_fields, study.data_collection, study.extension_minutes,
       s.epilogue::json AS epilogue,
       study.llm_choice::json AS llm_choice,
       study.enable_srl, study.enable_canonical_slots, study.enable_question_self_selection,
       study.surface_similarity_threshold, study.canonical_similarity_threshold,
       study.canonical_min_support_nodes,
       s.study_id::text AS study_id, s.max_turns, s.turn_count, s.language, s.seed, s.started_at,
       s.methodology_version_id, s.concept_version_id, s.guide_version_id,
       s.state::json AS state, s.graph_version,
       (SELECT t.active_seconds FROM {turns} t
        WHERE t.session_id = s.id AND t.number = %(number)s
          AND t.status <> 'withdrawn') AS active_seconds,
       (SELECT json_agg(json_build_object('id', u.id, 'turn_number', u.turn_number,
                                          'sequence', u.sequence, 'speaker', u.speaker,
                                          'text', u.text) ORDER BY u.sequence)
        FROM {utterances} u WHERE u.session_id = s.id AND u.turn_number <= %(number)s
          AND u.withdrawn_at IS NULL AND NOT u.aside
       ) AS utterances,
       CASE WHEN s.graph_version = %(held)s::int THEN NULL
            ELSE json_build_object('tracker', s.node_tracker_state, 'graph', ({graph}))
       END AS stored
FROM {sessions} s JOIN {studies} study ON study.id = s.study_id
WHERE s.id = %(session)s
""".format(**_TABLES, graph=graph_sql.LOAD_FOR_TURN)  # noqa: S608
"""The session, what was said in it up to a turn, and its tracker and graph, as one row.

`stored`, which has these two, is null where the worker holds them in this version: `held`.
"""

SAVE = """
WITH session AS (
    UPDATE {sessions}
    SET state = %(state)s, node_tracker_state = %(tracker)s, turn_count = %(number)s,
        last_sequence = last_sequence + (%(question)s::uuid IS NOT NULL)::int,
        graph_version = graph_version + 1,
        status = CASE WHEN %(ended_at)s::timestamptz IS NULL THEN status ELSE 'completed' END,
        ended_at = %(ended_at)s, termination_reason = %(termination_reason)s,
        epilogue = coalesce(%(epilogue)s::jsonb, epilogue)
    WHERE id = %(session)s AND ended_at IS NULL
    RETURNING id, last_sequence, graph_version
), turn AS (
    UPDATE {turns} t
    SET status = 'done', lease_until = NULL, finished_at = %(now)s, latency_ms = %(latency_ms)s,
        question_id = CASE WHEN %(aside)s THEN NULL ELSE %(question)s::uuid END,
        strategy = %(strategy)s, focus_node_id = %(focus_node_id)s,
        focus_label = %(focus_label)s, phase = %(phase)s, continuation = %(continuation)s,
        continuation_reason = %(reason)s, result = %(result)s,
        stage_ms = %(stage_ms)s
    FROM session
    WHERE t.id = %(turn)s AND t.session_id = session.id
      AND t.fence = %(fence)s AND t.status = 'running'
    RETURNING t.session_id, t.number, session.last_sequence, session.graph_version
), summary AS (
    INSERT INTO {summaries} AS known (session_id, nodes, edges, chains, active_slots, saturation,
                                      strategy_counts, flags)
    SELECT session_id, %(nodes)s, %(edges)s, %(chains)s, %(active_slots)s,
           %(conversation_saturation)s, %(strategy_counts)s, %(flags)s::text[]
    FROM turn
    ON CONFLICT (session_id) DO UPDATE
    SET nodes = excluded.nodes, edges = excluded.edges, chains = excluded.chains,
        active_slots = excluded.active_slots, saturation = excluded.saturation,
        strategy_counts = excluded.strategy_counts,
        flags = ARRAY(SELECT DISTINCT unnest(known.flags || excluded.flags) ORDER BY 1)
), question AS (
    INSERT INTO {utterances} (id, session_id, turn_number, sequence, speaker, text, block, aside)
    SELECT %(question)s, session_id, number, last_sequence, 'interviewer', %(text)s, %(block)s,
           %(aside)s
    FROM turn WHERE %(question)s::uuid IS NOT NULL
), before AS (
    INSERT INTO {befores} (turn_id, session_id, state, node_tracker_state, superseded, saturation,
                           flags)
    SELECT %(turn)s, s.id, s.state, s.node_tracker_state,
           coalesce(({superseded}), '{{}}'), known.saturation, coalesce(known.flags, '{{}}')
    FROM turn JOIN {sessions} s ON s.id = turn.session_id
         LEFT JOIN {summaries} known ON known.session_id = s.id
    WHERE turn.number > 0 AND %(ended_at)s::timestamptz IS NULL AND NOT %(aside)s
), settled AS (
    DELETE FROM {befores} b USING turn
    WHERE b.session_id = turn.session_id
      AND (b.kept_at < %(settled)s OR %(ended_at)s::timestamptz IS NOT NULL OR %(aside)s)
)
SELECT last_sequence, graph_version FROM turn
""".format(**_TABLES, superseded=graph_sql.SUPERSEDED)  # noqa: S608
"""Session, turn, then summary and question: each is written only where those before it were.

No row comes back where the turn was not this worker's any more; its caller then rolls back. All
parts of the statement read the rows as they were before it: so `before` keeps what `session` and
`summary` replace, and nothing of it has to be sent.
"""

WAITING = """
SELECT t.id, length(u.text) FROM {turns} t JOIN {utterances} u ON u.id = t.answer_id
WHERE t.session_id = %(session)s AND t.number = %(number)s AND t.status = 'queued'
""".format(**_TABLES)
