from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from interviews import studies, study_files
from interviews.models import Study
from methodologies.registry import LIBRARY, load_library

EXAMPLE = LIBRARY / "studies" / "loss_forecast_handover.yaml"


class Killed(BaseException):
    """A worker that dies: nothing of it may be caught."""


class Dying:
    """Kills whoever runs before statement number `at`."""

    def __init__(self, at: int) -> None:
        self.at, self.count = at, 0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.count += 1
        if self.count == self.at:
            raise Killed
        return execute(sql, params, many, context)


def killed_at(statement: int, work: Any) -> bool:
    """Whether `work` was killed before that statement; it was done otherwise."""
    try:
        with connection.execute_wrapper(Dying(statement)):
            work()
    except Killed:
        return True
    return False


@pytest.fixture(autouse=True)
def library(db: None) -> None:
    list(load_library())


@pytest.fixture
def study(db: None) -> Study:
    return studies.create_study(
        slug="handover",
        name="The handover",
        mode="handover",
        max_turns=10,
        methodology_version=_methodology(),
    )


def _methodology() -> Any:
    from methodologies.registry import METHODOLOGY, newest

    return newest(METHODOLOGY, "knowledge_transfer")


@pytest.fixture
def example(db: None) -> Study:
    return study_files.study_of_file(EXAMPLE)
