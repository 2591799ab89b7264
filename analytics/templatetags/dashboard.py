"""Filters of the dashboards' templates."""

from __future__ import annotations

from django import template

from interviews.models import Session, Study
from interviews.modes.registry import label_of

register = template.Library()


@register.filter
def signed(value: float) -> str:
    """A number with its sign and two decimals, with a true minus: "+0.80", "−0.12"."""
    return f"{value:+.2f}".replace("-", "−")


@register.filter
def led_by(led: Study | Session) -> str:
    """How interviews are led: by their methodology, or by their mode where they have none."""
    if led.methodology_version is not None:
        return str(led.methodology_version)
    return label_of(led.mode if isinstance(led, Study) else led.study.mode)
