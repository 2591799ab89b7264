"""Studies, invitations, sessions, turns: what an interview is made of in the database."""

from interviews.models.personal import PersonalValue
from interviews.models.plan import GuidePlan
from interviews.models.session import Erasure, Invitation, Session, Utterance
from interviews.models.study import Study
from interviews.models.summary import SessionSummary, StudySpend
from interviews.models.team import Team
from interviews.models.turn import BeforeTurn, LLMCall, Turn

__all__ = [
    "BeforeTurn",
    "Erasure",
    "GuidePlan",
    "Invitation",
    "LLMCall",
    "PersonalValue",
    "Session",
    "SessionSummary",
    "Study",
    "StudySpend",
    "Team",
    "Turn",
    "Utterance",
]
