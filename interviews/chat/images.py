"""Images of what respondents are shown: kept by name in blocks, served behind their own link."""

from __future__ import annotations

import re
from typing import Any

from django.urls import reverse

from methodologies.schema import IMAGE_NAME

_NAME = re.compile(IMAGE_NAME)


def with_address(block: dict[str, Any] | None, token: str) -> dict[str, Any] | None:
    """A block as the holder of a link sees it: an image that is named by its address.

    Blocks are stored and exported with the name alone, for the address opens the interview.
    """
    name = (block or {}).get("image")
    if block is None or not isinstance(name, str) or not _NAME.match(name):
        return block
    return block | {"image": reverse("chat:image", args=[token, name])}
