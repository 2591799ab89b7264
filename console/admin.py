"""All pages of the console; importing them registers them."""

from console import (
    accounts,
    audit_log,
    documents,
    graph,
    invitations,
    operation,
    personal,
    plans,
    sessions,
    studies,
)

__all__ = [
    "accounts",
    "audit_log",
    "documents",
    "graph",
    "invitations",
    "operation",
    "personal",
    "plans",
    "sessions",
    "studies",
]
