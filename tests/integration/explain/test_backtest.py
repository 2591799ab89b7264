"""Another methodology over turns that were held: from their records alone."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from interviews.models import LLMCall, Session, Study, Turn
from interviews.simulation.driver import hold_interview
from methodologies.registry import CONCEPT, LIBRARY, METHODOLOGY, publish
from tests.factories import researcher, small_interview

pytestmark = pytest.mark.django_db
SHIPPED = LIBRARY / "methodologies/means_end_chain.yaml"
ANSWERS = (
    "I use oat milk because it tastes creamy in my coffee.",
    "It froths well, so I can make a proper flat white at home.",
    "It is better for the climate, and that matters to me.",
    "My flatmates drink it too, so we buy it together.",
    "A good breakfast gives me energy for the whole morning.",
)


@pytest.fixture
def session() -> Session:
    """An interview of five answers."""
    study = Study.objects.create(
        slug="oat",
        name="Oat milk",
        methodology_version=publish(METHODOLOGY, SHIPPED.read_text(encoding="utf-8")),
        concept_version=publish(
            CONCEPT, (LIBRARY / "concepts/oat_milk.yaml").read_text(encoding="utf-8")
        ),
    )
    answers = iter(ANSWERS)
    return hold_interview(study, lambda question, turn: next(answers, None), seed=1)


def changed(folder: Path, change: Any) -> str:
    """The shipped methodology with a change, as a file's name."""
    document = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
    change(document)
    path = folder / "other.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return str(path)


def backtested(*words: str) -> dict[str, Any]:
    out = StringIO()
    call_command("backtest", *words, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_the_version_that_held_an_interview_would_have_asked_the_same(session: Session) -> None:
    calls = LLMCall.objects.count()
    found = backtested("--methodology", "means_end_chain", "--session", str(session.pk))
    turns = Turn.objects.filter(session=session, number__gte=1, status="done").count()
    assert (found["turns"], found["compared"], found["same"]) == (turns, turns, turns)
    assert (found["changed"], found["not_comparable"]) == ([], 0)
    assert LLMCall.objects.count() == calls


def test_other_weights_change_the_choice_and_it_is_said_what_tipped_it(
    session: Session, tmp_path: Path
) -> None:
    def turned_round(document: dict[str, Any]) -> None:
        for strategy in document["strategies"]:
            weights = strategy["signal_weights"]
            strategy["signal_weights"] = {key: -weight for key, weight in weights.items()}

    found = backtested("--methodology", changed(tmp_path, turned_round), "--study", "oat")
    assert found["compared"] == found["same"] + len(found["changed"])
    assert found["changed"]
    for change in found["changed"]:
        assert change["session"] == str(session.pk)
        was, now = change["was"], change["would_be"]
        assert (was["strategy"], was["node_id"]) != (now["strategy"], now["node_id"])
        assert change["margin"] >= 0
        assert change["tipped_by"]
        assert all(tip["was"] != tip["would_be"] for tip in change["tipped_by"])
        stored = Turn.objects.get(session=session, number=change["turn"])
        assert was["strategy"] == stored.result["selected"]["strategy"]


def test_what_the_record_lacks_is_named_and_its_turns_are_not_compared(
    session: Session, tmp_path: Path
) -> None:
    small = small_interview()
    found = backtested("--methodology", "means_end_chain", "--session", str(small.pk))
    assert found["compared"] == 0
    assert found["not_comparable"] == found["turns"] > 0
    assert any(reason.startswith("the record lacks ") for reason in found["reasons"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--methodology", "no_such", "--study", "oat"], "no methodology is called 'no_such'"),
        (["--methodology", "means_end_chain", "--study", "rye"], "no study 'rye'"),
        (["--methodology", "means_end_chain", "--session", str(uuid4())], "no session"),
    ],
)
def test_what_is_not_there_is_said(session: Session, words: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("backtest", *words)


def test_the_page_compares_a_study_under_a_version(session: Session, client: Client) -> None:
    client.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    version = session.methodology_version
    assert version is not None
    page = client.get(reverse("admin:backtest"), {"study": "oat", "version": str(version.pk)})
    assert "Every turn that can be compared would have asked the same." in page.content.decode()
    assert client.get(reverse("admin:backtest"), {"version": "x"}).status_code == 200
