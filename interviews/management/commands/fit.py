"""`manage.py fit WHAT`: fit what ships fitted anew, or check that it belongs to data and code."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from interviews.training import manifest
from interviews.training.errors import LabelsUnusable
from interviews.training.fits import FITS


class Command(BaseCommand):
    help = "Fit the networks and the judgement that ship to their labels, or check them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "what",
            nargs="*",
            metavar="WHAT",
            help="; ".join(f"{name} ({fit.lasts} on a free core)" for name, fit in FITS.items()),
        )
        parser.add_argument(
            "--check",
            action="store_true",
            help="Fit nothing: say which weights no longer belong to their data or code.",
        )
        parser.add_argument(
            "--keep",
            metavar="REASON",
            help="Fit nothing: take WHAT for belonging to what is there now, and say why.",
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")

    def handle(self, *args: Any, **options: Any) -> None:
        what = options["what"]
        if unknown := sorted(set(what) - FITS.keys()):
            raise CommandError(
                f"nothing is fitted that is called {', '.join(unknown)}: {sorted(FITS)}"
            )
        try:
            if options["check"]:
                self._check(what or sorted(FITS), as_json=options["json"])
            elif options["keep"] is not None:
                self._keep(what, options["keep"].strip())
            elif what:
                self._fit(what, as_json=options["json"])
            else:
                raise CommandError(f"say what to fit ({', '.join(FITS)}), or --check")
        except LabelsUnusable as error:
            raise CommandError(str(error)) from error

    def _fit(self, what: list[str], *, as_json: bool) -> None:
        progress = self.stderr.write if as_json else self.stdout.write
        states = manifest.read()
        for name in what:
            FITS[name].write(progress)
            states[name] = manifest.state_of(FITS[name])
            manifest.write(states)
        if as_json:
            self.stdout.write(json.dumps({name: states[name].model_dump() for name in what}))

    def _keep(self, what: list[str], reason: str) -> None:
        if not what or not reason:
            raise CommandError("say what is kept, and why: manage.py fit reader --keep 'because …'")
        states = manifest.read()
        for name in what:
            states[name] = manifest.state_of(FITS[name], kept=reason)
        manifest.write(states)

    def _check(self, what: list[str], *, as_json: bool) -> None:
        found = {name: finding for name, finding in manifest.check().items() if name in what}
        stale = {name: finding.changed for name, finding in found.items() if finding.changed}
        if as_json:
            self.stdout.write(json.dumps({name: f.model_dump() for name, f in found.items()}))
        else:
            for name, finding in found.items():
                state = "changed since" if finding.changed else "as fitted"
                self.stdout.write(f"{name}: {'kept: ' + finding.kept if finding.kept else state}")
                for difference in finding.libraries:
                    self.stdout.write(f"  fitted with {difference}")
        if stale:
            lines = [f"  {name}: {', '.join(files)}" for name, files in stale.items()]
            raise CommandError(
                "weights no longer belong to their data or code:\n" + "\n".join(lines) + "\n"
                "fit them anew (manage.py fit WHAT) and measure (manage.py bench), or say why they "
                "may stay: manage.py fit WHAT --keep 'because …'"
            )
