"""Plans of guided studies: made once for what they are made from, numbered, never changed."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from interviews import dispatch
from interviews.llm.errors import LLMError
from interviews.llm.gateway import Gateway
from interviews.llm.setup import build_gateway
from interviews.llm.study_calls import ask_for
from interviews.llm.tasks.guided_plan import (
    GUIDED_PLAN,
    GuidedPlanInputs,
    PlannedTopic,
    TopicIntelligence,
)
from interviews.models import GuidePlan, Study
from interviews.modes.guided.plan import (
    Intelligence,
    Plan,
    make_plan,
    minutes_of,
    signature_of,
)
from methodologies.registry import pinned_guide
from methodologies.schema import GuideSchema

WAITING = "A model will be asked for cues and angles as soon as a worker is there."


class NoGuide(LookupError):
    """The study has no guide, so there is nothing to plan."""


def current(study: Study) -> GuidePlan | None:
    """The newest plan that was made from what the study is now, None where there is none yet.

    Raises NoGuide.
    """
    guide = _guide(study)
    signature = signature_of(guide, study.language, minutes_of(guide, study.time_budget_minutes))
    return study.plans.filter(signature=signature).order_by("-number").first()


def request(study: Study) -> None:
    """Have the plan of a study with a guide made beside, once the transaction is committed."""
    if study.guide_version_id is None:
        return
    known = current(study)
    if known is None or _status(known) == "waiting":
        dispatch.enqueue_plan(study.pk)


def ensure(study: Study) -> None:
    """Have a plan to begin an interview with: one without intelligence where none is there yet."""
    if study.guide_version_id is not None and current(study) is None:
        _store(study, _planned(study, None, Intelligence(status="waiting", message=WAITING)))
    request(study)


def make(study: Study, *, gateway: Gateway | None = None) -> GuidePlan:
    """Return the study's plan; a model is asked once for what it is made from, no matter the end.

    Raises NoGuide.
    """
    known = current(study)
    if known is not None and _status(known) != "waiting":
        return known
    return regenerate(study, gateway=gateway)


def regenerate(study: Study, *, gateway: Gateway | None = None) -> GuidePlan:
    """Ask a model anew and return the plan with the next number.

    Where nobody answers it stands without intelligence and says why. Raises NoGuide.
    """
    guide = _guide(study)
    inputs = GuidedPlanInputs(
        title=guide.title,
        research_goal=guide.research_goal,
        language=study.language,
        topics=tuple(
            PlannedTopic(topic_id=topic.id, label=topic.label, sub_goals=topic.sub_goals)
            for topic in guide.topics
        ),
    )
    asked = gateway or build_gateway()
    try:
        thought = ask_for(study, GUIDED_PLAN, inputs, gateway=asked, stand_in=False).topics
    except LLMError as error:
        message = f"No model answered ({error.outcome}). Try again, or go on without."
        return _store(study, _planned(study, None, Intelligence(status="missing", message=message)))
    finally:
        if gateway is None:
            asked.close()
    return _store(study, _planned(study, thought, Intelligence()))


def edit(study: Study, data: dict[str, Any]) -> GuidePlan:
    """Store a plan as a researcher wrote it, with the next number; what it is made from stays.

    Raises pydantic.ValidationError where it is no plan, and NoGuide.
    """
    guide = _guide(study)
    written = Plan.model_validate(data)
    minutes = minutes_of(guide, study.time_budget_minutes)
    meta = written.meta.model_copy(
        update={
            "generated_at": _now(),
            "topics_signature": signature_of(guide, study.language, minutes),
        }
    )
    edited = written.model_copy(
        update={"meta": meta, "intelligence": Intelligence(status="edited")}
    )
    return _store(study, edited)


def document(plan: GuidePlan) -> dict[str, Any]:
    """The plan as scripts read it."""
    written = Plan.model_validate(plan.data).model_dump(mode="json")
    return {"number": plan.number, "signature": plan.signature, **written}


def _guide(study: Study) -> GuideSchema:
    if study.guide_version_id is None:
        raise NoGuide(f"{study.name} has no guide; choose one to have a plan")
    return pinned_guide(study.guide_version_id)


def _planned(
    study: Study, thought: tuple[TopicIntelligence, ...] | None, intelligence: Intelligence
) -> Plan:
    guide = _guide(study)
    return make_plan(
        guide,
        language=study.language,
        minutes=minutes_of(guide, study.time_budget_minutes),
        made_at=_now(),
        thought=thought,
        intelligence=intelligence,
    )


def _store(study: Study, plan: Plan) -> GuidePlan:
    """Number it within its study: the study's row is locked while the number is taken."""
    with transaction.atomic():
        Study.objects.select_for_update(of=("self",)).get(pk=study.pk)
        newest = study.plans.order_by("-number").values_list("number", flat=True).first()
        return GuidePlan.objects.create(
            study=study,
            number=(newest or 0) + 1,
            signature=plan.meta.topics_signature,
            data=plan.model_dump(mode="json"),
        )


def _status(plan: GuidePlan) -> str:
    return str(plan.data["intelligence"]["status"])


def _now() -> str:
    return timezone.now().isoformat(timespec="seconds")
