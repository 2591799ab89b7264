"""Filters of the dashboards' templates."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def signed(value: float) -> str:
    """A number with its sign and two decimals, with a true minus: "+0.80", "−0.12"."""
    return f"{value:+.2f}".replace("-", "−")
