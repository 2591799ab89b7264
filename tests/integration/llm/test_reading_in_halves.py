"""An answer whose reading does not fit the model's limit is read in two halves, over the wire."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from graphs.models import Mention
from interviews.models import LLMCall, Study
from tests.integration.llm.interviewing import Model, anthropic_at, interviewing, use
from tests.llm_protocol import kit
from tests.llm_protocol.server import provider_server
from tests.llm_protocol.steps import Truncated

SAID = "The seams are taped. The hood is stiff."


@pytest.mark.parametrize(
    ("cut_off", "calls"),
    [
        (1, [("anthropic", "ok"), ("anthropic", "ok"), ("anthropic", "truncated")]),
        (
            2,
            [
                ("anthropic", "ok"),
                ("anthropic", "truncated"),
                ("anthropic", "truncated"),
                ("offline", "ok"),
            ],
        ),
    ],
    ids=["by the model", "one of them by rules"],
)
def test_what_both_halves_say_is_kept(
    study: Study, model: Model, settings: Settings, cut_off: int, calls: list[tuple[str, str]]
) -> None:
    with provider_server(key=kit.KEY, respond=model) as server:
        use(settings, **anthropic_at(server))
        with interviewing(study) as interview:
            model.script("extraction", *[Truncated()] * cut_off)
            turn = interview.answer(SAID)
    assert turn.status == turn.Status.DONE
    said = Mention.objects.filter(session=interview.session, node__isnull=False)
    assert {"seams" in one.quote or "hood" in one.quote for one in said} == {True}
    assert len({one.start >= SAID.index("The hood") for one in said}) == 2
    made = LLMCall.objects.filter(session=interview.session, task="extraction")
    assert sorted(made.values_list("provider", "outcome")) == calls
