"""What is asked after the last answer, on a real database: exactly once, apart, and never lost."""

from __future__ import annotations

import json
import logging
import multiprocessing
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth.models import Permission
from django.db import connection, connections
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from interviews import services, vault
from interviews.errors import ErrorCode, FormRefused, InterviewError
from interviews.models import LLMCall, PersonalValue, Session, Study, Turn, Utterance
from interviews.pipeline import runner
from interviews.pipeline.engine import Engine
from interviews.report import session_report
from tests.factories import analyst
from tests.integration.pipeline.conftest import ANSWER

pytestmark = pytest.mark.django_db(transaction=True)

CANARY = "canary-7f3a@example.org"
FIELDS = [
    {"key": "email", "type": "email", "required": True},
    {"key": "phone", "type": "phone"},
    {"key": "role", "type": "choice", "options": ["Buyer", "User"]},
]


def asked_for(study: Study, *, how: str = "form", fields: Any = FIELDS, **more: Any) -> None:
    Study.objects.filter(pk=study.pk).update(
        max_turns=3, data_fields=fields, data_collection=how, **more
    )
    study.refresh_from_db()


def step(session: Session, engine: Engine, text: str = ANSWER, **more: Any) -> None:
    said = services.accept_answer(session.pk, text, **more)
    turn = Turn.objects.get(session=session, number=said.turn_number)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE


def start(study: Study, engine: Engine) -> Session:
    session = services.start_session(study, seed=1)
    runner.process_turn(Turn.objects.get(session=session).pk, engine=engine)
    return session


def at_the_end(study: Study, engine: Engine) -> Session:
    """A session whose mode has closed."""
    session = start(study, engine)
    for number in range(3):
        step(session, engine, f"{ANSWER} {number}")
    session.refresh_from_db()
    return session


def asides(session: Session) -> list[tuple[str, str]]:
    said = Utterance.objects.filter(session=session, aside=True).order_by("sequence")
    return [(str(one.speaker), one.text) for one in said]


def collected(session: Session) -> dict[str, Any]:
    found: dict[str, Any] = session_report(Session.objects.get(pk=session.pk))["data_collection"]
    return {key: found[key] for key in ("status", "consent", "fields")}


# -- the way through it --------------------------------------------------------------------------
def test_the_mode_ends_with_the_question_for_consent_and_nothing_waits(
    study: Study, engine: Engine
) -> None:
    asked_for(study)
    session = at_the_end(study, engine)
    view = services.session_view(session.pk)
    assert (view.status, view.pending, view.progress, view.turn_count) == ("active", None, 1.0, 3)
    newest = Utterance.objects.filter(session=session).latest("sequence")
    assert newest.aside
    assert newest.block == {"kind": "choice", "options": ["Yes, you may ask", "No, thank you"]}
    last = Turn.objects.get(session=session, number=3)
    assert (last.continuation, last.question) == ("end", None)


def test_a_form_is_stored_apart_and_ends_the_interview(study: Study, engine: Engine) -> None:
    asked_for(study)
    session = at_the_end(study, engine)
    services.accept_choice(session.pk, "Yes, you may ask")
    message_id = uuid4()
    values = {"email": CANARY, "phone": "+39 06 1234567", "role": "User"}
    sent = [
        services.accept_fields(session.pk, values, client_message_id=message_id) for _ in range(3)
    ]
    assert [one.duplicate for one in sent] == [False, True, True]
    session.refresh_from_db()
    assert (session.status, session.termination_reason) == ("completed", "max_turns_reached")
    assert vault.values_of(session.pk) == {"email": CANARY, "phone": "+39 06 1234567"}
    assert session.segments == {"role": "User"}
    assert asides(session)[-1] == ("respondent", "[stored apart]")
    assert collected(session) == {
        "status": "complete",
        "consent": "given",
        "fields": dict.fromkeys(("email", "phone", "role"), "given"),
    }
    assert Turn.objects.filter(session=session).count() == 4


def test_question_by_question_it_goes_by_words_alone(study: Study, engine: Engine) -> None:
    asked_for(study, how="chat")
    session = at_the_end(study, engine)
    for text in ("yes", "nonsense", CANARY, "rather not", "user"):
        services.accept_answer(session.pk, text)
    assert [text for speaker, text in asides(session) if speaker == "respondent"] == [
        "Yes, you may ask",
        *["[stored apart]"] * 4,
    ]
    assert collected(session)["fields"] == {"email": "given", "phone": "refused", "role": "given"}
    assert collected(session)["status"] == "complete"


def test_what_is_wrong_in_a_form_is_told_by_field_and_nothing_of_it_is_stored(
    study: Study, engine: Engine
) -> None:
    asked_for(study)
    session = at_the_end(study, engine)
    services.accept_choice(session.pk, "Yes, you may ask")
    with pytest.raises(FormRefused) as unknown:
        services.accept_fields(session.pk, {"email": CANARY, "iban": "x"})
    assert unknown.value.fields == {"iban": "This form has no such field."}
    with pytest.raises(FormRefused) as wrong:
        services.accept_fields(session.pk, {"email": "no", "phone": "+39 06 1234567"})
    assert list(wrong.value.fields) == ["email"]
    assert not PersonalValue.objects.exists()
    assert not Session.objects.get(pk=session.pk).is_over


