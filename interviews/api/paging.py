"""Pages of lists by cursors that are signed for their list: another list's cursor is refused.

A cursor holds the place after which to go on, by the list's order and the rows' keys, so that rows
which come or go meanwhile shift nothing, and however many rows share a place, none is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core import signing
from django.db.models import Model, Q
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param

SALT = "interviews.api.cursor"
CURSOR, SIZE = "cursor", "page_size"
USUAL, MOST = 50, 200


class CursorPages(BasePagination):
    """`?cursor=` and `?page_size=`; `next` and `previous` are whole addresses, or null.

    A view's `ordering` names fields, the last of them unique; none of them may be null.
    """

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> Any:
        """Return the page's rows. Raises ValidationError that names `cursor` or `page_size`."""
        self._view_order = tuple(view.ordering)
        self._list, self._address = list_of(request), request.build_absolute_uri()
        size = _size_of(request)
        back, place = self._place(request)
        order = tuple(_turned(name) for name in self._view_order) if back else self._view_order
        found = queryset.order_by(*order)
        if place is not None:
            found = found.filter(_after(order, place))
        rows = list(found[: size + 1])
        more = len(rows) > size
        rows = rows[:size]
        if back:
            rows.reverse()
        came = place is not None
        self.next = self._link(rows, back=False) if rows and (more or back) else None
        self.previous = self._link(rows, back=True) if rows and (more if back else came) else None
        return rows

    def get_paginated_response(self, data: Any) -> Response:
        """The page with the addresses of those beside it."""
        return Response({"next": self.next, "previous": self.previous, "results": data})

    def _place(self, request: Request) -> tuple[bool, list[str] | None]:
        named = request.query_params.get(CURSOR)
        if named is None:
            return False, None
        try:
            made_for, back, place = signing.loads(named, salt=SALT)
        except (signing.BadSignature, ValueError, TypeError):
            made_for, back, place = None, False, None
        if made_for != self._list:
            said = "This is no cursor of this list: follow next and previous, filters unchanged."
            raise ValidationError({CURSOR: said}, code="invalid_cursor")
        return back, place

    def _link(self, rows: Sequence[Model], *, back: bool) -> str:
        row = rows[0] if back else rows[-1]
        place = [_written(getattr(row, name.lstrip("-"))) for name in self._view_order]
        cursor = signing.dumps([self._list, back, place], salt=SALT)
        address = remove_query_param(self._address, CURSOR)
        return str(replace_query_param(address, CURSOR, cursor))


def list_of(request: Request) -> str:
    """The list that is asked for: its path and filters, without the place in it."""
    filters = sorted(
        (name, value) for name, value in request.query_params.items() if name not in (CURSOR, SIZE)
    )
    return f"{request.path}?{filters}"


def _size_of(request: Request) -> int:
    named = request.query_params.get(SIZE)
    if named is None:
        return USUAL
    if named.isascii() and named.isdigit() and len(named) < 7 and 1 <= int(named) <= MOST:
        return int(named)
    raise ValidationError({SIZE: f"Choose from 1 to {MOST}."}, code="invalid")


def _after(order: Sequence[str], place: Sequence[str]) -> Q:
    """Rows that come after a place in this order."""
    found, same = Q(), Q()
    for name, value in zip(order, place, strict=True):
        field = name.lstrip("-")
        later = "lt" if name.startswith("-") else "gt"
        found |= same & Q(**{f"{field}__{later}": value})
        same &= Q(**{field: value})
    return found


def _turned(name: str) -> str:
    return name[1:] if name.startswith("-") else f"-{name}"


def _written(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
