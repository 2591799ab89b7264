"""Databases of earlier releases."""

from __future__ import annotations

from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def migrated(targets: list[tuple[str, str]]) -> Apps:
    """Bring the database to these migrations; return its models as they were then."""
    executor = MigrationExecutor(connection)
    apps: Apps = executor.migrate(targets).apps
    return apps


def newest() -> list[tuple[str, str]]:
    """The last migration of every application."""
    found: list[tuple[str, str]] = MigrationExecutor(connection).loader.graph.leaf_nodes()
    return found
