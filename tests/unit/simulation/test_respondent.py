"""Simulated respondents: reproducible, different from each other, and never a broken record."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interviews.simulation import speech
from interviews.simulation.respondent import SimulatedRespondent
from interviews.simulation.world import World, available_worlds, load_world
from methodologies.schema import PersonaSchema, PersonaTraits
from methodologies.yaml_loader import load_persona

PERSONAS = Path(__file__).parents[3] / "methodologies" / "library" / "personas"
HEDGES = re.compile(
    r"\b(i guess|i think|maybe|perhaps|i suppose|probably|kind of|not entirely sure|hard to say|"
    r"could be wrong|or something like that|more or less|if that makes sense|really thought)\b",
    re.IGNORECASE,
)
QUESTIONS = (
    "What comes to mind first about it?",
    "You said '{last}'. What does that give you?",
    "Why does that matter to you?",
    "What else do you notice?",
    "You said '{last}'. What would you miss without it?",
    "Can you remember a time when that played a role?",
    "How did that make you feel?",
    "What exactly do you mean by '{last}'?",
    "What else counts for you?",
    "How does '{last}' compare with what you had before?",
    "And why is that important?",
    "So far I have heard that {last}. What is missing?",
    "What else comes to mind?",
    "What does '{last}' lead to for you?",
)


@cache
def world_of(concept: str) -> World:
    return load_world(concept)


@cache
def persona(name: str) -> PersonaSchema:
    path = PERSONAS / f"{name}.yaml"
    return load_persona(path.read_text(encoding="utf-8"), str(path))


WORLD = world_of("meal_kits")


def someone(traits: PersonaTraits) -> PersonaSchema:
    return PersonaSchema(id="someone", name="Someone", description="For a test", traits=traits)


def interview(who: PersonaSchema, seed: int, concept: str = "hiking_backpacks") -> list[str]:
    return hold(SimulatedRespondent(world_of(concept), who, seed))


def hold(respondent: SimulatedRespondent) -> list[str]:
    answers = []
    for turn, question in enumerate(QUESTIONS, start=1):
        last = next(reversed(respondent.told.values()), "it")
        answers.append(respondent.answer(question.format(last=last), turn))
    return answers


def words(answers: list[str]) -> float:
    return sum(len(answer.split()) for answer in answers) / len(answers)


def hedges(answers: list[str]) -> float:
    return sum(len(HEDGES.findall(answer)) for answer in answers) / len(answers)


def many(name: str) -> list[str]:
    return [a for seed in range(8) for a in interview(persona(name), seed)]


def test_the_same_seed_gives_the_same_interview() -> None:
    assert interview(persona("verbose"), 7) == interview(persona("verbose"), 7)


def test_another_seed_gives_another_interview() -> None:
    assert interview(persona("cooperative"), 1) != interview(persona("cooperative"), 2)


def test_verbose_says_more_than_cooperative_and_brief_less() -> None:
    brief, cooperative, verbose = (words(many(n)) for n in ("brief", "cooperative", "verbose"))
    assert brief * 1.4 < cooperative
    assert cooperative * 1.3 < verbose


def test_who_hedges_hedges_most_answers_and_others_few() -> None:
    assert hedges(many("hedging")) > 0.6
    assert hedges(many("hedging")) > 4 * hedges(many("brief"))


def test_who_refuses_refuses_and_others_never_do() -> None:
    sceptical = many("sceptical")
    refused = [a for a in sceptical if a in speech.REFUSALS]
    assert 0.03 < len(refused) / len(sceptical) < 0.25
    assert not [a for a in many("cooperative") if a in speech.REFUSALS]


def test_the_first_question_is_never_refused() -> None:
    respondent = SimulatedRespondent(WORLD, someone(PersonaTraits(refusals=1.0)), 3)
    assert respondent.answer("Why does dinner matter to you?", 1) not in speech.REFUSALS
    assert respondent.answer("Why does dinner matter to you?", 2) in speech.REFUSALS


def test_a_refused_subject_stays_refused_and_others_do_not() -> None:
    wary = someone(PersonaTraits(statements_per_answer=(1, 1), refusals=0.5, reasons=0.0))
    why = "Why do the recipe cards matter to you?"

    def refuses_the_cards(seed: int) -> SimulatedRespondent | None:
        respondent = SimulatedRespondent(WORLD, wary, seed)
        respondent.answer("What about the recipe cards with their pictures?", 1)
        return respondent if respondent.answer(why, 2) in speech.REFUSALS else None

    refusing = [found for seed in range(20) if (found := refuses_the_cards(seed))]
    assert len(refusing) >= 4
    for respondent in refusing:
        assert all(respondent.answer(why, turn) in speech.REFUSALS for turn in range(3, 13))
    other = "Why does the expensive price matter to you?"
    assert any(r.answer(other, 13) not in speech.REFUSALS for r in refusing)


def test_fatigue_shrinks_answers() -> None:
    answers = [interview(persona("fatiguing"), seed) for seed in range(8)]
    fresh = words([a for interview_ in answers for a in interview_[:5]])
    tired = words([a for interview_ in answers for a in interview_[9:]])
    assert tired < 0.6 * fresh


def test_emotion_and_scepticism_are_heard() -> None:
    emotional, sceptical = " ".join(many("emotional")), " ".join(many("sceptical"))
    moved, cool = (sum(t.count(e) for e in speech.EMOTIONS) for t in (emotional, sceptical))
    believing, doubting = (sum(t.count(d) for d in speech.DOUBTS) for t in (emotional, sceptical))
    assert moved > 4 * max(cool, 1)
    assert doubting > 10 * max(believing, 1)


def test_a_single_topic_comes_back() -> None:
    def mentions_of_the_first(name: str) -> int:
        found = 0
        for seed in range(8):
            respondent = SimulatedRespondent(world_of("banking_app"), persona(name), seed)
            answers = [answer.casefold() for answer in hold(respondent)]
            first = world_of("banking_app").by_id[next(iter(respondent.told))]
            found += sum(any(p in a for p in folded(first.phrasings)) for a in answers[1:])
        return found

    assert mentions_of_the_first("single_topic") >= 8  # once an interview
    assert mentions_of_the_first("single_topic") > 4 * mentions_of_the_first("cooperative")


def folded(phrasings: tuple[str, ...]) -> list[str]:
    return [phrasing.casefold() for phrasing in phrasings]


@pytest.mark.parametrize("concept", available_worlds())
def test_what_was_told_comes_back_only_to_tie_something_else_to_it(concept: str) -> None:
    talkative = someone(PersonaTraits(statements_per_answer=(2, 4), reasons=0.9))
    world = world_of(concept)
    answers = [a.casefold() for a in interview(talkative, 5, concept)]
    for statement in world.statements:
        links = len(world.upward[statement.id]) + len(world.downward[statement.id])
        for phrasing in folded(statement.phrasings):
            assert sum(phrasing in answer for answer in answers) <= 1 + links, phrasing


def test_a_respondent_ties_what_is_asked_about_to_what_was_told() -> None:
    respondent = SimulatedRespondent(WORLD, someone(PersonaTraits(statements_per_answer=(1, 1))), 1)
    for turn in range(1, 60):
        told = respondent.told
        asked = next(reversed(told), "")
        question = f"You said “{told.get(asked, 'it')}”. Why does that matter to you?"
        answer = respondent.answer(question, turn).casefold()
        again = {name for name, text in told.items() if text.casefold() in answer}
        if again and respondent.told == told:
            break
    else:
        raise AssertionError("nothing was ever tied to what was told before")
    assert again & {*WORLD.upward[asked], *WORLD.downward[asked]}


def test_what_points_back_is_about_the_point_asked_about_before() -> None:
    respondent = SimulatedRespondent(WORLD, someone(PersonaTraits(statements_per_answer=(1, 1))), 1)
    respondent.answer("What comes to mind?", 1)
    (first,) = respondent.told.values()
    respondent.answer(f"You said “{first}”. Why does that matter to you?", 2)
    asked = next(iter(respondent.told))
    respondent.answer("Let me stay with what I just asked about. How was it before?", 3)
    assert respondent.subject_asked == asked


def test_an_interviewer_who_only_asks_what_else_does_not_reach_values() -> None:
    world = world_of("oat_milk")
    respondent = SimulatedRespondent(world, persona("cooperative"), 2)
    for turn in range(1, 31):
        respondent.answer("What else comes to mind?", turn)
    assert not [name for name in respondent.told if world.by_id[name].kind == "value"]


@pytest.mark.parametrize("seed", range(4))
def test_who_is_asked_which_ones_they_know_names_one(seed: int) -> None:
    world = world_of("choosing_a_school")
    respondent = SimulatedRespondent(world, someone(PersonaTraits()), seed)
    respondent.answer("Thinking of the schools for your child, which ones do you know best?", 1)
    first = next(iter(respondent.told))
    assert world.by_id[first].level == 1


def test_asking_why_climbs_to_a_value() -> None:
    world = world_of("oat_milk")
    reached = 0
    for seed in range(10):
        respondent = SimulatedRespondent(world, persona("cooperative"), seed)
        respondent.answer("What do you notice about the foam?", 1)
        for turn in range(2, 7):
            last = next(reversed(respondent.told.values()))
            respondent.answer(f"You said '{last}'. Why does that matter to you?", turn)
        reached += any(world.by_id[name].level == 5 for name in respondent.told)
    assert reached >= 8


def test_an_incident_is_told_to_who_asks_for_one() -> None:
    world = world_of("oat_milk")
    respondent = SimulatedRespondent(world, someone(PersonaTraits()), 4)
    respondent.answer("What about your stomach?", 1)
    answer = respondent.answer("Can you remember a time when your stomach was trouble?", 2)
    assert "belly_incident" in respondent.told
    assert any(phrasing[1:] in answer for phrasing in world.by_id["belly_incident"].phrasings)


def test_when_nothing_is_left_it_says_so_in_many_ways() -> None:
    world = world_of("oat_milk")
    respondent = SimulatedRespondent(
        world, someone(PersonaTraits(statements_per_answer=(4, 6), reasons=1.0)), 1
    )
    answers = [respondent.answer("What else comes to mind?", turn) for turn in range(1, 41)]
    empty = [answer for answer in answers if answer in speech.NOTHING_NEW["open"]]
    assert len(set(empty)) >= 6
    assert all(one != other for one, other in pairwise(empty))


def test_sentence_openings_vary() -> None:
    answers = interview(persona("cooperative"), 1) + interview(persona("cooperative"), 2)
    openings = [" ".join(answer.split()[:2]) for answer in answers]
    assert max(openings.count(o) for o in openings) <= 0.25 * len(openings)


def test_the_elicited_share_counts_what_was_told() -> None:
    world = world_of("electric_cars")
    respondent = SimulatedRespondent(world, persona("cooperative"), 0)
    assert respondent.elicited() == 0
    hold(respondent)
    assert respondent.elicited() == len(respondent.told) / 36
    assert 0.3 < respondent.elicited() < 0.9


@given(
    seed=st.integers(min_value=0, max_value=10_000),
    concept=st.sampled_from(available_worlds()),
    name=st.sampled_from(sorted(p.stem for p in PERSONAS.glob("*.yaml"))),
)
@settings(max_examples=60)
def test_every_answer_is_well_formed_speech(seed: int, concept: str, name: str) -> None:
    for answer in interview(persona(name), seed, concept):
        assert answer
        assert answer[0] == answer[0].upper()
        assert answer.endswith((".", "!", "?"))
        assert "{" not in answer
        assert "  " not in answer
        assert ".." not in answer


@given(questions=st.lists(st.text(max_size=80), max_size=8))
def test_any_text_gets_an_answer(questions: list[str]) -> None:
    respondent = SimulatedRespondent(WORLD, persona("brief"), 0)
    for turn, question in enumerate(questions, start=1):
        assert respondent.answer(question, turn)
