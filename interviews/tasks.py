"""Celery's entry points: claim, call, done. The work and its safety are elsewhere."""

from __future__ import annotations

from celery import shared_task

from interviews import mailing, marks, plans, services, summaries, trials
from interviews.dispatch import (
    INDEX,
    MAKE_PLAN,
    PLAY_TRIAL,
    PROCESS_TURN,
    READ_FILE,
    RECONCILE,
    SEND_MAIL,
    SUM_UP,
    SUMMARISE,
    THEMES,
)
from interviews.models import Study
from interviews.retrieval import index
from interviews.sources import texts, work
from interviews.themes import renewal
from interviews.webhooks import delivery
from interviews.webhooks.outbox import DELIVER


@shared_task(name=PROCESS_TURN, ignore_result=True)
def process_turn(turn_id: str) -> None:
    """Process a queued turn; delivering it twice does no harm."""
    services.process_turn(turn_id)


@shared_task(name=MAKE_PLAN, ignore_result=True)
def make_plan(study_id: str) -> None:
    """Make a guided study's plan; delivering it twice asks a model once."""
    study = Study.objects.filter(pk=study_id).first()
    if study is not None:
        plans.make(study)


@shared_task(name=PLAY_TRIAL, ignore_result=True)
def play_trial(trial_id: str) -> None:
    """Have a persona hold a trial; delivering it twice holds it once."""
    trials.play(trial_id)


@shared_task(name=READ_FILE, ignore_result=True)
def read_file(file_id: str) -> None:
    """Read and analyse a file of a handover; delivering it twice does no harm."""
    work.work_on_file(file_id)


@shared_task(name=RECONCILE, ignore_result=True)
def reconcile_files(study_id: str) -> None:
    """Make what all files of a handover come to; delivering it twice does no harm."""
    work.work_on_brief(study_id)


@shared_task(name=SUMMARISE, ignore_result=True)
def summarise_handover(session_id: str) -> None:
    """Sum up a handover interview that is over; delivering it twice does no harm."""
    texts.work_on_summary(session_id)


@shared_task(name=INDEX, ignore_result=True)
def index_session(session_id: str) -> None:
    """Bring search up to what stands in an interview; delivering it twice does no harm."""
    index.index_session(session_id)


@shared_task(name=THEMES, ignore_result=True)
def renew_themes(study_id: str) -> None:
    """Group a study's slots into themes; delivering it twice does no harm."""
    renewal.ensure(study_id)


@shared_task(name=SUM_UP, ignore_result=True)
def sum_up_session(session_id: str) -> None:
    """Write the summary of an interview; delivering it twice asks a model once."""
    summaries.work_on(session_id)


@shared_task(name=DELIVER, ignore_result=True)
def deliver_webhook(delivery_id: str) -> None:
    """Send a webhook's delivery; delivering the task twice sends it once."""
    delivery.deliver(delivery_id)


@shared_task(name=SEND_MAIL, ignore_result=True)
def send_mail(study_id: str) -> None:
    """Send a study's mails that are due; delivering it twice sends none twice."""
    mailing.send(study_id)


@shared_task(name="interviews.sweep", ignore_result=True)
def sweep() -> None:
    """Publish turns again that nobody is working on."""
    services.sweep()
    trials.forget_old_hourly()
    marks.mark_ended()
    mailing.sweep()
