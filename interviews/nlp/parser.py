"""Relations and frames read off a dependency parse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interviews.nlp.clauses import DiscourseRelation, Kind, Span, relations_by_rule
from interviews.nlp.frames import PredicateFrame

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.tokens import Token as SpacyToken

_MARK_KINDS: dict[str, tuple[Kind, bool]] = {
    "because": ("cause", True),
    "since": ("cause", True),
    "as": ("cause", True),
    "so": ("purpose", False),
    "if": ("condition", True),
    "unless": ("condition", True),
    "when": ("condition", True),
    "whenever": ("condition", True),
    "although": ("contrast", False),
    "though": ("contrast", False),
    "whereas": ("contrast", False),
    "before": ("time", False),
    "until": ("time", False),
    "till": ("time", False),
    "after": ("time", True),
    "once": ("time", True),
    "while": ("time", True),
}
_COORDINATED: dict[str, Kind] = {"but": "contrast", "so": "result", "yet": "contrast"}


def relations_from_doc(doc: Doc) -> tuple[DiscourseRelation, ...]:
    """Return the discourse relations of a parsed text.

    Adverbial clauses give the one with their subordinator; coordinated clauses the one with "but"
    or "so"; connectives that a parse attaches as adverbs come from the rules.
    """
    found: list[DiscourseRelation] = []
    for token in doc:
        marker = _marker_of(token)
        if marker is None:
            continue
        kind, grounds = marker[1:]
        own, other = _clause_span(token), _clause_span(token.head, without=token)
        if own is None or other is None:
            continue
        first, second = (own, other) if grounds else (other, own)
        found.append(DiscourseRelation(marker=marker[0], kind=kind, first=first, second=second))
    seen = {relation.marker.split()[0] for relation in found}
    found.extend(r for r in relations_by_rule(doc.text) if r.marker.split()[0] not in seen)
    return tuple(sorted(found, key=lambda r: min(r.first.start, r.second.start)))


def _marker_of(token: SpacyToken) -> tuple[str, Kind, bool] | None:
    if token.dep_ == "advcl":
        for child in token.children:
            if child.dep_ in {"mark", "advmod"} and child.lower_ in _MARK_KINDS:
                kind, grounds = _MARK_KINDS[child.lower_]
                return child.lower_, kind, grounds
    if token.dep_ == "conj":
        for child in token.head.children:
            if child.dep_ == "cc" and child.lower_ in _COORDINATED and child.i < token.i:
                return child.lower_, _COORDINATED[child.lower_], False
    return None


def _clause_span(head: SpacyToken, without: SpacyToken | None = None) -> Span | None:
    """The words under `head`, less those of the clause `without` and the marker itself.

    None where that leaves none: a parser may hang a clause on a mark of punctuation.
    """
    dropped = {t.i for t in without.subtree} if without is not None else set()
    kept = [
        t
        for t in head.subtree
        if t.i not in dropped and t.dep_ not in {"mark", "cc", "punct"} and not t.is_space
    ]
    if not kept:
        return None
    start, end = kept[0].idx, kept[-1].idx + len(kept[-1])
    return Span(text=head.doc.text[start:end], start=start, end=end)


def frames_from_doc(doc: Doc) -> tuple[PredicateFrame, ...]:
    """Return a predicate frame for each verb or copula of a parsed text."""
    frames = []
    for token in doc:
        if token.pos_ not in {"VERB", "AUX"} or token.dep_ in {"aux", "auxpass"}:
            continue
        role: dict[str, str] = {}
        for child in token.children:
            name = _ROLES.get(child.dep_)
            if name is not None:
                role.setdefault(name, " ".join(t.text for t in child.subtree if not t.is_punct))
        frames.append(
            PredicateFrame(
                predicate=token.lemma_ or token.lower_,
                nsubj=role.get("nsubj"),
                dobj=role.get("dobj"),
                xcomp=role.get("xcomp"),
                obl=role.get("obl"),
                negation=any(child.dep_ == "neg" for child in token.children),
            )
        )
    return tuple(frames)


_ROLES = {
    "nsubj": "nsubj",
    "nsubjpass": "nsubj",
    "dobj": "dobj",
    "obj": "dobj",
    "xcomp": "xcomp",
    "acomp": "xcomp",
    "attr": "xcomp",
    "prep": "obl",
    "obl": "obl",
}
