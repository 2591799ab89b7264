"""The demonstration with interviews: small, whole, and no second time."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from interviews.models import Study

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_interviews_of_two_methodologies_are_held_once_and_themed() -> None:
    call_command("load_library", stdout=StringIO())
    for _ in range(2):
        call_command("demo_data", interviews="3", stdout=StringIO(), stderr=StringIO())
    study = Study.objects.get(slug="demo-interviews")
    held = study.sessions.all()
    assert len(held) == 3
    assert all(one.simulated and one.is_over for one in held)
    led = {one.methodology_version.document.name for one in held if one.methodology_version}
    assert led == {"means_end_chain", "jobs_to_be_done"}
    assert {one.segments["experience"] for one in held} == {"beginner", "regular"}
    assert study.themes.exists()


@pytest.mark.parametrize("number", ["x", "-1", "501"])
def test_a_number_that_is_none_is_told(number: str) -> None:
    with pytest.raises(CommandError, match="interviews: ") as refused:
        call_command("demo_data", interviews=number)
    assert refused.value.returncode == 1
    assert not Study.objects.exists()
