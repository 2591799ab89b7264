"""The bench of many chats: what counts as lost, doubled or out of order, and what it refuses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest
from django.core.management import CommandError, call_command

from interviews.bench.chats import Faults, faults_of
from interviews.bench.latency import rounds
from interviews.bench.standin import StandIn


def conversation(*turns: tuple[str, ...]) -> list[dict[str, Any]]:
    """Utterances as a snapshot has them: per turn the answer's id, if any, and its questions."""
    said: list[dict[str, Any]] = []
    for number, entries in enumerate(turns):
        for entry in entries:
            question = entry.endswith("?")
            said.append(
                {
                    "seq": len(said) + 1,
                    "turn": number,
                    "speaker": "interviewer" if question else "respondent",
                    "client_message_id": None if question else entry,
                }
            )
    return said


WHOLE = conversation(("q0?",), ("a1", "q1?"), ("a2", "q2?"))


def found(
    sent: Sequence[str],
    said: list[dict[str, Any]],
    *,
    heard: Sequence[int] = (),
    over: bool = False,
) -> tuple[int, int, int]:
    faults = faults_of(sent, said, heard, over=over)
    return faults.lost, faults.doubled, faults.out_of_order


def test_a_whole_conversation_has_no_faults() -> None:
    assert found(["a1", "a2"], WHOLE, heard=[1, 3, 5]) == (0, 0, 0)


def test_an_answer_that_the_site_does_not_hold_is_lost_and_so_is_a_question_that_is_owed() -> None:
    assert found(["a1", "a2", "a3"], WHOLE) == (1, 0, 0)
    unasked = conversation(("q0?",), ("a1", "q1?"), ("a2",))
    assert found(["a1", "a2"], unasked) == (1, 0, 0)
    assert found(["a1", "a2"], unasked, over=True) == (0, 0, 0)


def test_what_is_held_or_told_twice_is_doubled() -> None:
    twice = conversation(("q0?",), ("a1", "q1?", "q1 again?"))
    assert found(["a1"], twice) == (0, 1, 0)
    again = conversation(("q0?",), ("a1", "q1?"), ("a1", "q2?"))
    assert found(["a1"], again) == (0, 1, 0)
    assert found(["a1", "a2"], WHOLE, heard=[1, 3, 3, 5]) == (0, 1, 0)


def test_gaps_and_answers_or_questions_that_change_places_are_out_of_order() -> None:
    assert found(["a2", "a1"], WHOLE) == (0, 0, 1)
    assert found(["a1", "a2"], WHOLE, heard=[3, 1]) == (0, 0, 1)
    gap = [said | {"seq": said["seq"] + (said["turn"] == 2)} for said in WHOLE]
    assert found(["a1", "a2"], gap) == (0, 0, 2)
    question_first = conversation(("q0?",), ("q1?", "a1"))
    assert found(["a1"], question_first) == (0, 0, 1)


def test_faults_add_up() -> None:
    one = Faults(lost=1, doubled=2, out_of_order=3)
    assert one + one == Faults(lost=2, doubled=4, out_of_order=6)


async def test_the_stand_in_answers_the_protocol_and_says_which_calls_waited_for_each_other() -> (
    None
):
    async def ask(client: httpx2.AsyncClient, task: str) -> str:
        answer = await client.post(
            "chat/completions",
            json={
                "model": "standin-1",
                "messages": [{"role": "user", "content": '7. "soft straps"'}],
                "response_format": {"type": "json_schema", "json_schema": {"name": task}},
            },
        )
        return str(answer.json()["choices"][0]["message"]["content"])

    async with StandIn(0.05).serving() as stand_in:
        address = json.loads(stand_in.catalogue())["providers"]["standin"]["base_url"]
        async with httpx2.AsyncClient(base_url=address) as client:
            read = await asyncio.gather(ask(client, "extraction"), ask(client, "response_rating"))
            slots = await ask(client, "slot_proposal")
    assert json.loads(read[0])["extractable"] is True
    assert json.loads(slots)["proposals"][0]["number"] == 7
    assert rounds(stand_in.calls) == [["extraction", "response_rating"], ["slot_proposal"]]


@pytest.mark.parametrize("think", ["soon", "20-10", "-5"])
def test_a_time_to_think_that_makes_no_sense_is_refused(think: str) -> None:
    with pytest.raises(CommandError, match="--think"):
        call_command("bench", "load", f"--think={think}")


def test_a_link_where_nobody_answers_is_told_in_one_message() -> None:
    link = "http://127.0.0.1:9/s/demo/"
    with pytest.raises(CommandError, match=f"^{link} does not answer"):
        call_command("bench", "load", "--url", link)
