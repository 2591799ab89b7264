"""Application configuration."""

from django.apps import AppConfig


class MethodologiesConfig(AppConfig):
    """Registers the `methodologies` application."""

    name = "methodologies"
    default_auto_field = "django.db.models.BigAutoField"
