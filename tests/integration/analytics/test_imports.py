"""Exports taken in again: the same interviews, or every fault and nothing stored."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analytics import interchange
from analytics.exports import documents, format_named
from analytics.exports.source import ExportOptions, OneSession, WholeStudy
from analytics.imports import import_file
from analytics.inclusion import Inclusion
from analytics.interchange import ImportRefused
from analytics.transcript_imports import import_transcripts
from analytics.transcripts import Transcript
from graphs.models import (
    CanonicalEdge,
    CanonicalSlot,
    KGEdge,
    KGNode,
    Mention,
    NodeVector,
    SlotMapping,
    Theme,
)
from interviews import notes, revisions, studies, vault
from interviews.corrections.acts import read_act
from interviews.corrections.service import correct, undo
from interviews.models import (
    AuditEntry,
    BacklogQuestion,
    Correction,
    GuidePlan,
    HandoverFact,
    LLMCall,
    Memo,
    Session,
    SessionQuestion,
    SessionSummary,
    Study,
    StudyRevision,
    Turn,
    Utterance,
    WrittenSummary,
)
from interviews.modes.base import Need
from interviews.modes.registry import modes
from interviews.simulation.driver import hold_interview
from interviews.themes import renewal
from interviews.themes import service as themes
from methodologies.models import ConceptVersion, MethodologyVersion
from methodologies.registry import CONCEPT, GUIDE, METHODOLOGY, load_library, newest, publish
from tests.factories import (
    STARTED,
    EdgeFactory,
    MentionFactory,
    NodeFactory,
    SessionFactory,
    SlotFactory,
    SlotMappingFactory,
    StudyFactory,
    TurnFactory,
    UtteranceFactory,
    small_interview,
)
from tests.interchange import comparable

pytestmark = pytest.mark.django_db
EVERY = Inclusion(trial=True, simulated=True)
FIELDS = [{"key": "country", "type": "choice", "options": ["a", "b"]}, {"key": "n", "type": "name"}]


def written(study: Study, name: str = "json", **options: Any) -> bytes:
    source = WholeStudy(study=study, inclusion=EVERY)
    return b"".join(format_named(name).write(source, ExportOptions(**options)))


def emptied(study: Study) -> None:
    """As if the study had never been here; its documents stay."""
    Session.objects.filter(study=study).delete()
    StudyRevision.objects.filter(study=study).delete()
    study.delete()


def again(study: Study, **options: Any) -> tuple[Any, Any]:
    """An export of the study, and one of what its import made of it."""
    before = written(study, **options)
    emptied(study)
    made = import_file(before, by="somebody").study
    return comparable(json.loads(before)), comparable(json.loads(written(made, **options)))


def test_an_interview_comes_back_with_all_that_hangs_on_it() -> None:
    study = StudyFactory.create(data_fields=FIELDS)
    revision = revisions.current(study, by="ada")
    session = small_interview(study=study, revision=revision, segments={"country": "a"})
    node = KGNode.objects.get(session=session, label="stay dry")
    rename = read_act({"act": "rename", "node": str(node.pk), "label": "keep dry"})
    correct(session.pk, rename, by="ada", version=session.graph_version)
    vault.keep(session.pk, {"n": "Ada Byron"})
    methodology, concept = study.methodology_version, study.concept_version
    before, after = again(study, trace=True, personal=True)
    assert before == after
    assert before["sessions"][0]["personal"] == {"n": "Ada Byron"}
    made = Session.objects.get()
    assert made.pk != session.pk
    assert (made.methodology_version, made.concept_version) == (methodology, concept)
    assert NodeVector.objects.filter(session=made).count() == 3
    assert SessionSummary.objects.get(session=made).saturation == 0.5
    # What was corrected can still be taken back.
    undo(made.pk, by="ada", version=made.graph_version)
    assert KGNode.objects.filter(session=made, label="stay dry").exists()
    assert AuditEntry.objects.filter(action="imported", object_id=str(made.study_id)).exists()


def test_documents_that_are_not_there_are_stored_under_their_numbers() -> None:
    session = small_interview()
    study, version = session.study, session.methodology_version
    assert version is not None
    number, text = version.number, version.text
    before = written(study)
    emptied(study)
    MethodologyVersion.objects.all().delete()
    ConceptVersion.objects.all().delete()
    made = import_file(before, by="somebody").study
    assert comparable(json.loads(before)) == comparable(json.loads(written(made)))
    assert made.methodology_version is not None
    assert (made.methodology_version.number, made.methodology_version.text) == (number, text)


PHRASES = (
    "I like it because it keeps me dry, and staying dry means that I can enjoy the whole day.",
    "In March 2024 we waited three weeks, which cost us a customer, so nobody trusts the process.",
    "I do not understand the question.",
    "It was set in 2021 after the audit because two brokers had sent the same file twice.",
    "I would rather not talk about that.",
)


STIMULUS = Path("tests/data/evaluative/concept.yaml")


def study_of(mode: str) -> Study:
    """A study of a mode with what the library has for it."""
    found = modes()[mode]
    needs = found.needs
    documents: dict[str, Any] = {}
    if needs.methodology is not Need.NONE:
        named = found.defaults.methodology or "means_end_chain"
        documents["methodology_version"] = newest(METHODOLOGY, named)
    if needs.concept is Need.REQUIRED:
        documents["concept_version"] = (
            publish(CONCEPT, STIMULUS.read_text(encoding="utf-8"))
            if needs.stimulus
            else newest(CONCEPT, "oat_milk")
        )
    if needs.guide is Need.REQUIRED:
        documents["guide_version"] = newest(GUIDE, GUIDE.document.objects.first().name)  # type: ignore[attr-defined]
    return studies.create_study(
        slug=f"of-{mode}", name=f"A study of {mode}", mode=mode, max_turns=5, **documents
    )


@pytest.mark.parametrize("mode", sorted(modes()))
def test_an_interview_of_every_mode_comes_back_but_for_ids_and_times(mode: str) -> None:
    list(load_library())
    if mode == "transcript":  # it has nothing to say by itself
        held = Transcript("one", 1, [("What do you like?", PHRASES[0]), ("And?", PHRASES[3])])
        study = import_transcripts(
            [held], methodology="means_end_chain", slug="held", by="somebody"
        ).study
    else:
        study, left = study_of(mode), iter(PHRASES)
        hold_interview(
            study, lambda question, turn: next(left) if turn < 3 else None, seed=7, max_turns=4
        )
    before, after = again(study, trace=True)
    assert before == after
    assert any(turn["evidence"] for turn in before["sessions"][0]["turns"])


def test_what_people_wrote_and_grouped_comes_back_too() -> None:
    study = StudyFactory.create()
    session = small_interview(study=study)
    other = small_interview(study=study, started_at=STARTED + timedelta(days=1))
    renewal.ensure(study.pk)
    theme = Theme.objects.filter(study=study, node_type="attribute").first()
    assert theme is not None
    themes.rename(study.pk, theme.pk, "Keeping dry", by="ana")
    themes.undo(study.pk, by="ben")
    themes.redo(study.pk, by="ben")
    said = Utterance.objects.get(session=session, sequence=2)
    node = KGNode.objects.get(session=session, label="stay dry")
    link = KGEdge.objects.filter(session=session).first()
    assert link is not None
    notes.write_memo(study, about="study", text="On it all.", by="ana")
    notes.write_memo(study, about="theme", text="On a theme.", by="ana", target=theme.pk)
    of: dict[str, Any] = {"by": "ana", "session": session}
    notes.write_memo(study, about="session", text="On this.", **of)
    notes.write_memo(study, about="node", text="On a concept.", target=node.pk, **of)
    notes.write_memo(study, about="link", text="On a link.", target=link.pk, **of)
    memo = notes.write_memo(
        study, about="quote", text="On words.", target=said.pk, words="taped seams", **of
    )
    notes.change_memo(memo, text="On these words.", by="ben", version=1)
    notes.star(session, said.pk, "stay dry", by="ben")
    notes.review(other, reviewed=True, by="ben")
    WrittenSummary.objects.create(
        session=other, told={"summary": "Dry."}, turns=2, provider="offline", status="done"
    )
    rename = read_act({"act": "rename", "node": str(node.pk), "label": "keep dry"})
    correct(session.pk, rename, by="ada", version=session.graph_version)
    before, after = again(study)
    assert before == after
    assert [one["named"] for one in before["themes"] if one["name"] == "Keeping dry"] == [True]
    assert len(before["theme_acts"]) == 1
    machine = before["sessions"][0]["machine"] or before["sessions"][1]["machine"]
    assert "stay dry" in {one["label"] for one in machine["nodes"]}
    made = Study.objects.get(slug=study.slug)
    assert {str(one.about) for one in Memo.objects.filter(study=made)} == set(Memo.About.values)
    renamed = Theme.objects.get(study=made, name="Keeping dry")
    assert Memo.objects.get(about="theme").target == renamed.pk
    themes.undo(made.pk, by="ana")  # it leads back to what stood here
    assert not Theme.objects.filter(study=made, name="Keeping dry").exists()


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1,
                max_size=20)  # fmt: skip


@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(
    texts=st.lists(WORDS, min_size=1, max_size=4),
    mode=st.sampled_from(sorted(modes())),
    labels=st.lists(WORDS, min_size=2, max_size=5, unique_by=lambda text: text.lower()),
    status=st.sampled_from(["active", "paused"]),
    stance=st.sampled_from([-1, 0, 1]),
    block=st.none() | st.dictionaries(WORDS, WORDS | st.booleans() | st.integers(0, 9)),
)
def test_made_up_rows_come_back_but_for_ids_and_times(
    mode: str,
    texts: list[str],
    labels: list[str],
    status: str,
    stance: int,
    block: dict[str, Any] | None,
) -> None:
    study = StudyFactory.create(mode=mode)
    session = SessionFactory.create(study=study, status=status, simulated=True)
    said = [
        UtteranceFactory.create(
            session=session, speaker="respondent", turn_number=place, sequence=place + 1,
            text=text, block=block,
        )
        for place, text in enumerate(texts)
    ]  # fmt: skip
    for place, utterance in enumerate(said):
        TurnFactory.create(session=session, number=place, answer=utterance)
    nodes = [NodeFactory.create(session=session, label=label, stance=stance) for label in labels]
    nodes[-1].superseded_by = nodes[0]
    nodes[-1].save()
    for place, node in enumerate(nodes):
        utterance = said[place % len(said)]
        end = len(utterance.text)
        MentionFactory.create(node=node, utterance=utterance, quote=utterance.text, end=end)
        slot = SlotFactory.create(session=session, slot_name=f"slot {place}")
        SlotMappingFactory.create(node=node, slot=slot)
    EdgeFactory.create(source=nodes[0], target=nodes[1], edge_type="made up")
    before, after = again(study)
    assert before == after
    emptied(Study.objects.get(slug=study.slug))


def test_one_interview_and_lines_come_back_too() -> None:
    session = small_interview(simulated=True)
    study = session.study
    one = b"".join(format_named("json").write(OneSession(session=session), ExportOptions()))
    lines, whole = written(study, "jsonl"), written(study)
    emptied(study)
    for data in (one, lines, whole):
        done = import_file(data, by="somebody")
        assert done.as_json() == {
            "study": study.slug, "sessions": 1, "nodes": 3, "edges": 2, "faults": []
        }  # fmt: skip
        emptied(done.study)


def test_a_pseudonymised_file_comes_back() -> None:
    study = small_interview().study
    data = written(study, pseudonymise=True, trace=True)
    emptied(study)
    assert import_file(data, by="somebody").nodes == 3


def test_every_field_of_an_interview_is_in_the_file_or_left_out_on_purpose() -> None:
    """A field that somebody adds has to be thought of here."""
    told = {
        Study: f"{documents.STUDY} team methodology_version concept_version guide_version",
        Session: f"{documents.SESSION} study revision methodology_version concept_version "
        "guide_version browser",
        SessionSummary: f"{documents.SUMMARY} id session",
        Utterance: f"{documents.UTTERANCE} session withdrawn_at",
        Turn: f"{documents.TURN} session result fence lease_until held_until answer question",
        KGNode: f"{documents.NODE} session superseded_by",
        KGEdge: f"{documents.EDGE} session source target",
        Mention: f"{documents.MENTION} session node edge utterance probe",
        CanonicalSlot: f"{documents.SLOT} session",
        SlotMapping: f"{documents.MAPPING} session node slot",
        CanonicalEdge: f"{documents.CANONICAL_EDGE} session source target",
        LLMCall: f"{documents.CALL} study session turn",
        Correction: f"{documents.CORRECTION} session",
        SessionQuestion: f"{documents.QUESTION} id session study",
        HandoverFact: f"{documents.FACT} id session",
        BacklogQuestion: f"{documents.ASKED} id study edited",
        GuidePlan: "id study number signature data created_at",
        StudyRevision: "id study number data made_by made_at",
    }
    for model, names in told.items():
        fields = {field.name for field in model._meta.concrete_fields}
        missing = fields - set(names.split())
        assert not missing, f"{model.__name__}: export and import {missing}, or leave them out"


def test_the_file_keeps_the_published_schema() -> None:
    found = interchange.schema()
    assert found["anyOf"] == [{"$ref": "#/$defs/StudyFile"}, {"$ref": "#/$defs/SessionFile"}]
    published = json.loads(Path("docs/reference/export.schema.json").read_text(encoding="utf-8"))
    assert published == found
    study = small_interview().study
    head, interviews = interchange.read(written(study, trace=True))
    assert head.study.slug == study.slug
    assert len(interviews) == 1


# -- what cannot be taken ------------------------------------------------------------------------
def counts() -> tuple[int, ...]:
    return (
        Study.objects.count(), Session.objects.count(), KGNode.objects.count(),
        MethodologyVersion.objects.count(), ConceptVersion.objects.count(),
    )  # fmt: skip


def refused(data: bytes, **more: Any) -> dict[str, str]:
    before = counts()
    with pytest.raises(ImportRefused) as error:
        import_file(data, by="somebody", **more)
    assert counts() == before
    return dict(error.value.faults)


@pytest.mark.parametrize(
    ("data", "field", "fault"),
    [
        (b"", "", "this is not JSON: EOF while parsing"),
        (b"{", "", "this is not JSON: EOF while parsing"),
        (b"\xff\xfe\x00", "", "this is not JSON"),
        (b"PK\x03\x04 zip", "", "this is not JSON"),
        (b"[" * 100_000, "", "this is not JSON"),
        (b"[1]", "", "input should be an object"),
        (b"null", "", "input should be an object"),
        (b"{}", "schema", "this is no export of interviews"),
        (b'{"schema": "other"}', "schema", "this is no export of interviews"),
        (b'{"schema": ["x"]}', "schema", "this is no export of interviews"),
        (
            b'{"schema": "adaptive-interview/study", "schema_version": 1}',
            "schema_version",
            "1 is not known; this reads version 2",
        ),
        (
            b'{"schema": "adaptive-interview/study", "schema_version": 2}',
            "study",
            "field required",
        ),
        (b'{"x": "' + b"a" * 10_000_000 + b'"}', "schema", "this is no export of interviews"),
    ],
)
def test_foreign_and_broken_files_are_refused(data: bytes, field: str, fault: str) -> None:
    told = refused(data)
    assert fault in told[field].replace("Input", "input")


@pytest.fixture
def document() -> dict[str, Any]:
    study = small_interview().study
    found: dict[str, Any] = json.loads(written(study))
    emptied(study)
    return found


def put(document: Any, path: str, value: Any) -> bytes:
    *steps, last = path.split(".")
    at = document
    for step in steps:
        at = at[int(step)] if step.isdecimal() else at[step]
    at[int(last) if last.isdecimal() else last] = value
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("path", "value", "field", "fault"),
    [
        ("sessions.0.nodes.1.label", 7, "", "valid string"),
        ("sessions.0.nodes.1.label", "x\0y", "", "NUL"),
        ("sessions.0.nodes.1.confidence", 1.5, "", "less than or equal to 1"),
        ("sessions.0.nodes.1.position", 2**70, "", "less than or equal to 922"),
        ("sessions.0.nodes.1.what", 1, "", "xtra inputs are not permitted"),
        ("sessions.0.nodes.1.label", "TAPED seams", "sessions.0.edges.0", ""),
        ("sessions.0.edges.0.source_id", "00000000-0000-0000-0000-000000000000", "", "no row"),
        ("sessions.0.mentions.0.end", 900, "", "not within its utterance"),
        ("sessions.0.mentions.0.edge_id", None, "sessions.0.mentions.0", "of a node or of an edge"),
        ("sessions.0.utterances.1.sequence", 1, "", "another one has the same"),
        ("sessions.0.session.ended_at", None, "", "an interview that is over"),
        ("sessions.0.session.revision", 4, "", "no revision 4"),
        ("sessions.0.session.state", {"a": "\0"}, "", "NUL"),
        ("sessions.0.turns.1.result.version", 99, "sessions.0.turns.1.result", "version"),
        ("sessions.0.turns.1.answer_id", None, "", "only the opening has no answer"),
        ("study.methodology.number", 99, "study.methodology", "no methodology small_ladder of"),
        ("study.data_fields", [{"key": "a"}], "", "field 1"),
        ("study.slug", "no slug", "", "pattern"),
        ("study.redirect_url", "http://x.example", "", "https://"),
        ("documents.0.text", "method: 1", "", ""),
        ("schema_version", "2", "schema_version", "'2' is not known"),
    ],
)
def test_every_fault_is_named_by_its_field_and_nothing_is_stored(
    document: dict[str, Any], path: str, value: Any, field: str, fault: str
) -> None:
    if path.endswith("label") and value == "TAPED seams":
        document["sessions"][0]["nodes"][1]["node_type"] = "attribute"
        field, fault = "sessions.0.nodes.1.label", "another one has the same"
    told = refused(put(document, path, value))
    # Where the members of two kinds of files are tried, the place has the field at its end.
    found = {key: text for key, text in told.items() if key.endswith(field or path)}
    assert found, told
    assert all(fault in text for text in found.values()), told


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("themes.0.members.0.slot_id", "00000000-0000-0000-0000-000000000000", ""),
        ("themes.1.id", None, ""),
        ("sessions.0.notes.memos.0.end", 900, ""),
        ("sessions.0.notes.memos.0.about", "study", ""),
        ("sessions.0.notes.starred_quotes.0.start", 90, "end"),
        ("sessions.0.notes.written_summary", {"summary": "x"}, ""),
        ("theme_acts.0.before.members", {"no id": {}}, ""),
    ],
)
def test_faults_in_what_people_wrote_are_named_too(path: str, value: Any, field: str) -> None:
    session = small_interview()
    said = Utterance.objects.get(session=session, sequence=2)
    notes.write_memo(
        session.study, about="quote", text="On words.", by="ana", session=session,
        target=said.pk, words="taped",
    )  # fmt: skip
    notes.star(session, said.pk, "stay dry", by="ben")
    renewal.ensure(session.study_id)
    themes.rename(session.study_id, Theme.objects.all()[0].pk, "A name", by="ana")
    document = json.loads(written(session.study))
    emptied(session.study)
    told = refused(put(document, path, value))
    place = path.replace("start", field) if field else path
    assert any(place in key for key in told), told


def test_all_faults_are_told_at_once(document: dict[str, Any]) -> None:
    one = document["sessions"][0]
    one["mentions"][0]["end"] = 900
    one["edges"][1]["target_id"] = one["edges"][1]["source_id"]
    assert set(refused(json.dumps(document).encode())) == {
        "sessions.0.mentions.0.end", "sessions.0.edges.1.target_id"
    }  # fmt: skip


def test_a_study_that_is_there_stays_as_it_is(document: dict[str, Any], tmp_path: Path) -> None:
    StudyFactory.create(slug=document["study"]["slug"])
    data = json.dumps(document).encode()
    assert refused(data)["study.slug"].endswith("already; give another slug")
    path = tmp_path / "study.json"
    path.write_bytes(data)
    out = io.StringIO()
    with pytest.raises(CommandError, match=r"study\.slug: there is a study") as error:
        call_command("import", str(path), "--json", stdout=out)
    assert error.value.returncode == 1
    told = json.loads(out.getvalue())
    assert (told["study"], told["sessions"], len(told["faults"])) == (None, 0, 1)
    out = io.StringIO()
    call_command("import", str(path), "--json", "--slug", "another", stdout=out)
    assert json.loads(out.getvalue()) == {
        "study": "another", "sessions": 1, "nodes": 3, "edges": 2, "faults": []
    }  # fmt: skip


def test_a_truncated_file_and_one_that_is_not_there_are_refused(
    document: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "cut.json"
    path.write_bytes(json.dumps(document).encode()[:-2000])
    with pytest.raises(CommandError, match="this is not JSON: EOF") as error:
        call_command("import", str(path))
    assert error.value.returncode == 1
    with pytest.raises(CommandError, match=r"file: .* cannot be read: No such file"):
        call_command("import", str(tmp_path / "none.json"))
