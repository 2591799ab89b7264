"""PDFs: the text of their pages."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

from pypdf import Configuration, PdfReader, apply_configuration
from pypdf.errors import LimitReachedError, PyPdfError

from interviews.ingest.limits import FILE_BYTES, MB, UNPACKED_BYTES, Refused, Unreadable
from interviews.ingest.passages import Section, Segment

STREAM_BYTES = 20 * MB
"""A stream of a page that unpacks to more is a bomb: no page holds so much text."""
MOST_PAGES = 5_000

LIMITS = {
    "maximum_declared_stream_length": FILE_BYTES,
    "array_based_stream_maximum_output_length": STREAM_BYTES,
    "lzw_maximum_output_length": STREAM_BYTES,
    "run_length_maximum_output_length": STREAM_BYTES,
    "zlib_maximum_output_length": STREAM_BYTES,
    "stream_decoding_work_maximum_length": 2 * STREAM_BYTES,
    "stream_parsing_work_maximum_count": 500_000,
}
logging.getLogger("pypdf").setLevel(logging.CRITICAL)


def pages(path: Path) -> Iterator[Section]:
    """The pages, one by one, so that memory does not grow with them."""
    with apply_configuration(Configuration().with_overwrites(**LIMITS)):
        yield from _pages(path)


def _pages(path: Path) -> Iterator[Section]:
    try:
        reader = PdfReader(path, strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("The PDF is protected by a password. Upload it without one.")
        count = len(reader.pages)
    except LimitReachedError as error:
        raise Refused("The PDF unpacks to far more than its size.") from error
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise Unreadable("The file is damaged: it cannot be opened as a PDF.") from error
    except ImportError as error:  # a cipher that only an optional library knows
        raise Unreadable("The PDF is protected. Upload it without protection.") from error
    if count > MOST_PAGES:
        raise Refused(f"The PDF has more than {MOST_PAGES:,} pages.")
    read = 0
    for number in range(1, count + 1):
        text = _text(reader, number)
        read += len(text)
        if read > UNPACKED_BYTES:
            raise Refused("The PDF unpacks to far more than its size.")
        mark = f"page {number}"
        yield Section(segments=[Segment(text=f"{line}\n", mark=mark) for line in text.splitlines()])
        reader.resolved_objects.clear()


def _text(reader: PdfReader, number: int) -> str:
    try:
        return reader.pages[number - 1].extract_text()
    except LimitReachedError as error:
        raise Refused("The PDF unpacks to far more than its size.") from error
    except RecursionError as error:
        raise Refused("The PDF refers to itself without an end.") from error
    except Exception:  # a page that cannot be read leaves the others readable
        return ""
