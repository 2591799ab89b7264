"""Studies, invitations, sessions, turns: what an interview is made of in the database."""

from interviews.models.audit import AuditEntry
from interviews.models.personal import PersonalValue
from interviews.models.plan import GuidePlan
from interviews.models.revision import StudyRevision
from interviews.models.session import Erasure, Invitation, Session, Utterance
from interviews.models.study import Study
from interviews.models.summary import SessionSummary, StudySpend
from interviews.models.team import Team
from interviews.models.turn import BeforeTurn, LLMCall, Turn

__all__ = [
    "AuditEntry",
    "BeforeTurn",
    "Erasure",
    "GuidePlan",
    "Invitation",
    "LLMCall",
    "PersonalValue",
    "Session",
    "SessionSummary",
    "Study",
    "StudyRevision",
    "StudySpend",
    "Team",
    "Turn",
    "Utterance",
]
