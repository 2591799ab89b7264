"""Every call belongs to the study that pays for it, in an interview or outside of one."""

from __future__ import annotations

from typing import Any, ClassVar

import django.db.models.deletion
from django.db import migrations, models


def study_of_the_session(apps: Any, schema_editor: Any) -> None:
    """Calls so far were made in interviews; one without a session was on nobody's budget."""
    call = apps.get_model("interviews", "LLMCall")
    session = apps.get_model("interviews", "Session")
    call.objects.filter(session=None).delete()
    of_session = session.objects.filter(pk=models.OuterRef("session_id")).values("study_id")
    call.objects.update(study_id=models.Subquery(of_session))


class Migration(migrations.Migration):
    dependencies: ClassVar = [("interviews", "0002_record_erasures")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="llmcall",
            name="study",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="llm_calls",
                to="interviews.study",
            ),
        ),
        migrations.RunPython(study_of_the_session, migrations.RunPython.noop),
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="llmcall",
            name="study",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="llm_calls",
                to="interviews.study",
            ),
        ),
        migrations.AddField(
            model_name="llmcall",
            name="stands_in_for",
            field=models.CharField(
                blank=True,
                default="",
                help_text="The failure after which this call was made instead.",
                max_length=20,
            ),
            preserve_default=False,
        ),
        migrations.AddIndex(
            model_name="llmcall",
            index=models.Index(
                condition=models.Q(("outcome", "ok"), _negated=True),
                fields=["created_at"],
                name="llmcall_failed",
            ),
        ),
    ]
