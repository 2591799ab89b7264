"""Make the groups that are roles, and keep open what was open to the people who are here.

Until now being staff opened everything: staff become researchers, superusers administrators, and
both, with the analysts, members of the team Default, which has every study.
"""

from __future__ import annotations

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Q


def make_roles(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    alias = editor.connection.alias
    groups = apps.get_model("auth", "Group").objects.using(alias)
    roles = {
        name: groups.get_or_create(name=name)[0]
        for name in ("administrator", "researcher", "analyst")
    }
    people = apps.get_model("auth", "User").objects.using(alias)
    roles["administrator"].user_set.add(*people.filter(is_superuser=True))
    roles["researcher"].user_set.add(*people.filter(is_staff=True, is_superuser=False))
    team = apps.get_model("interviews", "Team").objects.using(alias).get(name="Default")
    team.members.add(
        *people.filter(Q(is_staff=True) | Q(is_superuser=True) | Q(groups__name="analyst"))
    )


class Migration(migrations.Migration):
    dependencies = (
        ("analytics", "0001_make_group_of_analysts"),
        ("interviews", "0014_give_studies_to_teams"),
    )

    # Going back leaves groups and members: people may have been put into them.
    operations = (migrations.RunPython(make_roles, migrations.RunPython.noop),)
