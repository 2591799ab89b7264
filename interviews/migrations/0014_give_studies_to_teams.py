"""Teams; every study that is there goes to the team Default."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def make_default_team(apps, editor):
    apps.get_model("interviews", "Team").objects.using(editor.connection.alias).create(
        pk=DEFAULT_PK, name="Default"
    )
    # The number was given by hand: let the next team have the one after it.
    editor.execute(
        "SELECT setval(pg_get_serial_sequence('interviews_team', 'id'), %s)", [DEFAULT_PK]
    )


DEFAULT_PK = 1


class Migration(migrations.Migration):
    dependencies = [
        ("interviews", "0013_tell_respondents_where_they_are"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Team",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80, unique=True)),
                (
                    "members",
                    models.ManyToManyField(
                        blank=True,
                        help_text="They see this team's studies, each as far as their role goes.",
                        related_name="teams",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"ordering": ["name"]},
        ),
        migrations.RunPython(make_default_team, migrations.RunPython.noop),
        migrations.AddField(
            model_name="study",
            name="team",
            field=models.ForeignKey(
                default=DEFAULT_PK,
                help_text="Whose members see this study; the team Default where none is named.",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="studies",
                to="interviews.team",
            ),
            preserve_default=False,
        ),
    ]
