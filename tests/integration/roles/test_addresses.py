"""Every address of the site, asked for by everybody; one that is not listed here fails."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from analytics.inclusion import Inclusion
from analytics.models import ExportFile
from analytics.reports import service as reports
from graphs.models import Merge, Theme
from interviews import audit, invitations, notes, plans, revisions, vault
from interviews.models import (
    Delivery,
    Erasure,
    SearchCollection,
    Session,
    SourceFile,
    SourcePassage,
    Team,
    Trial,
    Webhook,
)
from interviews.themes import renewal
from methodologies.models import PersonaVersion
from methodologies.registry import GUIDE, LIBRARY, publish
from tests.factories import (
    InvitationFactory,
    PersonaVersionFactory,
    StudyFactory,
    UserFactory,
    fresh_id,
    small_interview,
    somebody,
)

GUIDE_FILE = LIBRARY / "guides" / "exit_interview.yaml"
pytestmark = pytest.mark.django_db


class Codes(NamedTuple):
    """What a GET answers to each; `stranger` has an account and no role."""

    anonymous: int
    stranger: int
    analyst: int
    researcher: int
    other: int
    administrator: int


READ = Codes(302, 302, 200, 200, 200, 200)
READ_OWN = Codes(302, 302, 200, 200, 404, 200)
WRITE = Codes(302, 302, 403, 200, 200, 200)
WRITE_OWN = Codes(302, 302, 403, 200, 404, 200)
ADMINISTER = Codes(302, 302, 403, 403, 403, 200)
NOBODY = Codes(302, 302, 403, 403, 403, 403)
MOVED = Codes(302, 302, 302, 302, 302, 302)
ABSENT = Codes(302, 302, 404, 404, 404, 404)
ANYBODY = Codes(200, 200, 200, 200, 200, 200)
POST_ONLY = Codes(405, 405, 405, 405, 405, 405)
NOT_BEGUN = Codes(404, 404, 404, 404, 404, 404)
DASHBOARD = Codes(302, 403, 200, 200, 200, 200)
DASHBOARD_OWN = Codes(302, 403, 200, 200, 404, 200)
EXPORT_OWN = Codes(302, 403, 403, 200, 404, 200)
API = Codes(401, 403, 200, 200, 200, 200)
API_OWN = Codes(401, 403, 200, 200, 404, 200)
API_WRITERS = Codes(401, 403, 403, 200, 200, 200)
API_WRITERS_OWN = Codes(401, 403, 403, 200, 404, 200)
API_POST = Codes(401, 403, 405, 405, 405, 405)
DASHBOARD_POST = Codes(302, 403, 405, 405, 405, 405)


def pages(
    model: str, *, list_: Codes, add: Codes, change: Codes, delete: Codes, history: Codes
) -> dict[str, Codes]:
    """The five pages that Django's admin gives a model."""
    return {
        f"admin:{model}_changelist": list_,
        f"admin:{model}_add": add,
        f"admin:{model}_change": change,
        f"admin:{model}_delete": delete,
        f"admin:{model}_history": history,
    }


def rows(model: str) -> dict[str, Codes]:
    """Rows of a study that the software writes."""
    return pages(model, list_=READ, add=NOBODY, change=READ_OWN, delete=NOBODY, history=READ_OWN)


def library(kind: str) -> dict[str, Codes]:
    """Documents, which every team shares, and their versions."""
    return pages(
        f"methodologies_{kind}", list_=READ, add=WRITE, change=READ, delete=NOBODY, history=READ
    ) | pages(
        f"methodologies_{kind}version",
        list_=READ,
        add=NOBODY,
        change=READ,
        delete=NOBODY,
        history=READ,
    )


def accounts(model: str) -> dict[str, Codes]:
    return pages(
        model,
        list_=ADMINISTER,
        add=ADMINISTER,
        change=ADMINISTER,
        delete=ADMINISTER,
        history=ADMINISTER,
    )


