"""Make the group whose members read the dashboards, so that nobody has to know its name."""

from __future__ import annotations

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

ANALYST_GROUP = "analyst"


def make_group(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("auth", "Group").objects.using(editor.connection.alias).get_or_create(
        name=ANALYST_GROUP
    )


class Migration(migrations.Migration):
    dependencies = (("auth", "0012_alter_user_first_name_max_length"),)

    # Going back leaves the group: people may have been put into it.
    operations = (migrations.RunPython(make_group, migrations.RunPython.noop),)
