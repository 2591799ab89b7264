"""Images of stimuli: encoded anew before they are kept, found by the name that a concept gives."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from django.db.models import Q
from django.http import HttpResponse
from PIL import Image, ImageOps, UnidentifiedImageError

from methodologies.models import ConceptVersion, StimulusImage
from methodologies.schema import ConceptSchema
from methodologies.yaml_loader import DocumentInvalid, problem_at

MB = 1024 * 1024
MOST_BYTES = 5 * MB
MOST_PIXELS = 40_000_000
LONGEST_SIDE = 1600
"""In pixels, as it is kept; a card is at most 680 wide, on dense displays twice that."""
FORMATS = ("PNG", "JPEG", "WEBP")
MEDIA_TYPE = "image/webp"
QUALITY = 85


Beside = Path | Mapping[str, bytes]
"""What lies beside a document: a folder, or images by the names of their files."""


class ImageRefused(ValueError):
    """An image that cannot be taken in; says why and what would do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """An image as it is kept: WebP without anything beside its pixels; sides in pixels."""

    content: bytes
    width: int
    height: int


def encode(content: bytes) -> Encoded:
    """Return an image encoded anew: what is no pixel (places, comments, programs) is gone.

    Animations keep their first picture; what is turned by its metadata is turned for good. Raises
    ImageRefused where it is larger than 5 MB, has more than 40 million pixels, or is no png, jpeg
    or webp.
    """
    if len(content) > MOST_BYTES:
        raise ImageRefused(
            f"the image has {len(content) / MB:.1f} MB; expected {MOST_BYTES // MB} MB at most"
        )
    try:
        with Image.open(BytesIO(content), formats=FORMATS) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                raise ImageRefused(
                    f"the image has {opened.width} × {opened.height} pixels; expected "
                    f"{MOST_PIXELS // 1_000_000} million at most"
                )
            turned = ImageOps.exif_transpose(opened)
            transparent = "A" in turned.getbands() or "transparency" in turned.info
            plain = turned.convert("RGBA" if transparent else "RGB")
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError) as error:
        raise ImageRefused("no image that can be read; expected a png, jpeg or webp") from error
    plain.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    kept = BytesIO()
    plain.save(kept, format="WEBP", quality=QUALITY, method=4)
    return Encoded(content=kept.getvalue(), width=plain.width, height=plain.height)


def take_in(name: str, content: bytes) -> StimulusImage:
    """Keep an image, encoded anew, under a name of its own; the same one is kept once.

    One that was kept already comes back as it is, so that what was exported can be taken in again.
    Raises ImageRefused.
    """
    digest = hashlib.sha256(content).hexdigest()
    same = Q(sha256=digest) | Q(content=content)
    known = StimulusImage.objects.filter(same).order_by("pk").first()
    if known is not None:
        return known
    encoded = encode(content)
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(name).stem).strip("-_")[:60] or "image"
    kept, _ = StimulusImage.objects.get_or_create(
        sha256=digest,
        defaults={
            "name": f"{stem}-{digest[:12]}.webp",
            "content": encoded.content,
            "width": encoded.width,
            "height": encoded.height,
        },
    )
    return kept


def image_of(
    concept: ConceptSchema, text: str, *, source: str, beside: Beside | None
) -> StimulusImage | None:
    """The image that a concept names: a file that lies `beside`, else one that was taken in.

    None where it names none. Raises DocumentInvalid, at the name's place in `text`.
    """
    name = concept.stimulus.image if concept.stimulus is not None else None
    if name is None:
        return None
    try:
        content = _content(name, beside)
        if content is not None:
            return take_in(name, content)
    except (ImageRefused, OSError) as error:
        raise _invalid(text, f"{name}: {error}", source) from error
    known = StimulusImage.objects.filter(name=name).first() or _shown_before(concept.id, name)
    if known is None:
        where = "put it beside this file, or upload" if beside is not None else "upload"
        message = f"there is no image {name}; {where} it on the concept's page in the console"
        raise _invalid(text, message, source)
    return known


def _content(name: str, beside: Beside | None) -> bytes | None:
    if isinstance(beside, Path):
        file = beside / name
        return file.read_bytes() if file.is_file() else None
    return beside.get(name) if beside is not None else None


def _shown_before(concept: str, name: str) -> StimulusImage | None:
    """What an earlier version of the concept showed under this name."""
    versions = ConceptVersion.objects.filter(
        document__name=concept, image__isnull=False, parsed__stimulus__image=name
    )
    newest = versions.select_related("image").order_by("-number").first()
    return newest.image if newest is not None else None


def _invalid(text: str, message: str, source: str) -> DocumentInvalid:
    return DocumentInvalid([problem_at(text, ("stimulus", "image"), message)], source)


def image_response(image: StimulusImage) -> HttpResponse:
    """The image, for whoever may see it alone."""
    return HttpResponse(
        bytes(image.content),
        content_type=MEDIA_TYPE,
        headers={"X-Content-Type-Options": "nosniff", "Content-Disposition": "inline"},
    )


def shown_image(version: ConceptVersion | None, name: str) -> StimulusImage | None:
    """The image that a version of a concept shows under this name; None where it does not."""
    if version is None or version.image is None:
        return None
    named = ((version.parsed.get("stimulus") or {}).get("image")) or ""
    return version.image if name == named else None
