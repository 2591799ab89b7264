"""The report, its edited sentences, and its links; coding a sample and what comes of it."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from fpdf import FPDF

from analytics.agreement import coding
from analytics.agreement.machine import machine_reading
from analytics.inclusion import Inclusion
from analytics.reports import service
from analytics.reports.content import report_of
from analytics.reports.pdf_map import draw_map
from analytics.reports.scrubbing import LEFT_OUT, scrubbed
from analytics.study.page import first_cutoff
from analytics.study.reading import read_study
from graphs.models import KGEdge, KGNode
from interviews import vault
from interviews.corrections.acts import DeleteLink, DeleteNode, Retype
from interviews.corrections.service import correct
from interviews.errors import FormRefused
from interviews.models import Coding, ReportLink, ReportOpening, SampledAnswer, Session, Utterance
from tests.factories import researcher, small_interview

pytestmark = pytest.mark.django_db
SIGNED_IN = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def session() -> Session:
    return small_interview()


@pytest.fixture
def reader(client: Client) -> Client:
    client.force_login(researcher(), SIGNED_IN)
    return client


def test_personal_data_is_left_out_of_words() -> None:
    said = "I am Ana Rossi-Bo, write ana.b@example.org or +39 02 1234 5678, flat 12."
    assert scrubbed(said, ["Ana Rossi-Bo"]) == (
        f"I am {LEFT_OUT}, write {LEFT_OUT} or {LEFT_OUT}, flat 12."
    )
    assert scrubbed("An analogy.", ["Ana"]) == "An analogy."


def test_the_report_says_what_the_figures_say(session: Session) -> None:
    vault.keep(session.pk, {"company": "seams"})
    report = report_of(session.study, Inclusion(), 1)
    assert [one.key for one in report.sections] == [
        "question", "method", "sample", "map", "themes", "saturation", "limits"
    ]  # fmt: skip
    assert "1 interview with" in report.section("sample").text
    assert "without simulated ones" in report.section("sample").text
    assert {(a.source, a.target) for a in report.arrows} >= {("dryness", "enjoy the day")}
    assert "too few" in report.section("saturation").text
    quotes = [quote.text for theme in report.themes for quote in theme.quotes]
    assert f"taped {LEFT_OUT}" in quotes
    assert not any("seams" in quote for quote in quotes)


def test_the_map_is_drawn_on_the_page_and_on_paper(reader: Client, session: Session) -> None:
    report = report_of(session.study, Inclusion(), 1)
    assert report.drawing is not None
    assert {" ".join(box.lines) for box in report.drawing.boxes} == {
        "dryness · 1", "seam sealing · 1", "enjoy the day · 1"
    }  # fmt: skip
    html = reader.get(reverse("analytics:report", args=[session.study.slug])).content.decode()
    assert html.count('class="hvm__box') == 3
    assert html.count('class="hvm__head"') == len(report.arrows)
    assert '<th scope="row">seam sealing</th>' in html
    told = FPDF()
    told.add_page()
    draw_map(told, report.drawing)
    written = told.pages[1].contents
    assert isinstance(written, bytearray)
    drawn = written.decode("latin-1")
    assert all(f"({word})" in drawn for word in ("dryness \xb7 1", "value", "1"))


def test_a_report_begins_with_the_map_that_the_study_begins_with(session: Session) -> None:
    report = report_of(session.study, Inclusion())
    assert report.cutoff == first_cutoff(read_study(session.study, Inclusion()).maps())


def test_edited_sentences_are_kept_and_given_back(session: Session) -> None:
    study = session.study
    service.edit(study, "limits", "Only hikers.", version=0, by="ana")
    assert report_of(study, Inclusion(), 1).section("limits").edited
    with pytest.raises(FormRefused, match="ana changed the report; yours was: “Mine”"):
        service.edit(study, "limits", "Mine", version=0, by="ben")
    service.edit(study, "limits", " ", version=1, by="ana")
    assert not report_of(study, Inclusion(), 1).section("limits").edited


def test_a_link_shows_the_report_until_it_ends_and_nothing_else(
    reader: Client, session: Session
) -> None:
    page = reverse("analytics:report", args=[session.study.slug])
    links = reverse("analytics:report_links", args=[session.study.slug])
    assert reader.post(links, {"days": "0"}, follow=True).status_code == 200
    assert not ReportLink.objects.exists()
    reader.post(links, {"days": "3"})
    link = ReportLink.objects.get()
    shared = reverse("report_shared", args=[service.token_of(link)])
    assert shared in reader.get(page).content.decode()
    anybody = Client()
    html = anybody.get(shared).content.decode()
    assert "Staying dry" in html
    assert str(session.pk)[:8] not in html
    assert 'href="/dashboard/' not in html
    assert anybody.get(f"{shared}report.pdf").content.startswith(b"%PDF")
    assert [one.form for one in ReportOpening.objects.order_by("pk")] == ["html", "pdf"]
    assert "opened 2 times" in reader.get(page).content.decode()
    assert anybody.get(shared[:-2] + "x/").status_code == 404
    ReportLink.objects.update(cutoff=9)  # as when interviews left that made it so strong
    assert "are shown" in anybody.get(shared).content.decode()
    ReportLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert anybody.get(shared).status_code == 404
    ReportLink.objects.update(expires_at=timezone.now() + timedelta(days=1))
    reader.post(links, {"link": str(link.pk)})
    assert anybody.get(shared).status_code == 404


@pytest.mark.parametrize(("query", "field"), [("cutoff=99", "cutoff"), ("status=asleep", "status")])
def test_wrong_choices_are_named(reader: Client, session: Session, query: str, field: str) -> None:
    page = reader.get(reverse("analytics:report", args=[session.study.slug]) + f"?{query}")
    assert page.status_code == 400
    assert f"{field}: " in page.content.decode()


def sampled(session: Session) -> list[SampledAnswer]:
    coding.draw(session.study, Session.objects.all(), 10, seed=1, by="ana")
    return list(SampledAnswer.objects.order_by("utterance__sequence"))


def test_coding_like_the_machine_agrees_with_it(session: Session) -> None:
    first, second = sampled(session)
    coding.add_concept(first, "ana", "taped seams", "attribute")
    coding.add_concept(first, "ana", "I stay dry", "consequence")
    coding.add_link(first, "ana", 0, 1)
    coding.finish(first, "ana")
    coding.add_concept(second, "ana", "Staying dry", "consequence")
    coding.add_concept(second, "ana", "enjoy the whole day", "value")
    coding.add_link(second, "ana", 0, 1)
    coding.finish(second, "ana")
    out = StringIO()
    call_command("agreement", session.study.slug, "--json", stdout=out)
    assert json.loads(out.getvalue()) == {
        "sample": 2,
        "pairs": [
            {
                "a": "ana",
                "b": "machine",
                "concepts_f1": 1.0,
                "types_kappa": 1.0,
                "links_f1": 1.0,
                "alpha": 1.0,
                "low": 1.0,
                "high": 1.0,
            }
        ],
    }


def test_the_machine_is_compared_by_its_own_reading(session: Session) -> None:
    answers = sampled(session)
    own = machine_reading(answers)
    labels = {node.label: node.pk for node in KGNode.objects.of(session.pk)}
    edge = KGEdge.objects.get(source=labels["stay dry"])
    for act in (
        DeleteLink(edge=edge.pk),
        Retype(node=labels["enjoy the day"], node_type="consequence"),
        DeleteNode(node=labels["taped seams"]),
    ):
        session.refresh_from_db()
        correct(session.pk, act, by="ana", version=session.graph_version)
    assert machine_reading(answers) == own
    assert any(coded.links for coded in own.values())


def test_a_sample_is_the_same_for_a_seed_and_is_not_drawn_over_codings(session: Session) -> None:
    first = [one.utterance_id for one in sampled(session)]
    assert [one.utterance_id for one in sampled(session)] == first
    coding.finish(SampledAnswer.objects.all()[0], "ana")
    with pytest.raises(FormRefused, match="sample: "):
        sampled(session)
    with pytest.raises(CommandError, match="size: "):
        call_command("agreement", session.study.slug, "--draw", "0")
    Utterance.objects.all()[0].session.delete()
    assert not Coding.objects.exists()


def test_the_coding_page_is_blind_and_refuses_what_is_not_there(
    reader: Client, session: Session
) -> None:
    overview = reverse("analytics:agreement", args=[session.study.slug])
    reader.post(overview, {"size": "2"})
    page = reverse("analytics:code", args=[session.study.slug])
    answer = SampledAnswer.objects.get(position=0)
    html = reader.get(page).content.decode()
    assert answer.utterance.text[:15] in html
    assert "quote__line" not in html
    sent: dict[str, Any] = {"answer": answer.pk, "do": "concept", "type": "value"}
    assert "words: select" in said(reader, page, sent | {"words": "never said"})
    assert "type: " in said(reader, page, sent | {"type": "mood", "words": "dry"})
    assert "target: " in said(reader, page, sent | {"do": "link", "source": 0, "target": 0})
    assert "“dry”" in said(reader, page, sent | {"words": "dry"})
    assert "1 left" in said(reader, page, sent | {"do": "done"})
    assert "Krippendorff" in reader.get(overview).content.decode()


def said(reader: Client, page: str, sent: dict[str, Any]) -> str:
    text: str = reader.post(page, sent, follow=True).content.decode()
    return text
