"""Images of stimuli: taken in, encoded anew, kept with a version, served behind a link."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image

from console.editing import problems_of
from interviews import services
from interviews.chat.images import with_address
from interviews.invitations import invite, token_for
from interviews.models import Utterance
from methodologies.models import StimulusImage
from methodologies.registry import CONCEPT, named_or_file, publish
from methodologies.stimulus_images import MOST_BYTES, ImageRefused, encode, take_in
from methodologies.yaml_loader import DocumentInvalid
from tests.factories import StudyFactory

pytestmark = pytest.mark.django_db

TEXT = """\
id: lamp
name: Lamp
methodology: means_end_chain
stimulus:
  image: lamp.png
  image_alt: A lamp of cork
elements:
  - {id: cork, label: Cork}
"""


def picture(kind: str = "PNG", size: tuple[int, int] = (8, 6), colour: str = "red") -> bytes:
    made = BytesIO()
    Image.new("RGB", size, colour).save(made, format=kind)
    return made.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_an_image_is_encoded_anew_and_keeps_nothing_but_its_pixels(kind: str) -> None:
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    exif[0x0112] = 6  # turned by a quarter
    made = BytesIO()
    Image.new("RGB", (4000, 8), "red").save(made, format=kind, exif=exif)
    encoded = encode(made.getvalue())
    assert (encoded.width, encoded.height) == (3, 1600)
    assert b"taken at home" not in encoded.content
    with Image.open(BytesIO(encoded.content)) as kept:
        assert kept.format == "WEBP"
        assert kept.size == (3, 1600)
        assert not kept.getexif()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "expected a png, jpeg or webp"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "expected a png, jpeg or webp"),
        (picture("GIF"), "expected a png, jpeg or webp"),
        (picture()[:40], "expected a png, jpeg or webp"),
        (picture() + b"\0" * MOST_BYTES, "5.0 MB; expected 5 MB at most"),
        (picture(size=(8001, 5000)), "8001 × 5000 pixels; expected 40 million at most"),
    ],
    ids=["empty", "svg", "gif", "cut off", "large", "many pixels"],
)
def test_what_is_no_image_or_too_large_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(ImageRefused, match=why):
        take_in("lamp.png", content)
    assert StimulusImage.objects.count() == 0


def test_a_version_keeps_its_image_whatever_stands_beside_the_file_later(tmp_path: Path) -> None:
    file, image = tmp_path / "lamp.yaml", tmp_path / "lamp.png"
    file.write_text(TEXT)
    with pytest.raises(DocumentInvalid, match=r"lamp.yaml:5:10: there is no image lamp.png"):
        named_or_file(CONCEPT, str(file))
    image.write_bytes(b"no image")
    with pytest.raises(DocumentInvalid, match=r"lamp.yaml:5:10: lamp.png: no image that can"):
        named_or_file(CONCEPT, str(file))
    image.write_bytes(picture())
    first = named_or_file(CONCEPT, str(file))
    assert named_or_file(CONCEPT, str(file)) == first
    image.write_bytes(picture(colour="blue"))
    second = named_or_file(CONCEPT, str(file))
    assert (first.number, second.number) == (1, 2)
    assert first.image != second.image
    edited = publish(CONCEPT, TEXT.replace("name: Lamp", "name: Cork lamp"))
    assert edited.image == second.image


def test_an_image_that_is_not_there_is_marked_in_the_editor() -> None:
    (problem,) = problems_of(CONCEPT, TEXT)
    assert (problem["line"], problem["column"]) == (5, 10)
    taken = take_in("lamp.png", picture())
    assert problems_of(CONCEPT, TEXT.replace("lamp.png", taken.name)) == []


def test_an_image_is_served_to_the_holder_of_the_link_alone(client: Client) -> None:
    taken = take_in("lamp.png", picture())
    concept = publish(CONCEPT, TEXT.replace("lamp.png", taken.name))
    study = StudyFactory.create(status="live", concept_version=concept)
    held, other = invite(study), invite(StudyFactory.create(status="live"))
    session = services.begin(held)
    services.begin(other)
    Utterance.objects.create(
        session=session,
        turn_number=0,
        sequence=1,
        speaker="interviewer",
        text="What do you make of it?",
        block={"kind": "stimulus", "text": "", "image": taken.name, "alt": "A lamp of cork"},
    )
    page = client.get(reverse("chat:interview", args=[token_for(held)])).content.decode()
    address = reverse("chat:image", args=[token_for(held), taken.name])
    assert f'src="{address}"' in page
    assert page.index(address) < page.index("What do you make of it?")
    response: Any = client.get(address)
    assert response["Content-Type"] == "image/webp"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response.content == bytes(taken.content)
    for token, name in (
        (token_for(other), taken.name),
        (token_for(held), "lamp.png"),
        ("nobody", taken.name),
    ):
        refused = client.get(reverse("chat:image", args=[token, name]))
        assert refused.status_code == 404


def test_only_a_bare_name_of_an_image_becomes_an_address() -> None:
    for block in (
        None,
        {"kind": "choice", "options": ["a", "b"]},
        {"kind": "stimulus", "image": "data:image/gif;base64,R0lGODlhAQABAAAAACw="},
        {"kind": "stimulus", "image": "../lamp.png"},
    ):
        assert with_address(block, "token") == block
