#!/usr/bin/env python
"""Django's commands, with errors that are for people told as such."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

WRONG_INPUT = 1
SYSTEM_AT_FAULT = 2


def _leave(signum: int, frame: FrameType | None) -> None:
    """Turn SIGTERM into an ordinary exit, so that what was started here is stopped here."""
    sys.exit(128 + signum)


def main() -> None:
    """Run the command named on the command line; exit 2 when machine or settings are at fault."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "interview_project.settings")
    signal.signal(signal.SIGTERM, _leave)
    try:
        from django.db import OperationalError
    except ImportError:
        sys.stderr.write("Django is not installed here. Run `make setup`, then `make run`.\n")
        sys.exit(SYSTEM_AT_FAULT)

    # After Django, so that a missing installation is told in one line.
    from interview_project.errors import ConfigurationError
    from interview_project.first_run import Manage

    try:
        Manage(sys.argv).execute()
    except ConfigurationError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(SYSTEM_AT_FAULT)
    except OperationalError as error:
        if "--traceback" in sys.argv:
            raise
        sys.stderr.write(
            f"The database did not answer: {str(error).strip()}\n"
            "Check that it runs and that DATABASE_URL is right, "
            "or unset DATABASE_URL to use the embedded PostgreSQL.\n"
        )
        sys.exit(SYSTEM_AT_FAULT)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
