"""Application configuration."""

from django.apps import AppConfig


class AnalyticsConfig(AppConfig):
    """Registers the `analytics` application."""

    name = "analytics"
    default_auto_field = "django.db.models.BigAutoField"
