"""`manage.py elements`: proposals for the elements of a stimulus, each with its place in it."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from interviews.elements import NothingToPropose, propose
from interviews.llm.errors import LLMError
from interviews.wording.languages import DEFAULT, LANGUAGES


class Command(BaseCommand):
    help = "Propose the elements of the text in a file, for a concept that is to be tested."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="A text in UTF-8: what respondents see.")
        parser.add_argument("--language", choices=list(LANGUAGES), default=DEFAULT)
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")

    def handle(self, *args: Any, **options: Any) -> None:
        file = options["file"]
        try:
            text = Path(file).read_text(encoding="utf-8-sig")
            found = propose(text, language=options["language"])
        except UnicodeDecodeError as error:
            raise CommandError(f"{file}: it is no text in UTF-8", returncode=1) from error
        except (NothingToPropose, OSError) as error:
            raise CommandError(f"{file}: {error}", returncode=1) from error
        except LLMError as error:
            raise CommandError(f"nobody answered: {error}", returncode=2) from error
        if options["json"]:
            elements = [proposal.as_json() for proposal in found]
            self.stdout.write(json.dumps({"elements": elements}, ensure_ascii=False))
            return
        for proposal in found:
            towards = f" → {', '.join(proposal.connects_to)}" if proposal.connects_to else ""
            place = f"{proposal.start}-{proposal.end}"
            self.stdout.write(
                f"{proposal.priority} {proposal.kind:<8} {proposal.label}{towards}  [{place}]"
            )
