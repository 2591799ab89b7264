"""Each format read back by a program that no one here wrote, its counts those of the database."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import networkx as nx
import openpyxl
import pandas as pd
import pyreadstat
import pytest
from lxml import etree

from analytics.exports import format_named, formats
from analytics.exports.cells import safe_text
from analytics.exports.loaded import load_whole
from analytics.exports.source import ExportOptions, ExportSource, OneSession, WholeStudy
from analytics.inclusion import Inclusion
from analytics.study.reading import read_study
from graphs.models import CanonicalEdge, CanonicalSlot, KGEdge, KGNode, Mention, Theme
from interviews import notes, vault
from interviews.models import Memo, Session, StarredQuote, Study, Turn, Utterance
from interviews.themes import renewal
from tests.factories import (
    STARTED,
    EdgeFactory,
    MentionFactory,
    NodeFactory,
    SessionFactory,
    StudyFactory,
    TurnFactory,
    UtteranceFactory,
    small_interview,
)
from tests.refi_qda import PROJECT

pytestmark = pytest.mark.django_db
FIELDS = [
    {"key": "country", "type": "choice", "options": ["Italy", "Spain"]},
    {"key": "age", "type": "number"},
    {"key": "name", "type": "name"},
    {"key": "town", "type": "text"},
]
KINDS = {"s", "inlineStr", "n", "d"}
"""Of cells; a formula's would be f."""
HARD = "=1+1 is \U0001f600 fun.\n  -5 degrees, @home\r\n\tand +2 <b>more</b> of it"


@pytest.fixture
def study() -> Study:
    """Three interviews, one of them simulated, and words that are hard to write into files."""
    study = StudyFactory.create(slug="jackets", name="Jackets & more", data_fields=FIELDS)
    first = small_interview(study=study, segments={"country": "Spain", "age": "34"})
    vault.keep(first.pk, {"name": "Ada Byron", "town": "Rome"})
    second = SessionFactory.create(
        study=study, segments={"country": "Italy"}, started_at=STARTED + timedelta(days=1)
    )
    said = UtteranceFactory.create(
        session=second, speaker="respondent", turn_number=1, sequence=1, text=HARD
    )
    nodes = [
        NodeFactory.create(session=second, label="=SUM(A1)", node_type="attribute"),
        NodeFactory.create(session=second, label="Ada\x0bB", node_type="value", stance=-1),
    ]
    for node, quote in zip(nodes, ["-5 degrees", "@home\r\n\tand +2"], strict=True):
        start = HARD.index(quote)
        MentionFactory.create(
            node=node, utterance=said, quote=quote, start=start, end=start + len(quote)
        )
    edge = EdgeFactory.create(source=nodes[0], target=nodes[1])
    Mention.objects.create(
        session=second, edge=edge, utterance=said, quote="=1+1", start=0, end=4, turn=1,
        provenance="stated",
    )  # fmt: skip
    TurnFactory.create(session=second, number=0, question=None)
    small_interview(study=study, simulated=True)
    renewal.ensure(study.pk)
    return study


def written(name: str, source: ExportSource, **options: Any) -> bytes:
    return b"".join(format_named(name).write(source, ExportOptions(**options)))


def counts(study: Study) -> dict[str, int]:
    """What the database holds of the interviews that count."""
    mine = Session.objects.filter(study=study, simulated=False)
    of = {"session__in": mine}
    return {
        "sessions": mine.count(),
        "utterances": Utterance.objects.filter(**of).count(),
        "turns": Turn.objects.filter(**of).count(),
        "nodes": KGNode.objects.filter(**of).count(),
        "edges": KGEdge.objects.filter(**of).count(),
        "mentions": Mention.objects.filter(**of).count(),
        "slots": CanonicalSlot.objects.filter(**of).count(),
        "canonical_links": CanonicalEdge.objects.filter(**of).count(),
        "link_provenance": Mention.objects.filter(**of, edge__isnull=False).count(),
        "corrections": 0,
        "memos": Memo.objects.filter(study=study).count(),
        "starred_quotes": StarredQuote.objects.filter(**of).count(),
        "themes": Theme.objects.filter(study=study).count()
        + KGNode.objects.filter(**of, slot_mapping=None).count(),
        "theme_members": CanonicalSlot.objects.filter(**of).count(),
        "ratings": 0,
        "reactions": 0,
    }


