"""`manage.py worker`: a Celery worker on threads, and a sweeper beside it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from kombu.transport.redis import Channel

from interview_project.celery import app
from interview_project.errors import ConfigurationError
from interview_project.first_run import require_tables
from interview_project.server import sweep, warm_up
from interview_project.sweeper import Sweeper


class Command(BaseCommand):
    """Takes turns from Redis; run as many as there are machines."""

    help = "Run a worker for the broker in REDIS_URL (what `make worker` runs)."

    def add_arguments(self, parser: CommandParser) -> None:
        """How many turns at once."""
        parser.add_argument(
            "--concurrency",
            type=int,
            default=settings.TURNS_AT_ONCE,
            help="turns under way at once (TURNS_AT_ONCE)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Load the embedding model, then work until stopped.

        Raises ConfigurationError without REDIS_URL (a broker in memory reaches no other process)
        and where the database of DATABASE_URL is not migrated.
        """
        if not settings.REDIS_URL:
            raise ConfigurationError(
                "A worker of its own needs REDIS_URL (redis://localhost:6379/0).\n"
                "Without Redis, `make run` works the turns itself."
            )
        require_tables()
        # A turn is a row, and the sweeper finds it again. Celery would put a message back whose
        # acknowledgement failed because Redis went away, fail at that, too, and end for good.
        Channel.do_restore = False
        warm_up()
        sweeper = Sweeper(sweep)
        sweeper.start()
        try:
            app.worker_main(
                [
                    "worker",
                    "--pool=threads",
                    f"--concurrency={options['concurrency']}",
                    f"--loglevel={settings.ENVIRONMENT.log_level}",
                    "--without-gossip",
                    "--without-mingle",
                ]
            )
        finally:
            sweeper.stop()
