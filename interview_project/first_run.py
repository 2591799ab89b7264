"""What a start makes sure of: tables, the library, the demonstration study, an administrator."""

from __future__ import annotations

import secrets
import socket
from io import StringIO

from django.contrib.auth import get_user_model
from django.core.management import call_command, get_commands
from django.db import transaction

from interview_project.errors import ConfigurationError


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