ADDRESSES: dict[str, Codes] = {
    # Respondents' pages are opened by links, not by accounts.
    "home": MOVED,
    "healthz": ANYBODY,
    "chat:study": ANYBODY,
    "chat:interview": ANYBODY,
    "chat:consent": POST_ONLY,
    "chat:answer": POST_ONLY,
    "chat:choose": POST_ONLY,
    "chat:fields": POST_ONLY,
    "chat:resume": POST_ONLY,
    "chat:erase": NOT_BEGUN,
    "chat:mail": NOT_BEGUN,
    "chat:transcript": NOT_BEGUN,
    "chat:image": NOT_BEGUN,
    # The way in and out
    "admin:login": Codes(200, 200, 302, 302, 302, 302),
    "admin:logout": Codes(302, 302, 405, 405, 405, 405),
    "admin:password_change": READ,
    "admin:password_change_done": READ,
    "admin:admin_password_reset": ANYBODY,
    "admin:password_reset_done": ANYBODY,
    "admin:password_reset_confirm": ANYBODY,
    "admin:password_reset_complete": ANYBODY,
    # What Django's admin brings
    "admin:index": READ,
    "admin:search": READ,
    "admin:jsi18n": READ,
    "admin:autocomplete": NOBODY,
    "admin:view_on_site": ABSENT,
    "admin:app_list": READ,
    # Studies and interviews
    **pages(
        "interviews_study",
        list_=READ,
        add=WRITE,
        change=READ_OWN,
        delete=NOBODY,
        history=READ_OWN,
    ),
    "admin:interviews_study_make_invitation": Codes(302, 302, 403, 302, 404, 302),
    **pages(
        "interviews_invitation",
        list_=WRITE,
        add=WRITE,
        change=WRITE_OWN,
        delete=WRITE_OWN,
        history=WRITE_OWN,
    ),
    **pages(
        "interviews_session",
        list_=READ,
        add=NOBODY,
        change=READ_OWN,
        delete=WRITE_OWN,
        history=READ_OWN,
    ),
    **pages(
        "interviews_personalvalue",
        list_=ADMINISTER,
        add=NOBODY,
        change=ADMINISTER,
        delete=NOBODY,
        history=Codes(302, 302, 403, 403, 404, 200),
    ),
    **rows("interviews_guideplan"),
    "admin:interviews_guideplan_make_anew": Codes(302, 302, 403, 302, 404, 302),
    **rows("interviews_turn"),
    **rows("interviews_llmcall"),
    **rows("graphs_kgnode"),
    **rows("graphs_kgedge"),
    **rows("graphs_canonicalslot"),
    **rows("graphs_merge"),
    "admin:study": READ_OWN,
    "admin:study_file": WRITE_OWN,
    "admin:recruiting": WRITE_OWN,
    "admin:recruiting_file": WRITE_OWN,
    "admin:monitor": READ,
    "admin:watch": READ_OWN,
    "admin:check": Codes(302, 302, 403, 405, 405, 405),
    "admin:draft": Codes(302, 302, 403, 405, 405, 405),
    "admin:words": WRITE,
    "admin:difference": READ,
    "admin:try": WRITE_OWN,
    "admin:methodology": READ,
    "admin:elements": WRITE,
    "admin:concept_world": WRITE,
    "admin:concept_image": Codes(302, 302, 403, 404, 404, 404),
    "admin:weights": WRITE,
    "admin:concept_new": WRITE,
    "admin:concept_form": WRITE,
    "admin:library": WRITE,
    "admin:library_file": WRITE,
    "admin:costs": READ,
    "admin:programs": READ,
    "admin:backtest": READ,
    **pages(
        "interviews_auditentry",
        list_=WRITE,
        add=NOBODY,
        change=WRITE_OWN,
        delete=NOBODY,
        history=WRITE_OWN,
    ),
    **pages(
        "interviews_erasure",
        list_=WRITE,
        add=NOBODY,
        change=WRITE_OWN,
        delete=NOBODY,
        history=WRITE_OWN,
    ),
    # The library
    **library("methodology"),
    **library("concept"),
    **library("persona"),
    **library("guide"),
    # People
    **accounts("auth_user"),
    **accounts("auth_group"),
    "admin:auth_user_password_change": ADMINISTER,
    **pages(
        "interviews_team",
        list_=WRITE,
        add=ADMINISTER,
        change=WRITE_OWN,
        delete=NOBODY,
        history=WRITE_OWN,
    ),
    # Programs come with tokens; whoever is signed in may look, too.
    "api:schema": ANYBODY,
    "api:docs": ANYBODY,
    "api:begin": POST_ONLY,
    "api:respond": API_POST,
    "api:end": API_POST,
    "api:state": API_OWN,
    "study_files": API_OWN,
    "api:studies": API,
    "api:study": API_OWN,
    "api:study_status": API_POST,
    "api:study_file": API_OWN,
    "api:study_files": API_POST,
    "api:revisions": API_OWN,
    "api:revision": API_OWN,
    "api:invitations": API_WRITERS_OWN,
    "api:invitation": API_WRITERS_OWN,
    "api:study_export": API_WRITERS_OWN,
    "api:sessions": API,
    "api:session": API_OWN,
    "api:session_respond": API_POST,
    "api:session_end": API_POST,
    "api:session_pause": API_POST,
    "api:session_resume": API_POST,
    "api:turns": API_OWN,
    "api:turn": API_OWN,
    "api:utterances": API_OWN,
    "api:graph": API_OWN,
    "api:canonical_graph": API_OWN,
    "api:slots": API_OWN,
    "api:session_export": API_WRITERS_OWN,
    "api:methodologies": API,
    "api:methodology": API,
    "api:methodology_versions": API,
    "api:concepts": API,
    "api:concept": API,
    "api:concept_versions": API,
    "api:elements": API,
    "api:guides": API,
    "api:guide": API,
    "api:guide_versions": API,
    "api:personas": API,
    "api:persona": API,
    "api:persona_versions": API,
    "api:formats": API,
    "api:simulations": API,
    "api:simulation": API_OWN,
    "api:webhooks": API_WRITERS,
    "api:webhook": API_WRITERS_OWN,
    "api:deliveries": API_WRITERS_OWN,
    "api:replay": API_POST,
    "api:imports": API_POST,
    "api:themes": API_OWN,
    "api:theme": API_OWN,
    "api:matrix": API_OWN,
    # The study's interviews are in nothing that counts: no relation, so no cut-off.
    "api:map": API_OWN,
    "api:saturation": API_OWN,
    # Without a text there is nothing to search for.
    "api:search_study": Codes(401, 403, 400, 400, 404, 400),
    "api:search": Codes(401, 403, 400, 400, 400, 400),
    "api:ask": API_POST,
    "api:corrections": API_OWN,
    "api:memos": API_OWN,
    "api:memo": API_OWN,
    "api:export_file": API_WRITERS_OWN,
    "api:export_content": API_WRITERS_OWN,
    # Dashboards
    "analytics:home": DASHBOARD,
    "analytics:study": DASHBOARD_OWN,
    "analytics:study_map": DASHBOARD_OWN,
    "analytics:study_sentences": Codes(302, 403, 400, 400, 404, 400),
    "analytics:study_themes": DASHBOARD_POST,
    "analytics:study_theme": DASHBOARD_OWN,
    "analytics:session": DASHBOARD_OWN,
    "analytics:corrections": DASHBOARD_POST,
    "analytics:report": DASHBOARD_OWN,
    "analytics:report_pdf": EXPORT_OWN,
    "analytics:report_links": DASHBOARD_POST,
    "analytics:agreement": DASHBOARD_OWN,
    "analytics:code": DASHBOARD_OWN,
    "report_shared": ANYBODY,
    "report_shared_pdf": ANYBODY,
    "analytics:memos": DASHBOARD_OWN,
    "analytics:memo": DASHBOARD_POST,
    "analytics:session_notes": DASHBOARD_POST,
    "analytics:search_all": DASHBOARD,
    "analytics:search": DASHBOARD_OWN,
    "analytics:ask_study": DASHBOARD_OWN,
    "analytics:collect_all": DASHBOARD_POST,
    "analytics:collect": DASHBOARD_POST,
    "analytics:collection": DASHBOARD_OWN,
    "analytics:handover_files": DASHBOARD_OWN,
    "analytics:handover_file": DASHBOARD_POST,
    "analytics:handover_backlog": DASHBOARD_POST,
    "analytics:handover_ask": DASHBOARD_OWN,
    "analytics:handover_passage": DASHBOARD_OWN,
    "analytics:handover_package": DASHBOARD_OWN,
    # The study here is no concept test.
    "analytics:coverage": Codes(302, 403, 404, 404, 404, 404),
    "analytics:coverage_file": Codes(302, 403, 403, 404, 404, 404),
    "analytics:stimulus_image": Codes(302, 403, 404, 404, 404, 404),
    "analytics:export": EXPORT_OWN,
    "analytics:export_file": EXPORT_OWN,
    "analytics:export_content": EXPORT_OWN,
    "analytics:study_export": EXPORT_OWN,
    "analytics:session_export": EXPORT_OWN,
}


