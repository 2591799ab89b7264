"""The library out as a zip and in again: all of it or none."""

from __future__ import annotations

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from console.library_files import File, files_in, zipped
from methodologies.models import ConceptVersion, MethodologyVersion, StimulusImage
from methodologies.registry import CONCEPT, KINDS, publish
from tests.factories import researcher

GOOD = "# why we ask\nid: tent\nname: Tent  # kept\nmethodology: means_end_chain\n"
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,20}\.yaml", fullmatch=True)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r\ufeff"), max_size=200)


@pytest.fixture
def console(client: Client, db: None) -> Client:
    client.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    return client


def sent(console: Client, name: str, data: bytes) -> tuple[int, str]:
    answer = console.post(reverse("admin:library"), {"file": SimpleUploadedFile(name, data)})
    return answer.status_code, answer.content.decode()


@given(st.dictionaries(NAMES, TEXTS, min_size=1, max_size=5))
def test_import_after_export_gives_the_same_texts(texts: dict[str, str]) -> None:
    files = [File(name=name, text=text) for name, text in texts.items()]
    assert files_in("library.zip", zipped(iter(files))) == (files, [])


@given(st.binary(max_size=400), st.sampled_from(["a.zip", "a.yaml", "a.txt"]))
def test_any_upload_is_read_or_told_what_is_wrong(data: bytes, name: str) -> None:
    files, faults = files_in(name, data)
    assert bool(files) != bool(faults)


def test_the_library_goes_out_and_in_and_nothing_is_stored_twice(console: Client) -> None:
    call_command("load_library", verbosity=0)
    publish(CONCEPT, GOOD)
    before = [kind.version.objects.count() for kind in KINDS]  # type: ignore[attr-defined]
    out = console.get(reverse("admin:library_file")).content
    with zipfile.ZipFile(io.BytesIO(out)) as archive:
        assert archive.read("concepts/tent.yaml").decode() == GOOD
    assert sent(console, "library.zip", out)[0] == 302
    assert [kind.version.objects.count() for kind in KINDS] == before  # type: ignore[attr-defined]


SHOWN = (
    "id: {id}\nname: {id}\nmethodology: means_end_chain\n"
    "stimulus:\n  image: pack.png\n  image_alt: A pack\n"
)


def picture(colour: str) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (8, 6), colour).save(made, format="PNG")
    return made.getvalue()


def test_images_go_out_and_in_beside_the_concepts_that_show_them(console: Client) -> None:
    for name, colour in (("lamp", "red"), ("tent", "blue"), ("tin", "red")):
        publish(CONCEPT, SHOWN.format(id=name), beside={"pack.png": picture(colour)})
    kept = {
        v.document.name: bytes(v.image.content) for v in ConceptVersion.objects.all() if v.image
    }
    out = console.get(reverse("admin:library_file")).content
    with zipfile.ZipFile(io.BytesIO(out)) as archive:
        assert archive.namelist() == [
            "concepts/lamp.yaml", "concepts/pack.png", "concepts/tent/tent.yaml",
            "concepts/tent/pack.png", "concepts/tin.yaml",
        ]  # fmt: skip
    assert sent(console, "library.zip", out)[0] == 302
    assert ConceptVersion.objects.count() == 3  # what is there already is not stored again
    ConceptVersion.objects.all().delete()
    StimulusImage.objects.all().delete()
    assert sent(console, "library.zip", out)[0] == 302
    for version in ConceptVersion.objects.all():
        assert version.image is not None
        with (
            Image.open(io.BytesIO(bytes(version.image.content))) as found,
            Image.open(io.BytesIO(kept[version.document.name])) as before,
        ):
            assert found.convert("RGB").getpixel((3, 3)) == pytest.approx(
                before.convert("RGB").getpixel((3, 3)), abs=4
            )
    assert StimulusImage.objects.count() == 2


def test_an_image_of_a_refused_zip_is_not_kept(console: Client) -> None:
    def archive(image: bytes | None, other: str) -> bytes:
        files = [
            File(
                name="lamp.yaml",
                text=SHOWN.format(id="lamp"),
                images={"pack.png": image} if image is not None else {},
            ),
            File(name="other.yaml", text=other),
        ]
        return zipped(iter(files))

    status, html = sent(console, "a.zip", archive(picture("red"), "a: ["))
    assert status == 422
    assert "lamp.yaml" not in html
    status, html = sent(console, "a.zip", archive(None, GOOD))
    assert status == 422
    assert "lamp.yaml:5:10" in html
    assert "there is no image pack.png; put it beside this file" in html
    status, html = sent(console, "a.zip", archive(b"GIF89a", GOOD))
    assert status == 422
    assert "expected a png, jpeg or webp" in html
    assert not StimulusImage.objects.exists()
    assert not ConceptVersion.objects.exists()


def test_with_one_fault_nothing_is_imported_and_every_fault_is_told(console: Client) -> None:
    texts = [
        File(name="tent.yaml", text=GOOD),
        File(name="bad.yaml", text="id: bad\nnam: Bad\nmethodology: x\n"),
        File(name="study.yaml", text="kind: study\nslug: s\nname: S\n"),
        File(name="worse.yaml", text="a: ["),
    ]
    status, html = sent(console, "library.zip", zipped(iter(texts)))
    assert status == 422
    for said in ("bad.yaml:2:1", "a study is no document of the library", "worse.yaml"):
        assert said in html
    assert not ConceptVersion.objects.exists()


def test_one_document_is_imported_with_its_comments(console: Client) -> None:
    assert sent(console, "tent.yaml", GOOD.encode())[0] == 302
    version = ConceptVersion.objects.get()
    assert (version.text, version.note) == (GOOD, "Imported")
    assert version.author is not None
    assert not MethodologyVersion.objects.exists()
    assert sent(console, "tent.txt", b"x")[0] == 422
    assert console.post(reverse("admin:library"), {}).status_code == 422
