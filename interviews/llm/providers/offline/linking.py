"""Join statements to each other and to what the question was about, as the ontology permits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from interviews.llm.providers.offline.direction import Direction, direction_of
from interviews.llm.providers.offline.lexicon import lemmas, overlap, pattern, plain
from interviews.llm.providers.offline.statements import Reading, Statement
from interviews.llm.tasks.extraction import EdgeTypeInput, ExtractionInputs
from interviews.nlp import partner_of

SAID = 0.85
IMPLIED = 0.6
"""Confidence in a relation with a connective, and in one that only the order suggests."""

RETYPE_ABOVE = 0.85
"""A statement may take another type for a relation's sake if that scores this share of its best."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A relation between two statements, one of which may be the focus of the question."""

    source: Statement
    target: Statement
    edge_type: str
    confidence: float


class Linker:
    """Collects the links of one answer; each pair of statements is joined at most once."""

    def __init__(self, inputs: ExtractionInputs, reading: Reading) -> None:
        self._inputs = inputs
        self._reading = reading
        self._levels: Mapping[str, int | None] = {t.name: t.level for t in inputs.node_types}
        self.links: list[Link] = []

    def link(self) -> list[Link]:
        """Find all links, those with a connective first."""
        self._within_clauses()
        self._between_clauses()
        self._by_order()
        self._to_focus()
        self._as_told()
        return self.links

    # -- where relations are ---------------------------------------------------------------------
    def _within_clauses(self) -> None:
        for first, second in pairwise(self._reading.statements):
            if first.leads_to_next and first.clause == second.clause:
                self._join(first, second, "causal", SAID)

    def _between_clauses(self) -> None:
        parts = self._reading.clauses
        for index, clause in enumerate(parts):
            partner = partner_of(parts, index)
            own = self._reading.of(index)
            if clause.kind is None or partner is None or not own:
                continue
            others = self._nearest(partner)
            if not others:
                continue
            kind = _KIND.get(clause.kind, clause.kind)
            if kind == "contrast" and (others[0].known or not self._same_sentence(own, others)):
                continue  # "I may be wrong, but …" is set against nothing that was said
            if kind == "contrast":
                own, others = own[:1], others[-1:]
            goes_on = others[0].known and kind in {"causal", "purpose"}
            first, second = (own, others) if clause.grounds and not goes_on else (others, own)
            flexible = clause.kind == "cause" and not goes_on
            for source, target in _pairs(first, second):
                self._join(source, target, kind, SAID, flexible=flexible)

    def _by_order(self) -> None:
        """What follows in the same breath and stands higher is taken to follow from it."""
        statements = self._reading.statements
        for before, after in pairwise(statements):
            if before.clause == after.clause or self._linked(before, after):
                continue
            parts = self._reading.clauses
            same = parts[before.clause].sentence == parts[after.clause].sentence
            opposed = parts[after.clause].kind in {"contrast", "time"}
            own = bool(pattern("first_person").match(parts[after.clause].text))
            next_to = same and after.clause - before.clause == 1
            parallel = self._inputs.focus is not None and not after.anaphoric
            if opposed or parallel or not (after.anaphoric or after.feeling or (next_to and own)):
                continue
            if self._higher(after, before) and not self._has_incoming(after):
                self._join(before, after, "causal", IMPLIED, retype=False)

    def _as_told(self) -> None:
        """Events of one sentence that are told one after the other lead on to each other."""
        for before, after in pairwise(self._reading.statements):
            parts = self._reading.clauses
            next_to = after.clause - before.clause in {0, 1}
            if not next_to or self._sentence(before) != self._sentence(after):
                continue
            if parts[after.clause].kind == "contrast" or self._is_joined(after):
                continue
            if self._reading.is_event(before) and self._reading.is_event(after):
                self._join(before, after, "causal", IMPLIED, retype=False)

    def _to_focus(self) -> None:
        focus = self._inputs.focus
        if focus is None:
            return
        known = Statement(label=focus.label, node_type=focus.node_type, settled=True)
        direction = direction_of(self._inputs.question)
        new = [s for s in self._reading.statements if not _same(s.label, focus.label)]
        if len(new) < len(self._reading.statements):
            same = next(s for s in self._reading.statements if _same(s.label, focus.label))
            known = same  # the focus is said again: relations hang on its own words
        reply = [statement for statement in new if not statement.beside]
        for position, statement in enumerate(reply):
            same_breath = self._sentence(statement) == self._sentence(reply[0])
            if position > 0 and not self._answers_too(statement, same_breath=same_breath):
                continue
            self._ladder(known, statement, direction, first=position == 0)
        self._climb(new)

    def _ladder(
        self, focus: Statement, new: Statement, direction: Direction, *, first: bool
    ) -> None:
        confidence = SAID - 0.1 if direction is not Direction.SIDE and first else IMPLIED
        if direction is Direction.DOWN:
            self._join(new, focus, "causal", confidence)
        elif direction is Direction.UP:
            if not self._join(focus, new, "causal", confidence):
                self._join(new, focus, "causal", IMPLIED)
        elif self._higher(focus, new):
            self._join(new, focus, "causal", IMPLIED, retype=False)
        else:
            self._join(focus, new, "causal", IMPLIED, retype=False)

    def _climb(self, reply: Sequence[Statement]) -> None:
        """What is named next in one reply, and stands higher, is the next step too.

        So is another kind of thing on the same level: an occasion and what was done about it.
        """
        for below, above in pairwise(reply):
            if above.beside or self._has_incoming(above):
                continue
            if above.node_type != below.node_type and not self._higher(below, above):
                self._join(below, above, "causal", IMPLIED, retype=False)

    def _nearest(self, clause: int) -> list[Statement]:
        """The statements of a clause, or of the nearest before it; at last the focus itself."""
        for index in range(clause, -1, -1):
            if found := self._reading.of(index):
                return found
        focus = self._inputs.focus
        if focus is None:
            return []
        return [Statement(label=focus.label, node_type=focus.node_type, settled=True)]

    # -- how they are joined ---------------------------------------------------------------------
    def _join(
        self,
        source: Statement,
        target: Statement,
        kind: str,
        confidence: float,
        *,
        flexible: bool = False,
        retype: bool = True,
    ) -> bool:
        """Join two statements by a permitted edge type; False where none is permitted.

        `flexible` relations run towards the higher level, whichever end was given as the ground:
        "calm matters because I want to be patient" leads from calm to being patient.
        """
        if source is target or self._linked(source, target) or _same(source.label, target.label):
            return False
        if flexible and self._higher(source, target):
            source, target = target, source
        for first, second in ((source, target), (target, source)):
            if second is source and not (flexible or kind in {"contrast", "condition"}):
                break
            if edge := self._edge_type(first.node_type, second.node_type, kind):
                return self._add(first, second, edge, confidence)
        return retype and self._retyped(source, target, kind, confidence)

    def _add(self, source: Statement, target: Statement, edge: str, confidence: float) -> bool:
        source.settled = target.settled = True
        weakest = min(confidence, source.confidence, target.confidence)
        self.links.append(
            Link(source=source, target=target, edge_type=edge, confidence=round(weakest, 2))
        )
        return True

    def _retyped(self, source: Statement, target: Statement, kind: str, confidence: float) -> bool:
        """Let ends that are not settled take their next best type where that permits a relation."""
        options = [
            (a_score * b_score, a_type, b_type, edge)
            for a_score, a_type in _alternatives(source)
            for b_score, b_type in _alternatives(target)
            if (edge := self._edge_type(a_type, b_type, kind))
        ]
        if not options:
            return False
        _, source.node_type, target.node_type, edge = max(options, key=lambda option: option[0])
        return self._add(source, target, edge, round(confidence - 0.1, 2))

    def _edge_type(self, source: str, target: str, kind: str) -> str:
        """Return the permitted edge type that fits the kind best, "" where none does."""
        best, best_score = "", 0.0
        for edge in self._inputs.edge_types:
            if (source, target) not in edge.permitted_connections:
                continue
            score = _fit(edge, kind)
            if score > best_score:
                best, best_score = edge.name, score
        return best

    # -- questions about statements --------------------------------------------------------------
    def _higher(self, a: Statement, b: Statement) -> bool:
        above, below = self._levels.get(a.node_type), self._levels.get(b.node_type)
        return above is not None and below is not None and above > below

    def _linked(self, a: Statement, b: Statement) -> bool:
        pair = {a.label.casefold(), b.label.casefold()}
        return any(
            {x.source.label.casefold(), x.target.label.casefold()} == pair for x in self.links
        )

    def _answers_too(self, statement: Statement, *, same_breath: bool) -> bool:
        """Whether a later statement is another answer: nothing that was said leads to or from it.

        "Saves money, saves space. And it's quieter." answers three times.
        """
        if self._is_joined(statement):
            return False
        clause = self._reading.clauses[statement.clause]
        opening = self._inputs.answer[max(0, clause.start - 6) : clause.start]
        return same_breath or bool(pattern("goes_on").search(plain(opening + clause.text)))

    def _same_sentence(self, a: Sequence[Statement], b: Sequence[Statement]) -> bool:
        return self._sentence(a[0]) == self._sentence(b[0])

    def _sentence(self, statement: Statement) -> int:
        return self._reading.clauses[statement.clause].sentence

    def _is_joined(self, statement: Statement) -> bool:
        return any(statement in (link.source, link.target) for link in self.links)

    def _has_incoming(self, statement: Statement) -> bool:
        return any(link.target is statement for link in self.links)


