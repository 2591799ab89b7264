"""What a file is: by what is in it, and only where that leaves it open by its name."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import PurePosixPath
from typing import Literal

from interviews.ingest.limits import Unreadable

Kind = Literal[
    "pdf", "docx", "xlsx", "pptx", "csv", "markdown", "text", "notebook", "code", "sql",
    "sqlite", "zip",
]  # fmt: skip

_OFFICE: dict[str, Kind] = {"word/": "docx", "xl/": "xlsx", "ppt/": "pptx"}
_BY_SUFFIX: dict[str, Kind] = {
    ".csv": "csv", ".tsv": "csv", ".md": "markdown", ".markdown": "markdown", ".sql": "sql",
}  # fmt: skip
_CODE = frozenset([
    ".py", ".pyw", ".js", ".mjs", ".jsx", ".ts", ".tsx", ".java", ".kt", ".scala", ".c", ".h",
    ".cc", ".cpp", ".hpp", ".cs", ".go", ".rs", ".rb", ".php", ".pl", ".r", ".m", ".jl", ".swift",
    ".sh", ".bash", ".ps1", ".bat", ".cmd", ".vb", ".vba", ".bas", ".cls", ".sas", ".do", ".lua",
    ".yaml", ".yml", ".toml", ".json", ".ini", ".cfg", ".conf", ".xml", ".html", ".css", ".tf",
    ".gradle", ".groovy",
])  # fmt: skip
_CODE_NAMES = frozenset(["makefile", "dockerfile", "jenkinsfile"])
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_LEAST_TEXT = 0.9
"""A text has at least this share of characters that can be printed."""


def kind_of(data: bytes, name: str) -> Kind:
    """Return what `data` is.

    Raises Unreadable where it is nothing that can be read: empty, protected, or unknown.
    """
    if not data.strip(b"\0 \t\r\n"):
        raise Unreadable("The file is empty.")
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(b"SQLite format 3\0"):
        return "sqlite"
    if data.startswith(_OLD_OFFICE):
        raise Unreadable(_of_old_office(data))
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _of_zip(data)
    return _of_text(decoded(data), name)


def _of_old_office(data: bytes) -> str:
    if _ENCRYPTED in data:
        return "The file is protected by a password. Save it without one and upload it again."
    return (
        "The file is in the old binary format of Office. Save it as docx, xlsx or pptx and upload "
        "it again."
    )


def _of_zip(data: bytes) -> Kind:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise Unreadable("The file is damaged: its archive cannot be opened.") from error
    if "[Content_Types].xml" in names:
        for folder, kind in _OFFICE.items():
            if any(name.startswith(folder) for name in names):
                return kind
    return "zip"


def decoded(data: bytes) -> str:
    """The text of `data`. Raises Unreadable where it is none."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", errors="replace")
    elif b"\0" in data[:8192]:
        raise Unreadable("The file is of a kind that is not known here.")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", errors="replace")
    sample = text[:8192]
    printable = sum(1 for char in sample if char.isprintable() or char in "\t\r\n\f")
    if printable < _LEAST_TEXT * len(sample):
        raise Unreadable("The file is of a kind that is not known here.")
    return text


def _of_text(text: str, name: str) -> Kind:
    path = PurePosixPath(name.casefold())
    if text.lstrip().startswith("{") and '"nbformat"' in text and _is_notebook(text):
        return "notebook"
    if path.suffix in _BY_SUFFIX:
        return _BY_SUFFIX[path.suffix]
    if path.suffix in _CODE or path.name in _CODE_NAMES or text.startswith("#!"):
        return "code"
    return "text"


def _is_notebook(text: str) -> bool:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and isinstance(data.get("cells"), list)
