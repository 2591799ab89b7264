"""Which elements a node is about: as the reading says, by its words, or by what it means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from graphs.language.lemmas import lemma
from interviews.modes.evaluative.elements import Element
from interviews.modes.evaluative.state import MappedBy

SAME_MEANING = 0.60
"""From this cosine on, a node's label means an element."""

Cosine = Callable[[str, str], float]
"""Takes two short texts; returns how near they are in meaning, in [-1, 1]."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def elements_named(texts: Iterable[str], elements: Sequence[Element]) -> Iterator[Element]:
    """Yield the elements whose label or alias is in one of `texts`, word by word, by lemmas."""
    said = [lemmas_of(text) for text in texts]
    for element in elements:
        if any(_holds(text, lemmas_of(name)) for name in element.names for text in said):
            yield element


def element_meant(label: str, elements: Sequence[Element], cosine: Cosine) -> Element | None:
    """The element that a label means, if one is near enough; the nearest of several."""
    nearest = [(max(cosine(label, name) for name in e.names), -e.place, e) for e in elements]
    best = max(nearest, key=lambda found: found[:2], default=None)
    return best[2] if best is not None and best[0] >= SAME_MEANING else None


def mapped(
    label: str,
    quotes: Iterable[str],
    elements: Sequence[Element],
    *,
    stated: Iterable[str],
    cosine: Cosine,
) -> list[tuple[str, MappedBy]]:
    """The elements that a node is about, by their ids, and how that is known.

    `stated` are ids that the reading gave; unknown ones are nothing. Words come before meaning.
    """
    known = {element.id for element in elements}
    if told := [element_id for element_id in dict.fromkeys(stated) if element_id in known]:
        return [(element_id, "extraction") for element_id in told]
    if named := list(elements_named((label, *quotes), elements)):
        return [(element.id, "label") for element in named]
    meant = element_meant(label, elements, cosine)
    return [(meant.id, "meaning")] if meant is not None else []


@lru_cache(maxsize=4096)
def lemmas_of(text: str) -> tuple[str, ...]:
    """The words of a text by their lemmas, in order."""
    return tuple(lemma(word.casefold()) for word in _WORD.findall(text))


def _holds(text: Sequence[str], name: Sequence[str]) -> bool:
    """Whether the words of a name stand in a text one after the other."""
    size = len(name)
    return bool(size) and any(
        tuple(text[i : i + size]) == tuple(name) for i in range(len(text) - size + 1)
    )
