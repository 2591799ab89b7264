"""The onboarding package for a successor: sentences with their sources, and none without."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from fpdf import FPDF

from interviews.models import HandoverBrief, HandoverFact, SourceFile, SourceFinding, Study
from interviews.models.handover import Asked
from interviews.modes.handover.store import open_of

Format = Literal["md", "pdf", "json"]
MOST_ITEMS = 60

_FIRST = re.compile(
    r"\b(?:every (?:day|week|month|monday|morning|quarter)|mondays?|weekly|first|before the run"
    r"|starts?|by hand|manually|access)\b",
    re.IGNORECASE,
)
_RISK = re.compile(
    r"\b(?:fails?|wrong|risk|careful|trap|breaks?|broke|twice|lost|late|error|otherwise|danger)\b",
    re.IGNORECASE,
)
_TYPOGRAPHIC = str.maketrans("“”„‘’–—…→•", '"""\'\'--.>-')


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A statement and where it comes from: "[file, place]" or "[turn n]", at least one."""

    text: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the package."""

    title: str
    items: tuple[Item, ...]


def sections(study: Study) -> list[Section]:
    """The package, made of what is there now: nothing of it is stored."""
    findings = list(SourceFinding.objects.filter(file__study=study).select_related("file"))
    facts = list(HandoverFact.objects.filter(session__study=study))

    def of(*kinds: str) -> Iterator[Item]:
        return (_found(found) for found in findings if found.kind in kinds)

    told = [Item(text=fact.text, sources=(f"[turn {fact.turn}]",)) for fact in facts]
    decided = [found for found in findings if found.kind == "decision"]
    rules = [*of("threshold", "formula"), *(item for item in told if not _RISK.search(item.text))]
    parts: tuple[tuple[str, Iterable[Item]], ...] = (
        ("First week", [*_files(study), *(i for i in told if _FIRST.search(i.text))]),
        ("People", _by_name(findings, "person")),
        ("Systems", _by_name(findings, "system")),
        ("Rules and thresholds", [*rules, *map(_found, decided)]),
        ("Risks", [*of("contradiction", "gap"), *(i for i in told if _RISK.search(i.text))]),
        ("Open questions", _open(study)),
        ("Glossary", [*of("constant"), *_by_name(findings, "artefact")]),
    )
    return [
        Section(title=title, items=tuple(dict.fromkeys(i for i in items if i.sources))[:MOST_ITEMS])
        for title, items in parts
    ]


def _found(found: SourceFinding) -> Item:
    quote = " ".join(found.quote.split())
    value = f" = {found.value}" if found.value else ""
    said = {
        "contradiction": f"{found.name} differs between places: {found.value}.",
        "decision": quote,
        "gap": quote,
    }
    text = said.get(found.kind, f"{found.name}{value}")
    sources = tuple(f"[{place['file']}, {place['place']}]" for place in found.places)
    return Item(text=text, sources=sources)


def _by_name(findings: Iterable[SourceFinding], kind: str) -> Iterator[Item]:
    """Everything of one name together: its first sentence, and all its places."""
    named: dict[str, list[SourceFinding]] = {}
    for found in findings:
        if found.kind == kind:
            named.setdefault(found.name, []).append(found)
    for name, places in named.items():
        sources = dict.fromkeys(f"[{f.file.name}, {f.place}]" for f in places)
        yield Item(text=f"{name}: {' '.join(places[0].quote.split())}", sources=tuple(sources)[:6])


def _files(study: Study) -> Iterator[Item]:
    for file in SourceFile.objects.filter(study=study, status=SourceFile.Status.DONE).exclude(
        purpose=""
    ):
        first = file.passages.order_by("number").values_list("place", flat=True).first()
        if first:
            yield Item(
                text=f"Read {file.name}: {file.purpose}", sources=(f"[{file.name}, {first}]",)
            )


def _open(study: Study) -> Iterator[Item]:
    for question in open_of(str(study.pk)):
        yield Item(text=question.text, sources=tuple(_references(question)))


def _references(question: Asked) -> Iterator[str]:
    for place in question.reference:
        yield f"[{place['file']}, {place['place']}]"


def as_json(study: Study) -> dict[str, Any]:
    """The package as scripts read it."""
    brief = HandoverBrief.objects.filter(study=study).first()
    return {
        "study": study.slug,
        "files": list(brief.files) if brief else [],
        "sections": [asdict(section) for section in sections(study)],
    }


def as_markdown(study: Study) -> str:
    """The package as a text."""
    lines = [f"# {_plain(study.name)}", ""]
    for section in sections(study):
        lines += [f"## {section.title}", ""]
        lines += [f"- {_plain(item.text)} {' '.join(item.sources)}" for item in section.items]
        lines += ["" if section.items else "Nothing is known.\n"]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Text of files as text: nothing in it is markup, a link or an image."""
    return re.sub(r"([\\`*_#\[\]<>!|])", r"\\\1", " ".join(text.split()))


def as_pdf(study: Study) -> bytes:
    """The package on pages, in a font that every reader has, which knows Western letters only."""
    made = FPDF(format="A4")
    made.set_title(_western(study.name))
    made.set_auto_page_break(auto=True, margin=18)
    made.add_page()
    made.set_font("helvetica", "B", 18)
    made.multi_cell(0, 9, _western(study.name), new_x="LMARGIN", new_y="NEXT")
    for section in sections(study):
        made.ln(4)
        made.set_font("helvetica", "B", 13)
        made.multi_cell(0, 8, section.title, new_x="LMARGIN", new_y="NEXT")
        made.set_font("helvetica", size=10)
        for item in section.items or (Item(text="Nothing is known.", sources=()),):
            line = f"- {item.text} {' '.join(item.sources)}"
            made.multi_cell(0, 5, _western(line), new_x="LMARGIN", new_y="NEXT")
            made.ln(1)
    return bytes(made.output())


def _western(text: str) -> str:
    return text.translate(_TYPOGRAPHIC).encode("latin-1", "replace").decode("latin-1")
