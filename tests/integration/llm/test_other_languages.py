"""Interviews in the languages that the rules do not read: fixed questions, to the very end."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from interviews.models import Utterance
from tests.factories import ConceptVersionFactory, StudyFactory
from tests.integration.llm.interviewing import interviewing, use

pytestmark = pytest.mark.django_db

ANSWERS = {
    "it": ("Il peso, la mia schiena ne soffriva.", "Preferisco non rispondere.", "Non so."),
    "de": ("Das Gewicht, mein Rücken tat weh.", "Dazu möchte ich nichts sagen.", "Weiß nicht."),
    "fr": ("Le poids, j'avais mal au dos.", "Je préfère ne pas répondre.", "Je ne sais pas."),
    "es": ("El peso, me dolía la espalda.", "Prefiero no responder.", "No sé."),
}


@pytest.mark.parametrize("language", ANSWERS)
def test_an_interview_without_a_model_is_held_to_its_end_in_its_own_language(
    settings: Settings, language: str
) -> None:
    use(settings)
    concept = ConceptVersionFactory.create()
    study = StudyFactory.create(
        language=language, name="X", max_turns=12, concept_version=concept, time_budget_minutes=None
    )
    with interviewing(study) as interview:
        session = interview.session
        for turn in range(12):
            interview.answer(ANSWERS[language][turn % 3])
            session.refresh_from_db()
            if session.is_over:
                break
        asked = list(
            Utterance.objects.filter(session=session, speaker="interviewer")
            .order_by("sequence")
            .values_list("text", flat=True)
        )
    # Nothing was exhausted that was never read: the end is that of the time, not of the subject.
    assert session.termination_reason in ("closing_strategy", "max_turns_reached")
    assert len(asked) >= 9
    assert len(set(asked)) == len(asked)
    assert not any("jacket" in text.lower() for text in asked)
    assert not session.nodes.exists()
