"""Stored documents and their versions: publishing, finding, and reading them as schemas."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from methodologies.models import (
    Concept,
    ConceptVersion,
    Document,
    DocumentVersion,
    Guide,
    GuideVersion,
    Methodology,
    MethodologyVersion,
    Persona,
    PersonaVersion,
    StimulusImage,
)
from methodologies.schema import (
    ConceptSchema,
    GuideSchema,
    MethodologySchema,
    PersonaSchema,
    StrictModel,
)
from methodologies.stimulus_images import Beside, image_of
from methodologies.yaml_loader import load_concept, load_guide, load_methodology, load_persona

LIBRARY = Path(__file__).parent / "library"


class DocumentNotFound(LookupError):
    """No document of this name; the message lists the names there are."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of document is parsed, stored and named."""

    title: str
    folder: str
    document: type[Document]
    version: type[DocumentVersion]
    parse: Callable[..., StrictModel]
    name_of: Callable[[Any], str]


METHODOLOGY = Kind(
    "methodology",
    "methodologies",
    Methodology,
    MethodologyVersion,
    load_methodology,
    lambda parsed: str(parsed.method.name),
)
CONCEPT = Kind(
    "concept", "concepts", Concept, ConceptVersion, load_concept, lambda parsed: str(parsed.id)
)
PERSONA = Kind(
    "persona", "personas", Persona, PersonaVersion, load_persona, lambda parsed: str(parsed.id)
)
GUIDE = Kind("guide", "guides", Guide, GuideVersion, load_guide, lambda parsed: str(parsed.id))
KINDS = (METHODOLOGY, CONCEPT, PERSONA, GUIDE)


def publish(
    kind: Kind,
    text: str,
    *,
    source: str = "document",
    author: AbstractBaseUser | None = None,
    note: str = "",
    shipped: bool = False,
    beside: Beside | None = None,
) -> Any:
    """Validate `text` and store it as the newest version of its document; return that version.

    What equals the newest version is not stored again. The image of a concept is looked for
    `beside` the document, then among those that were taken in. Raises DocumentInvalid with every
    error where the text does not validate, or its image is not there or cannot be taken in.
    """
    parsed, image = checked(kind, text, source=source, beside=beside)
    checksum = hashlib.sha256(text.encode()).hexdigest()
    with transaction.atomic():
        document, _ = kind.document.objects.get_or_create(name=kind.name_of(parsed))  # type: ignore[attr-defined]
        kind.document.objects.select_for_update().get(pk=document.pk)  # type: ignore[attr-defined]
        newest = document.versions.order_by("-number").first()
        if (
            newest is not None
            and newest.checksum == checksum
            and (image is None or newest.image_id == image.pk)
        ):
            return newest
        return document.versions.create(
            number=newest.number + 1 if newest else 1,
            text=text,
            parsed=parsed.model_dump(mode="json"),
            checksum=checksum,
            shipped=shipped,
            author=author,
            note=note,
            **({"image": image} if image is not None else {}),
        )


