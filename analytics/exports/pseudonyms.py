"""The pseudonymised variant: ids renewed, what respondents gave of themselves blanked.

What somebody says of themselves in an answer is theirs to have said: only words that they gave to
a sensitive field are known here, so free text counts as unreviewed. Blanked words keep their
length, so that spans still fit.
"""

from __future__ import annotations

import copy
import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final
from uuid import UUID

from django.db import models

from analytics.exports.loaded import WholeRecord
from interviews import vault
from interviews.models import Turn
from interviews.record import readable_result_of

BLANK: Final = "•"
LEAST_WORD: Final = 2
"""Characters from which a word of a name is looked for by itself."""
FREE: Final = frozenset({"label", "focus_label", "slot_name", "quote", "about", "question_id"})
"""Short texts that hold a respondent's words, beside all long ones."""
TECHNICAL: Final = frozenset(
    [
        *("kind", "mode", "strategy", "provenance", "tier", "act", "reason", "status", "task"),
        *("provider", "model", "edge_type", "node_type", "speaker", "phase", "role", "outcome"),
        *("verdict", "continuation", "version", "schema_version", "key", "step"),
    ]
)
"""Keys of stored JSON whose values are the software's own words."""
BY_ANALYSTS: Final = frozenset({"memos", "starred", "members"})
"""What analysts wrote or grouped: it quotes respondents in words that nobody can look through."""

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
Scrub = Callable[[str], str]


def pseudonymised(record: WholeRecord, namespace: UUID) -> WholeRecord:
    """The record with renewed ids, the same ones for the same `namespace`, and words blanked."""
    scrub = _blanker(vault.values_of(record.session.pk).values())
    changer = _Changer(namespace, scrub)
    turns = [changer.row(turn) for turn in record.turns]
    for turn in turns:
        _keep_readable(turn)
    lists: dict[str, Any] = {
        one.name: [changer.row(row) for row in value]
        for one in fields(record)
        if one.name not in {"turns", "corrections", *BY_ANALYSTS}
        and (value := _rows(getattr(record, one.name)))
    }
    return replace(
        record,
        session=changer.row(record.session),
        turns=turns,
        **lists,
        corrections=[_without_words(changer.row(one)) for one in record.corrections],
        support={
            changer.id(edge): [changer.id(one) for one in surface]
            for edge, surface in record.support.items()
        },
        handover_summary=scrub(record.handover_summary),
        memos=[],
        starred=[],
        members=[],
        review=None,
        written_summary=None,
        machine=None,
    )


class _Changer:
    """Makes copies of rows in which ids and texts are others."""

    def __init__(self, namespace: UUID, scrub: Scrub) -> None:
        self._namespace, self._scrub = namespace, scrub

    def id(self, old: UUID) -> UUID:
        return uuid.uuid5(self._namespace, str(old))

    def row(self, row: Any) -> Any:
        """A copy; what it points to stays as it is and is known by the renewed id."""
        changed = copy.copy(row)
        changed._state = copy.copy(row._state)
        for one in row._meta.concrete_fields:
            if one.attname == "study_id":
                continue
            value = getattr(row, one.attname)
            # Around the descriptors: a related row that was read stays where it is.
            changed.__dict__[one.attname] = self._value(one, value)
        return changed

    def _value(self, one: models.Field[Any, Any], value: Any) -> Any:
        if isinstance(value, UUID):
            return self.id(value)
        if isinstance(one, models.JSONField):
            return self._json(value)
        if isinstance(value, str) and (isinstance(one, models.TextField) or one.name in FREE):
            return self._scrub(value)
        return value

    def _json(self, value: Any, key: str = "") -> Any:
        if isinstance(value, str):
            renewed = _UUID.sub(lambda found: str(self.id(UUID(found[0]))), value)
            return renewed if key in TECHNICAL else self._scrub(renewed)
        if isinstance(value, Mapping):
            return {self._json(k, "key"): self._json(v, str(k)) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self._json(one, key) for one in value]
        return value


def _rows(value: Any) -> Sequence[models.Model]:
    is_rows = isinstance(value, list) and bool(value) and isinstance(value[0], models.Model)
    return value if is_rows else []


def _without_words(correction: Any) -> Any:
    """A correction without who made it, and without the rows that it changed."""
    correction.made_by = "somebody"
    correction.undone_by = "somebody" if correction.undone_by else ""
    correction.detail, correction.changes = {}, {}
    return correction


def _keep_readable(turn: Turn) -> None:
    """A record in which blanks stand where the software looks for its own words is left out."""
    if turn.result and readable_result_of(turn) is None:
        turn.result = {}


def _blanker(values: Iterable[str]) -> Scrub:
    """Blank these values and each word of theirs that could be a name, however it is written."""
    found: set[str] = set()
    for value in values:
        if value == vault.UNREADABLE:
            continue
        found.add(value)
        words = re.findall(r"[^\W_]+", value)
        named = len(words) <= 4 or "@" in value
        found |= {
            word
            for word in words
            if len(word) >= LEAST_WORD and (named or word[:1].isupper() or word.isdecimal())
        }
    if not found:
        return lambda text: text
    longest_first = sorted(found, key=lambda one: (-len(one), one))
    pattern = re.compile(
        r"(?<!\w)(?:" + "|".join(re.escape(one) for one in longest_first) + r")(?!\w)",
        re.IGNORECASE,
    )
    return lambda text: pattern.sub(lambda match: re.sub(r"\S", BLANK, match[0]), text)
