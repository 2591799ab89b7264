"""An epilogue's one state machine: what is asked next, given what was just said. Pure.

offer → (accepted) back to the mode, or (refused) on; consent → (given) fields, or (refused) over;
fields → over once each is given, refused or exhausted, or two are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from interviews.epilogue.fields import DataField, FieldsInvalid, cleaned, is_right, read_fields
from interviews.epilogue.state import EpilogueState, Held, Refused
from interviews.epilogue.words import agreed, label, no_such_field, refuses, words, wrong
from interviews.turns.blocks import Block, choice, fold

MOST_UNCLEAR = 2
MOST_ATTEMPTS = 2
MOST_REFUSED = 2

Status = Literal["none", "not_asked", "asked", "complete", "refused", "exhausted", "left"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a study asks for: its fields, as one form or question by question, and more minutes."""

    language: str = "en"
    fields: tuple[DataField, ...] = ()
    as_form: bool = True
    minutes: int = 0

    @classmethod
    def read(
        cls, *, language: str, data_fields: object, data_collection: str, minutes: int
    ) -> Plan:
        """The plan from a study's columns; fields that cannot be read are not asked for."""
        try:
            fields = read_fields(data_fields) if data_fields else ()
        except FieldsInvalid:  # stored before fields were checked
            fields = ()
        return cls(
            language=language, fields=fields, as_form=data_collection == "form", minutes=minutes
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """What the interviewer says."""

    text: str
    block: Block | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What an answer led to.

    `heard` is what the conversation keeps of it, `says` what is said next, `values` what was given,
    by key. `goes_on` is the question that was held, where the mode goes on; `over` ends the
    interview. `wrong` are the fields of a form that cannot be taken: then only `state` is kept.
    """

    state: EpilogueState
    heard: str = ""
    says: Saying | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    goes_on: Held | None = None
    over: bool = False
    wrong: Mapping[str, str] = field(default_factory=dict)


# -- beginning -----------------------------------------------------------------------------------
def offer(state: EpilogueState, plan: Plan, held: Held, reason: str) -> Step:
    """Offer to go on; `held` is the question that is asked then, else it ends for `reason`."""
    asking = state.model_copy(
        update={
            "step": "offer",
            "offer": "asked",
            "minutes": plan.minutes,
            "held": held,
            "reason": reason,
            "unclear": 0,
        }
    )
    return Step(state=asking, says=_offering(asking, plan))


def close(state: EpilogueState, plan: Plan, reason: str) -> Step:
    """What follows the end of the mode for `reason`: consent to the fields, or nothing more."""
    if not plan.fields:
        return Step(state=state.model_copy(update={"step": "", "reason": reason}), over=True)
    asking = state.model_copy(update={"step": "consent", "reason": reason, "unclear": 0})
    return Step(state=asking, says=_consenting(plan))


# -- going on ------------------------------------------------------------------------------------
def take_text(state: EpilogueState, plan: Plan, text: str) -> Step:
    """Go on after an answer in words, or an option that was chosen. `state.asks` must hold."""
    if state.step == "offer":
        return _after_offer(state, plan, text)
    if state.step == "consent":
        return _after_consent(state, plan, text)
    if fold(text) == fold(words(plan.language, "skip")):
        left = dict.fromkeys((f.key for f in _open(state, plan)), "refused")
        return _settled(state, plan, left, {}, declined=True)
    return _after_field(state, plan, text)


def take_values(state: EpilogueState, plan: Plan, values: Mapping[str, str], sent_as: str) -> Step:
    """Go on after a form with these values by key, sent under an id.

    Either all of it is taken or, with `Step.wrong`, nothing: a field that is wrong, or missing and
    required, is asked for again until it has been wrong twice. The same form sent again is refused
    again, and not counted.
    """
    if state.refused and state.refused.message_id == sent_as:
        return Step(state=state, wrong=state.refused.wrong)
    waiting = {f.key: f for f in _open(state, plan)}
    known = {f.key for f in plan.fields}
    unknown = {key: no_such_field(plan.language) for key in values if key not in known}
    if unknown:
        return Step(state=state, wrong=unknown)
    given = {key: text for key, text in values.items() if key in waiting and text.strip()}
    faults = {
        key: wrong(one, plan.language, missing=key not in given)
        for key, one in waiting.items()
        if (not is_right(one, given[key]) if key in given else one.required)
    }
    attempts = {**state.attempts, **{key: state.attempts.get(key, 0) + 1 for key in faults}}
    again = {key: text for key, text in faults.items() if attempts[key] < MOST_ATTEMPTS}
    if again:
        refused = Refused(message_id=sent_as, wrong=again)
        return Step(
            state=state.model_copy(update={"attempts": attempts, "refused": refused}), wrong=again
        )
    right = {key: cleaned(waiting[key], given[key]) for key in given if key not in faults}
    became = {
        key: "given" if key in right else "exhausted" if key in faults else "refused"
        for key in waiting
    }
    return _settled(
        state.model_copy(update={"attempts": attempts, "refused": None}), plan, became, right
    )


def outcome(state: EpilogueState, plan: Plan, *, over: bool) -> dict[str, Any]:
    """What became of the collection of data, for reports: never a value."""
    return {
        "status": _status(state, plan, over=over),
        "consent": state.consent,
        "fields": {f.key: state.standing(f.key) for f in plan.fields},
    }


# -- the steps -----------------------------------------------------------------------------------
def _after_offer(state: EpilogueState, plan: Plan, text: str) -> Step:
    options = _options(plan, "offer")
    reply = agreed(text, options, plan.language)
    if reply == "unclear" and state.unclear + 1 < MOST_UNCLEAR:
        return _unclear(state, plan, _offering(state, plan))
    if reply == "yes":
        accepted = state.model_copy(
            update={"step": "", "offer": "accepted", "held": None, "unclear": 0}
        )
        return Step(state=accepted, heard=options[0], goes_on=state.held)
    refused = state.model_copy(update={"offer": "refused", "held": None})
    closed = close(refused, plan, state.reason)
    return Step(
        state=closed.state, heard=_heard(reply, options, plan), says=closed.says, over=closed.over
    )


def _after_consent(state: EpilogueState, plan: Plan, text: str) -> Step:
    options = _options(plan, "consent")
    reply = agreed(text, options, plan.language)
    if reply == "unclear" and state.unclear + 1 < MOST_UNCLEAR:
        return _unclear(state, plan, _consenting(plan))
    heard = _heard(reply, options, plan)
    if reply != "yes":
        refused = state.model_copy(
            update={"step": "over", "consent": "refused", "ended": "refused"}
        )
        return Step(state=refused, heard=heard, over=True)
    asking = state.model_copy(update={"step": "fields", "consent": "given", "unclear": 0})
    return Step(state=asking, heard=heard, says=_asking(asking, plan, "form"))


def _after_field(state: EpilogueState, plan: Plan, text: str) -> Step:
    """Words are an answer to the first field that is open."""
    field_asked = _open(state, plan)[0]
    key = field_asked.key
    declines = (words(plan.language, "decline"), words(plan.language, "skip"))
    if refuses(text, plan.language) or fold(text) in map(fold, declines):
        before = list(state.fields.values()).count("refused")
        return _settled(state, plan, {key: "refused"}, {}, declined=before + 1 >= MOST_REFUSED)
    if is_right(field_asked, text):
        return _settled(state, plan, {key: "given"}, {key: cleaned(field_asked, text)})
    attempts = {**state.attempts, key: state.attempts.get(key, 0) + 1}
    counted = state.model_copy(update={"attempts": attempts})
    if attempts[key] >= MOST_ATTEMPTS:
        return _settled(counted, plan, {key: "exhausted"}, {})
    problem = wrong(field_asked, plan.language)
    return Step(
        state=counted,
        heard=words(plan.language, "apart"),
        says=_asking(counted, plan, "again", problem=problem),
    )


def _settled(
    state: EpilogueState,
    plan: Plan,
    became: Mapping[str, str],
    values: Mapping[str, str],
    *,
    declined: bool = False,
) -> Step:
    """Some fields are settled: ask for the next, or be done, at once where all are `declined`."""
    standings = {**state.fields, **became}
    settled = EpilogueState.model_validate({**state.model_dump(), "fields": standings})
    apart = words(plan.language, "apart")
    if not declined and _open(settled, plan):
        return Step(state=settled, heard=apart, values=values, says=_asking(settled, plan, "next"))
    ended = "exhausted" if "exhausted" in standings.values() else "complete"
    over = {"step": "over", "ended": "refused" if declined else ended}
    return Step(state=settled.model_copy(update=over), heard=apart, values=values, over=True)


def _unclear(state: EpilogueState, plan: Plan, asking: Saying) -> Step:
    return Step(
        state=state.model_copy(update={"unclear": state.unclear + 1}),
        heard=words(plan.language, "unclear"),
        says=Saying(text=words(plan.language, "unclear_again"), block=asking.block),
    )


def _open(state: EpilogueState, plan: Plan) -> list[DataField]:
    return [f for f in plan.fields if state.standing(f.key) == "not_asked"]


def _status(state: EpilogueState, plan: Plan, *, over: bool) -> Status:
    if not plan.fields:
        return "none"
    if state.ended:
        return state.ended
    asked = state.step in ("consent", "fields")
    return "left" if over and asked else "asked" if asked else "not_asked"


# -- the words -----------------------------------------------------------------------------------
def _options(plan: Plan, step: str) -> tuple[str, str]:
    return words(plan.language, f"{step}_yes"), words(plan.language, f"{step}_no")


def _heard(reply: str, options: tuple[str, str], plan: Plan) -> str:
    if reply == "unclear":
        return words(plan.language, "unclear")
    return options[0] if reply == "yes" else options[1]


def _offering(state: EpilogueState, plan: Plan) -> Saying:
    text = words(plan.language, "offer", minutes=state.minutes)
    return Saying(text=text, block=choice(_options(plan, "offer")))


def _consenting(plan: Plan) -> Saying:
    labels = ", ".join(label(f, plan.language) for f in plan.fields)
    text = words(plan.language, "consent", labels=labels)
    return Saying(text=text, block=choice(_options(plan, "consent")))


def _asking(state: EpilogueState, plan: Plan, how: str, *, problem: str = "") -> Saying:
    """Ask for the first open field; as a form, for all of them at once.

    A client that shows no form, and in `chat` everybody, answers field by field in words.
    """
    waiting = _open(state, plan)
    first = waiting[0]
    if how == "form" and not plan.as_form:
        how = "ask"
    text = words(plan.language, how, label=label(first, plan.language), problem=problem)
    if how != "again" and first.help:
        text = f"{text}\n{first.help}"
    if plan.as_form:
        return Saying(text=text, block=_form(waiting, plan))
    if first.type == "choice":
        return Saying(text=text, block=choice([*first.options, words(plan.language, "decline")]))
    return Saying(text=text)


def _form(waiting: list[DataField], plan: Plan) -> Block:
    return Block.model_validate(
        {
            "kind": "form",
            "fields": [
                {
                    "key": f.key,
                    "type": f.type,
                    "label": label(f, plan.language),
                    "help": f.help,
                    "required": f.required,
                    "options": list(f.options),
                }
                for f in waiting
            ],
            "options": [words(plan.language, "skip")],
        }
    )
