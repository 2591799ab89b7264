"""Studies, invitations, sessions, turns: what an interview is made of in the database."""

from interviews.models.access_token import AccessToken, KeptReply
from interviews.models.audit import AuditEntry
from interviews.models.coding import Coding, SampledAnswer
from interviews.models.correction import Correction
from interviews.models.handover import (
    BacklogQuestion,
    HandoverBrief,
    HandoverFact,
    HandoverSummary,
    SessionQuestion,
    SourceFile,
    SourceFinding,
    SourcePassage,
    SourceVector,
)
from interviews.models.mail import InvitationMail
from interviews.models.notes import Memo, SessionReview, StarredQuote, WrittenSummary
from interviews.models.personal import PersonalValue
from interviews.models.plan import GuidePlan
from interviews.models.report import ReportLink, ReportOpening, StudyReport
from interviews.models.revision import StudyRevision
from interviews.models.searched import (
    CollectedEntry,
    SearchCollection,
    SearchedSession,
    SearchEntry,
)
from interviews.models.session import Erasure, Invitation, Session, Utterance
from interviews.models.study import Study
from interviews.models.summary import SessionSummary, StudySpend
from interviews.models.team import Team
from interviews.models.trial import Trial
from interviews.models.turn import BeforeTurn, LLMCall, Turn
from interviews.models.webhook import Delivery, Webhook
from interviews.models.world import WrittenWorld

__all__ = [
    "AccessToken",
    "AuditEntry",
    "BacklogQuestion",
    "BeforeTurn",
    "Coding",
    "CollectedEntry",
    "Correction",
    "Delivery",
    "Erasure",
    "GuidePlan",
    "HandoverBrief",
    "HandoverFact",
    "HandoverSummary",
    "Invitation",
    "InvitationMail",
    "KeptReply",
    "LLMCall",
    "Memo",
    "PersonalValue",
    "ReportLink",
    "ReportOpening",
    "SampledAnswer",
    "SearchCollection",
    "SearchEntry",
    "SearchedSession",
    "Session",
    "SessionQuestion",
    "SessionReview",
    "SessionSummary",
    "SourceFile",
    "SourceFinding",
    "SourcePassage",
    "SourceVector",
    "StarredQuote",
    "Study",
    "StudyReport",
    "StudyRevision",
    "StudySpend",
    "Team",
    "Trial",
    "Turn",
    "Utterance",
    "Webhook",
    "WrittenSummary",
    "WrittenWorld",
]
