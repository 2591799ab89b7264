"""Whatever is sent to whichever address: no fault of ours, and nothing that the schema denies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode, checks

from analytics.models import ExportFile, ExportPiece
from graphs.models import Theme
from interviews import access_tokens, notes, revisions
from interviews.models import Delivery, Invitation, Trial, Webhook
from interviews.themes import renewal
from tests.factories import PersonaVersionFactory, UserFactory, small_interview, somebody

pytestmark = pytest.mark.django_db
EXAMPLES = 4
"""Of each kind: sensible and senseless, to what is there and to what is made up."""
CHECKED = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
]


@dataclass(frozen=True)
class There:
    """What is in the database, by the names of parameters in addresses."""

    token: str
    values: dict[str, dict[str, Any]]

    def of(self, path: str) -> dict[str, Any]:
        """Parameters by which this address leads to something."""
        first = path.split("/")[2]
        if path == "/api/studies/{slug}/themes/{id}/":
            return self.values["themes"]
        return self.values[first] if "{" in path else {}


@pytest.fixture
def there() -> There:
    session = small_interview()
    study = session.study
    study.status = "live"
    study.save()
    revisions.current(study)
    link = Invitation.objects.create(study=study, session=session)
    persona = PersonaVersionFactory.create()
    trial = Trial.objects.create(study=study, persona_version=persona)
    hook = Webhook.objects.create(
        study=study, url="https://example.org/", events=["session.completed"], secret="sealed"
    )
    told = Delivery.objects.create(webhook=hook, event="session.completed", subject="1", payload={})
    renewal.renew(study.pk)
    memo = notes.write_memo(study, about="study", text="Read this again.", by="ana")
    file = ExportFile.objects.create(
        study=study,
        made_by=UserFactory.create(),
        format_name="json",
        status="done",
        expires_at=timezone.now() + timedelta(hours=1),
    )
    ExportPiece.objects.create(file=file, number=0, data=b"{}")
    _, token = access_tokens.make(
        somebody("administrator"), "test", ["read", "collect", "manage"], by="test"
    )
    of_study = {"slug": study.slug, "number": 1, "format_name": "json"}
    of_session = {"id": str(session.pk), "number": 1, "format_name": "csv"}
    return There(
        token=token,
        values={
            "studies": of_study,
            "themes": of_study | {"id": str(Theme.objects.filter(study=study)[0].pk)},
            "sessions": of_session,
            "interview": of_session,
            "invitations": {"id": str(link.pk)},
            "simulations": {"id": trial.pk},
            "webhooks": {"id": str(hook.pk)},
            "deliveries": {"id": str(told.pk)},
            "memos": {"id": str(memo.pk)},
            "export-files": {"id": str(file.pk)},
            "methodologies": {"name": "small_ladder"},
            "concepts": {"name": "rain_jacket"},
            "guides": {"name": "none"},
            "personas": {"name": "calm"},
        },
    )


@pytest.fixture
def unlimited(settings: Any) -> None:
    """So many requests as there are examples."""
    rates = dict.fromkeys(("read", "collect", "manage"), "1000000/min")
    settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {"DEFAULT_THROTTLE_RATES": rates}


@pytest.fixture
def one_connection() -> Iterator[None]:
    """Requests leave the connection open, which the test's transaction is on."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("unlimited", "one_connection")
def test_no_request_meets_a_fault_or_an_answer_that_the_schema_denies(there: There) -> None:
    schema = schemathesis.openapi.from_wsgi("/api/schema/?format=json", get_wsgi_application())
    headers = {"Authorization": f"Bearer {there.token}"}
    asked: Counter[int] = Counter()
    found: Any = schema.get_all_operations()
    operations = [one.ok() for one in found]
    for operation in operations:
        known = there.of(operation.path)
        named = {p.name: known[p.name] for p in operation.path_parameters}
        kinds = [
            operation.as_strategy(GenerationMode.POSITIVE, path_parameters=named),
            operation.as_strategy(GenerationMode.POSITIVE),
            operation.as_strategy(GenerationMode.NEGATIVE),
        ]

        @settings(
            max_examples=EXAMPLES * len(kinds),
            database=None,
            derandomize=True,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=st.one_of(kinds))
        def answered(case: Any) -> None:
            with transaction.atomic():
                response = case.call_and_validate(headers=headers, checks=CHECKED)
                transaction.set_rollback(True)
            asked[response.status_code] += 1

        answered()
    assert len(operations) >= 78
    assert asked[200] > len(operations)
