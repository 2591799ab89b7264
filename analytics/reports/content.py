"""What a report says: sentences made of a study's figures, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from analytics.inclusion import Inclusion
from analytics.reports.drawing import Drawing, Named, draw
from analytics.reports.scrubbing import scrubbed
from analytics.study.bands import Band, bands_of
from analytics.study.page import first_cutoff
from analytics.study.reading import StudyReading, read_study
from analytics.study.value_map import ValueMap
from analytics.templatetags.dashboard import percent
from graphs.models import Mention
from interviews import vault
from interviews.models import StarredQuote, Study, StudyReport
from interviews.modes.registry import label_of
from methodologies.signals.words import human

MOST_THEMES, QUOTES = 8, 2
FEW = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words of a respondent, who is called R1, R2, … in the order the interviews ended."""

    text: str
    respondent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTheme:
    """A theme with who named it and in what words."""

    name: str
    node_type: str
    respondents: int
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the report; `own` is what the figures say, `text` what people made of it."""

    key: str
    title: str
    own: str
    text: str

    @property
    def edited(self) -> bool:
        """Whether people wrote it."""
        return self.text != self.own


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """A relation of the map."""

    source: str
    target: str
    direct: int
    indirect: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything on the page; `levels` are the map's themes by level, the most abstract first."""

    study: Study
    sections: tuple[Section, ...]
    levels: tuple[tuple[str, tuple[str, ...]], ...]
    arrows: tuple[Arrow, ...]
    drawing: Drawing | None
    themes: tuple[ReportTheme, ...]
    cutoff: int
    highest: int
    version: int

    def section(self, key: str) -> Section:
        """The section of this key."""
        return next(one for one in self.sections if one.key == key)


TITLES = {
    "question": "Question",
    "method": "Method",
    "sample": "Sample",
    "map": "Map",
    "themes": "Themes",
    "saturation": "Saturation",
    "limits": "Limits",
}


def report_of(study: Study, inclusion: Inclusion, cutoff: int | None = None) -> Report:
    """The report; without a cut-off its map is the one that the study's page shows first.

    Raises InclusionInvalid and CutoffOutOfRange.
    """
    reading = read_study(study, inclusion)
    maps = reading.maps()
    cutoff = first_cutoff(maps) if cutoff is None else cutoff
    drawn = maps.at(cutoff) if reading.matrix().cells else None
    bands, band_of = bands_of(reading, {place.theme: place for place in maps.places})
    stored = StudyReport.objects.filter(study=study).first()
    edits = stored.edits if stored else {}
    own = {
        "question": _question(study),
        "method": _method(study, reading),
        "sample": _sample(reading),
        "map": _map(drawn),
        "themes": _themes(reading),
        "saturation": _saturation(reading),
        "limits": _limits(reading, drawn),
    }
    return Report(
        study=study,
        sections=tuple(
            Section(key=key, title=title, own=own[key], text=edits.get(key) or own[key])
            for key, title in TITLES.items()
        ),
        levels=tuple(_levels(reading, drawn, bands, band_of)),
        arrows=tuple(
            Arrow(
                source=reading.themes[cell.source].name,
                target=reading.themes[cell.target].name,
                direct=cell.direct,
                indirect=cell.indirect,
            )
            for cell in (drawn.edges if drawn else ())
        ),
        drawing=_drawing(reading, drawn, bands, band_of),
        themes=tuple(_quoted(reading)),
        cutoff=cutoff,
        highest=maps.highest,
        version=stored.version if stored else 0,
    )


def _question(study: Study) -> str:
    return study.research_purpose.strip() or f"What matters to respondents about {study.name}?"


def _method(study: Study, reading: StudyReading) -> str:
    names = sorted({human(one.methodology) for one in reading.held if one.methodology})
    several = "methodologies" if len(names) > 1 else "methodology"
    how = f" after the {several} {' and '.join(names)}" if names else ""
    return (
        f"Interviews led by software ({label_of(study.mode)}{how}), in writing, of at most "
        f"{study.max_turns} answers each. What was said was read into concepts and links, each "
        "with its words, and concepts of all interviews were grouped into themes by their meaning."
    )


def _sample(reading: StudyReading) -> str:
    number = len(reading.held)
    ended = [one.ended_at for one in reading.held if one.ended_at]
    when = ""
    if ended:
        first, last = min(ended), max(ended)
        days = f"{first:%-d %B %Y}", f"{last:%-d %B %Y}"
        when = f", ended on {days[0]}"
        if days[0] != days[1]:
            when = f", ended between {days[0]} and {days[1]}"
    turns = sum(one.turns for one in reading.held)
    told = f"{number} interview{'' if number == 1 else 's'} with {turns} answers{when}."
    return f"{told} {reading.inclusion.describe()}"


