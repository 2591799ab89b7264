"""A respondent without a language model: knows a world, answers with a persona's manner.

The respondent remembers what was told. A question is read for its kind and subject
(:mod:`interviews.simulation.listening`); the kind decides in which direction of the hidden graph
the answer is looked for, and statements that want the right question stay untold until it comes.
The same seed and the same questions give the same answers.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping

from interviews.simulation import speech
from interviews.simulation.coherence import back_to, going_on, grouped
from interviews.simulation.listening import Ear, asks_for_one, points_back, probe_kind
from interviews.simulation.speech import Decks, Piece, fill, sentence
from interviews.simulation.world import Probe, Statement, World
from methodologies.schema import PersonaSchema

_ENERGY_LOST_A_TURN = 0.2
_LEAST_ENERGY = 0.2
_NEARBY = 3
_TOPIC = 2
"""How far from its first statement a single topic reaches, in links."""
_AFTERTHOUGHT = 0.4
"""How often there is something to add when the interviewer is about to close."""
_DRIFT = 0.4
"""How often somebody with no answer brings up something else instead."""
_OTHER_STORY = 0.5
"""How often somebody without a story about this tells one about something else."""
_RETURNS_TO_TOPIC = 0.6
"""How often a respondent with one topic ends on it, once it is told to the end."""
_TIES_BACK = 0.9
"""How often somebody who gives reasons ends on how the last thing hangs together with others."""
_OPENS = 0.3
"""How often an answer begins with a phrase of the persona's own, where it has some."""
_RESTATED = 0.35
"""How often an explanation begins with what it explains."""
_WANTED: Mapping[Probe, Callable[[Statement], bool]] = {
    "feeling": lambda s: s.kind in {"feeling", "value"},
    "incident": lambda s: s.kind == "incident",
    "absence": lambda s: "absence" in s.tell_when,
    "contrast": lambda s: "contrast" in s.tell_when,
    "reflection": lambda s: "reflection" in s.tell_when,
}


