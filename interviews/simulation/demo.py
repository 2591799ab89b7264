"""A study full of simulated interviews, to see what is read from all of them together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from interviews import studies
from interviews.models import Session, Study
from interviews.simulation.driver import hold_interview
from interviews.simulation.respondent import SimulatedRespondent
from interviews.simulation.world import load_world
from interviews.themes import renewal
from methodologies.registry import CONCEPT, METHODOLOGY, PERSONA, newest
from methodologies.schema import PersonaSchema

SLUG: Final = "demo-interviews"
MOST: Final = 500
CONCEPT_NAME: Final = "hiking_backpacks"
METHODOLOGIES: Final = ("means_end_chain", "jobs_to_be_done")
PERSONAS: Final = ("cooperative", "sceptical", "verbose", "emotional", "rationalising", "brief")
FIELDS: Final = (
    {"key": "country", "type": "choice", "options": ["Germany", "Italy"]},
    {"key": "experience", "type": "choice", "options": ["beginner", "regular"]},
)
ANSWERS: Final = {"brief": 4, "sceptical": 5}
"""How many answers a persona gives; the others give MOST_ANSWERS."""
MOST_ANSWERS: Final = 6
SECONDS: Final = {"brief": 20.0, "verbose": 75.0}
"""What a persona takes for an answer; the others take 45."""


def fill(interviews: int, told: Callable[[int], None] = lambda held: None) -> Study:
    """Hold interviews with simulated respondents until the demonstration has so many.

    Every third is led by the second methodology; data fields divide them into segments. Those that
    are there stay. Raises InterviewStopped where a turn fails for good, and DocumentNotFound where
    the library is not loaded.
    """
    study = Study.objects.filter(slug=SLUG).first() or _made()
    for number in range(study.sessions.filter(simulated=True).count(), interviews):
        _held(study, number)
        told(number + 1)
    study.refresh_from_db()
    if not study.data_fields:
        # Not before: simulated respondents are not asked to give of themselves.
        study.data_fields = [dict(one) for one in FIELDS]
        study.save(update_fields=["data_fields"])
    renewal.ensure(study.pk)
    return study


def _made() -> Study:
    return studies.create_study(
        slug=SLUG,
        name="Hiking backpacks, simulated interviews",
        concept_version=newest(CONCEPT, CONCEPT_NAME),
        methodology_version=newest(METHODOLOGY, METHODOLOGIES[0]),
        researcher="Whoever set up this demonstration",
        contact="Nobody: the respondents are simulated",
        research_purpose="Seeing what is read from many interviews together.",
        retention="Simulated interviews are deleted after 30 days.",
        withdrawal="There is nobody who could.",
    )


def _held(study: Study, number: int) -> Session:
    name = PERSONAS[number % len(PERSONAS)]
    persona = PersonaSchema.model_validate(newest(PERSONA, name).parsed)
    respondent = SimulatedRespondent(load_world(CONCEPT_NAME), persona, number)
    most = ANSWERS.get(name, MOST_ANSWERS)
    led = Study.objects.get(pk=study.pk)
    led.data_fields = []
    led.methodology_version = newest(METHODOLOGY, METHODOLOGIES[number % 3 == 2])

    def answer(question: str, turn: int) -> str | None:
        return respondent.answer(question, turn) if turn <= most else None

    session = hold_interview(
        led, answer, seed=number, turn_seconds=SECONDS.get(name, 45.0), max_turns=most + 1
    )
    session.segments = {
        "country": "Italy" if number % 5 < 2 else "Germany",
        "experience": "regular" if number % 2 else "beginner",
    }
    session.save(update_fields=["segments"])
    return session
