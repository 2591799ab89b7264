"""Filters of the dashboards' templates."""

from __future__ import annotations

from urllib.parse import urlencode

from django import template

from analytics.study.comparison import Estimate
from analytics.study.matrix import Cell
from interviews.models import Session, Study
from interviews.modes.registry import label_of, modes
from methodologies.signals import words

register = template.Library()


@register.filter
def signed(value: float) -> str:
    """A number with its sign and two decimals, with a true minus: "+0.80", "−0.12"."""
    return f"{value:+.2f}".replace("-", "−")


@register.filter
def shows(study: Study | None) -> bool:
    """Whether respondents are shown a concept, so that there are elements to report on.

    Never where a page is of no study: Django resolves the filter all the same.
    """
    mode = modes().get(study.mode) if study is not None else None
    return mode is not None and mode.needs.stimulus


@register.filter
def led_by(led: Study | Session) -> str:
    """How interviews are led: by their methodology, or by their mode where they have none."""
    if led.methodology_version is not None:
        return str(led.methodology_version)
    return label_of(led.mode if isinstance(led, Study) else led.study.mode)


@register.filter
def human(name: str) -> str:
    """A name of the software in words: "functional_consequence" as "functional consequence"."""
    return words.human(name)


@register.filter
def percent(share: float | None) -> str:
    """A share of 1 in whole percent, "40 %"; a dash where there is none."""
    return "–" if share is None else f"{100 * share:.0f} %"


@register.filter
def active_time(minutes: float | None) -> str:
    """Minutes to one place, "4.5 min"; what is shorter than one is said to be, not "0.0 min"."""
    if minutes is None:
        return "–"
    return "under a minute" if minutes < 1 else f"{minutes:.1f} min"


@register.filter
def estimate(found: Estimate) -> str:
    """A share, or a difference of shares, with its interval in per cent: "40 % (24 to 58)"."""
    if found.value is None or found.low is None or found.high is None:
        return "–"
    value, low, high = (f"{100 * one:.0f}" for one in (found.value, found.low, found.high))
    return f"{value} % ({low} to {high})".replace("-", "−")


@register.filter
def mean_of(found: Estimate) -> str:
    """A mean, or a difference of means, with its interval: "9.8 (8.1 to 11.6)"."""
    if found.value is None:
        return "–"
    return f"{found.value:.1f} ({found.low:.1f} to {found.high:.1f})".replace("-", "−")


@register.filter
def relation_address(cell: Cell, query: str) -> str:
    """What asks for the sentences of a relation, as the query of an address."""
    asked = urlencode({"kind": "relation", "source": cell.source, "target": cell.target})
    return f"{asked}&{query}" if query else asked


@register.filter
def times(number: float, factor: float) -> float:
    """A number times another, for places in drawings."""
    return round(float(number) * float(factor), 1)


@register.filter
def plus(number: float, more: float) -> float:
    """A number and another, for places in drawings."""
    return round(float(number) + float(more), 1)


@register.filter
def minus(number: float, less: float) -> float:
    """A number less another, for places in drawings."""
    return round(float(number) - float(less), 1)
