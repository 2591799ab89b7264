"""The reference page of concept tests, made from the shipped rules and the scorers' own words."""

from __future__ import annotations

from collections.abc import Iterator

from interviews.modes.evaluative import scorers
from interviews.modes.evaluative.choosing import FLAGGED_ABOVE, MOST_RUNNING
from interviews.modes.evaluative.closing import COVERED, ENOUGH_COVERED, FATIGUED
from interviews.modes.evaluative.coverage import EXHAUSTED_FROM, UNDERSTOOD_FROM
from interviews.modes.evaluative.mapping import SAME_MEANING
from interviews.modes.evaluative.momentum import KEPT, TIRED_AFTER, TIRED_BELOW
from interviews.modes.evaluative.strategies import STRATEGIES
from methodologies.evaluative import GAP_KINDS, SCORERS, shipped_rules

_GAPS = ", ".join(f"`{kind}`" for kind in GAP_KINDS)
_HEAD = f"""# Concept tests

How an evaluative interview chooses, from the shipped rules. How to hold one:
[test a concept](../how-to/test-concepts.md).

## Coverage
An element is mentioned by a node that is linked to it: as the answer was read, else by label or
alias, else from a cosine of {SAME_MEANING:.2f}. It is understood with {UNDERSTOOD_FROM} nodes, or
one that has an edge. Gaps, in the order of asking: {_GAPS}; then by priority and the file's order.
{EXHAUSTED_FROM} questions exhaust an element for good, a refusal at once. The ratio is closed
checks by all: three an element, and one for each element that it is to be connected to.

## Momentum
Levels high, neutral and low; `score = {KEPT} · before + {1 - KEPT:.1f} · value` from 0.5, with
values 1, 0.5 and 0. Fatigued: {TIRED_AFTER} lows running, or a score below {TIRED_BELOW} for
{TIRED_AFTER} turns.

## Closing
`max_turns_reached`, `{FATIGUED}` with a ratio above {ENOUGH_COVERED:.2f}, `{COVERED}` (no gap to
ask about, nothing unexplored, low momentum); each with a closing question first.

## Strategies
A strategy runs {MOST_RUNNING} times at most while another may be asked. A tactic fits by kind of
gap or type of node, then the one used least, never twice running.

| strategy | class | base | focus | tactics |
|---|---|---|---|---|
"""


def evaluative_page() -> str:
    """The page: what is covered, when it closes, strategies and scorers with their parameters."""
    return _HEAD + "\n".join([*_strategies(), "", *_scorers()]) + "\n"


def _strategies() -> Iterator[str]:
    for name, spec in shipped_rules().strategies.items():
        focus = (STRATEGIES[name].__doc__ or "").split("\n\n")[0].strip().rstrip(".")
        tactics = ", ".join(f"`{tactic.name}`" for tactic in spec.tactics)
        yield f"| `{name}` | {spec.group} | {spec.base:g} | {focus} | {tactics} |"


def _scorers() -> Iterator[str]:
    yield "## Scorers"
    yield "`final = base · Π multiplier^weight`; 0 vetoes, and a final score above"
    yield f"{FLAGGED_ABOVE:g} is marked. Equal scores: base, fewer uses, name."
    yield ""
    yield "| scorer | what it does | parameters |"
    yield "|---|---|---|"
    spec = shipped_rules().scorers
    for name in SCORERS:
        told = " ".join((getattr(scorers, name).__doc__ or "").split("\n\n")[0].split())
        values = getattr(spec, name).model_dump()
        parameters = ", ".join(f"`{key}` {value:g}" for key, value in values.items())
        yield f"| `{name}` | {told.rstrip('.')} | {parameters} |"
