"""`manage.py import`: Django finds a command by the name of its module, here a keyword."""

from __future__ import annotations

from analytics.importing import ImportCommand

Command = ImportCommand
