"""A table of the mode's own: what lies on which pile, a row an answer."""

from __future__ import annotations

from django.db import connection

from interviews.turns.context import SessionSnapshot, TurnView

CREATE = """
CREATE TABLE card_sort_pile (
    session_id uuid NOT NULL REFERENCES interviews_session ON DELETE CASCADE,
    turn integer NOT NULL,
    pile text NOT NULL
)
"""


class PileStore:
    def load(self, session: SessionSnapshot, turn: int) -> object:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pile FROM card_sort_pile WHERE session_id = %s ORDER BY turn", [session.id]
            )
            return tuple(pile for (pile,) in cursor.fetchall())

    def save(self, context: TurnView) -> None:
        if context.answer is None:
            return
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO card_sort_pile VALUES (%s, %s, %s)",
                [context.session.id, context.job.number, context.answer.text],
            )

    def withdraw(self, session_id: str, turn: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM card_sort_pile WHERE session_id = %s AND turn = %s", [session_id, turn]
            )
