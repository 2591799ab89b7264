"""The Celery application; its tasks are thin entry points in `interviews.tasks`."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "interview_project.settings")

app = Celery("interview_project")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# For every thread: by itself Celery knows its current app only on the thread that made it.
app.set_default()
