"""Application configuration."""

from django.apps import AppConfig


class GraphsConfig(AppConfig):
    """Registers the `graphs` application."""

    name = "graphs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Prepare the database driver, before the first connection is made."""
        from graphs import driver

        driver.register()
