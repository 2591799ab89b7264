"""Personal data out of what leaves the house: what was given to fields, addresses and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

LEFT_OUT = "[left out]"
LEAST = 3
"""Characters from which a word of a given value is looked for by itself."""
_KNOWN_FORMS = (
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|\bhttps?://\S+"
    r"|(?<![\w.])\+?\d(?:[\s()/.-]?\d){6,}(?!\w)"
)
"""Mail addresses, web addresses, and numbers of seven digits or more."""


def scrubbed(text: str, personal: Iterable[str]) -> str:
    """`text` without the respondent's own values, words of them, addresses and long numbers."""
    words = {part for value in personal for part in (value, *value.split()) if len(part) >= LEAST}
    known = (rf"(?<!\w){re.escape(word)}(?!\w)" for word in sorted(words, key=len, reverse=True))
    return re.sub("|".join([_KNOWN_FORMS, *known]), LEFT_OUT, text, flags=re.IGNORECASE)
