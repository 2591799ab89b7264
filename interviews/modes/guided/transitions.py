"""The phases of a guided interview: one table says what follows an answer.

The table is drawn into `docs/reference/guided.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from interviews.modes.guided.situation import MOST_OFFERS, Situation
from interviews.modes.guided.state import Phase, Status

Effect = Literal["reword", "stay", "back", "bonus", "same", "next", "offer", "deepen", "on", "end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A row of the table: of a phase's rows the first whose condition holds acts.

    `when` tells the condition in words, `status` is the next question's, `effect` what it is.
    """

    name: str
    at: Phase
    when: str
    holds: Callable[[Situation], bool]
    to: Phase
    status: Status
    effect: Effect


def _row(
    name: str,
    way: tuple[Phase, Phase],
    when: str,
    holds: Callable[[Situation], bool],
    what: tuple[Status, Effect],
) -> Transition:
    return Transition(
        name=name, at=way[0], to=way[1], when=when, holds=holds, status=what[0], effect=what[1]
    )


_OVER: tuple[Status, Effect] = ("data_collection_consent", "end")


def _ends_anywhere(phase: Phase, short: str) -> tuple[Transition, Transition]:
    """What ends every phase: the respondent's wish, and `max_turns`."""
    return (
        _row(
            f"{short}_closure",
            (phase, "DATA_COLLECTION"),
            "the respondent wants to stop",
            lambda s: s.heard.closure,
            _OVER,
        ),
        _row(
            f"{short}_max_turns",
            (phase, "DATA_COLLECTION"),
            "`max_turns` answers were given",
            lambda s: s.heard.answers_left <= 0,
            _OVER,
        ),
    )


TRANSITIONS: tuple[Transition, ...] = (
    *_ends_anywhere("EXPLORE", "explore"),
    _row(
        "explore_reworded",
        ("EXPLORE", "EXPLORE"),
        "not understood, fewer than 2 rewordings in this topic: the same sub-goal, no turn used",
        lambda s: s.may_reword,
        ("exploring", "reword"),
    ),
    _row(
        "explore_time_offer",
        ("EXPLORE", "DEEP_OFFER"),
        "the time is used up and a sub-goal is left",
        lambda s: s.out_of_time and s.uncovered,
        ("deep_offer_ask", "offer"),
    ),
    _row(
        "explore_time_over",
        ("EXPLORE", "DATA_COLLECTION"),
        "the time is used up and nothing is left",
        lambda s: s.out_of_time,
        _OVER,
    ),
    _row(
        "explore_disclosure",
        ("EXPLORE", "EXPLORE"),
        "a disclosure that was not stayed with yet, used < max: stay with it for one question",
        lambda s: s.stays,
        ("exploring", "stay"),
    ),
    _row(
        "explore_back",
        ("EXPLORE", "EXPLORE"),
        "the answer left the topic and was not brought back yet, used < max: the same sub-goal",
        lambda s: s.brings_back,
        ("exploring", "back"),
    ),
    _row(
        "explore_low",
        ("EXPLORE", "EXPLORE"),
        "LOW, used ≥ min, not the last topic",
        lambda s: s.is_low and not s.is_last,
        ("transition", "next"),
    ),
    _row(
        "explore_bonus",
        ("EXPLORE", "EXPLORE"),
        "HIGH, base ≤ used < max, and a later topic can give a turn",
        lambda s: s.bonus,
        ("exploring_deep", "bonus"),
    ),
    _row(
        "explore_base",
        ("EXPLORE", "EXPLORE"),
        "used ≥ base, not the last topic",
        lambda s: s.base_used and not s.is_last,
        ("transition", "next"),
    ),
    _row(
        "explore_last_left",
        ("EXPLORE", "DEEPEN"),
        "the last topic is done (LOW and used ≥ min, or used ≥ base) and a sub-goal is left",
        lambda s: (s.is_low or s.base_used) and s.uncovered,
        ("deepening", "deepen"),
    ),
    _row(
        "explore_last_covered",
        ("EXPLORE", "DATA_COLLECTION"),
        "the last topic is done and nothing is left",
        lambda s: s.is_low or s.base_used,
        _OVER,
    ),
    _row(
        "explore_same",
        ("EXPLORE", "EXPLORE"),
        "otherwise: the same topic",
        lambda s: True,
        ("exploring", "same"),
    ),
    *_ends_anywhere("DEEP_OFFER", "offer"),
    _row(
        "offer_accepted",
        ("DEEP_OFFER", "DEEPEN"),
        "the offer is accepted (ACCEPT)",
        lambda s: s.heard.reply == "ACCEPT",
        ("deepening", "deepen"),
    ),
    _row(
        "offer_refused",
        ("DEEP_OFFER", "DATA_COLLECTION"),
        "the offer is refused (REFUSE)",
        lambda s: s.heard.reply == "REFUSE",
        _OVER,
    ),
    _row(
        "offer_unclear_twice",
        ("DEEP_OFFER", "DATA_COLLECTION"),
        "neither, for the second time (NEUTRAL)",
        lambda s: s.state.extension_offer_attempts >= MOST_OFFERS,
        _OVER,
    ),
    _row(
        "offer_unclear",
        ("DEEP_OFFER", "DEEP_OFFER"),
        "neither (NEUTRAL): the offer is made once more",
        lambda s: True,
        ("deep_offer_ask", "offer"),
    ),
    *_ends_anywhere("DEEPEN", "deepen"),
    _row(
        "deepen_reworded",
        ("DEEPEN", "DEEPEN"),
        "not understood, fewer than 2 rewordings in this topic: the same sub-goal, no turn used",
        lambda s: s.may_reword,
        ("deepening", "reword"),
    ),
    _row(
        "deepen_same",
        ("DEEPEN", "DEEPEN"),
        "used < limit and a sub-goal of the topic is left",
        lambda s: not s.deepened,
        ("deepening", "same"),
    ),
    _row(
        "deepen_next",
        ("DEEPEN", "DEEPEN"),
        "the topic is done and another one is to be taken up",
        lambda s: len(s.state.deepen) > 1,
        ("deepening", "on"),
    ),
    _row(
        "deepen_done",
        ("DEEPEN", "DATA_COLLECTION"),
        "the last topic to be taken up is done",
        lambda s: True,
        _OVER,
    ),
)
"""Of the rows of a phase the first whose condition holds acts. DATA_COLLECTION has none: what
follows the last answer is the same in every mode."""
