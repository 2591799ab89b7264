"""Interviews that people held become interviews like any other."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from graphs.models import KGNode, Mention
from interviews.models import Session, Study, Turn, Utterance
from methodologies.registry import load_library

pytestmark = pytest.mark.django_db
MARKDOWN = """# Ann
**Interviewer:** What do you like about oat milk?
**Respondent:** I like oat milk because it is creamy, and creamy milk makes my coffee taste better.
**Interviewer:** What do you like about oat milk?
**Respondent:** I want to stop. Good coffee makes me feel at home.
"""


@pytest.fixture(autouse=True)
def library() -> None:
    list(load_library())


def test_a_transcript_is_read_by_the_chosen_methodology(tmp_path: Path) -> None:
    path, out = tmp_path / "held.md", io.StringIO()
    path.write_text(MARKDOWN, encoding="utf-8")
    call_command("import", str(path), "--slug", "oat-milk", "--json", stdout=out)
    told = json.loads(out.getvalue())
    session = Session.objects.get()
    nodes = KGNode.objects.filter(session=session)
    assert told == {
        "study": "oat-milk", "sessions": 1, "nodes": nodes.count(), "edges": told["edges"],
        "faults": [],
    }  # fmt: skip
    assert nodes.count() >= 2
    assert session.study.status == Study.Status.CLOSED
    assert (session.status, session.termination_reason) == ("completed", "transcript_read")
    # What people said stands as they said it, even a question that was asked twice.
    said = Utterance.objects.filter(session=session).order_by("sequence")
    lines = [line.partition(":** ")[2] for line in MARKDOWN.splitlines()[1:]]
    assert [one.text for one in said] == lines
    assert Turn.objects.get(session=session, number=1).strategy == "as_spoken"
    for mention in Mention.objects.filter(session=session).select_related("utterance"):
        assert mention.utterance.text[mention.start : mention.end] == mention.quote


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "slug: a transcript names no study"),
        (["--slug", "a", "--methodology", "none"], "methodology: no methodology is called 'none'"),
    ],
)
def test_what_is_missing_is_named_and_nothing_is_stored(
    tmp_path: Path, args: list[str], message: str
) -> None:
    path = tmp_path / "held.md"
    path.write_text(MARKDOWN, encoding="utf-8")
    with pytest.raises(CommandError, match=message) as refused:
        call_command("import", str(path), *args)
    assert refused.value.returncode == 1
    assert not Study.objects.exists()
