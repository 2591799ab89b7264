"""Frames of the chat's socket: what is taken, what is refused, and what travels back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.chat import protocol

ID = UUID("6f1c1f34-6f3e-4ac1-8a4f-8d5a55a3a001")
OTHER = UUID("6f1c1f34-6f3e-4ac1-8a4f-8d5a55a3a002")


def frame(**fields: object) -> str:
    return json.dumps({"v": 1, **fields})


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"type": "hello", "last_seq": 7}, protocol.Hello(v=1, type="hello", last_seq=7)),
        (
            {"type": "answer", "client_message_id": str(ID), "text": "a walk"},
            protocol.Answer(v=1, type="answer", client_message_id=ID, text="a walk"),
        ),
        (
            {
                "type": "answer",
                "client_message_id": str(ID),
                "text": "a hike",
                "replaces": str(OTHER),
            },
            protocol.Answer(
                v=1, type="answer", client_message_id=ID, text="a hike", replaces=OTHER
            ),
        ),
        (
            {"type": "withdraw", "client_message_id": str(ID)},
            protocol.Withdraw(v=1, type="withdraw", client_message_id=ID),
        ),
        ({"type": "end"}, protocol.End(v=1, type="end")),
        ({"type": "pause"}, protocol.Pause(v=1, type="pause")),
        ({"type": "resume"}, protocol.Resume(v=1, type="resume")),
        ({"type": "retry"}, protocol.Retry(v=1, type="retry")),
    ],
)
def test_each_message_of_the_browser_is_read(
    fields: dict[str, object], expected: protocol.AnyClientFrame
) -> None:
    assert protocol.parse(frame(**fields)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{",
        '{"type": "end"}',  # no version
        '{"v": 2, "type": "end"}',
        '{"v": "1", "type": "end"}',
        '{"v": 1, "type": "shutdown"}',
        '{"v": 1, "type": "end", "session": "another"}',
        '{"v": 1, "type": "hello"}',
        '{"v": 1, "type": "hello", "last_seq": -1}',
        '{"v": 1, "type": "hello", "last_seq": 2147483648}',
        '{"v": 1, "type": "hello", "last_seq": "3"}',
        '{"v": 1, "type": "hello", "last_seq": true}',
        '{"v": 1, "type": "answer", "client_message_id": "7", "text": "x"}',
        '{"v": 1, "type": "answer", "client_message_id": null, "text": "x"}',
        '{"v": 1, "type": "withdraw"}',
        f'{{"v": 1, "type": "answer", "client_message_id": "{ID}", "text": "x", "replaces": "7"}}',
        f'{{"v": 1, "type": "answer", "client_message_id": "{ID}", "text": 5}}',
        f'{{"v": 1, "type": "answer", "client_message_id": "{ID}", "text": "\\ud800"}}',
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(protocol.BadFrameError):
        protocol.parse(text)


def test_a_refusal_names_the_field_and_never_what_was_in_it() -> None:
    with pytest.raises(protocol.BadFrameError) as refused:
        protocol.parse(frame(type="answer", client_message_id="secret words", text="x"))
    assert "client_message_id" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_the_limit_is_counted_in_bytes() -> None:
    envelope = len(frame(type="answer", client_message_id=str(ID), text="").encode())
    fits = protocol.MAX_FRAME_BYTES - envelope
    raw = '{"v": 1, "type": "answer", "client_message_id": "%s", "text": "%s"}'
    assert len((raw % (ID, "a" * fits)).encode()) == 16_384
    assert isinstance(protocol.parse(raw % (ID, "a" * fits)), protocol.Answer)
    with pytest.raises(protocol.FrameTooLargeError):
        protocol.parse(raw % (ID, "a" * (fits + 1)))
    with pytest.raises(protocol.FrameTooLargeError):
        protocol.parse(raw % (ID, "山" * (fits // 3 + 1)))


def test_an_answer_over_the_services_limit_still_fits_so_that_it_is_refused_in_words() -> None:
    read = protocol.parse(frame(type="answer", client_message_id=str(ID), text="a" * 8001))
    assert isinstance(read, protocol.Answer)
    assert len(read.text) == 8001


@given(st.text(max_size=300))
def test_no_text_makes_reading_fail_in_another_way(text: str) -> None:
    try:
        protocol.parse(text)
    except protocol.BadFrameError:
        return
    pytest.fail("random text was taken for a frame")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_what_was_said_travels_unchanged(text: str) -> None:
    said = protocol.Said(
        seq=3,
        speaker="respondent",
        text=text,
        turn=2,
        client_message_id=ID,
        at=datetime(2026, 3, 1, tzinfo=UTC),
        block={"kind": "choice", "options": [text]},
    )
    sent = json.loads(protocol.dump(protocol.UtteranceFrame(**said.model_dump())))
    assert sent == {
        "v": 1,
        "type": "utterance",
        "seq": 3,
        "speaker": "respondent",
        "text": text,
        "turn": 2,
        "client_message_id": str(ID),
        "at": "2026-03-01T00:00:00Z",
        "block": {"kind": "choice", "options": [text]},
    }
