"""Reads the plan that an interview is pinned to, in one query."""

from __future__ import annotations

from interviews.models import GuidePlan
from interviews.modes.guided.plan import Plan, minutes_of, signature_of
from interviews.modes.guided.state import PlanRef
from interviews.turns.context import SessionSnapshot, TurnView


class PlanStore:
    """Loads plans; what an interview changes of its own is in its state."""

    def load(self, session: SessionSnapshot, turn: int) -> object:
        """The plan that the opening was asked by; for the opening the newest of the study."""
        stored = session.state.mode_state
        plans = GuidePlan.objects.filter(study_id=session.study_id).order_by("-number")
        if stored is not None and stored.data.get("plan"):
            row = plans.filter(pk=stored.data["plan"]["id"]).first()
        elif session.guide is not None:
            minutes = minutes_of(session.guide, session.time_budget_minutes)
            signature = signature_of(session.guide, session.language, minutes)
            row = plans.filter(signature=signature).first()
        else:
            row = None
        if row is None:
            return None
        ref = PlanRef(id=row.pk, number=row.number, signature=row.signature)
        return Plan.model_validate(row.data), ref

    def save(self, context: TurnView) -> None:
        """Nothing: a plan never changes."""

    def withdraw(self, session_id: str, turn: int) -> None:
        """Nothing: the state is the interview's own."""
