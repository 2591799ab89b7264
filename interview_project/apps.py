"""Application configuration."""

from django.apps import AppConfig


class InterviewProjectConfig(AppConfig):
    """Registers the wiring, for its management commands."""

    name = "interview_project"
    verbose_name = "Interviews"

    def ready(self) -> None:
        """Make the Celery application the one that tasks are sent to, in every process."""
        from interview_project import celery  # noqa: F401
