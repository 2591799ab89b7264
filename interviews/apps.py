"""Application configuration."""

from django.apps import AppConfig


class InterviewsConfig(AppConfig):
    """Registers the `interviews` application."""

    name = "interviews"
    default_auto_field = "django.db.models.BigAutoField"
