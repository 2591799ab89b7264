"""Application configuration."""

from django.apps import AppConfig


class GraphsConfig(AppConfig):
    """Registers the `graphs` application."""

    name = "graphs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make vectors known to the database driver, before the first connection is made."""
        from graphs import vectors

        vectors.register()
