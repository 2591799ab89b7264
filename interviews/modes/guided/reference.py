"""The reference page of guided interviews, made from their table of phases."""

from __future__ import annotations

from interviews.modes.guided.plan import LEAST_BASE, MIN_TURNS, MORE_THAN_BASE, SECONDS_PER_TURN
from interviews.modes.guided.signal import HIGH_ABOVE, INSIGHT_FROM, INSIGHT_WORDS, LOW_BELOW
from interviews.modes.guided.situation import MOST_OFFERS, MOST_REWORDINGS
from interviews.modes.guided.transitions import TRANSITIONS

_HEAD = f"""# Guided interviews

A guide names topics in their order, what is to be learned about each (its sub-goals), and the
time. The mode covers every topic and stays where answers give much. `manage.py validate FILE`
checks a guide, `manage.py plan STUDY-or-FILE` prints its plan, `manage.py interview --study FILE`
holds an interview of a study file.

## The plan
Turns in all are the seconds ÷ {SECONDS_PER_TURN}, rounded down. Of each topic `min` is
{MIN_TURNS}, `base` the turns ÷ topics, rounded down, at least {LEAST_BASE}, and `max` is `base` +
{MORE_THAN_BASE}: 15 minutes and 4 topics make 20 turns, `base` 5, `max` 7. One call of a model
adds cues, signs and angles to each topic, and three sub-goals to a topic that has none. A plan
never changes: what it is made from (topics, duration, goal, language) has a signature, and a new
signature, an edit or a new call makes a plan with the next number. An interview keeps the plan
that it began with. A guide's `manual_guide` takes the place of what the model made, in the
prompt.

## The score of an answer
Words ÷ 100, at most 0.4; a digit or a capitalised word 0.15; a word of impact 0.15; a word of
emotion 0.15; more than 30 words 0.15. LOW is below {LOW_BELOW}, HIGH above {HIGH_ABOVE}. From
{INSIGHT_FROM} on the best sentence of a topic's best answer, {INSIGHT_WORDS} words at most, is
kept as its key insight. `manage.py signal --language it --text "…"` prints the parts.

## What follows an answer
Of the rows of a phase the first whose condition holds acts. An answer uses a turn of its topic
and covers the sub-goal that was asked for; refused, or not understood in {MOST_REWORDINGS + 1}
wordings, closes it; off the topic leaves it open. A topic that gave turns away has `min(base,
max)` as its base. The offer to go on is made {MOST_OFFERS} times at most. In DEEPEN topics are
taken up by mean score (0.5 where nothing was asked), then by what is left, then in order, for two
turns where the mean is 0.3 or more and two sub-goals are left, else for one; the time is not
looked at. DATA_COLLECTION is what follows the last answer in every mode.

| from | when | to | the turn's strategy | row |
|---|---|---|---|---|
"""


def guided_page() -> str:
    """The page: how budgets and scores come about, and the table row by row."""
    rows = (
        f"| {row.at} | {row.when} | {row.to} | `{row.status}` | `{row.name}` |"
        for row in TRANSITIONS
    )
    return _HEAD + "\n".join(rows) + "\n"
