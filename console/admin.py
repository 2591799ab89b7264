"""All pages of the console; importing them registers them."""

from console import (
    accounts,
    documents,
    graph,
    invitations,
    operation,
    personal,
    sessions,
    studies,
)

__all__ = [
    "accounts",
    "documents",
    "graph",
    "invitations",
    "operation",
    "personal",
    "sessions",
    "studies",
]
