"""`manage.py serve`: the whole site in one process."""

from __future__ import annotations

import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.urls import NoReverseMatch, reverse

from interview_project.first_run import prepare, require_free_port
from interview_project.server import Site


class Command(BaseCommand):
    """Prepares the database and serves; prints where to go."""

    help = "Serve the interviews, the console and the dashboards (what `make run` runs)."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Host and port."""
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=settings.PORT, help="port (PORT)")
        parser.add_argument(
            "--no-prepare", action="store_true", help="skip migrations, library and demo study"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Check the port, prepare, serve.

        Raises ConfigurationError when the port or the database cannot be used.
        """
        host, port = options["host"], options["port"]
        require_free_port(host, port)
        password = None if options["no_prepare"] else prepare()
        base = f"http://{host}:{port}" if port != settings.PORT else settings.PUBLIC_URL
        site = Site(host, port, on_ready=lambda: self._welcome(base, password))
        if not site.run():
            self._leave_now()

    def _welcome(self, base: str, password: str | None) -> None:
        links = [
            ("An interview", _link("chat:study", "demo") or "/"),
            ("Console", _link("admin:index") or "/admin/"),
            ("Dashboards", "/dashboard/"),
        ]
        width = max(len(name) for name, _ in links)
        for name, path in links:
            self.stdout.write(f"{name:<{width}}  {base}{path}")
        if password:
            self.stdout.write("")
            self.stdout.write(f"Sign in as admin with the password {password}")
            self.stdout.write("It is shown this once. Change it: manage.py changepassword admin")
        self.stdout.write("")
        self.stdout.write("Ctrl-C stops everything.")
        self.stdout.flush()

    def _leave_now(self) -> None:
        """Leave at once what is under way: a turn's lease runs out, and the next start has it."""
        from interview_project.embedded import server_for

        server_for(settings.DATA_DIR).leave()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _link(name: str, *args: str) -> str | None:
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return None
