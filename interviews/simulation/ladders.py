"""A world written by hand in ten minutes: a line is what somebody notices and where it leads.

    the lid closes tightly / nothing runs out > I throw it into my bag > feeling: I feel at ease

Steps stand between `>` signs, other wordings of a step between `/`, and a step that names a feeling
begins with ``feeling:``. The same step in several lines is the same statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final

from pydantic import Field

from interviews.simulation.world import Kind, Phrasing, Probe, Statement, World

LEAST_STATEMENTS: Final = 8
LEAST_LADDERS: Final = 3
MOST_LADDERS: Final = 200
MOST_STEPS: Final = 6
MOST_TEXT: Final = 40_000
SHORTEST_STEP, LONGEST_STEP = 3, 200
FEELING: Final = re.compile(r"^feeling\s*:\s*", re.IGNORECASE)
UNTOLD: Final[dict[Kind, tuple[Probe, ...]]] = {
    "feeling": ("why", "feeling", "incident", "absence"),
    "value": ("why", "absence", "reflection"),
}
"""By which questions feelings and values are brought out; the rest comes up freely."""
GREETINGS: Final = ("Hello.", "Hi, I am ready.")
FILLERS: Final = ("well", "hm", "let me think", "you know")
TANGENTS: Final = (
    "Sorry, the doorbell just rang.",
    "By the way, it has begun to rain here.",
)


class SmallStatement(Statement):
    """A statement that may have one wording only."""

    phrasings: Annotated[tuple[Phrasing, ...], Field(min_length=1)]


class SmallWorld(World):
    """A world that may be small."""

    statements: Annotated[tuple[SmallStatement, ...], Field(min_length=LEAST_STATEMENTS)]


class LaddersInvalid(ValueError):
    """A text that is no world; `faults` are all that is wrong with it, each with its line."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


@dataclass(slots=True)
class _Known:
    """A statement while its lines are read."""

    id: str
    level: int
    kind: Kind
    phrasings: list[str]
    leads_to: list[str] = field(default_factory=list)


def world_of_ladders(concept: str, text: str) -> World:
    """Return the world that a text tells of a concept id. Raises LaddersInvalid."""
    if len(text) > MOST_TEXT:
        raise LaddersInvalid([f"{len(text)} characters; {MOST_TEXT} at most."])
    lines = [(n, line.strip()) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    known: dict[str, _Known] = {}
    faults = [fault for number, line in lines for fault in _read_line(number, line, known)]
    faults.extend(_too_few(len(lines), len({one.id for one in known.values()})))
    if faults:
        raise LaddersInvalid(faults)
    found = {one.id: one for one in known.values()}
    return SmallWorld(
        concept=concept,
        respondent="somebody whom a researcher thought up",
        greetings=GREETINGS,
        fillers=FILLERS,
        tangents=TANGENTS,
        statements=tuple(
            SmallStatement(
                id=one.id,
                level=one.level,
                kind=one.kind,
                phrasings=tuple(one.phrasings),
                leads_to=tuple(one.leads_to),
                tell_when=UNTOLD.get(one.kind, ()),
                topics=(one.phrasings[0],),
            )
            for one in found.values()
        ),
    )


def _too_few(lines: int, statements: int) -> Iterator[str]:
    if lines > MOST_LADDERS:
        yield f"{lines} lines; {MOST_LADDERS} at most."
    if lines < LEAST_LADDERS:
        yield f"{lines} lines; write {LEAST_LADDERS} or more, each with what leads to what."
    if statements < LEAST_STATEMENTS:
        yield f"{statements} different steps in all; write {LEAST_STATEMENTS} or more."


def _read_line(number: int, line: str, known: dict[str, _Known]) -> Iterator[str]:
    """Put a line's steps among what is `known`, by each of their wordings; its faults."""
    steps = [step.strip() for step in line.split(">")]
    if not 2 <= len(steps) <= MOST_STEPS:
        yield (
            f"Line {number}: {len(steps)} steps; write 2 to {MOST_STEPS} with > between, "
            "what is noticed first and what it leads to after it."
        )
        return
    before: _Known | None = None
    for place, step in enumerate(steps):
        wordings = [_wording(part) for part in FEELING.sub("", step).split("/")]
        if wrong := [w for w in wordings if not SHORTEST_STEP <= len(w) <= LONGEST_STEP]:
            yield (
                f"Line {number}, step {place + 1}: {wrong[0][:40]!r} has {len(wrong[0])} "
                f"characters; {SHORTEST_STEP} to {LONGEST_STEP} are possible."
            )
            return
        here = _statement(step, wordings, place, len(steps), known)
        if before is here:
            yield f"Line {number}, step {place + 1}: a step leads to itself."
            return
        if before is not None and here.id not in before.leads_to:
            before.leads_to.append(here.id)
        before = here


def _statement(
    step: str, wordings: Sequence[str], place: int, steps: int, known: dict[str, _Known]
) -> _Known:
    """The statement with one of these wordings, with all of them; a new one where there is none."""
    found = next((known[w.casefold()] for w in wordings if w.casefold() in known), None)
    if found is None:
        found = _Known(
            id=f"s{len({one.id for one in known.values()}) + 1}",
            level=1 + round(4 * place / (steps - 1)),
            kind=_kind(step, place, steps),
            phrasings=[],
        )
    for wording in wordings:
        if wording.casefold() not in known:
            known[wording.casefold()] = found
            found.phrasings.append(wording)
    return found


def _kind(step: str, place: int, steps: int) -> Kind:
    if FEELING.match(step):
        return "feeling"
    if place == 0:
        return "feature"
    return "value" if place == steps - 1 and steps > 2 else "consequence"


def _wording(part: str) -> str:
    """A wording as a clause: on one line, without punctuation at its end."""
    return re.sub(r"[.!?,;:\s]+$", "", " ".join(part.split()))
