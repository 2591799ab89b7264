"""`bench acts`: how well rules hear what an answer does, against labelled utterances."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings

from interviews.acts import ACTS
from interviews.acts.rules import act_of
from interviews.bench.errors import BenchImpossible

HELD_OUT = Path("tests/data/acts/held_out.tsv")
GOAL = 0.9


def bench_acts(file: Path | None = None) -> dict[str, Any]:
    """Return precision and recall of each act on the held-out utterances, sums alone.

    `file` holds other utterances of the same form. Raises BenchImpossible where it is missing.
    """
    path = file or Path(settings.BASE_DIR) / HELD_OUT
    if not path.exists():
        raise BenchImpossible(f"the labelled utterances are missing: {path}")
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    pairs = [(row["act"], act_of(row["text"], "en", row["question"])) for row in rows]
    return {
        "utterances": len(pairs),
        "right": sum(labelled == heard for labelled, heard in pairs),
        "by_act": {act: _figures(act, pairs) for act in ACTS},
        "conditions": {"read_by": "rules", "language": "en", "goal": GOAL},
    }


def _figures(act: str, pairs: Iterable[tuple[str, str]]) -> dict[str, float | int | None]:
    """How often an act was labelled and heard, with precision and recall; None without any."""
    labelled = heard = both = 0
    for one, other in pairs:
        labelled += one == act
        heard += other == act
        both += one == other == act
    return {
        "labelled": labelled,
        "heard": heard,
        "precision": both / heard if heard else None,
        "recall": both / labelled if labelled else None,
    }