def frames(archive: bytes) -> dict[str, pd.DataFrame]:
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        return {
            name.removesuffix(".csv"): pd.read_csv(
                file.open(name), dtype=str, keep_default_na=False, lineterminator=None
            )
            for name in file.namelist()
        }


def test_pandas_reads_the_tables_and_finds_each_quote_at_its_place(study: Study) -> None:
    found = frames(written("csv", WholeStudy(study=study)))
    expected = counts(study)
    assert {name: len(frame) for name, frame in found.items() if name in expected} == expected
    mentions = found["mentions"].merge(
        found["utterances"], on=["session", "utterance id"], validate="many_to_one"
    )
    assert len(mentions) == expected["mentions"]
    for row in mentions.to_dict("records"):
        assert row["text"][int(row["start"]) : int(row["end"])] == row["quote"]
    assert list(found["sessions"]["field country"]) == ["Spain", "Italy"]
    assert "personal name" not in found["sessions"]
    told = dict(found["about"].itertuples(index=False))
    assert told["interviews"] == "All interviews, without trials, without simulated ones."
    book = found["codebook"].groupby("table", sort=False)["column"].agg(list)
    assert book.to_dict() == {name: list(frame.columns) for name, frame in found.items()}
    assert (found["codebook"]["meaning"] != "").all()


def test_what_analysts_wrote_and_grouped_is_in_tables_with_its_places(study: Study) -> None:
    second = Session.objects.get(study=study, turn_count=0, simulated=False)
    said = Utterance.objects.get(session=second)
    theme = Theme.objects.get_or_create(study=study, name="dryness", node_type="attribute")[0]
    notes.write_memo(study, about="study", text="=look", by="ana")
    notes.write_memo(study, about="theme", text="Why?", by="ana", target=theme.pk)
    given: dict[str, Any] = {"session": second, "target": said.pk, "words": "+2 <b>more</b>"}
    notes.write_memo(study, about="quote", text="Hm.", by="ana", **given)
    notes.star(second, said.pk, "@home", by="ben")
    notes.review(second, reviewed=True, by="ben")
    found = frames(written("csv", WholeStudy(study=study)))
    memos = found["memos"].set_index("about")
    assert dict(memos["text"]) == {"study": "'=look", "theme": "Why?", "quote": "Hm."}
    assert list(memos["session"]) == ["", "", str(second.pk)]
    texts = dict(zip(found["utterances"]["utterance id"], found["utterances"]["text"], strict=True))
    for row in (memos.loc["quote"], found["starred_quotes"].iloc[0]):
        quote = texts[row["utterance id"]][int(row["start"]) : int(row["end"])]
        assert quote == row["quote"]
        assert quote.startswith("'")
    assert list(found["sessions"]["reviewed by"]) == ["", "ben"]
    reading = read_study(study, Inclusion())
    assert list(found["themes"]["theme id"]) == list(reading.themes)
    grouped = found["themes"].query("`in no theme` == 'no'")
    assert set(found["theme_members"]["theme id"]) == set(grouped["theme id"])
    cells = zip(*(found["matrix"][name] for name in ("source", "target", "direct")), strict=True)
    assert sorted(cells) == sorted(
        (
            *(safe_text(reading.themes[end].name) for end in (one.source, one.target)),
            str(one.direct),
        )
        for one in reading.matrix().cells.values()
    )
    hidden = frames(written("csv", WholeStudy(study=study), pseudonymise=True))
    assert not {"themes", "matrix"} & hidden.keys()
    assert not any(len(hidden[name]) for name in ("memos", "starred_quotes", "theme_members"))


def test_slots_that_were_in_no_theme_are_grouped_before_they_are_told(study: Study) -> None:
    Theme.objects.filter(study=study).delete()
    found = frames(written("csv", WholeStudy(study=study)))
    assert len(found["theme_members"]) == len(found["slots"]) == 2


