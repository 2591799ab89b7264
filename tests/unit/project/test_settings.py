"""Decisions in the settings that a later edit could undo unnoticed."""

from __future__ import annotations

import json
import logging
from importlib import import_module
from typing import Literal

import pytest
import structlog
from csp.constants import UNSAFE_EVAL, UNSAFE_INLINE
from django.conf import settings
from django.http import HttpResponse
from django.test import RequestFactory

from interview_project.csp import SITE_POLICY, ScopedCSPMiddleware
from interview_project.logs import configure_logs
from interview_project.reference import settings_page


def policy(path: str) -> str:
    middleware = ScopedCSPMiddleware(lambda request: HttpResponse())
    response = middleware(RequestFactory().get(path))
    assert isinstance(response, HttpResponse)
    return response["Content-Security-Policy"]


def test_no_page_of_the_site_may_run_inline_code_or_styles() -> None:
    assert UNSAFE_INLINE not in str(SITE_POLICY)
    assert UNSAFE_EVAL not in str(SITE_POLICY)
    for path in ("/", "/i/token", "/dashboard/", "/api/", "/administration/"):
        assert "unsafe" not in policy(path)


def test_the_looser_policy_ends_where_the_admin_ends_and_forbids_inline_scripts() -> None:
    directives = dict(part.strip().split(" ", 1) for part in policy("/admin/x").split(";"))
    assert directives["script-src"] == "'self' 'unsafe-eval'"
    assert directives["style-src"] == "'self' 'unsafe-inline'"
    assert directives["object-src"] == "'none'"


def test_celery_knows_the_projects_app_on_every_thread() -> None:
    from concurrent.futures import ThreadPoolExecutor

    from celery import current_app

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: current_app.main).result() == "interview_project"


def test_no_message_stays_with_its_connection_while_a_turn_runs() -> None:
    celery = import_module("interview_project.celery").app
    assert not celery.conf.task_acks_late
    assert not any(task.acks_late for task in celery.tasks.values() if "celery." not in task.name)
    assert celery.conf.worker_prefetch_multiplier == 1
    assert celery.conf.task_ignore_result
    assert celery.conf.broker_transport_options == {}


def test_a_frame_is_at_most_16_kib() -> None:
    assert settings.WEBSOCKET_MAX_MESSAGE_SIZE == 16 * 1024


def rendered(style: Literal["console", "json"], record: logging.LogRecord) -> str:
    before = structlog.get_config()
    try:
        options = configure_logs("INFO", style)["formatters"]["events"]
        options.pop("()")
        return structlog.stdlib.ProcessorFormatter(**options).format(record)
    finally:
        structlog.configure(**before)


def test_logs_in_json_are_one_object_a_line() -> None:
    record = logging.LogRecord("x", logging.INFO, __file__, 1, "plain %s", ("line",), None)
    line = json.loads(rendered("json", record))
    assert (line["event"], line["level"], line["logger"]) == ("plain line", "info", "x")


@pytest.mark.parametrize("style", ["console", "json"])
def test_a_logged_error_does_not_show_what_was_in_the_variables(
    style: Literal["console", "json"],
) -> None:
    def fail(answer: str) -> None:
        raise ValueError(len(answer))

    with pytest.raises(ValueError, match="10") as caught:
        fail("ecnedifnoc"[::-1])
    trace = (caught.type, caught.value, caught.tb)
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, "it", (), trace)
    text = rendered(style, record)
    assert "ValueError" in text
    assert "confidence" not in text


@pytest.mark.parametrize("style", ["console", "json"])
def test_a_respondents_token_is_never_logged(style: Literal["console", "json"]) -> None:
    for path in ("/i/abc:def-123/", "/ws/i/abc:def-123/", "/i/abc:def-123"):
        record = logging.LogRecord("x", 30, __file__, 1, "Not Found: %s", (path,), None)
        text = rendered(style, record)
        assert "Not Found: " in text
        assert "abc" not in text


def test_the_settings_page_names_every_variable_once() -> None:
    page = settings_page()
    assert page.count("\n| `") == 40
    assert "| `PORT` | `8000` | a whole number from 1 to 65535 |" in page
