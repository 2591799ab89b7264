"""What the chat says to respondents, from one place: the page's script and the socket share it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from interviews.chat.protocol import ProtocolCode
from interviews.epilogue.words import words as epilogue_words
from interviews.errors import ErrorCode
from interviews.models import Study


def skip_answer() -> str:
    """The answer that the button beside the box gives; the interviewer honours it."""
    return _("I'd rather not answer this")


def not_understood() -> str:
    """The answer that has a question put in other words."""
    return _("I don't understand the question")


def ask_something_else() -> str:
    """The answer that turns a question down without minding it."""
    return _("Please ask me something else")


def for_page() -> dict[str, str]:
    """The texts that the page's script needs, in the active language.

    Keys that name an error code take the place of the server's message.
    """
    return {
        "interviewer": _("Interviewer"),
        "you": _("You"),
        "saved": _("Saved"),
        "sending": _("Sending…"),
        "kept_here": _("Not sent yet: on this device only"),
        "skip_answer": skip_answer(),
        "last_question": _("This is the last question"),
        "one_question_left": _("One more question after this one"),
        "few_questions_left": _("{questions} more questions after this one"),
        "one_minute_left": _("About a minute left"),
        "minutes_left": _("About {minutes} minutes left"),
        "ask_else": ask_something_else(),
        "not_understood": not_understood(),
        "read_aloud": _("Read it aloud"),
        "stop_reading": _("Stop reading"),
        "listening": _("Listening. Speak; press the microphone again when you are done."),
        "no_microphone": _(
            "The microphone cannot be used here: allow it in your browser, or write your answer."
        ),
        "nothing_heard": _("Nothing could be understood. Try again, or write your answer."),
        "take_your_time": _(
            "Take your time. The next question waits; what you send now is added to your answer."
        ),
        "new_question": _("New question"),
        "change": _("Change"),
        "withdraw": _("Take back"),
        "answer_after_all": _("Answer it after all"),
        "taken_back": _("Taken back. The question before is open again."),
        "choose_one": _("Choose one"),
        "stimulus": _("What this is about"),
        "form": _("A form"),
        "send": _("Send"),
        "optional": _("(optional)"),
        "stored_apart": epilogue_words(get_language() or "", "apart"),
        "preparing": _("thinking of a first question"),
        "thinking": _("thinking about what you said"),
        "still_with_you": _("still with you, this one takes a little longer"),
        "busy": _(
            "Many people are answering just now, so the next question takes longer than usual."
        ),
        "delayed": _(
            "This takes longer than usual. Your answer is safe: wait here, or come back later "
            "with the same link."
        ),
        "delayed_opening": _(
            "This takes longer than usual. Wait here, or come back later with the same link."
        ),
        "failed": _("That took too long. Your answer is safe."),
        "failed_opening": _("That took too long. Nothing is lost."),
        "offline": _(
            "You are offline. What you write stays on this device and is sent when you are back."
        ),
        "reconnecting": _("Connecting again. What you write stays on this device until then."),
        "not_connected": _("There is no connection just now. Try again in a moment."),
        "pause_offline": _(
            "There is no connection just now. You can simply close this page: the same link "
            "brings you back."
        ),
        "end_offline": _(
            "There is no connection just now. The interview ends as soon as it is back."
        ),
        "left": _("{left} characters left"),
        "over_limit": _("{over} over the limit"),
        ErrorCode.EMPTY_ANSWER.value: _(
            "There is nothing to send yet. Write a few words, or choose not to answer."
        ),
        ErrorCode.ANSWER_TOO_LONG.value: _(
            "This is {over} characters over the limit of {limit}. It is still in the box: "
            "shorten it, or send it in parts, which are read as one answer."
        ),
        ErrorCode.NOT_OFFERED.value: _(
            "This is not among what the question offers. Choose one of its options, or write an "
            "answer."
        ),
        ErrorCode.ALREADY_ANSWERED.value: _(
            "This question has its answer already. The next one comes in a moment."
        ),
        ErrorCode.FORM_REFUSED.value: _(
            "Some of it could not be taken. What you typed is still there: see the fields below."
        ),
        ErrorCode.ANSWER_SETTLED.value: _(
            "This answer can no longer be changed: the interview has gone on since. Say what you "
            "would like to correct in your next answer."
        ),
        ErrorCode.BUDGET_SPENT.value: _(
            "This study cannot ask more questions at the moment. Everything you said is safe and "
            "your answer is still in the box: please come back by the same link later."
        ),
        "too_large_to_send": _(
            "This is too long to send at once. It is still in the box: send it in parts, which are "
            "read as one answer."
        ),
        "send_in_parts": _("Send it in {parts} parts"),
        ProtocolCode.TOO_MANY_TABS.value: too_many_tabs(),
        ProtocolCode.BAD_FRAME.value: bad_frame(),
    }


def too_many_tabs() -> str:
    """Said before a socket too many is closed."""
    return _("This interview is open in too many places. Close the others to go on here.")


def too_fast() -> str:
    """Said when answers come faster than anyone writes."""
    return _("That was very fast. Your answer is kept on this device and sent in a moment.")


def try_again() -> str:
    """Said when the database cannot be reached."""
    return _("This could not be saved just now. It is kept on this device and sent again soon.")


def bad_frame() -> str:
    """Said when a message makes no sense; nobody who uses the page should ever read it."""
    return _("This could not be understood. Reload the page; what you have sent is safe.")


def frame_too_large() -> str:
    """Said before a socket is closed for a frame over the limit."""
    return _("This is too long to send at once. Send it in two parts.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A link that leads nowhere: what happened, and what to do next."""

    status: int
    title: str
    what: str
    next: str


