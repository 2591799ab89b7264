"""The languages in which an interview can be held."""

from __future__ import annotations

from collections.abc import Mapping

DEFAULT = "en"

LANGUAGES: Mapping[str, str] = {
    "en": "English",
    "it": "Italian",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
}
"""By code. A language is here when every text of the interview's own is written in it."""

RULES_READ = ("en",)
"""Those in which the offline rules read answers and fit their questions to them. In the others they
ask fixed ones."""


def language_choices() -> list[tuple[str, str]]:
    """Codes and names, as form fields and models take them."""
    return list(LANGUAGES.items())


def base(language: str) -> str:
    """The code without its region ("de" for "de-AT"); English where nobody speaks the language."""
    code = language[:2].lower()
    return code if code in LANGUAGES else DEFAULT