def test_a_form_that_is_not_open_takes_nothing(study: Study, engine: Engine) -> None:
    asked_for(study)
    session = at_the_end(study, engine)
    with pytest.raises(InterviewError) as early:
        services.accept_fields(session.pk, {"email": CANARY})
    assert early.value.code is ErrorCode.NO_FORM
    services.accept_choice(session.pk, "No, thank you")
    with pytest.raises(InterviewError) as late:
        services.accept_fields(session.pk, {"email": CANARY})
    assert late.value.code is ErrorCode.SESSION_OVER
    assert collected(session)["status"] == "refused"


def test_the_end_button_ends_it_and_keeps_the_mode_s_own_reason(
    study: Study, engine: Engine
) -> None:
    asked_for(study)
    session = at_the_end(study, engine)
    services.end_session(session.pk)
    session.refresh_from_db()
    assert (session.status, session.termination_reason) == ("completed", "max_turns_reached")
    assert collected(session)["status"] == "left"


def test_an_answer_cannot_be_taken_back_once_the_mode_has_closed(
    study: Study, engine: Engine
) -> None:
    asked_for(study)
    session = at_the_end(study, engine)
    consent = uuid4()
    services.accept_answer(session.pk, "hm", client_message_id=consent)
    last = Utterance.objects.filter(session=session, turn_number=3, speaker="respondent").first()
    assert last is not None
    for message_id in (consent, last.client_message_id):
        assert message_id is not None
        with pytest.raises(InterviewError) as settled:
            services.withdraw_answer(session.pk, message_id)
        assert settled.value.code is ErrorCode.ANSWER_SETTLED


# -- more time -----------------------------------------------------------------------------------
def out_of_time(study: Study, engine: Engine) -> Session:
    asked_for(study, fields=[], time_budget_minutes=1, extension_minutes=5)
    Study.objects.filter(pk=study.pk).update(max_turns=12)
    study.refresh_from_db()
    session = start(study, engine)
    step(session, engine, seconds=61)
    return session


def test_more_time_is_offered_once_and_the_held_question_is_asked_at_once(
    study: Study, engine: Engine
) -> None:
    session = out_of_time(study, engine)
    assert len(asides(session)) == 1
    calls = LLMCall.objects.count()
    services.accept_choice(session.pk, "Yes, go on")
    question = Utterance.objects.filter(session=session).latest("sequence")
    assert (question.speaker, question.aside, question.turn_number) == ("interviewer", False, 1)
    assert Turn.objects.get(session=session, number=1).question == question
    assert LLMCall.objects.count() == calls
    step(session, engine, seconds=60)
    assert len(asides(session)) == 2
    for _ in range(2):
        step(session, engine, seconds=150)
    session.refresh_from_db()
    assert session.termination_reason == "time_used_up"
    assert len(asides(session)) == 2


def test_who_declines_more_time_is_done(study: Study, engine: Engine) -> None:
    session = out_of_time(study, engine)
    services.accept_choice(session.pk, "No, finish now")
    session.refresh_from_db()
    assert (session.status, session.termination_reason) == ("completed", "time_used_up")
    assert Utterance.objects.filter(session=session, aside=False).count() == 2


