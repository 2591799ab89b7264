"""How the interviews of a study went: strategies, where they ended, burden, and answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from uuid import UUID

from django.db.models import Avg, Count, F, FloatField, Func, IntegerField, Max, Q, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from analytics.study.comparison import Estimate, share
from analytics.study.reading import Held
from interviews.models import Turn
from methodologies.signals.words import human

LOOK = {"refuses": "refused", "degraded": "worked out by stand-ins"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What one interview took and gave: active minutes, words of its answers, their depth.

    `depth` is the mean rating of how deep answers went, from 1 to 5, None where none was rated.
    """

    minutes: float = 0.0
    words: int = 0
    answers: int = 0
    depth: float | None = None
    refused: int = 0
    degraded: int = 0


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy, how many questions it chose, and its share of all."""

    name: str
    label: str
    questions: int
    share: float


@dataclass(frozen=True, slots=True)
class StillThere:
    """Interviews that gave at least `turn` answers; `left` are those that ended with so many."""

    turn: int
    there: int
    left: int
    estimate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How the interviews went. `minutes` and `words` are medians, None without interviews."""

    strategies: tuple[Strategy, ...]
    drop_off: tuple[StillThere, ...]
    minutes: float | None
    words: float | None
    depth: float | None
    answers: int
    refused: Estimate
    degraded: Estimate
    completed: Estimate
    efforts: Mapping[str, Effort]


def course_of(held: Sequence[Held]) -> Course:
    """Read how these interviews went, in one query."""
    efforts = _efforts([UUID(one.id) for one in held])
    known = list(efforts.values())
    answers = sum(one.answers for one in known)
    rated = [one.depth for one in known if one.depth is not None]
    return Course(
        strategies=_strategies(held),
        drop_off=_drop_off(held),
        minutes=median(one.minutes for one in known) if known else None,
        words=median(one.words for one in known) if known else None,
        depth=sum(rated) / len(rated) if rated else None,
        answers=answers,
        refused=share(sum(one.refused for one in known), answers),
        degraded=share(sum(one.degraded for one in known), answers),
        completed=share(sum(one.status == "completed" for one in held), len(held)),
        efforts=efforts,
    )


def _efforts(ids: Sequence[UUID]) -> dict[str, Effort]:
    words = Func(
        F("answer__text"),
        function="cardinality",
        template=r"%(function)s(regexp_split_to_array(btrim(%(expressions)s), '\s+'))",
        output_field=IntegerField(),
    )
    ratings = KeyTextTransform("response_depth", KeyTextTransform("ratings", "result"))
    rows = (
        Turn.objects.filter(session__in=ids, number__gt=0, status=Turn.Status.DONE)
        .order_by()
        .values("session_id")
        .annotate(
            seconds=Max("active_seconds"),
            words=Sum(words),
            answers=Count("pk"),
            depth=Avg(Cast(ratings, FloatField())),
            refused=Count("pk", filter=Q(result__heard__act="refuses")),
            degraded=Count("pk", filter=Q(result__degraded__0__isnull=False)),
        )
    )
    found = {
        str(row["session_id"]): Effort(
            minutes=(row["seconds"] or 0.0) / 60,
            words=row["words"] or 0,
            answers=row["answers"],
            depth=row["depth"],
            refused=row["refused"],
            degraded=row["degraded"],
        )
        for row in rows
    }
    return {str(pk): found.get(str(pk), Effort()) for pk in ids}


def _strategies(held: Sequence[Held]) -> tuple[Strategy, ...]:
    counts: Counter[str] = Counter()
    for one in held:
        counts.update({name: int(number) for name, number in one.strategies.items()})
    whole = counts.total()
    return tuple(
        Strategy(name, human(name), number, number / whole)
        for name, number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if number
    )


def _drop_off(held: Sequence[Held]) -> tuple[StillThere, ...]:
    over = [one for one in held if one.status in ("completed", "abandoned")]
    left = Counter(one.turns for one in over)
    found, there = [], len(over)
    for turn in range(max(left, default=-1) + 1):
        found.append(StillThere(turn, there, left[turn], share(there, len(over))))
        there -= left[turn]
    return tuple(found)
