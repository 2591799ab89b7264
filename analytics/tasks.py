"""Celery's entry points of this app."""

from __future__ import annotations

from celery import shared_task

from analytics import export_files


@shared_task(name=export_files.WRITE_EXPORT, ignore_result=True)
def write_export(file_id: str) -> None:
    """Write a large export; delivering it twice does no harm."""
    export_files.write(file_id)
