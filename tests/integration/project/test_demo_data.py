"""The demo study."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from interviews.models import Study
from methodologies.registry import load_library

pytestmark = pytest.mark.django_db


def test_without_the_library_it_says_what_to_run() -> None:
    with pytest.raises(CommandError, match=r"manage\.py load_library"):
        call_command("demo_data")
    assert not Study.objects.exists()


def test_it_is_made_once() -> None:
    list(load_library())
    call_command("demo_data")
    Study.objects.filter(slug="demo").update(name="Edited by a researcher")
    call_command("demo_data")
    assert list(Study.objects.values_list("slug", "name")) == [("demo", "Edited by a researcher")]
