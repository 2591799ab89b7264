"""Keep a short clause of time with what it dates, where the ontology has no place for occasions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from interviews.llm.providers.offline.lexicon import hits, pattern, plain, words_of
from interviews.nlp import Clause

LONGEST = 8
"""A clause of time of more words than this says something of its own."""

_TEMPORAL = re.compile(
    r"(?:especially |even |only )?(?:when|whenever|while|until|till|before|after|as soon as|once"
    r"|every time|each time)"
)


def with_their_times(parts: Sequence[Clause], text: str, *, dateless: bool) -> tuple[Clause, ...]:
    """Return `parts` with each short trailing clause of time joined to the clause before it.

    "It charges while I sleep" is one statement; "when it rains, I stay in" keeps its condition, and
    "I am nervous when I have lost my keys" keeps what the feeling comes from.
    Where the ontology has a place for occasions (not `dateless`), only what lasts or limits ("while
    they are warm", "before I pay") is joined; an occasion keeps its own clause.
    `text` is the answer that the clauses are cut from.
    """
    joined: list[Clause] = []
    for clause in parts:
        before = joined[-1] if joined else None
        if before is not None and _dates(clause, before, dateless=dateless):
            joined[-1] = replace(before, text=text[before.start : clause.end], end=clause.end)
        else:
            joined.append(clause)
    return tuple(joined)


def _dates(clause: Clause, before: Clause, *, dateless: bool) -> bool:
    return (
        not clause.initial
        and clause.sentence == before.sentence
        and bool(_TEMPORAL.fullmatch(plain(clause.marker).strip()))
        and len(words_of(clause.text)) <= LONGEST
        and not before.initial
        and (dateless or not pattern("occasion").search(plain(clause.marker)))
        and not (hits(before.text, "feelings") and "when" in plain(clause.marker))
    )