def checked(
    kind: Kind, text: str, *, source: str, beside: Beside | None = None
) -> tuple[StrictModel, StimulusImage | None]:
    """What :func:`publish` would store of a text: the document, and the image that it shows.

    Raises DocumentInvalid where publishing would.
    """
    parsed = kind.parse(text, source)
    if not isinstance(parsed, ConceptSchema):
        return parsed, None
    return parsed, image_of(parsed, text, source=source, beside=beside)


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of one shipped file."""

    kind: str
    name: str
    outcome: str


def load_library(folder: Path = LIBRARY) -> Iterator[Loaded]:
    """Store every shipped document whose text is new.

    A document that a person has edited keeps the person's version as its newest: the shipped text
    is then left alone. Running it again changes nothing.
    """
    for kind in KINDS:
        for path in sorted((folder / kind.folder).glob("*.yaml")):
            yield Loaded(kind.title, path.stem, _load_shipped(kind, path))


def _load_shipped(kind: Kind, path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    checksum = hashlib.sha256(text.encode()).hexdigest()
    versions = kind.version.objects.filter(document__name=path.stem)  # type: ignore[attr-defined]
    newest = versions.order_by("-number").first()
    if newest is not None and newest.checksum == checksum:
        return "unchanged"
    if newest is not None and not newest.shipped:
        known = versions.filter(checksum=checksum).exists()
        return "unchanged" if known else "kept: a person has edited it"
    version = publish(
        kind, text, source=path.name, note="Shipped", shipped=True, beside=path.parent
    )
    return f"stored as version {version.number}"


def newest(kind: Kind, name: str) -> Any:
    """Return the newest version of a document; raises DocumentNotFound naming the nearest ones."""
    version = (
        kind.version.objects.filter(document__name=name)  # type: ignore[attr-defined]
        .order_by("-number")
        .first()
    )
    if version is None:
        names = ", ".join(kind.document.objects.values_list("name", flat=True))  # type: ignore[attr-defined]
        raise DocumentNotFound(
            f"no {kind.title} is called {name!r}; there are: {names or 'none, run load_library'}"
        )
    return version


def named_or_file(kind: Kind, name_or_file: str) -> Any:
    """Return the version that a name or a YAML file's path stands for, storing a file's text.

    Raises DocumentNotFound, DocumentInvalid, or OSError for a file that cannot be read.
    """
    path = Path(name_or_file)
    if path.suffix in (".yaml", ".yml"):
        return publish(
            kind,
            path.read_text(encoding="utf-8"),
            source=name_or_file,
            note="From a file",
            beside=path.parent,
        )
    return newest(kind, name_or_file)


@lru_cache(maxsize=256)
def _parsed_methodology(version_id: int, text: str) -> MethodologySchema:
    return load_methodology(text, f"version {version_id}")


@lru_cache(maxsize=256)
def _parsed_concept(version_id: int, text: str) -> ConceptSchema:
    return load_concept(text, f"version {version_id}")


def methodology_of(version: MethodologyVersion | None) -> MethodologySchema:
    """Return the version as a schema; versions are immutable, so parsed once a process.

    Raises DocumentNotFound for None, which is what a study without a methodology has.
    """
    if version is None:
        raise DocumentNotFound("this study is led without a methodology")
    return _parsed_methodology(version.pk, version.text)


def concept_of(version: ConceptVersion) -> ConceptSchema:
    """Return the version as a schema; versions are immutable, so parsed once a process."""
    return _parsed_concept(version.pk, version.text)


@lru_cache(maxsize=256)
def pinned_methodology(version_id: int) -> tuple[MethodologySchema, str]:
    """Return a version as a schema, with what it is called; read once a process."""
    version = MethodologyVersion.objects.select_related("document").get(pk=version_id)
    return methodology_of(version), str(version)


@lru_cache(maxsize=256)
def pinned_concept(version_id: int) -> tuple[ConceptSchema, str]:
    """Return a version as a schema, with what it is called; read once a process."""
    version = ConceptVersion.objects.select_related("document").get(pk=version_id)
    return concept_of(version), str(version)


@lru_cache(maxsize=256)
def _parsed_guide(version_id: int, text: str) -> GuideSchema:
    return load_guide(text, f"version {version_id}")


def guide_of(version: GuideVersion) -> GuideSchema:
    """Return the version as a schema; versions are immutable, so parsed once a process."""
    return _parsed_guide(version.pk, version.text)


@lru_cache(maxsize=256)
def pinned_guide(version_id: int) -> GuideSchema:
    """Return a version as a schema; read once a process."""
    return guide_of(GuideVersion.objects.get(pk=version_id))


def persona_named(name_or_file: str) -> PersonaSchema:
    """Return the persona that a name or a file stands for."""
    return load_persona(named_or_file(PERSONA, name_or_file).text, name_or_file)
