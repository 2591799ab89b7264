"""Export formats: one module a format, loaded once, by name.

A format module says its `NAME`, `CONTENT_TYPE` and `EXTENSION` and has a function
`write(source, options)` that yields the file's bytes piece by piece. A new format is a new module
in this package whose name is that of no helper.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Protocol, cast

from analytics.exports.source import ExportOptions, ExportSource

HELPERS = frozenset(
    [
        *("about", "cells", "documents", "json_text", "loaded", "pseudonyms", "sheets", "source"),
        *("spans", "tables", "zipped"),
    ]
)


class ExportFormat(Protocol):
    """What a format module offers."""

    NAME: str
    CONTENT_TYPE: str
    EXTENSION: str

    def write(self, source: ExportSource, options: ExportOptions) -> Iterator[bytes]:
        """Yield the file's bytes."""


class DuplicateFormat(RuntimeError):
    """Two modules claim one name."""


class UnknownFormat(LookupError):
    """No module has this name; the message lists those there are."""


@lru_cache(maxsize=1)
def formats() -> Mapping[str, ExportFormat]:
    """All formats by name.

    Raises DuplicateFormat where two modules have one name.
    """
    found: dict[str, ExportFormat] = {}
    for info in pkgutil.iter_modules(__path__):
        if info.name in HELPERS:
            continue
        module = cast("ExportFormat", importlib.import_module(f"{__name__}.{info.name}"))
        if module.NAME in found:
            raise DuplicateFormat(f"two export formats are called {module.NAME!r}")
        found[module.NAME] = module
    return found


def format_named(name: str) -> ExportFormat:
    """The format of this name.

    Raises UnknownFormat where there is none.
    """
    try:
        return formats()[name]
    except KeyError:
        raise UnknownFormat(
            f"No export format is called {name!r}; there are: {', '.join(sorted(formats()))}."
        ) from None


def filename(chosen: ExportFormat, source: ExportSource) -> str:
    """The name to save the file under."""
    return f"{source.stem}.{chosen.EXTENSION}"
