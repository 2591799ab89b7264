"""The library as files: out as one zip or one document, in again all of it or none."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Final

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from analytics.rights import Right
from console.views import ConsolePage, who
from interviews import audit
from methodologies.models import DocumentVersion
from methodologies.registry import CONCEPT, KINDS, Kind, checked, publish
from methodologies.yaml_loader import DocumentInvalid, load_document

MIB: Final = 1024 * 1024
MOST_BYTES: Final = 8 * MIB
"""Of the documents' texts."""
MOST_UPLOADED: Final = 64 * MIB
"""Of a whole upload, and of the images in it."""
MOST_FILES: Final = 500
SUFFIXES: Final = (".yaml", ".yml")
IMAGES: Final = (".png", ".jpg", ".jpeg", ".webp")


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A document's text under the name of its file, and the images in its folder by their names."""

    name: str
    text: str
    images: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def folder(self) -> PurePosixPath:
        """Where it lies."""
        return PurePosixPath(self.name).parent


def newest_texts() -> Iterator[File]:
    """The newest version of every document, each under its kind's folder.

    One whose image has the name of another concept's lies with it in a folder of its own.
    """
    taken: dict[str, int] = {}
    for kind in KINDS:
        related = ["document", *(["image"] if kind is CONCEPT else [])]
        versions = kind.version.objects.order_by("document__name", "-number")  # type: ignore[attr-defined]
        for version in versions.distinct("document__name").select_related(*related):
            name = f"{version.document.name}.yaml"
            image = version.image if kind is CONCEPT else None
            if image is None:
                yield File(name=f"{kind.folder}/{name}", text=version.text)
                continue
            called = version.parsed["stimulus"]["image"]
            alone = taken.setdefault(called, image.pk) == image.pk
            folder = kind.folder if alone else f"{kind.folder}/{version.document.name}"
            yield File(
                name=f"{folder}/{name}",
                text=version.text,
                images={called: bytes(image.content)},
            )


def zipped(files: Iterator[File]) -> bytes:
    """The files in one zip, each image once, beside the documents that show it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.writestr(file.name, file.text)
            for name, content in file.images.items():
                place = str(file.folder / name)
                if place not in archive.NameToInfo:
                    archive.writestr(place, content, zipfile.ZIP_STORED)
    return out.getvalue()


def files_in(name: str, data: bytes) -> tuple[list[File], list[str]]:
    """The documents in an upload, a YAML file or a zip of them; and what is wrong with it."""
    most = MOST_UPLOADED if name.endswith(".zip") else MOST_BYTES
    if len(data) > most:
        return [], [f"{name} is larger than {most // MIB} MiB."]
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
        shown = [one for one in archive.infolist() if one.filename.lower().endswith(IMAGES)]
        if faults := _too_much(inside, shown):
            return [], faults
        images: dict[PurePosixPath, dict[str, bytes]] = {}
        for one in shown:
            path = PurePosixPath(one.filename)
            images.setdefault(path.parent, {})[path.name] = archive.read(one)
        files = [File(name=one.filename, text=_text(archive.read(one))) for one in inside]
        return [replace(file, images=images.get(file.folder, {})) for file in files], []


def _too_much(texts: Sequence[zipfile.ZipInfo], images: Sequence[zipfile.ZipInfo]) -> list[str]:
    """What is wrong with the size of a zip, asked before anything in it is unpacked."""
    for found, called in ((texts, "documents"), (images, "images")):
        if len(found) > MOST_FILES:
            return [f"There are {len(found)} {called}; {MOST_FILES} at most."]
    for found, called, most in (
        (texts, "documents", MOST_BYTES),
        (images, "images", MOST_UPLOADED),
    ):
        if sum(one.file_size for one in found) > most:
            return [f"The {called} come to more than {most // MIB} MiB."]
    return [] if texts else ["There is no .yaml file in it."]


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig").replace("\r\n", "\n")


def take_in(files: Sequence[File], *, request: HttpRequest) -> tuple[int, list[str]]:
    """Publish every document, or none where there is any fault; how many were new, and the faults.

    What is the newest version already is not stored again.
    """
    found, faults = [], []
    new = 0
    with transaction.atomic():
        for file in files:
            try:
                found.append((file, _kind_of(file)))
            except DocumentInvalid as error:
                faults += [problem.format(file.name) for problem in error.problems]
            except LookupError as error:
                faults.append(f"{file.name}: {error}")
        if faults:
            transaction.set_rollback(True)  # images were taken in while their concepts were read
            return 0, faults
        for file, kind in found:
            before = kind.version.objects.count()  # type: ignore[attr-defined]
            version: DocumentVersion = publish(
                kind,
                file.text,
                source=file.name,
                author=request.user,  # type: ignore[arg-type]
                note="Imported",
                beside=file.images,
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
    checked(kind, file.text, source=file.name, beside=file.images)
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
        if sent is None or (sent.size or 0) > MOST_UPLOADED:
            most = f"The file is larger than {MOST_UPLOADED // MIB} MiB."
            fault = "Choose a file." if sent is None else most
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
    """The newest version of every document in one zip, with the images that concepts show."""

    reads = Right.LIBRARY

    def get(self, request: HttpRequest) -> HttpResponse:
        """The zip."""
        return HttpResponse(
            zipped(newest_texts()),
            content_type="application/zip",
            headers={"Content-Disposition": 'attachment; filename="library.zip"'},
        )
