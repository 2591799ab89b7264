"""What is stored and logged of an error: never what a respondent said.

Our own errors speak in codes and ids. The messages of others hold what they stumbled over: a
database names the values of a row, a validator its input, a dictionary its key.
"""

from __future__ import annotations

import traceback

import psycopg

from graphs.tracker import TrackerStateInvalid
from interviews.errors import PipelineError
from interviews.llm.errors import LLMError

PLACES = 12


def told(error: BaseException) -> str:
    """The error's type with its own words, a database's code and constraint, or its place."""
    name = type(error).__name__
    if isinstance(error, (PipelineError, LLMError, TrackerStateInvalid)):
        return f"{name}: {error}"
    below = error if isinstance(error, psycopg.Error) else error.__cause__
    if isinstance(below, psycopg.Error):
        found = (below.sqlstate, below.diag.table_name, below.diag.constraint_name)
        return f"{name}: {' '.join(part for part in found if part)}"
    return f"{name} at {places(error)[-1]}" if error.__traceback__ else name


def places(error: BaseException) -> list[str]:
    """Where the error came along, the innermost last: `module:line function`, no values."""
    frames = traceback.walk_tb(error.__traceback__)
    return [
        f"{frame.f_globals.get('__name__', '?')}:{line} {frame.f_code.co_name}"
        for frame, line in frames
    ][-PLACES:]
