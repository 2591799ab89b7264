"""`manage.py interview`: hold an interview on the command line, through the chat's own services."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from django.core.management.base import BaseCommand, CommandError

from interviews import plans, studies, study_files
from interviews.errors import InterviewError
from interviews.models import Study, Turn, Utterance
from interviews.modes.registry import ModeMissing, missing_documents, mode_named
from interviews.report import session_report
from interviews.services import UtteranceView
from interviews.simulation.driver import Answerer, InterviewStopped, hold_interview
from interviews.simulation.respondent import SimulatedRespondent
from interviews.simulation.world import World, available_worlds, load_world
from interviews.sources import texts, work
from interviews.wording.languages import DEFAULT
from methodologies.registry import (
    CONCEPT,
    GUIDE,
    METHODOLOGY,
    DocumentNotFound,
    guide_of,
    named_or_file,
    persona_named,
)
from methodologies.yaml_loader import DocumentInvalid


class Command(BaseCommand):
    help = "Hold an interview: typed answers, a file of answers (one a line), or a persona."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--study", metavar="SLUG-or-FILE")
        parser.add_argument("--methodology", metavar="NAME-or-FILE")
        parser.add_argument("--concept", metavar="NAME-or-FILE")
        parser.add_argument("--guide", metavar="NAME-or-FILE")
        parser.add_argument("--mode", metavar="NAME", default="exploratory")
        source = parser.add_mutually_exclusive_group()
        source.add_argument("--answers", metavar="FILE", help="One answer a line; - reads stdin.")
        source.add_argument("--persona", metavar="NAME-or-FILE")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--max-turns", type=int)
        parser.add_argument(
            "--turn-seconds",
            type=float,
            metavar="N",
            help="Count each answer as having taken N seconds, 180 at most.",
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = self._study(options)
            if study.guide_version_id is not None:
                plans.make(study)
            work.prepare(study)
            answerer = self._answerer(study, options)
        except InterviewError as error:
            raise CommandError(error.message, returncode=1) from error
        except (DocumentNotFound, DocumentInvalid, ModeMissing, OSError, ValueError) as error:
            raise CommandError(str(error), returncode=1) from error
        if options["max_turns"] is not None and options["max_turns"] < 3:
            raise CommandError("--max-turns must be 3 or more", returncode=1)
        quiet = options["json"]
        try:
            session = hold_interview(
                study,
                answerer,
                seed=options["seed"],
                max_turns=options["max_turns"],
                turn_seconds=options["turn_seconds"],
                after_turn=(lambda turn: None) if quiet else self._show,
                after_aside=(lambda said: None) if quiet else self._show_aside,
            )
        except InterviewError as error:
            raise CommandError(error.message, returncode=1) from error
        except InterviewStopped as error:
            raise CommandError(str(error), returncode=2) from error
        texts.summarise_if_handover(session)
        if quiet:
            self.stdout.write(json.dumps(session_report(session), ensure_ascii=False))
        else:
            self.stdout.write(f"\nEnded: {session.termination_reason} · session {session.pk}")

    def _study(self, options: dict[str, Any]) -> Study:
        """The study named, or one for this methodology and concept, made where there is none."""
        if options["study"]:
            if options["study"].endswith((".yaml", ".yml")):
                return study_files.study_of_file(Path(options["study"]))
            study = Study.objects.filter(slug=options["study"]).first()
            if study is None:
                slugs = ", ".join(Study.objects.values_list("slug", flat=True)) or "none yet"
                raise DocumentNotFound(f"no study {options['study']!r}; there are: {slugs}")
            return study
        return _study_of(options)

    def _answerer(self, study: Study, options: dict[str, Any]) -> Answerer:
        if options["persona"]:
            if study.concept_version is None:
                raise DocumentNotFound("a persona answers about a concept; this study has none")
            respondent = SimulatedRespondent(
                _world(study.concept_version.document.name),
                persona_named(options["persona"]),
                options["seed"],
            )
            return respondent.answer
        if options["answers"] == "-" or not options["answers"]:
            lines = _lines(sys.stdin)
        else:
            lines = iter(Path(options["answers"]).read_text(encoding="utf-8").splitlines())
        if options["answers"] or options["json"]:
            answers = (line for line in lines if line.strip())
            return lambda question, turn: next(answers, None)
        return lambda question, turn: self._ask(question)

    def _ask(self, question: str) -> str | None:
        """Read one typed answer; end of input leaves the interview."""
        while True:
            self.stdout.write("> ", ending="")
            self.stdout.flush()
            line = sys.stdin.readline()
            if not line:
                return None
            if line.strip():
                return line.rstrip("\n")

    def _show_aside(self, said: Sequence[UtteranceView]) -> None:
        """Print what was heard and said beside the turns; personal values never stand in it."""
        for utterance in said:
            speaker = "I" if utterance.speaker == "interviewer" else "R"
            self.stdout.write(f"   {speaker}: {utterance.text}")

    def _show(self, turn: Turn) -> None:
        """Print what was asked after a turn, and, above it, the answer of a non-typing source."""
        said = Utterance.objects.filter(session=turn.session_id, turn_number=turn.number)
        for utterance in said.order_by("sequence"):
            speaker = "I" if utterance.speaker == "interviewer" else "R"
            self.stdout.write(f"{turn.number:>2} {speaker}: {utterance.text}")
        if turn.number and turn.strategy:
            self.stdout.write(f"     [{turn.strategy} → {turn.focus_label or 'whole interview'}]")


def _study_of(options: dict[str, Any]) -> Study:
    """The study of a mode with these documents, made where there is none.

    Raises ModeMissing, DocumentNotFound or DocumentInvalid, and CommandError where the mode needs a
    document that is not named.
    """
    mode = mode_named(options["mode"])
    options["methodology"] = options["methodology"] or mode.defaults.methodology
    missing = missing_documents(
        mode.name,
        methodology=bool(options["methodology"]),
        concept=bool(options["concept"]),
        guide=bool(options["guide"]),
    )
    if missing:
        named = " and ".join(f"--{kind}" for kind in missing)
        raise CommandError(
            f"Name a study (--study SLUG), or its documents: {named} "
            f"{'is' if len(missing) == 1 else 'are'} missing. {' '.join(missing.values())}",
            returncode=1,
        )
    slug, named_by, versions = "cli" if mode.name == "exploratory" else f"cli-{mode.name}", [], {}
    for kind, model in ((METHODOLOGY, "methodology"), (CONCEPT, "concept"), (GUIDE, "guide")):
        if options[model]:
            version = named_or_file(kind, options[model])
            versions[f"{model}_version"] = version
            named_by.append(str(version.document))
            slug += f"-{model[0]}{version.pk}"
    guide = versions.get("guide_version")
    return Study.objects.filter(slug=slug).first() or studies.create_study(
        slug=slug,
        name=" by ".join(reversed(named_by)) or mode.label,
        mode=mode.name,
        max_turns=mode.defaults.max_turns,
        language=guide_of(guide).language if guide is not None else DEFAULT,
        **versions,
    )


def _world(concept: str) -> World:
    if concept not in available_worlds():
        raise DocumentNotFound(
            f"no simulated respondent knows {concept!r}; there are worlds for: "
            + ", ".join(available_worlds())
        )
    return load_world(concept)


def _lines(stream: TextIO) -> Iterator[str]:
    for line in stream:
        yield line.rstrip("\n")
