"""What a start makes sure of: tables, the library, the demonstration study, an administrator."""

from __future__ import annotations

import fcntl
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import StringIO

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import ManagementUtility, call_command, get_commands
from django.core.management.base import BaseCommand
from django.db import connection, transaction

from interview_project.errors import ConfigurationError
from interview_project.secret import ensure_data_dir, unusable

NEED_TABLES = frozenset(
    {
        "agreement",
        "ask",
        "api_token",
        "audit",
        "backtest",
        "bench",
        "coverage",
        "demo_data",
        "explain",
        "export",
        "handover",
        "import",
        "interview",
        "invite",
        "load_library",
        "matrix",
        "plan",
        "retention",
        "rotate_personal_data",
        "saturation",
        "search",
        "study",
        "theme",
        "themes",
        "value_map",
    }
)
"""Our commands that read or write the database. Those that make it or do without are not here."""


class Manage(ManagementUtility):
    """Django's runner of commands, by which a command that needs tables finds them."""

    def fetch_command(self, subcommand: str) -> BaseCommand:
        subcommand = subcommand.replace("-", "_")  # as options are written: api-token
        command = super().fetch_command(subcommand)
        if subcommand in NEED_TABLES or command.requires_migrations_checks:
            # Django calls this when the arguments have been read and before the command runs.
            library = subcommand != "load_library"
            command.requires_migrations_checks = True
            command.check_migrations = partial(require_tables, library=library)  # type: ignore[method-assign]
        return command


def require_tables(*, library: bool = True) -> None:
    """Make the embedded database ready for use, with the library unless the caller loads it.

    Says so in one line on stderr where there was something to do. Raises ConfigurationError where
    the server of DATABASE_URL is behind: that one is migrated when its people say so.
    """
    if settings.ENVIRONMENT.database_url:
        if _behind():
            raise ConfigurationError(
                "The database of DATABASE_URL is not up to date: run manage.py migrate"
            )
        return
    with _alone():
        if not _behind() and not (library and _without_library()):
            return
        sys.stderr.write(f"Preparing the embedded database in {settings.DATA_DIR}\n")
        call_command("migrate", interactive=False, verbosity=0)
        if library:
            call_command("load_library", verbosity=0, stdout=StringIO())


def _behind() -> bool:
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _without_library() -> bool:
    from methodologies.models import Methodology

    return not Methodology.objects.exists()


@contextmanager
def _alone() -> Iterator[None]:
    """Two processes that start at once on one data folder prepare it one after the other."""
    if settings.ENVIRONMENT.database_url:
        yield
        return
    ensure_data_dir(settings.DATA_DIR)
    try:
        file = (settings.DATA_DIR / "prepare.lock").open("ab")
    except OSError as error:
        raise unusable(settings.DATA_DIR, error) from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def require_free_port(host: str, port: int) -> None:
    """Try the port before anything is started.

    Raises ConfigurationError that names PORT when something else listens there.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise ConfigurationError(
                f"Port {port} on {host} cannot be used ({error.strerror}).\n"
                f"Choose another: PORT={port + 1 if port < 65535 else 8000} make run"
            ) from error


def prepare() -> str | None:
    """Bring the database up to date; every step may be repeated.

    Returns the password of the first administrator if it was made just now.
    """
    with _alone():
        call_command("migrate", interactive=False, verbosity=0)
        known = get_commands()
        for command in ("load_library", "demo_data"):
            if command in known:
                call_command(command, verbosity=0, stdout=StringIO())
        return first_administrator()


def first_administrator() -> str | None:
    """Make `admin` where there is no administrator yet, and return its password, this once."""
    users = get_user_model()
    with transaction.atomic():
        if users.objects.filter(is_superuser=True).exists():
            return None
        password = secrets.token_urlsafe(12)
        user, _ = users.objects.get_or_create(username="admin")
        user.is_staff = user.is_superuser = user.is_active = True
        user.set_password(password)
        user.save()
    return password
