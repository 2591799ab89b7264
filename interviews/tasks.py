"""Celery's entry points: claim, call, done. The work and its safety are elsewhere."""

from __future__ import annotations

from celery import shared_task

from interviews import services
from interviews.dispatch import PROCESS_TURN


@shared_task(name=PROCESS_TURN, ignore_result=True)
def process_turn(turn_id: str) -> None:
    """Process a queued turn; delivering it twice does no harm."""
    services.process_turn(turn_id)


@shared_task(name="interviews.sweep", ignore_result=True)
def sweep() -> None:
    """Publish turns again that nobody is working on."""
    services.sweep()
