"""Application configuration."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class ConsoleConfig(AppConfig):
    """Registers the pages of the console."""

    name = "console"


class ConsoleAdminConfig(AdminConfig):
    """Makes the console's site the one that pages are registered with."""

    default = False
    default_site = "console.site.ConsoleSite"
