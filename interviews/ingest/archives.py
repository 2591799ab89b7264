"""Archives, and the office files that are archives inside: checked before anything is unpacked."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from xml.sax import SAXException
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import create_parser

from interviews.ingest.limits import ENTRIES, RATIO, UNPACKED_BYTES, Refused, Unreadable

CHUNK = 64 * 1024
_NESTED = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"7z\xbc\xaf\x27\x1c", b"Rar!", b"\xfd7zXZ")
_OFFICE_SUFFIXES = (".docx", ".xlsx", ".pptx", ".docm", ".xlsm", ".pptm")
_XML = (".xml", ".rels", ".vml")
_LEFT_OUT = ("__MACOSX/", ".DS_Store", "Thumbs.db")


def checked(path: Path) -> zipfile.ZipFile:
    """Open an archive whose directory promises nothing harmful.

    Raises Refused, or Unreadable where it is damaged or protected.
    """
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise Unreadable("The file is damaged: its archive cannot be opened.") from error
    entries = archive.infolist()
    if len(entries) > ENTRIES:
        raise Refused(f"The archive has more than {ENTRIES:,} entries.")
    if any(entry.flag_bits & 0x1 for entry in entries):
        raise Unreadable("The archive is protected by a password. Upload it without one.")
    for entry in entries:
        _check_path(entry.filename)
    _check_size(sum(entry.file_size for entry in entries), path.stat().st_size)
    return archive


def _check_path(name: str) -> None:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or (path.parts and ":" in path.parts[0]):
        raise Refused("The archive has paths that lead out of it.")


def _check_size(unpacked: int, packed: int) -> None:
    if unpacked > UNPACKED_BYTES:
        raise Refused(f"The archive has more than {UNPACKED_BYTES // 1024**2} MB in it.")
    if unpacked > RATIO * max(packed, 1):
        raise Refused(f"The archive unpacks to more than {RATIO} times its size.")


def streamed(
    archive: zipfile.ZipFile, packed: int, take: Callable[[zipfile.ZipInfo, bytes], None]
) -> None:
    """Unpack every entry piece by piece: what the directory promised is counted, not believed.

    Raises Refused where there is more in it than may be, Unreadable where an entry is damaged.
    """
    total = 0
    for entry in archive.infolist():
        if entry.is_dir():
            continue
        try:
            with archive.open(entry) as source:
                while chunk := source.read(CHUNK):
                    total += len(chunk)
                    _check_size(total, packed)
                    take(entry, chunk)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
            raise Unreadable("The file is damaged: an entry of it cannot be unpacked.") from error


def members(path: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Unpack an archive into `folder`, under numbers; give each file's name in it and its path.

    Raises Refused and Unreadable, for an archive in an archive, too.
    """
    unpacked: dict[str, Path] = {}

    def take(entry: zipfile.ZipInfo, chunk: bytes) -> None:
        name = entry.filename
        if name not in unpacked:
            nested = chunk.startswith(_NESTED) and not name.casefold().endswith(_OFFICE_SUFFIXES)
            if nested:
                raise Refused("The archive has another archive in it.")
            unpacked[name] = folder / f"member-{len(unpacked)}"
        with unpacked[name].open("ab") as target:
            target.write(chunk)

    with checked(path) as archive:
        streamed(archive, path.stat().st_size, take)
    for name, found in unpacked.items():
        if not name.startswith(_LEFT_OUT[0]) and PurePosixPath(name).name not in _LEFT_OUT:
            yield name, found


def check_office(path: Path) -> None:
    """Refuse an office file that is a bomb as an archive or in its XML. Raises Refused."""
    heads: dict[str, bytearray] = {}

    def take(entry: zipfile.ZipInfo, chunk: bytes) -> None:
        if entry.filename.casefold().endswith(_XML):
            head = heads.setdefault(entry.filename, bytearray())
            if len(head) < CHUNK:
                head += chunk[:CHUNK]

    with checked(path) as archive:
        streamed(archive, path.stat().st_size, take)
    for head in heads.values():
        check_xml(bytes(head))


class _FirstElement(ContentHandler):
    """Stops at the first element: a document type stands before it or nowhere."""

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802 - the parser's name for it
        raise StopIteration

    def startElementNS(self, name: Any, qname: Any, attrs: Any) -> None:  # noqa: N802 - as above
        raise StopIteration


def check_xml(head: bytes) -> None:
    """Refuse XML that declares a document type, by which entities come. Raises Refused."""
    parser = create_parser(forbid_dtd=True)
    parser.setContentHandler(_FirstElement())
    try:
        parser.feed(head)
        if len(head) >= CHUNK:
            raise Refused("The file has XML in it that hides how it begins.")
    except StopIteration:
        return
    except DefusedXmlException as error:
        raise Refused("The file has XML entities in it, which can blow up.") from error
    except SAXException as error:
        raise Unreadable("The file is damaged: its XML cannot be read.") from error
