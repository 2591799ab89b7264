"""No page of the console asks the database more than ten things, however much there is."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from interviews.bench.console import PAGES, bench_console

pytestmark = pytest.mark.django_db


def test_no_page_takes_more_than_ten_queries() -> None:
    call_command("load_library", verbosity=0)
    found = bench_console(sessions=60, samples=1)
    assert {page["page"] for page in found["pages"]} == {*PAGES, "study"}
    assert [page for page in found["pages"] if page["queries"] > 10] == []