_KIND = {"cause": "causal", "result": "causal"}


def _fit(edge: EdgeTypeInput, kind: str) -> float:
    described = plain(f"{edge.name.replace('_', ' ')} {edge.description}")
    speaks = len(set(pattern(f"edge_{kind}").findall(described)))
    opposes = bool(pattern("edge_contrast").search(described))
    if kind == "contrast":
        return 1.0 + speaks if opposes else 0.0
    if kind == "time":
        return float(speaks) if not opposes else 0.0
    if opposes and not edge.chain:
        return 0.0
    if not edge.chain:
        return 0.5 + 0.1 * speaks if speaks else 0.0
    return 2.0 + 0.1 * min(speaks, 5)


def _alternatives(statement: Statement) -> Iterator[tuple[float, str]]:
    best = statement.scores.get(statement.node_type, 1.0) or 1.0
    yield 1.0, statement.node_type
    if statement.settled:
        return
    for name, score in statement.scores.items():
        if name != statement.node_type and score >= RETYPE_ABOVE * best:
            yield score / best, name


def _pairs(
    first: Sequence[Statement], second: Sequence[Statement]
) -> Iterator[tuple[Statement, Statement]]:
    """Pair the statements of two clauses: all grounds lead to the first that follows."""
    head = next(iter(second), None)
    if head is None:
        return
    leaf = first[-1]
    if any(s.leads_to_next for s in first):
        yield leaf, head
    else:
        yield from ((s, head) for s in first)
    if not any(s.leads_to_next for s in second):
        yield from ((leaf, s) for s in second[1:])


def _same(a: str, b: str) -> bool:
    return a.casefold() == b.casefold() or overlap(lemmas(a), lemmas(b)) >= 0.99
