"""What the OpenAPI schema says of every address: lists come in pages, errors as problems."""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema

from interviews.api.paging import CursorPages
from interviews.api.problems import CONTENT_TYPE

PROBLEM = {
    "type": "object",
    "description": "What went wrong: a code, a sentence, and the field that is at fault.",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string"},
        "detail": {"type": "string"},
        "field": {"type": "string", "nullable": True},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "field": {"type": "string", "nullable": True},
                    "code": {"type": "string"},
                    "detail": {"type": "string"},
                },
                "required": ["field", "code", "detail"],
            },
        },
    },
    "required": ["type", "title", "status", "code", "detail", "field", "errors"],
}
KEY_PARAMETER = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    "description": "The same key and body have the same answer for 24 hours.",
}
METHODS = ("get", "post", "patch", "delete", "put")


class PagedSchema(AutoSchema):
    """Lists are pages with `next`, `previous` and `results`."""

    def _get_paginator(self) -> Any:
        return _Described() if hasattr(self.view, "ordering") else None

    def _is_list_view(self, serializer: Any = None) -> bool:
        return self.method == "GET" and hasattr(self.view, "ordering")


class _Described(CursorPages):
    """The pages as the schema has them."""

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        address = {"type": "string", "format": "uri", "nullable": True}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {"next": address, "previous": address, "results": schema},
        }


def with_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add what every address may answer: problems, and 304 to reads."""
    result["components"].setdefault("schemas", {})["Problem"] = PROBLEM
    content = {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for path, methods in result["paths"].items():
        for method, operation in methods.items():
            if method not in METHODS:
                continue
            operation["responses"]["4XX"] = {"description": "A problem.", "content": content}
            if method == "get":
                operation["responses"]["304"] = {"description": "As the ETag that you know."}
            if method == "post" and path.endswith("/"):
                operation.setdefault("parameters", []).append(KEY_PARAMETER)
    return result


def named_once(endpoints: list[Any], **_: Any) -> list[Any]:
    """Without the twins of addresses that have no slash at their end."""
    paths = {path for path, *_ in endpoints}
    return [one for one in endpoints if f"{one[0]}/" not in paths]