def names(
    patterns: list[URLPattern | URLResolver], namespace: str = ""
) -> Iterator[tuple[str, URLPattern]]:
    """Every named address below `patterns`; the admin's own guess at an object's page has none."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else ""
            yield from names(pattern.url_patterns, namespace + inner)
        elif pattern.name:
            yield namespace + pattern.name, pattern


FOUND = dict(names(get_resolver().url_patterns))


class Site:
    """A study with one row of everything, in the team Default; and who asks for it."""

    def __init__(self) -> None:
        self.session: Session = small_interview()
        study = self.session.study
        study.status = "live"
        study.save()
        self.invitation = InvitationFactory.create(study=study)
        PersonaVersionFactory.create()
        study.guide_version = publish(GUIDE, GUIDE_FILE.read_text("utf-8"), source=str(GUIDE_FILE))
        study.save()
        plans.make(study)
        vault.keep(self.session.pk, {"email": "ana@example.org"})
        Merge.objects.create(
            scope="session",
            kind="merge",
            session=self.session,
            before={},
            after={},
            made_by="ana",
        )
        self.handover = StudyFactory.create(slug="handover", mode="handover")
        self.file = SourceFile.objects.create(
            study=self.handover, name="a.md", sha256="a" * 64, size=1, status="done"
        )
        self.passage = SourcePassage.objects.create(
            file=self.file, number=0, place="line 1", text="The cap is 40.", marks=[[0, "line 1"]]
        )
        link = reports.share(study, Inclusion(), 1, days=1, by="ana")
        self.report = reports.token_of(link)
        self.export = ExportFile.objects.create(
            study=study,
            made_by=UserFactory.create(),
            format_name="json",
            status="done",
            expires_at=timezone.now() + timedelta(hours=1),
        )
        self.collection = SearchCollection.objects.create(study=study, name="Kept", made_by="ana")
        self.memo = notes.write_memo(study, about="study", text="Read this again.", by="ana")
        renewal.renew(study.pk)
        self.theme = Theme.objects.filter(study=study)[0]
        Erasure.objects.create(session_id=fresh_id(), study=study, erased_by="ana")
        audit.record(audit.Action.WENT_LIVE, study, by="ana")
        persona = PersonaVersion.objects.get()
        self.trial = Trial.objects.create(study=study, persona_version=persona)
        self.webhook = Webhook.objects.create(
            study=study, url="https://example.org/", events=["session.completed"], secret="sealed"
        )
        self.delivery = Delivery.objects.create(
            webhook=self.webhook, event="session.completed", subject="one", payload={}
        )
        revisions.current(study)
        self.people: dict[str, User | None] = {
            "anonymous": None,
            "stranger": UserFactory.create(is_staff=True),
            "analyst": somebody("analyst"),
            "researcher": somebody("researcher"),
            "other": somebody("researcher", Team.objects.create(name="Other")),
            "administrator": somebody("administrator"),
        }

    def address(self, name: str, pattern: URLPattern) -> str:
        """An address of this name that leads to what is there."""
        route = pattern.pattern
        wanted = route.converters or route.regex.groupindex
        return reverse(name, kwargs={key: self._value(name, key) for key in wanted})

    def _value(self, name: str, key: str) -> Any:
        if key in ("object_id", "id"):
            for model in admin.site._registry:
                start = f"admin:{model._meta.app_label}_{model._meta.model_name}_"
                if name.startswith(start):
                    return row_of(model).pk
        if key == "pk" and name in ("analytics:study_theme", "api:theme"):
            return self.theme.pk
        if name.startswith("analytics:handover_"):
            of_handover: dict[str, Any] = {
                "slug": self.handover.slug,
                "pk": self.file.pk,
                "passage": self.passage.pk,
                "format_name": "json",
            }
            return of_handover[key]
        if name.startswith("report_shared"):
            return self.report
        if name == "analytics:collection":
            return self.collection.pk
        if key == "document":
            kind = "methodology" if name == "admin:weights" else "concept"
            version = getattr(self.session, f"{kind}_version")
            return version.document_id
        rows_of_api: dict[str, Any] = {
            "analytics:export_file": self.export.pk,
            "analytics:export_content": self.export.pk,
            "api:export_file": self.export.pk,
            "api:export_content": self.export.pk,
            "api:memo": self.memo.pk,
            "api:invitation": self.invitation.pk,
            "api:simulation": self.trial.pk,
            "api:webhook": self.webhook.pk,
            "api:deliveries": self.webhook.pk,
            "api:replay": self.delivery.pk,
        }
        if key == "pk" and name in rows_of_api:
            return rows_of_api[name]
        values: dict[str, Any] = {
            "number": 1,
            "name": self._document(name) if name.startswith("api:") else "lamp.webp",
            "slug": self.session.study.slug,
            "pk": self.session.pk,
            "format_name": "json",
            "token": invitations.token_for(self.invitation),
            "uidb64": "MQ",
            "app_label": "interviews",
            "content_type_id": 1,
            "object_id": 1,
            "concept": self.session.concept_version.document_id,  # type: ignore[union-attr]
            "kind": "concept",
            "version": self.session.methodology_version_id,
            "old": self.session.concept_version_id,
            "new": self.session.concept_version_id,
        }
        return values[key]

    def _document(self, name: str) -> str:
        """The name of a document of the kind that an address is about."""
        study: Any = self.session.study
        if name.startswith("api:methodology"):
            return str(study.methodology_version.document)
        if name.startswith("api:guide"):
            return str(study.guide_version.document)
        return "calm" if name.startswith("api:persona") else str(study.concept_version.document)


def row_of(model: type[Any]) -> Any:
    """The row that stands for all; of teams the one with the study."""
    if model is Team:
        return Team.default()
    return model._default_manager.order_by("pk").first()


@pytest.fixture
def site() -> Site:
    return Site()


def test_every_address_of_the_site_is_listed_and_every_listed_one_is_there() -> None:
    assert set(FOUND) ^ set(ADDRESSES) == set()


@pytest.mark.parametrize("who", Codes._fields)
def test_every_address_answers_everybody_as_listed(site: Site, who: str, client: Client) -> None:
    user = site.people[who]
    answered: dict[str, int] = {}
    for name, pattern in FOUND.items():
        if user is not None:
            client.force_login(user, "django.contrib.auth.backends.ModelBackend")
        answered[name] = client.get(site.address(name, pattern)).status_code
    listed = {name: getattr(codes, who) for name, codes in ADDRESSES.items()}
    wrong = {name: (code, listed[name]) for name, code in answered.items() if code != listed[name]}
    assert wrong == {}