# -- apart ---------------------------------------------------------------------------------------
def dump() -> str:
    """Everything that the database holds, as text."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        tables = [name for (name,) in cursor.fetchall()]
        rows = []
        for table in tables:
            cursor.execute(f'SELECT row_to_json(t)::text FROM "{table}" t')
            rows += [row for (row,) in cursor.fetchall()]
    return "\n".join(rows)


@pytest.mark.parametrize("how", ["form", "chat"])
def test_a_personal_value_is_nowhere_but_in_ciphertext(
    study: Study,
    engine: Engine,
    how: str,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    asked_for(study, how=how)
    session = at_the_end(study, engine)
    calls = LLMCall.objects.count()
    services.accept_answer(session.pk, "yes")
    if how == "form":
        with pytest.raises(FormRefused):
            services.accept_fields(session.pk, {"email": CANARY, "phone": "x"})
        services.accept_fields(session.pk, {"email": CANARY})
    else:
        for text in (CANARY + " is my address", CANARY, "no", "no"):
            services.accept_answer(session.pk, text)
    assert vault.values_of(session.pk)["email"] == CANARY
    assert LLMCall.objects.count() == calls
    report = json.dumps(session_report(Session.objects.get(pk=session.pk)))
    out, err = capsys.readouterr()
    logs = "".join(str(vars(record)) for record in caplog.records)
    for place in (dump(), logs, out, err, report):
        assert CANARY not in place


def test_values_are_erased_with_their_session(study: Study, engine: Engine) -> None:
    asked_for(study)
    session = at_the_end(study, engine)
    services.accept_answer(session.pk, "yes")
    services.accept_fields(session.pk, {"email": CANARY})
    services.erase_session(session.pk, by="test")
    assert not PersonalValue.objects.exists()


def test_keys_rotate_and_a_lost_key_is_told(
    study: Study, engine: Engine, settings: Settings
) -> None:
    asked_for(study)
    session = at_the_end(study, engine)
    services.accept_answer(session.pk, "yes")
    services.accept_fields(session.pk, {"email": CANARY})
    old, new = settings.PERSONAL_DATA_KEYS, Fernet.generate_key().decode()
    settings.PERSONAL_DATA_KEYS = (new, *old)
    assert vault.values_of(session.pk) == {"email": CANARY}
    assert vault.rotate() == 0
    settings.PERSONAL_DATA_KEYS = (new,)
    assert vault.values_of(session.pk) == {"email": CANARY}
    settings.PERSONAL_DATA_KEYS = old
    assert vault.values_of(session.pk) == {"email": vault.UNREADABLE}
    assert vault.rotate() == 1


def test_values_are_shown_and_exported_with_their_permissions_only(
    study: Study, engine: Engine, client: Client
) -> None:
    asked_for(study)
    session = at_the_end(study, engine)
    services.accept_answer(session.pk, "yes")
    services.accept_fields(session.pk, {"email": CANARY})
    user = analyst()
    page = reverse("admin:interviews_personalvalue_changelist")
    export = {
        "action": "export_values",
        "_selected_action": [PersonalValue.objects.get().pk],
    }
    client.force_login(user)
    assert client.get(page).status_code == 403
    user.user_permissions.add(Permission.objects.get(codename="view_personalvalue"))
    assert CANARY in client.get(page).content.decode()
    assert "attachment" not in client.post(page, export).headers.get("Content-Disposition", "")
    user.user_permissions.add(Permission.objects.get(codename="export_personalvalue"))
    exported = json.loads(client.post(page, export).content)
    assert exported == [{"session": str(session.pk), "key": "email", "value": CANARY}]


# -- killed --------------------------------------------------------------------------------------
POINTS = ["epilogue_heard", "epilogue_given", "epilogue_saved", "epilogue_committed"]
Sent = Callable[[UUID, UUID], object]


def consent(session_id: UUID, message_id: UUID) -> object:
    return services.accept_choice(session_id, "Yes, you may ask", client_message_id=message_id)


def form(session_id: UUID, message_id: UUID) -> object:
    return services.accept_fields(session_id, {"email": CANARY}, client_message_id=message_id)


def die_at(point: str, sent: Sent, session_id: UUID, message_id: UUID) -> None:
    from django.conf import settings

    settings.FAILPOINT = point
    sent(session_id, message_id)


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("sent", [consent, form], ids=["consent", "form"])
def test_a_server_killed_at_any_point_of_a_form_loses_and_doubles_nothing(
    study: Study, engine: Engine, point: str, sent: Sent
) -> None:
    asked_for(study)
    session = at_the_end(study, engine)
    if sent is form:
        consent(session.pk, uuid4())
    before, message_id = asides(session), uuid4()
    connections.close_all()
    process: Any = multiprocessing.get_context("fork").Process(
        target=die_at, args=(point, sent, session.pk, message_id)
    )
    process.start()
    process.join()
    assert process.exitcode == 137
    committed = point == "epilogue_committed"
    assert (asides(session) == before) is not committed

    sent(session.pk, message_id)  # the page sends it again, under the same id
    said = Utterance.objects.filter(session=session).order_by("sequence")
    assert [one.sequence for one in said] == list(range(1, len(said) + 1))
    assert len(asides(session)) == len(before) + (1 if sent is form else 2)
    assert vault.values_of(session.pk) == ({"email": CANARY} if sent is form else {})
    assert Session.objects.get(pk=session.pk).is_over is (sent is form)


@pytest.mark.parametrize("point", ["response_saving", "scoring_persistence", "commit"])
def test_a_worker_killed_at_the_end_of_the_mode_asks_for_consent_once(
    study: Study, engine: Engine, point: str
) -> None:
    from django.utils import timezone

    from tests.integration.pipeline.test_killed_process import die_at as worker_dies_at

    asked_for(study)
    session = start(study, engine)
    for number in range(2):
        step(session, engine, f"{ANSWER} {number}")
    services.accept_answer(session.pk, ANSWER)
    turn = Turn.objects.get(session=session, number=3)
    connections.close_all()
    process: Any = multiprocessing.get_context("fork").Process(
        target=worker_dies_at, args=(str(turn.pk), point)
    )
    process.start()
    process.join()
    assert process.exitcode == 137
    Turn.objects.filter(pk=turn.pk, status=Turn.Status.RUNNING).update(
        lease_until=timezone.now() - timedelta(seconds=1)
    )
    runner.process_turn(turn.pk, engine=engine)
    assert [speaker for speaker, _ in asides(session)] == ["interviewer"]