class SimulatedRespondent:
    """Answers an interviewer's questions from a world, in the manner of a persona."""

    def __init__(self, world: World, persona: PersonaSchema, seed: int) -> None:
        self._world = world
        self._persona = persona
        self._traits = persona.traits
        # Reproducible on purpose; nothing here is a secret.
        self._rng = random.Random(f"{world.concept}/{persona.id}/{seed}")  # noqa: S311
        self._decks = Decks(self._rng)
        self._ear = Ear(world)
        self._told: dict[str, str] = {}
        self._tangents = list(world.tangents)
        self._rng.shuffle(self._tangents)
        self._refused: set[str] = set()
        self.subject_asked: str | None = None
        """Id of the statement that the last question was about."""
        self._joined: set[frozenset[str]] = set()
        """Links of the hidden graph that were said or answered to."""

    # -- what an interview brought to light ------------------------------------------------------
    @property
    def told(self) -> dict[str, str]:
        """Ids of the statements told so far with the wording used, oldest first."""
        return dict(self._told)

    def elicited(self) -> float:
        """Return the share of the hidden graph's statements told so far, in [0, 1]."""
        return len(self._told) / len(self._world.statements)

    # -- answering -------------------------------------------------------------------------------
    def answer(self, question: str, turn: int) -> str:
        """Return the answer to `question`; `turn` is the number of the answer, from 1.

        Each call moves the conversation on: what is told now is not told again.
        """
        asked = probe_kind(question)
        if not (self.subject_asked and points_back(question)):
            self.subject_asked = self._subject(question, asked or "open")
        subject = self.subject_asked
        # Whatever its wording: asked about something they said, people say what it is about it.
        probe = asked or ("why" if subject in self._told else "open")
        energy = self._energy(turn)
        count = self._count(energy)
        short = self._short_of_words(probe, subject, count, energy) if self._told else None
        if short is not None:
            return short
        greeting = self._opener() if self._told else self._greeting()
        pieces = self._pieces(question, probe, subject, max(1, count), energy)
        body = self._body(probe, subject, pieces) if pieces else self._blank(probe, energy)
        return " ".join(part for part in (greeting, body, *self._asides(pieces, energy)) if part)

    def _short_of_words(
        self, probe: Probe, subject: str | None, count: int, energy: float
    ) -> str | None:
        """Return an answer that tells nothing, where the persona gives one here."""
        if self._refuses(probe, subject):
            if subject is not None and probe != "open":
                self._refused.add(subject)
            return self._decks.draw(self._persona.deflections or speech.REFUSALS)
        if energy < 1 and self._chance((1 - energy) * 0.6):
            return self._decks.draw(speech.TIRED)
        if count == 0 and probe in speech.SHORT:
            return self._decks.draw(speech.SHORT[probe])
        return None

    def _subject(self, question: str, probe: Probe) -> str | None:
        if (hobby := self._hobby_horse(probe)) is not None:
            return hobby
        found = self._ear.subject(question, told=self._told_statements(), untold=self._untold())
        if found is None and self._told and probe not in {"open", "closing"}:
            return next(reversed(self._told))
        return found

    def _hobby_horse(self, probe: Probe) -> str | None:
        """What a respondent with one topic starts from, while there is more to say about it."""
        if not (self._traits.single_topic and self._told):
            return None
        first = next(iter(self._told))
        return first if self._first(self._world.around(first, limit=_TOPIC), probe) else None

    def _opener(self) -> str:
        """Return a phrase of the persona's own to begin with, now and then."""
        openers = self._persona.openers
        return sentence(self._decks.draw(openers)) if openers and self._chance(_OPENS) else ""

    def _greeting(self) -> str:
        return self._decks.draw(self._world.greetings) if self._chance(0.6) else ""

    def _refuses(self, probe: Probe, subject: str | None) -> bool:
        """Personal questions are refused more often; a refused subject stays refused."""
        if probe in {"open", "closing"}:
            return probe == "open" and self._chance(self._traits.refusals / 2)
        return subject in self._refused or self._chance(self._traits.refusals)

    def _energy(self, turn: int) -> float:
        """1 while fresh, falling by a fifth each turn after the persona tires."""
        after = self._traits.fatigue_after
        if after is None or turn <= after:
            return 1.0
        return max(_LEAST_ENERGY, 1.0 - _ENERGY_LOST_A_TURN * (turn - after))

    def _count(self, energy: float) -> int:
        low, high = self._traits.statements_per_answer
        return round(self._rng.randint(low, max(low, high)) * energy)

    # -- what to tell ----------------------------------------------------------------------------
    def _pieces(
        self, question: str, probe: Probe, subject: str | None, count: int, energy: float
    ) -> list[Piece]:
        first = self._choose(question, probe, subject)
        if first is None:
            return []
        pieces = [self._tell(first)]
        self._join(subject, first)
        while len(pieces) < count:
            last = pieces[-1].statement
            following = self._continue_from(last, probe, energy)
            if following is None:
                break
            pieces.append(self._tell(following))
            self._join(last.id, following)
        last = pieces[-1].statement
        tie = None if pieces[-1].again else self._tie(last.id)
        if tie is not None and self._chance(_TIES_BACK * self._traits.reasons * energy):
            pieces.append(self._tell(tie))
            self._join(last.id, tie)
        return pieces

    def _join(self, name: str | None, statement: Statement) -> None:
        if name is not None:
            self._joined.add(frozenset((name, statement.id)))

    def _tell(self, statement: Statement) -> Piece:
        """Say a statement; what was told before is said again in the words it was told in."""
        if statement.id in self._told:
            return Piece(statement=statement, text=self._told[statement.id], again=True)
        text = self._rng.choice(statement.phrasings)
        self._told[statement.id] = text
        return Piece(statement=statement, text=text)

    def _choose(self, question: str, probe: Probe, subject: str | None) -> Statement | None:
        """Return the untold statement that answers the question best, None where none does."""
        if probe == "closing" and not self._chance(_AFTERTHOUGHT):
            return None
        if subject is None or (probe in {"open", "closing"} and self._hobby_horse(probe) is None):
            return self._new_area(question)
        if self._may_tell(self._world.by_id[subject], probe):
            return self._world.by_id[subject]
        if self._hobby_horse(probe) is not None:
            return self._first(self._world.around(subject, limit=_TOPIC), probe)
        return self._directed(probe, subject)

    def _directed(self, probe: Probe, subject: str) -> Statement | None:
        """Look from the subject in the direction in which this kind of question points."""
        upward, downward = self._world.upward, self._world.downward
        if probe == "relation" and (tie := self._tie(subject)):
            return tie
        if probe in {"why", "relation"}:
            ahead = self._first(self._next(subject, upward), "why") or self._tie(subject)
            return ahead or self._first(self._walk(subject, upward), "why")
        if probe == "concrete":
            below = self._first(self._walk(subject, downward), probe)
            return below or self._told_before(subject, downward)
        found = self._first(self._world.around(subject, limit=_NEARBY), probe, _WANTED[probe])
        if probe == "incident" and found is None and self._chance(_OTHER_STORY):
            return self._first(self._untold(), probe, _WANTED[probe])
        if found is not None or probe in {"incident", "reflection"}:
            return found
        # Asked from an angle that this respondent has nothing for, people answer beside the point.
        near = self._first((*self._next(subject, upward), *self._next(subject, downward)), probe)
        return near or self._tie(subject)

    def _tie(self, subject: str) -> Statement | None:
        """Something told before that hangs together with the subject, what it leads to first."""
        world = self._world
        above = self._told_before(subject, world.upward)
        return above or self._told_before(subject, world.downward)

    def _told_before(self, subject: str, links: Mapping[str, tuple[str, ...]]) -> Statement | None:
        """Something told that is linked to the subject, where nobody has said that it is."""
        for statement in self._next(subject, links):
            said = frozenset((subject, statement.id)) in self._joined
            if statement.id in self._told and statement.id not in self._refused and not said:
                return statement
        return None

    def _new_area(self, question: str) -> Statement | None:
        """Something the question names, else a concrete statement far from what was told.

        Asked which ones they know, people name one, whatever else the question speaks of.
        """
        free = [s for s in self._untold() if self._may_tell(s, "open")]
        named = {} if asks_for_one(question) else self._ear.overlap(question, free)
        fresh = [s for s in free if not self._linked_to_told(s)]
        pool = [s for s in free if s.id in named and s.level <= 2] or fresh or free
        if not pool:
            return None
        lowest = min(s.level for s in pool)
        return self._rng.choice([s for s in pool if s.level == lowest])

    def _continue_from(self, last: Statement, probe: Probe, energy: float) -> Statement | None:
        """What is said in the same breath: mostly the reason or consequence of the last thing."""
        ahead = self._next(last.id, self._world.upward)
        reason = self._first(ahead, probe, self._in_character)
        reason = reason or self._told_before(last.id, self._world.upward)
        if reason is not None and self._chance(self._traits.reasons * energy):
            return reason
        if self._chance(0.5 * energy):
            return self._first(self._world.around(last.id, limit=1), probe, self._in_character)
        drifts = probe == "open" or self._chance(self._traits.tangents)
        return self._new_area("") if drifts else None

    def _in_character(self, statement: Statement) -> bool:
        """Feelings come up by themselves the more, the more emotional the respondent is."""
        if statement.kind != "feeling":
            return True
        return self._chance(0.3 + self._traits.emotion)

    def _first(
        self,
        candidates: Iterable[Statement],
        probe: Probe,
        wanted: Callable[[Statement], bool] = lambda _: True,
    ) -> Statement | None:
        return next((s for s in candidates if self._may_tell(s, probe) and wanted(s)), None)

    def _may_tell(self, statement: Statement, probe: Probe) -> bool:
        if statement.id in self._told or statement.id in self._refused:
            return False
        return not statement.tell_when or probe in statement.tell_when

    # -- the hidden graph ------------------------------------------------------------------------
    def _told_statements(self) -> list[Statement]:
        return [self._world.by_id[name] for name in self._told]

    def _untold(self) -> list[Statement]:
        return [s for s in self._world.statements if s.id not in self._told]

    def _linked_to_told(self, statement: Statement) -> bool:
        return any(name in self._told for name in self._world.neighbours(statement.id))

    def _next(self, name: str, links: Mapping[str, tuple[str, ...]]) -> tuple[Statement, ...]:
        return tuple(self._world.by_id[other] for other in links[name])

    def _walk(self, start: str, links: Mapping[str, tuple[str, ...]]) -> Iterator[Statement]:
        """Statements reachable along `links`, nearest first; only what was told is walked past."""
        seen, queue = {start}, deque([start])
        while queue:
            for name in links[queue.popleft()]:
                if name not in seen:
                    seen.add(name)
                    yield self._world.by_id[name]
                    if name in self._told:
                        queue.append(name)

    # -- how to say it ---------------------------------------------------------------------------
    def _body(self, probe: Probe, subject: str | None, pieces: list[Piece]) -> str:
        opening = len(pieces) == len(self._told)
        groups = grouped(self._with_ground(probe, subject, pieces), self._world)
        texts = []
        for index, group in enumerate(groups):
            text = self._linked(group)
            if group[0].again:
                frames = back_to(subject, group[0].statement, self._world)
                text = fill(self._decks.draw(frames), x=speech.uncapital(text))
            elif self._hedges_widely(group):
                text = fill(self._decks.draw(speech.WIDE_HEDGES), x=text)
            elif index:
                frames = going_on(groups[index - 1], group[0].statement, self._world)
                text = fill(self._decks.draw(frames), y=speech.uncapital(text))
            elif len(group) == 1:
                text = self._led_in(probe, group[0].statement, text, opening=opening)
            texts.append(sentence(text))
        return " ".join(texts)

    def _with_ground(self, probe: Probe, subject: str | None, pieces: list[Piece]) -> list[Piece]:
        """Now and then the explanation takes up, in other words, what it explains."""
        if probe != "why" or subject not in self._told or not self._chance(_RESTATED):
            return pieces
        ground = self._world.by_id[subject]
        if ground.kind == "incident" or pieces[0].statement.id not in self._world.upward[subject]:
            return pieces
        others = [text for text in ground.phrasings if text != self._told[subject]]
        if not others:  # it has one wording, which was used
            return pieces
        return [Piece(statement=ground, text=self._rng.choice(others)), *pieces]

    def _led_in(self, probe: Probe, statement: Statement, text: str, *, opening: bool) -> str:
        frames = speech.LEADS[probe]
        if opening:
            frames = speech.OPENING
        elif probe != "incident" and statement.kind == "incident":
            frames = speech.MEMORY
        elif probe == "absence" and "absence" in statement.tell_when:
            frames = speech.LOSS
        frame = self._decks.draw(frames)
        return fill(frame, x=text, filler=self._decks.draw(self._world.fillers))

    def _linked(self, group: list[Piece]) -> str:
        """One or two statements as a sentence; two are joined as ground and consequence."""
        clauses = [self._hedged(piece) for piece in group]
        if len(group) == 1:
            return clauses[0]
        first, second = (piece.statement for piece in group)
        if second.id in self._world.upward[first.id]:
            frames = speech.upward_frames(first, second)
            return fill(self._decks.draw(frames), x=clauses[0], y=clauses[1])
        return fill(self._decks.draw(speech.GROUNDED), x=clauses[1], y=clauses[0])

    def _hedges_widely(self, group: list[Piece]) -> bool:
        return (
            len(group) == 1
            and group[0].statement.kind != "incident"
            and self._chance(self._traits.hedging / 2)
        )

    def _hedged(self, piece: Piece) -> str:
        if piece.statement.kind == "incident" or not self._chance(self._traits.hedging):
            return piece.text
        return fill(self._decks.draw(speech.HEDGES), x=piece.text)

    def _asides(self, pieces: list[Piece], energy: float) -> Iterator[str]:
        felt = 1.0 if any(p.statement.kind in {"feeling", "incident"} for p in pieces) else 0.5
        if pieces and self._chance(self._traits.emotion * felt * 0.6):
            yield self._decks.draw(speech.EMOTIONS)
        drifted = self._traits.single_topic and self._hobby_horse("open") is None
        if pieces and drifted and self._chance(_RETURNS_TO_TOPIC):
            yield self._return()
        if self._chance(self._traits.scepticism * 0.7):
            yield self._decks.draw(speech.DOUBTS)
        if self._tangents and self._chance(self._traits.tangents * energy):
            yield self._tangents.pop()

    def _blank(self, probe: Probe, energy: float) -> str:
        """Nothing to say to this question; now and then it brings up something beside it."""
        said = self._nothing_new(probe)
        if probe == "closing":
            return said
        if (link := self._unsaid_link()) and self._chance(self._traits.reasons * energy):
            self._joined.add(frozenset(piece.statement.id for piece in link))
            frame = self._decks.draw(speech.LINKS)
            return f"{said} {sentence(fill(frame, x=speech.uncapital(self._linked(link))))}"
        if probe == "open" or not self._chance(_DRIFT * energy):
            return said
        beside = self._new_area("")
        if beside is None:
            return said
        pieces = [self._tell(beside)]
        reason = self._first(self._next(beside.id, self._world.upward), probe, self._in_character)
        if reason is not None and self._chance(self._traits.reasons * energy):
            pieces.append(self._tell(reason))
            self._join(beside.id, reason)
        text = speech.uncapital(self._linked(pieces))
        return f"{said} {sentence(fill(self._decks.draw(speech.DRIFTS), x=text))}"

    def _unsaid_link(self) -> list[Piece]:
        """Two things told where nobody has said that the one leads to the other, latest first."""
        for name in reversed(self._told):
            for after in self._next(name, self._world.upward):
                if after.id in self._told and frozenset((name, after.id)) not in self._joined:
                    return [self._tell(self._world.by_id[name]), self._tell(after)]
        return []

    def _return(self) -> str:
        first = self._world.by_id[next(iter(self._told))]
        wording = self._decks.draw(first.phrasings)
        return sentence(fill(self._decks.draw(speech.RETURNS), x=wording))

    def _nothing_new(self, probe: Probe) -> str:
        if self._traits.single_topic and self._chance(_RETURNS_TO_TOPIC):
            return self._return()
        return self._decks.draw(speech.NOTHING_NEW.get(probe, speech.NOTHING_NEW["open"]))

    def _chance(self, probability: float) -> bool:
        return self._rng.random() < probability
