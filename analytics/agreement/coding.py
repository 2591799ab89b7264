"""The random sample of a study, what people code in it, and the figures of all who did."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from analytics.agreement.machine import machine_reading
from analytics.agreement.measure import SEED, Coded, agreement
from interviews import audit
from interviews.errors import FormRefused
from interviews.models import Coding, SampledAnswer, Session, Study, Utterance
from interviews.pipeline.grounding import locate
from methodologies.registry import pinned_methodology

MACHINE: Final = "machine"
MOST = 500


def draw(study: Study, sessions: QuerySet[Session], size: int, *, seed: int, by: str) -> int:
    """Draw a sample of answers anew; return how many. The same seed draws the same answers.

    Raises FormRefused for a size out of range, and where codings would be lost.
    """
    if not 1 <= size <= MOST:
        told = f"a whole number from 1 to {MOST}"
        raise FormRefused(f"size: {told}.", fields={"size": told})
    if Coding.objects.filter(answer__study=study).exists():
        told = "this sample has been coded; delete its codings first"
        raise FormRefused(f"sample: {told}.", fields={"sample": told})
    answers = Utterance.objects.filter(
        session__in=sessions, speaker=Utterance.Speaker.RESPONDENT, aside=False
    )
    keys = sorted(answers.values_list("pk", flat=True))
    chosen = random.Random(seed).sample(keys, min(size, len(keys)))  # noqa: S311 - a sample
    with transaction.atomic():
        SampledAnswer.objects.filter(study=study).delete()
        SampledAnswer.objects.bulk_create(
            SampledAnswer(study=study, utterance_id=pk, position=place, seed=seed)
            for place, pk in enumerate(chosen)
        )
        audit.record(audit.Action.CHANGED, study, by=by, fields=["sample"])
    return len(chosen)


def types_of(answer: SampledAnswer) -> list[str]:
    """The node types that the answer's interview was held with."""
    version = answer.utterance.session.methodology_version_id
    if version is None:
        return []
    methodology, _ = pinned_methodology(version)
    return [node.name for node in methodology.ontology.nodes]


def add_concept(answer: SampledAnswer, coder: str, words: str, node_type: str) -> None:
    """Code words of an answer as a concept. Raises FormRefused with the field that is wrong."""
    if node_type not in types_of(answer):
        told = f"one of {', '.join(types_of(answer))}"
        raise FormRefused(f"type: {node_type!r} is not {told}.", fields={"type": told})
    span = locate(words, answer.utterance.text)
    if span is None:
        told = "words that stand in the answer"
        raise FormRefused(f"words: select {told}.", fields={"words": told})
    with transaction.atomic():
        coding = _open(answer, coder)
        concept = {"start": span[0], "end": span[1], "type": node_type}
        if concept not in coding.concepts:
            coding.concepts.append(concept)
            coding.save(update_fields=["concepts"])


def add_link(answer: SampledAnswer, coder: str, source: int, target: int) -> None:
    """Code that one concept leads to another. Raises FormRefused with the field that is wrong."""
    with transaction.atomic():
        coding = _open(answer, coder)
        number = len(coding.concepts)
        if not (0 <= source < number and 0 <= target < number) or source == target:
            told = "two different concepts of this answer"
            raise FormRefused(f"target: name {told}.", fields={"target": told})
        if [source, target] not in coding.links:
            coding.links.append([source, target])
            coding.save(update_fields=["links"])


def clear(answer: SampledAnswer, coder: str) -> None:
    """Begin an answer anew."""
    Coding.objects.filter(answer=answer, coder=coder).delete()


def finish(answer: SampledAnswer, coder: str) -> None:
    """Say that an answer is coded, with nothing in it too."""
    with transaction.atomic():
        coding = _open(answer, coder)
        coding.done_at = timezone.now()
        coding.save(update_fields=["done_at"])
        audit.record(audit.Action.CHANGED, answer.study, by=coder, fields=["coding"])


def next_of(study: Study, coder: str) -> SampledAnswer | None:
    """The first answer of the sample that this coder has not finished."""
    done = Coding.objects.filter(coder=coder, done_at__isnull=False, answer__study=study)
    waiting = SampledAnswer.objects.filter(study=study).exclude(pk__in=done.values("answer"))
    return waiting.select_related("utterance__session").order_by("position").first()


def _open(answer: SampledAnswer, coder: str) -> Coding:
    return Coding.objects.select_for_update().get_or_create(answer=answer, coder=coder)[0]


def document(study: Study, *, seed: int = SEED) -> dict[str, Any]:
    """The agreement of every two coders, the machine among them, on what both have finished."""
    sample = list(
        SampledAnswer.objects.filter(study=study).select_related("utterance").order_by("position")
    )
    by_coder = _codings(study)
    by_coder[MACHINE] = machine_reading(sample)
    coders = [*sorted(name for name in by_coder if name != MACHINE), MACHINE]
    pairs = []
    for one, other in combinations(coders, 2):
        both = [a.pk for a in sample if a.pk in by_coder[one] and a.pk in by_coder[other]]
        found = agreement(
            [by_coder[one][pk] for pk in both], [by_coder[other][pk] for pk in both], seed=seed
        )
        figures = {
            name: getattr(found, name)
            for name in ("concepts_f1", "types_kappa", "links_f1", "alpha", "low", "high")
        }
        rounded = {n: None if v is None else round(v, 4) for n, v in figures.items()}
        pairs.append({"a": one, "b": other, **rounded})
    return {"sample": len(sample), "pairs": pairs}


def _codings(study: Study) -> dict[str, dict[int, Coded]]:
    found: dict[str, dict[int, Coded]] = {}
    rows = Coding.objects.filter(answer__study=study, done_at__isnull=False)
    for row in rows.select_related("answer__utterance"):
        found.setdefault(row.coder, {})[row.answer_id] = Coded(
            text=row.answer.utterance.text,
            concepts=tuple((c["start"], c["end"], c["type"]) for c in row.concepts),
            links=tuple((source, target) for source, target in row.links),
        )
    return found
