"""Proposals for the elements of a stimulus, each with its place in the text."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from interviews.llm.budget import NOBODY, Unlimited
from interviews.llm.gateway import Gateway
from interviews.llm.setup import gateway_of, llm_config
from interviews.llm.tasks.element_proposal import (
    ELEMENT_PROPOSAL,
    MOST_TEXT,
    ElementProposalInputs,
    ProposedElement,
)
from interviews.pipeline.grounding import locate
from interviews.turns.calls import CallLog
from interviews.turns.deadline import Deadline
from interviews.wording.languages import DEFAULT
from methodologies.schema import ElementKind

SECONDS = 60.0
"""What the call may take in all."""


class NothingToPropose(ValueError):
    """A text of which no elements can be proposed; says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposed element; `quote` is `text[start:end]` of the stimulus, in characters."""

    id: str
    label: str
    aliases: tuple[str, ...]
    kind: ElementKind
    priority: int
    connects_to: tuple[str, ...]
    quote: str
    start: int
    end: int

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def propose(
    text: str, *, language: str = DEFAULT, gateway: Gateway | None = None
) -> tuple[Proposal, ...]:
    """Return proposals for the elements of `text` in its order, by one call; no study pays for it.

    Where no model answers the rules do. Raises NothingToPropose for a text that is empty, too long,
    or without a single word, and LLMError where nobody answers.
    """
    if not any(character.isalnum() for character in text):
        raise NothingToPropose("there is no text to find elements in; write what respondents see")
    if len(text) > MOST_TEXT:
        raise NothingToPropose(
            f"the text has {len(text):,} characters; a stimulus has {MOST_TEXT:,} at most"
        )
    asked = gateway or gateway_of(llm_config, Unlimited())
    try:
        answer = asked.run(
            ELEMENT_PROPOSAL,
            ElementProposalInputs(text=text, language=language),
            payer=NOBODY,
            log=CallLog(),
            deadline=Deadline(SECONDS, time.monotonic),
        )
    finally:
        if gateway is None:
            asked.close()
    found = settled(text, answer.elements)
    if not found:
        raise NothingToPropose("no element was found that stands in the text; write them yourself")
    return found


def settled(text: str, proposed: Sequence[ProposedElement]) -> tuple[Proposal, ...]:
    """What of the proposals holds: quotes that stand in the text, each id once, known connections.

    A proposal whose quote is not found, after folding case and white space, is left out.
    """
    placed: list[tuple[tuple[int, int], str, ProposedElement]] = []
    names: dict[str, str] = {}
    for element in proposed:
        span, name = locate(element.quote, text), _name(element)
        if span is None or span in [known for known, _, _ in placed] or name in names.values():
            continue
        names[element.id] = name
        placed.append((span, name, element))
    placed.sort(key=lambda item: item[0])
    return tuple(
        Proposal(
            id=name,
            label=" ".join(element.label.split()),
            aliases=_aliases(element),
            kind=element.kind,
            priority=element.priority,
            connects_to=_connections(element, names),
            quote=text[start:end],
            start=start,
            end=end,
        )
        for (start, end), name, element in placed
    )


def _name(element: ProposedElement) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", element.id.lower()).strip("_")[:60].rstrip("_")
    return name if name[:1].isalpha() else f"element_{name}".strip("_")[:60]


def _aliases(element: ProposedElement) -> tuple[str, ...]:
    """Other words for it than its label, each once."""
    taken = {element.label.casefold()}
    kept: list[str] = []
    for alias in (" ".join(alias.split()) for alias in element.aliases):
        if alias and alias.casefold() not in taken:
            taken.add(alias.casefold())
            kept.append(alias)
    return tuple(kept)


def _connections(element: ProposedElement, names: dict[str, str]) -> tuple[str, ...]:
    found = [names[other] for other in element.connects_to if other in names]
    return tuple(dict.fromkeys(name for name in found if name != names[element.id]))
