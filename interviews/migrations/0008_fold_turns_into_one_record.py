from django.db import migrations, models

FOLD = """
UPDATE interviews_turn
SET result = result || jsonb_build_object(
    'signals', signals, 'node_signals', node_signals,
    'decomposition', decomposition, 'saturation', saturation)
WHERE result ? 'trace'
"""
UNFOLD = """
UPDATE interviews_turn
SET signals = result -> 'signals', node_signals = result -> 'node_signals',
    decomposition = result -> 'decomposition', saturation = result -> 'saturation',
    result = result - ARRAY['signals', 'node_signals', 'decomposition', 'saturation']
WHERE result ? 'trace';
UPDATE interviews_turn
SET saturation = result -> 'saturation'
WHERE result ? 'version' AND jsonb_typeof(result -> 'saturation') = 'object'
"""


class Migration(migrations.Migration):
    dependencies = [("interviews", "0007_speak_known_languages")]

    operations = [
        migrations.RunSQL(FOLD, UNFOLD),
        migrations.RemoveField(model_name="turn", name="signals"),
        migrations.RemoveField(model_name="turn", name="node_signals"),
        migrations.RemoveField(model_name="turn", name="decomposition"),
        migrations.RemoveField(model_name="turn", name="saturation"),
        migrations.AlterField(
            model_name="turn",
            name="result",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="The record of the turn: what was read, added, decided.",
            ),
        ),
    ]
