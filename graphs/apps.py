"""Application configuration."""

from django.apps import AppConfig


class GraphsConfig(AppConfig):
    """Registers the `graphs` application."""

    name = "graphs"
    default_auto_field = "django.db.models.BigAutoField"
