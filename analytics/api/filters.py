"""Which interviews count, as programs say it: the inclusion filter, in the query."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.http import QueryDict
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from analytics.inclusion import (
    EXTRAS,
    MARKS,
    NAMES,
    PROVENANCES,
    STATUSES,
    Inclusion,
    InclusionInvalid,
    parse,
)
from analytics.study.matrix import COUNTS, Count
from analytics.study.value_map import CutoffOutOfRange
from interviews.errors import FormRefused


def _criterion(name: str, description: str, choices: Any = None) -> OpenApiParameter:
    return OpenApiParameter(name, str, many=True, enum=choices, description=description)


FILTER = [
    _criterion("status", "Interviews that stand like this.", STATUSES),
    _criterion("include", "What is out unless it is named.", EXTRAS),
    _criterion("without", "Marks of quality that leave an interview out.", MARKS),
    _criterion("where", "key=value of a data field that is not sensitive."),
    _criterion("revision", "Numbers of revisions of the study."),
    OpenApiParameter("from", str, description="First day on which interviews ended."),
    OpenApiParameter("to", str, description="Last day on which interviews ended."),
    _criterion("provenance", "Which links count.", PROVENANCES),
]
COUNT = OpenApiParameter("count", str, enum=COUNTS, description="Count relations once a …")


@contextmanager
def asked() -> Iterator[None]:
    """What of a query is wrong, as ValidationError (400) with every wrong name."""
    try:
        yield
    except InclusionInvalid as wrong:
        raise ValidationError(wrong.fields) from wrong
    except FormRefused as refused:
        raise ValidationError(dict(refused.fields), code=refused.code.value) from refused
    except CutoffOutOfRange as wrong:
        raise ValidationError({"cutoff": str(wrong)}) from wrong


def inclusion_of(request: Request) -> Inclusion:
    """The filter that the query asks for. Raises ValidationError."""
    given = query_of(request)
    with asked():
        return parse({name: given.getlist(name) for name in NAMES})


def count_of(request: Request) -> Count:
    """How relations are counted. Raises ValidationError."""
    wanted = query_of(request).get("count") or COUNTS[0]
    for count in COUNTS:
        if count == wanted:
            return count
    raise ValidationError({"count": f"Choose from {', '.join(COUNTS)}."})


def query_of(request: Request) -> QueryDict:
    """The query, which holds only text that a database can. Raises ValidationError."""
    given: QueryDict = request.query_params
    for name, values in given.lists():
        if any("\0" in value for value in values):
            raise ValidationError({name: "This holds the character NUL, which no text here may."})
    return given
