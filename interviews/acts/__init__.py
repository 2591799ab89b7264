"""What an answer does besides answering: dialogue acts, and what of it is worth following."""

from interviews.acts.heard import (
    ACTS,
    LEAD_REASONS,
    LEAVE_OPEN,
    MOST_LEADS,
    Act,
    Heard,
    Lead,
    LeadReason,
)

__all__ = ["ACTS", "LEAD_REASONS", "LEAVE_OPEN", "MOST_LEADS", "Act", "Heard", "Lead", "LeadReason"]
