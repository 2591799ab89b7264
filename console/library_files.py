"""The library as files: out as one zip or one document, in again all of it or none."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from analytics.rights import Right
from console.views import ConsolePage, who
from interviews import audit
from methodologies.models import DocumentVersion
from methodologies.registry import KINDS, Kind, checked, publish
from methodologies.yaml_loader import DocumentInvalid, load_document

MOST_BYTES: Final = 8 * 1024 * 1024
MOST_FILES: Final = 500
SUFFIXES: Final = (".yaml", ".yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A document's text under the name of its file."""

    name: str
    text: str


def newest_texts() -> Iterator[File]:
    """The newest version of every document, each under its kind's folder."""
    for kind in KINDS:
        versions = kind.version.objects.order_by("document__name", "-number")  # type: ignore[attr-defined]
        for version in versions.distinct("document__name").select_related("document"):
            yield File(name=f"{kind.folder}/{version.document.name}.yaml", text=version.text)


def zipped(files: Iterator[File]) -> bytes:
    """The files in one zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.writestr(file.name, file.text)
    return out.getvalue()


def files_in(name: str, data: bytes) -> tuple[list[File], list[str]]:
    """The documents in an upload, a YAML file or a zip of them; and what is wrong with it."""
    if len(data) > MOST_BYTES:
        return [], [f"{name} is larger than {MOST_BYTES // 1024 // 1024} MiB."]
    try:
        if name.endswith(".zip"):
            return _unzipped(data)
        if name.endswith(SUFFIXES):
            return [File(name=name, text=_text(data))], []
    except (UnicodeDecodeError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        return [], [f"{name} cannot be read: {error}"]
    return [], [f"{name} is neither a .yaml file nor a .zip of them."]


def _unzipped(data: bytes) -> tuple[list[File], list[str]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        inside = [one for one in archive.infolist() if one.filename.endswith(SUFFIXES)]
        if len(inside) > MOST_FILES:
            return [], [f"There are {len(inside)} documents; {MOST_FILES} at most."]
        if sum(one.file_size for one in inside) > MOST_BYTES:
            return [], [f"The documents come to more than {MOST_BYTES // 1024 // 1024} MiB."]
        if not inside:
            return [], ["There is no .yaml file in it."]
        return [File(name=one.filename, text=_text(archive.read(one))) for one in inside], []


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig").replace("\r\n", "\n")


def take_in(files: Sequence[File], *, request: HttpRequest) -> tuple[int, list[str]]:
    """Publish every document, or none where there is any fault; how many were new, and the faults.

    What is the newest version already is not stored again.
    """
    found, faults = [], []
    for file in files:
        try:
            found.append((file, _kind_of(file)))
        except DocumentInvalid as error:
            faults += [problem.format(file.name) for problem in error.problems]
        except LookupError as error:
            faults.append(f"{file.name}: {error}")
    if faults:
        return 0, faults
    new = 0
    with transaction.atomic():
        for file, kind in found:
            before = kind.version.objects.count()  # type: ignore[attr-defined]
            version: DocumentVersion = publish(
                kind,
                file.text,
                source=file.name,
                author=request.user,  # type: ignore[arg-type]
                note="Imported",
            )
            if kind.version.objects.count() > before:  # type: ignore[attr-defined]
                new += 1
                audit.record(audit.Action.PUBLISHED, version, by=who(request))
    return new, []


def _kind_of(file: File) -> Kind:
    """What the text is. Raises DocumentInvalid, and LookupError for a study."""
    named = load_document(file.text, file.name).kind
    kind = next((one for one in KINDS if one.title == named), None)
    if kind is None:
        raise LookupError(f"a {named} is no document of the library; import it as a study")
    checked(kind, file.text, source=file.name)
    return kind


class LibraryPage(ConsolePage):
    """Takes documents in, all of them or none."""

    template = "library.html"
    title = "Import and export"
    reads = writes = Right.LIBRARY

    def get(self, request: HttpRequest) -> HttpResponse:
        """The page."""
        return self.shown(request)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Import the upload; every fault is told at once."""
        sent = request.FILES.get("file")
        if sent is None or (sent.size or 0) > MOST_BYTES:
            fault = "Choose a file." if sent is None else "The file is larger than 8 MiB."
            return self.shown(request, 422, faults=[fault])
        files, faults = files_in(sent.name or "", sent.read())
        new, more = take_in(files, request=request) if not faults else (0, [])
        if faults or more:
            return self.shown(request, 422, faults=[*faults, *more])
        messages.success(
            request, f"{new} new version{'' if new == 1 else 's'} of {len(files)} documents."
        )
        return redirect("admin:library")


class LibraryFileView(ConsolePage):
    """The newest version of every document in one zip."""

    reads = Right.LIBRARY

    def get(self, request: HttpRequest) -> HttpResponse:
        """The zip."""
        return HttpResponse(
            zipped(newest_texts()),
            content_type="application/zip",
            headers={"Content-Disposition": 'attachment; filename="library.zip"'},
        )
