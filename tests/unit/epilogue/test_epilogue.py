"""The state machine of what is asked last, its fields and its words, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from interviews.epilogue.fields import FieldsInvalid, is_right, read_fields
from interviews.epilogue.flow import Plan, Step, close, offer, outcome, take_text, take_values
from interviews.epilogue.state import EpilogueState, Held
from interviews.epilogue.words import agreed, words
from interviews.turns.blocks import options_of
from interviews.wording.languages import LANGUAGES

FIELDS = [
    {"key": "email", "type": "email", "required": True},
    {"key": "phone", "type": "phone"},
    {"key": "role", "type": "choice", "options": ["Buyer", "User"]},
]


def plan(*, as_form: bool = False, language: str = "en", fields: Any = None) -> Plan:
    return Plan(language=language, fields=read_fields(fields or FIELDS), as_form=as_form, minutes=5)


def told(with_plan: Plan, *texts: str) -> Step:
    """The last step of an epilogue to which these answers were given."""
    step = close(EpilogueState(), with_plan, "max_turns_reached")
    for text in texts:
        step = take_text(step.state, with_plan, text)
    return step


def standings(step: Step, with_plan: Plan) -> tuple[str, str, Mapping[str, str]]:
    done = outcome(step.state, with_plan, over=step.over)
    return done["status"], done["consent"], done["fields"]


# -- consent -------------------------------------------------------------------------------------
def test_a_study_without_fields_is_over_with_its_mode() -> None:
    step = close(EpilogueState(), Plan(), "graph_saturated")
    assert (step.over, step.says) == (True, None)


def test_a_refusal_of_consent_ends_it_at_once() -> None:
    step = told(plan(), "no, thank you")
    assert step.over
    assert standings(step, plan()) == (
        "refused",
        "refused",
        dict.fromkeys(("email", "phone", "role"), "not_asked"),
    )


def test_two_unclear_answers_count_as_refused_and_leave_none_of_their_words() -> None:
    once = told(plan(), "my mail is jo@example.org")
    assert not once.over
    assert once.heard == "[no clear answer]"
    assert told(plan(), "hm", "perhaps").state.consent == "refused"
    assert told(plan(), "hm", "yes").state.consent == "given"


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_understands_its_own_buttons(language: str) -> None:
    asked = close(EpilogueState(), plan(language=language), "x")
    assert asked.says is not None
    yes, no = options_of(asked.says.block)
    assert agreed(yes, (yes, no), language) == "yes"
    assert agreed(no, (yes, no), language) == "no"
    assert agreed("…", (yes, no), language) == "unclear"


@pytest.mark.parametrize(
    ("language", "text", "reply"),
    [
        ("en", "sure, no problem", "yes"),
        ("en", "I'd rather not", "no"),
        ("en", "yes and no", "unclear"),
        ("it", "certo, non c'è problema", "yes"),
        ("it", "preferisco di no", "no"),
        ("de", "warum nicht", "yes"),
        ("de", "lieber nicht", "no"),
        ("fr", "pas de problème", "yes"),
        ("fr", "je préfère ne pas répondre", "no"),
        ("es", "claro que sí", "yes"),
        ("es", "mejor no", "no"),
    ],
)
def test_agreeing_is_read_by_whole_phrases(language: str, text: str, reply: str) -> None:
    options = words(language, "consent_yes"), words(language, "consent_no")
    assert agreed(text, options, language) == reply


# -- question by question ------------------------------------------------------------------------
def test_fields_are_asked_for_one_by_one_and_given() -> None:
    step = told(plan(), "yes", "jo@example.org", "+39 06 1234567", "buyer")
    assert step.over
    assert step.values == {"role": "Buyer"}
    assert standings(step, plan())[0] == "complete"


def test_a_wrong_value_names_its_field_and_the_second_exhausts_it() -> None:
    once = told(plan(), "yes", "jo@example")
    assert once.says is not None
    assert "Your e-mail address should look like name@example.org." in once.says.text
    assert once.values == {}
    step = told(plan(), "yes", "jo@example", "jo", "+39 06 1234567", "User")
    status, _, fields = standings(step, plan())
    assert (status, fields["email"], fields["role"]) == ("exhausted", "exhausted", "given")


def test_two_refused_fields_end_it() -> None:
    step = told(plan(), "yes", "I'd rather not say", "skip")
    assert step.over
    assert standings(step, plan()) == (
        "refused",
        "given",
        {"email": "refused", "phone": "refused", "role": "not_asked"},
    )


# -- as a form -----------------------------------------------------------------------------------
def consented(with_plan: Plan) -> EpilogueState:
    return told(with_plan, "yes").state


def test_a_form_is_taken_whole() -> None:
    form = plan(as_form=True)
    step = take_values(consented(form), form, {"email": "jo@example.org", "phone": ""}, "1")
    assert step.over
    assert step.values == {"email": "jo@example.org"}
    assert standings(step, form) == (
        "complete",
        "given",
        {"email": "given", "phone": "refused", "role": "refused"},
    )


def test_a_form_with_a_wrong_value_keeps_nothing_and_says_which() -> None:
    form = plan(as_form=True)
    step = take_values(consented(form), form, {"email": "jo", "phone": "+39 06 1234567"}, "1")
    assert (step.over, step.values) == (False, {})
    assert list(step.wrong) == ["email"]
    missing = take_values(consented(form), form, {}, "1")
    assert missing.wrong == {"email": "Your e-mail address is needed."}


def test_the_same_form_sent_again_is_refused_again_and_counted_once() -> None:
    form = plan(as_form=True)
    first = take_values(consented(form), form, {"email": "jo"}, "1")
    again = take_values(first.state, form, {"email": "jo"}, "1")
    assert (again.wrong, again.state) == (first.wrong, first.state)
    second = take_values(again.state, form, {"email": "jo"}, "2")
    assert second.over
    assert second.state.fields["email"] == "exhausted"


def test_a_field_that_the_form_does_not_have_is_named_and_not_counted() -> None:
    form = plan(as_form=True)
    before = consented(form)
    step = take_values(before, form, {"email": "jo@example.org", "iban": "x"}, "1")
    assert step.wrong == {"iban": "This form has no such field."}
    assert step.state == before


def test_a_form_can_be_answered_in_words_and_declined_by_its_button() -> None:
    form = plan(as_form=True)
    asked = told(form, "yes", "jo@example.org")
    assert asked.says is not None
    assert asked.says.block is not None
    assert [field["key"] for field in asked.says.block.model_dump()["fields"]] == ["phone", "role"]
    (skip,) = options_of(asked.says.block)
    declined = take_text(asked.state, form, skip)
    assert standings(declined, form) == (
        "refused",
        "given",
        {"email": "given", "phone": "refused", "role": "refused"},
    )


# -- more time -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("texts", "became", "goes_on"),
    [(["yes"], "accepted", True), (["no"], "refused", False), (["hm", "hm"], "refused", False)],
)
def test_more_time_is_offered_and_the_held_question_asked_only_where_it_is_accepted(
    texts: list[str], became: str, goes_on: bool
) -> None:
    held = Held(text="And what then?")
    step = offer(EpilogueState(), Plan(minutes=5), held, "time_used_up")
    assert step.says is not None
    assert "5 more minutes" in step.says.text
    for text in texts:
        step = take_text(step.state, Plan(minutes=5), text)
    assert (step.state.offer, step.goes_on == held, step.over) == (became, goes_on, not goes_on)


def test_who_declines_more_time_is_asked_for_the_fields() -> None:
    step = offer(EpilogueState(), plan(), Held(text="And what then?"), "time_used_up")
    step = take_text(step.state, plan(), "no")
    assert (step.state.step, step.state.reason, step.over) == ("consent", "time_used_up", False)


# -- always --------------------------------------------------------------------------------------
@given(st.lists(st.sampled_from(["yes", "no", "hm", "jo@example.org", "x", "123 45 67", "User"])))
def test_every_epilogue_ends_and_its_state_holds_no_value(texts: list[str]) -> None:
    asked = plan()
    step = close(EpilogueState(), asked, "max_turns_reached")
    for text in [*texts, *["no"] * 12]:
        if step.over:
            break
        step = take_text(step.state, asked, text)
        assert "example.org" not in step.state.model_dump_json() + step.heard
    assert step.over
    assert EpilogueState.model_validate(step.state.model_dump(mode="json")) == step.state


# -- fields --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("email", ["a@b.co", "jö@exämple.org", "a+b@sub.domain.org"],
         ["a@b", "a@@b.co", "a b@c.de", "@b.co", "a@b..co", "a@.co", "a" * 250 + "@b.co"]),
        ("phone", ["1234567", "+39 (06) 123-4567", "123456789012345"],
         ["123456", "1234567890123456", "call me", "12345x67"]),
        ("name", ["Jo", "x" * 80], ["J", "x" * 81]),
        ("company", ["ab", "x" * 120], ["a", "x" * 121]),
        ("text", ["x", "x" * 500], ["x" * 501]),
        ("number", ["12", "3,5", "-1", "1e3"], ["twelve", "nan", "inf", "1,2,3"]),
    ],
)  # fmt: skip
def test_what_may_stand_in_a_field(kind: str, right: list[str], wrong: list[str]) -> None:
    (field,) = read_fields([{"key": "it", "type": kind}])
    assert [text for text in right if not is_right(field, text)] == []
    assert [text for text in wrong if is_right(field, text)] == []


@pytest.mark.parametrize(
    ("data", "told_as"),
    [
        ({}, "fields are a list"),
        ([{"key": "e", "type": "mail"}], "field 1: type: input should be 'name', 'email'"),
        ([{"key": "A b", "type": "text"}], "field 1: key: string should match pattern"),
        ([{"key": "a", "type": "text"}, {"key": "a", "type": "name"}], "field 2: another field"),
        ([{"key": "a", "type": "choice"}], "field 1: a choice needs options"),
        ([{"key": "a", "type": "text", "options": ["b", "c"]}], "options belong to a field"),
        ([{"key": "a", "type": "email", "sensitive": False}], "is always sensitive"),
        ([{"key": "a", "type": "text", "colour": "red"}], "field 1: colour: extra inputs"),
        ([{"key": f"k{n}", "type": "text"} for n in range(13)], "12 is the most"),
    ],
)
def test_a_wrong_list_of_fields_is_told_by_place(data: Any, told_as: str) -> None:
    with pytest.raises(FieldsInvalid, match=told_as):
        read_fields(data)


def test_every_language_has_every_word_and_the_same_places_to_fill() -> None:
    text = resources.files("interviews.epilogue").joinpath("words.yaml").read_text("utf-8")
    document = yaml.safe_load(text)
    assert set(document) == set(LANGUAGES)

    def shape(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: shape(one) for key, one in value.items()}
        if isinstance(value, list):
            return "words"
        return sorted(p for p in ("{label}", "{labels}", "{options}", "{minutes}", "{problem}")
                      if p in value)  # fmt: skip

    assert {language: shape(document[language]) for language in LANGUAGES} == {
        language: shape(document["en"]) for language in LANGUAGES
    }