def _map(drawn: ValueMap | None) -> str:
    if drawn is None:
        return "No relation between themes was said yet."
    return (
        f"Relations that at least {drawn.cutoff} respondent{'' if drawn.cutoff == 1 else 's'} made "
        f"are shown: {percent(drawn.relations_kept)} of all relations and "
        f"{percent(drawn.themes_kept)} of all themes."
    )


def _themes(reading: StudyReading) -> str:
    themes = [one for one in reading.themes.values() if not one.own]
    named = ", ".join(f"{one.name} ({one.respondents})" for one in themes[:5])
    alone = f"{percent(reading.unthemed_share)} of the concepts are in no theme."
    if not themes:
        return f"No theme is shared yet. {alone}"
    return f"{len(themes)} themes; most respondents named {named}. {alone}"


def _saturation(reading: StudyReading) -> str:
    found = reading.saturation
    told = f"{found.observed} themes in {found.interviews} interviews."
    if found.chao2 is None or found.interviews < FEW:
        return f"{told} With fewer than {FEW} interviews, too few to say how many are unheard."
    estimate = f" An estimated {found.chao2:.0f} in all (Chao2)"
    if found.low is not None and found.high is not None:
        estimate += f", between {found.low:.0f} and {found.high:.0f} with 95 % confidence"
    told += f"{estimate}."
    if found.more_interviews:
        told += (
            f" After about {found.more_interviews} more, an interview is expected to bring less "
            "than one new theme."
        )
    return told


def _limits(reading: StudyReading, drawn: ValueMap | None) -> str:
    told = [
        "Respondents came by links and are no random sample: shares describe those who answered.",
        "Concepts and links were read by software and may be wrong where nobody corrected them.",
    ]
    if len(reading.held) < FEW:
        told.append(f"Fewer than {FEW} interviews: nothing here is more than a first impression.")
    if reading.inclusion.simulated or reading.inclusion.trial:
        told.append("Simulated or trial interviews are among those counted.")
    if drawn and drawn.upward_share is not None and drawn.upward_share < 0.5:
        told.append(
            "Fewer than half of the relations run upwards: a map of levels is not borne out."
        )
    return " ".join(told)


def _levels(
    reading: StudyReading,
    drawn: ValueMap | None,
    bands: Sequence[Band],
    band_of: Mapping[str, int],
) -> Iterator[tuple[str, tuple[str, ...]]]:
    by_band: dict[int, list[str]] = {}
    for place in drawn.nodes if drawn else ():
        by_band.setdefault(band_of[place.theme], []).append(reading.themes[place.theme].name)
    for band in sorted(by_band, reverse=True):
        yield bands[band].name, tuple(by_band[band])


def _drawing(
    reading: StudyReading,
    drawn: ValueMap | None,
    bands: Sequence[Band],
    band_of: Mapping[str, int],
) -> Drawing | None:
    if drawn is None:
        return None
    themes = {place.theme: reading.themes[place.theme] for place in drawn.nodes}
    return draw(
        {
            key: Named(band=band_of[key], text=f"{theme.name} · {theme.respondents}")
            for key, theme in themes.items()
        },
        [(cell.source, cell.target, cell.strength) for cell in drawn.edges],
        [(band.name, band.colour) for band in bands],
    )


def _quoted(reading: StudyReading) -> Iterator[ReportTheme]:
    """The themes that most named, with words of different respondents, starred ones first."""
    called = {one.id: f"R{number}" for number, one in enumerate(reading.held, start=1)}
    nodes = {node: theme for one in reading.interviews for node, theme in one.themes.items()}
    shown = [one for one in reading.themes.values() if one.respondents > 1 or not one.own]
    shown = shown[:MOST_THEMES]
    wanted = {one.id for one in shown}
    keys = [UUID(node) for node, theme in nodes.items() if theme in wanted]
    found: dict[str, dict[str, str]] = {}
    starred = set(
        StarredQuote.objects.filter(session__in=[UUID(key) for key in called]).values_list(
            "utterance_id", flat=True
        )
    )
    mentions = list(Mention.objects.filter(node__in=keys).order_by("session_id", "turn", "start"))
    mentions.sort(key=lambda one: (one.utterance_id not in starred, -len(one.quote)))
    for mention in mentions:
        of_theme = found.setdefault(nodes[str(mention.node_id)], {})
        if len(of_theme) < QUOTES:
            of_theme.setdefault(str(mention.session_id), mention.quote)
    speakers = {session for quotes in found.values() for session in quotes}
    personal = {session: tuple(vault.values_of(UUID(session)).values()) for session in speakers}
    for theme in shown:
        yield ReportTheme(
            name=theme.name,
            node_type=theme.node_type,
            respondents=theme.respondents,
            quotes=tuple(
                Quote(text=scrubbed(quote, personal[session]), respondent=called[session])
                for session, quote in found.get(theme.id, {}).items()
            ),
        )
