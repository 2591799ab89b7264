"""How people speak of ideals: of how they want to be, what ought to be, and what life is for.

Values are seldom named by their nouns. They show in the form of what is said: an aspiration to be
or to live in some way, a norm for everybody, respect for oneself, doing without others' help, a
lifetime as the measure. So do the two that an episode ends on: a lesson taken from it, and whether
one stays with whom one had to do with. The forms are those of English in general; the domains are
those of common inventories of values.
"""

from __future__ import annotations

from collections.abc import Mapping

from interviews.llm.providers.offline.direction import Direction, direction_of
from interviews.llm.providers.offline.lexicon import pattern, plain
from interviews.llm.tasks.extraction import ExtractionInputs

UNASKED = 0.4
"""Weight of a form that needs asking for, where nothing asked for ideals."""

_FORMS: tuple[tuple[str, bool, Mapping[str, float]], ...] = (
    ("aspiration", True, {"manner": 0.9, "value": 0.6}),
    ("self_regard", True, {"manner": 0.9, "value": 0.7}),
    ("norm", False, {"value": 0.9, "manner": 0.7}),
    ("unaided", False, {"manner": 1.1, "value": 0.8}),
    ("lifetime", False, {"value": 1.0, "manner": 0.3}),
    ("essence", False, {"value": 1.3}),
    ("lesson", False, {"lesson": 1.6}),
    ("loyalty", False, {"loyalty": 1.6}),
)
"""Form, whether it speaks of ideals only where one was asked about, and what it adds."""

_ELSE = {"feature": 0.5, "outcome": 0.7, "goal": 0.6, "action": 0.6, "event": 0.6}
"""What is left of other kinds where a statement has the form of an ideal."""


def with_ideals(
    facets: Mapping[str, float], clause: str, inputs: ExtractionInputs
) -> dict[str, float]:
    """Return `facets` with what the form of a clause adds to the kinds "manner" and "value".

    Asked what the last step below the end is good for, people name an end, however they put it.
    """
    said, asked = plain(clause), _above_ground(inputs)
    end = _asks_for_the_end(inputs)
    found: dict[str, float] = {}
    for name, needs_asking, amounts in _FORMS:
        if not pattern(f"ideal_{name}").search(said):
            continue
        weight = UNASKED if needs_asking and not asked else 1.0
        ideal = not {"lesson", "loyalty"} & set(amounts)
        for facet, amount in ({"value": 0.9, "manner": 0.3} if end and ideal else amounts).items():
            found[facet] = max(found.get(facet, 0.0), weight * amount)
    if not found:
        return dict(facets)
    kept = {f: w * (_ELSE.get(f, 1.0) if asked else 1.0) for f, w in facets.items()}
    return {f: kept.get(f, 0.0) + found.get(f, 0.0) for f in (*kept, *found)}


def _asks_for_the_end(inputs: ExtractionInputs) -> bool:
    """Whether the question asks what the last step below the terminal level is good for.

    The ideal that is named then is an end in itself, however it is put.
    """
    focus = inputs.focus
    if focus is None or direction_of(inputs.question) is not Direction.UP:
        return False
    levels = {t.name: t.level for t in inputs.node_types if t.level is not None}
    ends = [t.level for t in inputs.node_types if t.terminal and t.level is not None]
    return bool(ends) and levels.get(focus.node_type, 0) >= min(ends) - 1


def _above_ground(inputs: ExtractionInputs) -> bool:
    """Whether the question leads up from a focus above the lowest level."""
    focus = inputs.focus
    if focus is None or direction_of(inputs.question) is not Direction.UP:
        return False
    levels = {t.name: t.level for t in inputs.node_types if t.level is not None}
    here = levels.get(focus.node_type)
    return here is not None and here > min(levels.values())
