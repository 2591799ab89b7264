"""`manage.py llm check`: does every role have somebody who answers?"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from interviews.llm.check import Checked, check_roles
from interviews.llm.config import OFFLINE
from interviews.llm.errors import LLMConfigurationError
from interviews.llm.prefixes import KEPT_FROM, Prefix, prefixes
from interviews.llm.setup import free_gateway, llm_config
from interviews.llm.tasks.extraction import EXTRACTION
from interviews.llm.tasks.response_rating import RESPONSE_RATING, RatingInputs
from interviews.modes.common.reading import reading_terms, rubrics_text
from methodologies.registry import LIBRARY
from methodologies.yaml_loader import load_methodology

TYPICAL = "means_end_chain"
"""The shipped methodology whose terms the length of prompts is told with."""
OFFLINE_MISSES = (
    "No key is set and interviews still work, held offline by rules and small fitted "
    "networks: for a language model set "
    "ANTHROPIC_API_KEY, OPENAI_API_KEY, KIMI_API_KEY or DEEPSEEK_API_KEY, or name a provider in "
    "LLM_<ROLE>_PROVIDER."
)
"""What is missing where every role is offline, in one sentence."""


class Command(BaseCommand):
    """Prints latency, cost and a verdict for each role; exit 1 when one fails."""

    help = "Check the language models: one small call for each role."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["check"])
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            config = llm_config()
        except LLMConfigurationError as error:
            self.stderr.write(str(error))
            sys.exit(1)
        results = []
        for result in check_roles(config, free_gateway, time.monotonic):
            results.append(result)
            if not options["json"]:
                self.stdout.write(self._coloured(result))
        # A fallback that is down is worth knowing, but interviews can be held without it.
        failed = [r for r in results if not r.ok and r.part == "provider"]
        verdict = self._verdict(results, failed)
        kept = list(typical_prefixes())
        if options["json"]:
            document = {
                "ok": not failed,
                "verdict": verdict,
                "roles": [result.as_json() for result in results],
                "prefixes": [prefix.as_json() for prefix in kept],
            }
            self.stdout.write(json.dumps(document))
        else:
            self.stdout.write(_caches(kept))
            self.stdout.write(verdict)
        if failed:
            sys.exit(1)

    def _coloured(self, result: Checked) -> str:
        """Green for who answers, red for who does not, where the terminal has colours."""
        style = self.style.SUCCESS if result.ok else self.style.ERROR
        return str(style(_line(result)))

    @staticmethod
    def _verdict(results: list[Checked], failed: list[Checked]) -> str:
        if failed:
            roles = ", ".join(result.role for result in failed)
            return f"Not ready: nobody answers for {roles}."
        if all(result.provider == OFFLINE for result in results):
            return OFFLINE_MISSES
        asleep = [result.role for result in results if not result.ok]
        if asleep:
            return f"Ready, but without a fallback for {', '.join(asleep)}."
        return "Ready: every role has somebody who answers."


def typical_prefixes() -> Iterable[Prefix]:
    """What of each task's prompt stays, with the terms of a shipped methodology."""
    text = (LIBRARY / "methodologies" / f"{TYPICAL}.yaml").read_text(encoding="utf-8")
    methodology = load_methodology(text, TYPICAL)
    return prefixes(
        {
            EXTRACTION.name: reading_terms(methodology),
            RESPONSE_RATING.name: RatingInputs(question="", answer="", rubrics=rubrics_text()),
        }
    )


def _caches(kept: Sequence[Prefix]) -> str:
    cached = ", ".join(f"{one.task} (about {one.tokens} tokens)" for one in kept if one.cached)
    longest = next((one for one in kept if not one.cached), None)
    rest = f"; all others are shorter, {longest.task} with {longest.tokens} next" if longest else ""
    return f"What providers cache from {KEPT_FROM} tokens on: {cached or 'nothing'}{rest}."


def _line(result: Checked) -> str:
    cost = "no price" if result.cost_usd is None else f"${result.cost_usd:.6f}"
    return (
        f"{'ok  ' if result.ok else 'FAIL'} {result.role:<10} {result.part:<8} "
        f"{result.provider} {result.model}: {result.detail} "
        f"({result.latency_ms} ms, {result.tokens_in}+{result.tokens_out} tokens, {cost})"
    )
