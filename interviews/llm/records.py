"""What the gateway remembers of each call."""

from interviews.turns.calls import CallLog, CallRecord

__all__ = ["CallLog", "CallRecord"]
