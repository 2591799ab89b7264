"""`manage.py plan`: the plan of a guided study, made where it is not there yet."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from interviews import plans, study_files
from interviews.models import Study
from methodologies.registry import DocumentNotFound
from methodologies.yaml_loader import DocumentInvalid


class Command(BaseCommand):
    help = "Print the plan of a guided study; a model is asked only where it is new."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="SLUG-or-FILE")
        parser.add_argument("--regenerate", action="store_true", help="Ask a model anew.")
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = self._study(options["study"])
            plan = (plans.regenerate if options["regenerate"] else plans.make)(study)
        except (DocumentInvalid, DocumentNotFound, plans.NoGuide, ValueError, OSError) as error:
            raise CommandError(str(error), returncode=1) from error
        document = plans.document(plan)
        if options["json"]:
            self.stdout.write(json.dumps(document, ensure_ascii=False))
            return
        self.stdout.write(f"Plan {plan.number} of {study.name} · {plan.signature[:12]}")
        for topic in document["explore"]["topics"]:
            turns = f"{topic['min_turns']}–{topic['base_turns']}–{topic['max_turns']} turns"
            self.stdout.write(f"  {topic['label']} ({turns}): {'; '.join(topic['sub_goals'])}")
        if message := document["intelligence"]["message"]:
            self.stdout.write(message)

    def _study(self, named: str) -> Study:
        if named.endswith((".yaml", ".yml")):
            return study_files.study_of_file(Path(named))
        study = Study.objects.filter(slug=named).first()
        if study is None:
            slugs = ", ".join(Study.objects.values_list("slug", flat=True)) or "none yet"
            raise DocumentNotFound(f"no study {named!r}; there are: {slugs}")
        return study