FEW_QUESTIONS: Final = 3
"""So many are counted; more of them are told as minutes."""


def time_left(questions: int, minutes: int) -> str:
    """How long an interview still takes, as its page says it: questions where they are few."""
    texts = for_page()
    after_this = max(questions - 1, 0)
    if after_this < FEW_QUESTIONS:
        key = ("last_question", "one_question_left", "few_questions_left")[after_this]
    else:
        key = "one_minute_left" if minutes <= 1 else "minutes_left"
    return texts[key].format(questions=after_this, minutes=minutes)


def told_before_consent(study: Study) -> list[tuple[str, str]]:
    """What respondents are told of a study before they agree: names and texts, empty ones not."""
    told = (
        (_("Who asks"), study.researcher),
        (_("How to reach them"), study.contact),
        (_("What it is for"), study.research_purpose),
        (_("How long your answers are kept"), study.retention),
        (_("How to withdraw afterwards"), study.withdrawal),
    )
    return [(name, text) for name, text in told if text.strip()]


def _ask_sender() -> str:
    return _("Ask the person who sent you the link for a new one.")


def link_problem(code: ErrorCode) -> Problem:
    """The page for a personal link, or a study, that cannot be opened."""
    problems = {
        ErrorCode.LINK_EXPIRED: Problem(
            status=410,
            title=_("This link has expired"),
            what=_("It was open for a limited time. What you have already said is safe."),
            next=_ask_sender(),
        ),
        ErrorCode.LINK_REVOKED: Problem(
            status=410,
            title=_("This link has been withdrawn"),
            what=_("The researchers no longer take answers by it."),
            next=_("If you think that is a mistake, ask the person who sent it to you."),
        ),
        ErrorCode.STUDY_NOT_OPEN: study_closed(),
        ErrorCode.QUOTA_REACHED: Problem(
            status=410,
            title=_("This study is complete"),
            what=_("It has all the interviews it needs. Thank you for wanting to take part."),
            next=_("There is nothing you need to do."),
        ),
    }
    return problems.get(code) or Problem(
        status=404,
        title=_("This link does not lead to an interview"),
        what=_("A part of it may be missing or changed."),
        next=_(
            "Open it again from the message it came in, all of it, or ask the person who sent it "
            "for a new one."
        ),
    )


def screened_out() -> Problem:
    """The page of somebody whom a study is not looking for."""
    return Problem(
        status=200,
        title=_("Thank you for your interest"),
        what=_("This study is looking for other people this time."),
        next=_("Nothing that you chose or wrote here was saved."),
    )


def study_closed() -> Problem:
    """The page of a study that has been open."""
    return Problem(
        status=410,
        title=_("This study is closed"),
        what=_("It takes no new interviews. Thank you for wanting to take part."),
        next=_("If you had already begun, your own link still shows your interview."),
    )


def study_unknown() -> Problem:
    """The page of an address that no study has."""
    return Problem(
        status=404,
        title=_("There is no study at this address"),
        what=_("A part of the link may be missing or changed."),
        next=_("Check the link, or ask the person who sent it to you."),
    )


def study_not_yet_open() -> Problem:
    """The page of a study that is still being prepared."""
    return Problem(
        status=404,
        title=_("This study is not open yet"),
        what=_("The researchers are still preparing it."),
        next=_("Try the link again later, or ask the person who sent it when it opens."),
    )
