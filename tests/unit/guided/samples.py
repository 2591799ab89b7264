"""Plans to play interviews on."""

from __future__ import annotations

from interviews.modes.guided.machine import Step, begin, step
from interviews.modes.guided.plan import Plan, make_plan
from interviews.modes.guided.signal import band_of
from interviews.modes.guided.situation import Heard, Reply
from interviews.modes.guided.state import GuidedState, PlanRef
from methodologies.schema import GuideSchema

REF = PlanRef(id=1, number=1, signature="s" * 64)


def guide(*sub_goals: int, minutes: int = 15) -> GuideSchema:
    """A guide with a topic for each number, which has so many sub-goals."""
    return GuideSchema.model_validate(
        {
            "id": "talks",
            "title": "Talks",
            "research_goal": "Learn why",
            "max_duration_minutes": minutes,
            "topics": [
                {
                    "id": f"t{i}",
                    "label": f"Topic {i}",
                    "sub_goals": [f"goal {i}.{j}" for j in range(count)],
                }
                for i, count in enumerate(sub_goals)
            ],
        }
    )


def plan(*sub_goals: int, minutes: int = 15) -> Plan:
    found = guide(*sub_goals, minutes=minutes)
    return make_plan(
        found, language="en", minutes=minutes, made_at="2026-01-01T00:00:00+00:00", thought=()
    )


def heard(
    score: float = 0.45,
    *,
    seconds: float = 600,
    left: int = 50,
    closure: bool = False,
    not_understood: bool = False,
    refused: bool = False,
    off_topic: bool = False,
    disclosure: bool = False,
    lead: str = "",
    reply: Reply = "NEUTRAL",
) -> Heard:
    return Heard(
        score=score,
        band=band_of(score),
        remaining_seconds=seconds,
        answers_left=left,
        closure=closure,
        not_understood=not_understood,
        refused=refused,
        off_topic=off_topic,
        disclosure=disclosure,
        lead=lead,
        key_sentence=f"said with {score}",
        reply=reply,
    )


def played(made: Plan, *answers: Heard, state: GuidedState | None = None) -> list[Step]:
    """The steps that answers lead to, from the beginning or from a state."""
    steps: list[Step] = []
    now = state or begin(made, REF)
    for answer in answers:
        steps.append(step(made, now, answer))
        now = steps[-1].state
    return steps
