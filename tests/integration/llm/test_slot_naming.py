"""How concepts come by their slots: in batches, in halves, by rules, and by being said again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from graphs.models import CanonicalSlot, KGNode, SlotMapping
from interviews.models import LLMCall, Study
from tests.integration.llm.interviewing import Interview, Model, anthropic_at, interviewing, use
from tests.integration.llm.test_calls_that_are_spared import asked, concepts, tell
from tests.llm_protocol import kit
from tests.llm_protocol.server import ProviderServer, provider_server
from tests.llm_protocol.steps import Failed, Truncated

CARS = ("fast car", "quick vehicle", "rapid automobile")
LABELS = ("taped seams", "deep pockets", "red zip", "stiff hood", "wool lining")
DECLINED = Failed(status=400, kind="invalid_request_error")


@pytest.fixture
def server(model: Model, settings: Settings) -> Iterator[ProviderServer]:
    with provider_server(key=kit.KEY, respond=model) as running:
        use(settings, **anthropic_at(running))
        yield running


def slots(interview: Interview) -> dict[str, str]:
    """The name of its slot by the label of each mapped node."""
    mapped = SlotMapping.objects.filter(session=interview.session).select_related("node", "slot")
    return {mapping.node.label: mapping.slot.slot_name for mapping in mapped}


def test_three_paraphrases_in_three_answers_give_one_active_slot_with_support_three(
    study: Study, model: Model, server: ProviderServer
) -> None:
    with interviewing(study) as interview:
        for car in CARS:
            tell(interview, model, car)
    (slot,) = CanonicalSlot.objects.filter(session=interview.session)
    assert (slot.status, slot.support_count, slot.promoted_turn) == ("active", 3, 2)
    assert KGNode.objects.filter(session=interview.session).count() == 1


def test_what_is_said_twice_in_one_answer_supports_its_slot_once(
    study: Study, model: Model, server: ProviderServer
) -> None:
    with interviewing(study) as interview:
        tell(interview, model, *CARS)
    (slot,) = CanonicalSlot.objects.filter(session=interview.session)
    assert (slot.status, slot.support_count) == ("candidate", 1)


def test_a_batch_that_is_cut_off_is_asked_again_in_halves(
    study: Study, model: Model, server: ProviderServer
) -> None:
    with interviewing(study) as interview:
        asked(server)
        model.script("slot_proposal", Truncated())
        tell(interview, model, *LABELS)
        assert asked(server).count("slot_proposal") == 3
        assert slots(interview) == {label: label.replace(" ", "_") for label in LABELS}


def test_a_half_that_is_cut_off_again_is_named_by_rules(
    study: Study, model: Model, server: ProviderServer
) -> None:
    with interviewing(study) as interview:
        model.script("slot_proposal", Truncated(), Truncated(), Truncated())
        tell(interview, model, *LABELS)
        assert slots(interview) == {label: label.replace(" ", "_") for label in LABELS}
    calls = LLMCall.objects.filter(session=interview.session, task="slot_proposal")
    assert sorted(calls.values_list("provider", "outcome")) == [
        *[("anthropic", "truncated")] * 3,
        ("offline", "ok"),
    ]


def test_what_nobody_names_is_asked_once_more_and_then_named_by_rules(
    study: Study, model: Model, server: ProviderServer
) -> None:
    with interviewing(study) as interview:
        model.script("slot_proposal", DECLINED, DECLINED)
        tell(interview, model, "taped seams")
        assert slots(interview) == {}
        tell(interview, model)
        assert slots(interview) == {"taped seams": "taped_seams"}
        asked(server)
        model.script("extraction", concepts())
        interview.answer("Nothing more.")
        assert "slot_proposal" not in asked(server)