def test_openpyxl_reads_the_sheets_and_sees_no_formula(study: Study) -> None:
    book = openpyxl.load_workbook(io.BytesIO(written("xlsx", WholeStudy(study=study))))
    rows = {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book}
    assert {name: len(rows[name]) - 1 for name in counts(study)} == counts(study)
    assert {cell.data_type for sheet in book for row in sheet for cell in row} <= KINDS
    first = dict(zip(rows["sessions"][0], rows["sessions"][1], strict=True))
    assert (first["answers"], first["field age"], first["simulated"]) == (2, 34, "no")
    assert first["started at"].isoformat() == "2026-03-02T09:00:00"
    names = rows["mentions"][0]
    texts = {row[1]: row[5] for row in rows["utterances"]}
    for row in rows["mentions"][1:]:
        one = dict(zip(names, row, strict=True))
        assert texts[one["utterance id"]][one["start"] : one["end"]] == one["quote"]
    assert ("interviews", WholeStudy(study=study).described) in rows["about"]


def test_pyreadstat_reads_the_cases_with_their_labels(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "cases.sav"
    path.write_bytes(written("sav", WholeStudy(study=study)))
    frame, told = pyreadstat.read_sav(str(path))
    assert len(frame) == 2
    assert list(frame["concepts"]) == [3.0, 2.0]
    assert frame["field_age"].iloc[0] == 34.0
    assert told.column_names_to_labels["words"] == "Words of all that the respondent said."
    assert told.variable_value_labels["field_country"] == {1.0: "Italy", 2.0: "Spain"}
    assert list(frame["field_country"]) == [2.0, 1.0]
    assert told.variable_value_labels["simulated"] == {0.0: "no", 1.0: "yes"}
    assert told.file_label == "Jackets & more"
    assert "without trials" in " ".join(told.notes)


def test_networkx_reads_the_graph(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "graph.graphml"
    path.write_bytes(written("graphml", WholeStudy(study=study)))
    graph = nx.read_graphml(path, force_multigraph=True)
    assert graph.is_directed()
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (
        counts(study)["nodes"],
        counts(study)["edges"],
    )
    by_label = {data["label"]: data for _, data in graph.nodes(data=True)}
    assert by_label["stay dry"]["slot"] == "dryness"
    assert by_label["=SUM(A1)"]["quote"] == "-5 degrees"
    ends = {
        (graph.nodes[a]["label"], data["edge_type"], graph.nodes[b]["label"])
        for a, b, data in graph.edges(data=True)
    }
    assert ("taped seams", "leads_to", "stay dry") in ends
    assert "without trials" in graph.graph["interviews"]


def test_a_qda_project_keeps_the_schemas_rules_and_its_spans_are_the_quotes(study: Study) -> None:
    archive = written("qdpx", WholeStudy(study=study))
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        assert file.testzip() is None
        project = etree.fromstring(file.read("project.qde"))
        texts = {
            name.removeprefix("sources/"): file.read(name).decode()
            for name in file.namelist()
            if name.startswith("sources/")
        }
    schema = etree.XMLSchema(etree.fromstring(PROJECT))
    assert schema.validate(project), schema.error_log
    space = {"q": "urn:QDA-XML:project:1.0"}
    sources = project.findall("q:Sources/q:TextSource", space)
    spans = project.findall(".//q:PlainTextSelection", space)
    assert len(sources) == len(texts) == 2
    assert len(spans) == Mention.objects.filter(
        session__study=study, session__simulated=False, node__isnull=False
    ).count()  # fmt: skip
    codes = {one.get("guid"): one for one in project.findall(".//q:Code", space)}
    quotes = set(Mention.objects.filter(node__isnull=False).values_list("quote", flat=True))
    for source in sources:
        text = texts[source.get("plainTextPath").removeprefix("internal://")]
        for span in source.findall("q:PlainTextSelection", space):
            quote = text[int(span.get("startPosition")) : int(span.get("endPosition"))]
            assert quote in quotes
            assert span.find("q:Coding/q:CodeRef", space).get("targetGUID") in codes
    guids = [one.get("guid") for one in project.iter() if one.get("guid")]
    assert len(guids) == len(set(guids))
    assert "without trials" in project.findtext("q:Description", namespaces=space)


def test_markdown_numbers_every_quote_once(study: Study) -> None:
    text = written("md", WholeStudy(study=study)).decode()
    assert text.startswith("# Jackets & more\n")
    numbers = list(range(1, counts(study)["mentions"] + 1))
    listed = [line for line in text.splitlines() if line.startswith("  - [")]
    assert sorted(int(line[5:].partition("]")[0]) for line in listed) == numbers
    assert "**Respondent:** It has taped seams, so I stay dry. [" in text
    assert "\\<b\\>outside" in text
    assert "**Respondent:** =1+1" not in text.replace("\\=", "#")


def test_json_lines_hold_an_interview_a_line(study: Study) -> None:
    first, *others = written("jsonl", WholeStudy(study=study)).decode().splitlines()
    assert json.loads(first)["study"]["slug"] == "jackets"
    assert [len(json.loads(line)["nodes"]) for line in others] == [3, 2]


def test_links_of_other_provenance_stay_away_and_so_does_what_hangs_on_them(study: Study) -> None:
    stated = Inclusion(provenance=("stated",))
    found = frames(written("csv", WholeStudy(study=study, inclusion=stated)))
    assert list(found["edges"]["provenance"]) == ["stated"]
    assert len(found["link_provenance"]) == 1
    assert len(found["canonical_links"]) == 0
    assert list(found["sessions"]["links"]) == ["0", "1"]
    assert len(found["nodes"]) == counts(study)["nodes"]


@pytest.mark.parametrize("name", sorted(formats()))
def test_the_filter_is_printed_into_every_file(name: str, study: Study) -> None:
    data = written(name, WholeStudy(study=study, inclusion=Inclusion(status=("completed",))))
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            data = b"".join(file.read(one) for one in file.namelist())
    assert b"Interviews that are completed, without trials" in data.replace(b"\\", b"")


@pytest.mark.parametrize("name", sorted(formats()))
def test_a_pseudonymised_file_has_neither_ids_nor_what_was_given(name: str, study: Study) -> None:
    session = Session.objects.get(study=study, turn_count=2, simulated=False)
    Utterance.objects.filter(session=session, sequence=2).update(
        text="I am ADA of Rome. It has taped seams."
    )
    node = KGNode.objects.get(session=session, label="stay dry")
    KGNode.objects.filter(pk=node.pk).update(label="Byron stays dry")
    data = written(name, WholeStudy(study=study), pseudonymise=True, trace=True)
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            data = b"".join(file.read(one) for one in file.namelist())
    text = data.decode(errors="replace")
    for gone in (str(session.pk), str(node.pk), "ADA", "Rome", "Byron"):
        assert gone not in text
    assert "unreviewed" in text
    if name != "sav":
        assert "stays dry" in text


def test_pseudonyms_fit_together_and_differ_from_file_to_file(study: Study) -> None:
    source = WholeStudy(study=study)
    one, two = (frames(written("csv", source, pseudonymise=True)) for _ in range(2))
    assert not set(one["sessions"]["session"]) & set(two["sessions"]["session"])
    assert set(one["nodes"]["session"]) == set(one["sessions"]["session"])
    assert set(one["mentions"]["utterance id"]) <= set(one["utterances"]["utterance id"])
    assert set(one["edges"]["source id"]) <= set(one["nodes"]["node id"])


def test_personal_data_is_there_only_when_asked_for(study: Study) -> None:
    source = WholeStudy(study=study)
    found = frames(written("csv", source, personal=True))
    assert list(found["sessions"]["personal name"]) == ["Ada Byron", ""]
    assert dict(found["about"].itertuples(index=False))["personal data"].startswith("Holds")
    assert b"Ada Byron" not in written("json", source)
    assert b'"personal":{"name": "Ada Byron", "town": "Rome"}' in written(
        "json", source, personal=True
    )
    assert b"Ada Byron" not in written("json", source, personal=True, pseudonymise=True)


def test_reading_an_interview_takes_as_many_queries_however_large_it_is(
    study: Study, django_assert_max_num_queries: Any
) -> None:
    session = Session.objects.select_related("study", "summary").get(
        study=study, turn_count=2, simulated=False
    )
    with django_assert_max_num_queries(24):
        load_whole(session)
    with django_assert_max_num_queries(32):
        written("csv", OneSession(session=session))
