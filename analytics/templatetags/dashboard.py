"""Filters of the dashboards' templates."""

from __future__ import annotations

from django import template

from interviews.models import Session, Study
from interviews.modes.registry import label_of, modes

register = template.Library()


@register.filter
def signed(value: float) -> str:
    """A number with its sign and two decimals, with a true minus: "+0.80", "−0.12"."""
    return f"{value:+.2f}".replace("-", "−")


@register.filter
def percent(share: float) -> str:
    """A share of 1 in whole percent: "40 %"."""
    return f"{round(100 * share)} %"


@register.filter
def shows(study: Study) -> bool:
    """Whether respondents are shown a concept, so that there are elements to report on."""
    mode = modes().get(study.mode)
    return mode is not None and mode.needs.stimulus


@register.filter
def led_by(led: Study | Session) -> str:
    """How interviews are led: by their methodology, or by their mode where they have none."""
    if led.methodology_version is not None:
        return str(led.methodology_version)
    return label_of(led.mode if isinstance(led, Study) else led.study.mode)
