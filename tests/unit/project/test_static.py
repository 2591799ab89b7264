"""Static files: collected under hashed names and compressed, or served from where they are."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.http import HttpResponse
from django.test import RequestFactory

from interview_project.static import Files, StaticFilesMiddleware


@pytest.fixture
def collected(tmp_path: Path, settings: Any) -> Path:
    settings.STATIC_ROOT = tmp_path
    others = ["admin", "django_ace", "rest_framework", "unfold", "vendor"]
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=others)
    return tmp_path


def test_a_collected_file_has_its_hash_in_its_name_and_a_compressed_copy(collected: Path) -> None:
    name = Files().stored_name("js/chat/main.js")
    assert re.fullmatch(r"js/chat/main\.[0-9a-f]{12}\.js", name)
    assert (collected / f"{name}.gz").is_file()
    imported = re.findall(r'from "\./(.+?)"', (collected / name).read_text("utf-8"))
    assert len(imported) >= 8
    assert all(re.fullmatch(r"\w+\.[0-9a-f]{12}\.js", other) for other in imported)


def test_a_collected_file_travels_compressed_and_is_kept_by_the_browser_for_good(
    collected: Path,
) -> None:
    serve = StaticFilesMiddleware(lambda request: HttpResponse(status=404))
    address = f"/static/{Files().stored_name('css/chat.css')}"
    response = serve(RequestFactory().get(address, headers={"accept-encoding": "gzip"}))
    assert response.status_code == 200
    assert response["Content-Encoding"] == "gzip"
    assert "immutable" in response["Cache-Control"]


def test_files_newer_than_the_collected_ones_are_served_from_where_they_are(
    collected: Path,
) -> None:
    manifest = collected / "staticfiles.json"
    os.utime(manifest, (0, 0))
    assert Files().stored_name("js/chat/main.js") == "js/chat/main.js"


def test_without_collected_files_names_are_plain(tmp_path: Path, settings: Any) -> None:
    settings.STATIC_ROOT = tmp_path
    assert Files().stored_name("js/chat/main.js") == "js/chat/main.js"
