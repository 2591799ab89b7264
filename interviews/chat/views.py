"""The respondent's pages: consent, the interview, pause, thanks, and links that lead nowhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import wraps
from typing import Any, Final
from uuid import UUID, uuid4

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from interviews import arrivals, services
from interviews.chat import entering, mailing, words
from interviews.chat.images import with_address
from interviews.completion import completion_code, onward_address
from interviews.errors import ErrorCode, FormRefused, InterviewError
from interviews.invitations import invite, open_token, token_for
from interviews.models import Invitation, Session, Study
from methodologies.stimulus_images import image_response, shown_image

MEMORY: Final = timedelta(days=30)
"""How long a device remembers which interview it began from a study's public link."""

BOX_ERRORS: Final = frozenset(
    {
        ErrorCode.EMPTY_ANSWER,
        ErrorCode.ANSWER_TOO_LONG,
        ErrorCode.BUDGET_SPENT,
        ErrorCode.SESSION_PAUSED,
        ErrorCode.NOT_OFFERED,
    }
)
"""Refusals after which the answer goes back into its box."""

NOTHING_TO_SAY: Final = frozenset(
    {ErrorCode.SESSION_OVER, ErrorCode.ALREADY_ANSWERED, ErrorCode.NO_FORM}
)
"""Refusals that the page shows by itself: it is over, or the answer stands there."""

ERASED_BY_RESPONDENT: Final = "the respondent"

View = Callable[..., HttpResponse]


def personal(view: View) -> View:
    """For pages behind a link: never stored or indexed, and every refusal has words of its own."""

    @wraps(view)
    @never_cache
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response = view(request, *args, **kwargs)
        except InterviewError as error:
            response = _problem(request, words.link_problem(error.code))
        response["X-Robots-Tag"] = "noindex"
        return response

    return guarded


# --- a study's public link ----------------------------------------------------------------------
@require_http_methods(["GET", "HEAD", "POST"])
@personal
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for consent; given it, make a personal link and go there."""
    found = Study.objects.filter(slug=slug).first()
    if found is None:
        return _problem(request, words.study_unknown())
    with translation.override(entering.language_of(request, found)):
        return _study(request, found)


def _study(request: HttpRequest, found: Study) -> HttpResponse:
    if found.status == Study.Status.DRAFT:
        return _problem(request, words.study_not_yet_open())
    begun, lost = _begun_here(request, found)
    try:
        opened = services.open_study(found.slug)
    except InterviewError as error:
        if begun is not None:  # who has begun may finish, whatever became of the study since
            return redirect("chat:interview", token=begun)
        return entering.refused(request, found, error)
    if request.method == "POST" and begun is not None and "anew" not in request.POST:
        return redirect("chat:interview", token=begun)

    def begin(segments: Mapping[str, str], browser: str) -> HttpResponse:
        invitation = invite(opened, note=_("public link"))
        return _begin(invitation, segments, browser, remember=request)

    return entering.enter(
        request,
        entering.Entry(
            study=opened,
            action=request.path,
            begin=begin,
            continue_url=begun and reverse("chat:interview", args=[begun]),
            lost=lost,
        ),
    )


def _cookie(study: Study) -> str:
    return f"interview_{study.pk.hex}"


def _begun_here(request: HttpRequest, study: Study) -> tuple[str | None, words.Problem | None]:
    """The token of the interview that this device began from this study and has not finished.

    Where its link does not count any more, what became of it: nobody begins anew unawares.
    """
    token = request.COOKIES.get(_cookie(study))
    if not token:
        return None, None
    try:
        invitation = open_token(token)
    except InterviewError as error:
        return None, words.link_problem(error.code)
    session = invitation.session
    if session is None or session.is_over or invitation.study_id != study.pk:
        return None, None
    return token, None


def _begin(
    invitation: Invitation,
    segments: Mapping[str, str],
    browser: str,
    *,
    remember: HttpRequest | None = None,
) -> HttpResponseRedirect:
    language = translation.get_language()
    services.begin(invitation, segments=segments, browser=browser, language=language)
    token = token_for(invitation)
    response = HttpResponseRedirect(reverse("chat:interview", args=[token]))
    if remember is not None:
        response.set_cookie(
            _cookie(invitation.study),
            token,
            max_age=MEMORY,
            path=reverse("chat:study", args=[invitation.study.slug]),
            secure=remember.is_secure(),
            httponly=True,
            samesite="Lax",
        )
    return response


# --- a personal link ----------------------------------------------------------------------------
@require_safe
@personal
def interview(request: HttpRequest, token: str) -> HttpResponse:
    """The interview as it stands: not begun, going on, paused or over."""
    invitation = open_token(token)
    session = invitation.session
    language = session.language if session else entering.language_of(request, invitation.study)
    with translation.override(language):
        if session is None:
            return _enter(request, token, invitation)
        if session.is_over:
            return _done(request, token, session)
        if session.status == Session.Status.PAUSED:
            return _paused(request, token, invitation, session)
        return _conversation(request, token, session)


def _enter(request: HttpRequest, token: str, invitation: Invitation) -> HttpResponse:
    """The way in of a personal link, before its interview has begun."""
    try:
        services.open_study(invitation.study.slug)
    except InterviewError as error:
        return entering.refused(request, invitation.study, error)
    return entering.enter(
        request,
        entering.Entry(
            study=invitation.study,
            action=reverse("chat:consent", args=[token]),
            begin=lambda segments, browser: _begin(invitation, segments, browser),
        ),
    )


@require_POST
@personal
def consent(request: HttpRequest, token: str) -> HttpResponse:
    """A step of the way in was taken: begin once, however often it is sent."""
    invitation = open_token(token)
    if invitation.session is not None:
        return redirect("chat:interview", token=token)
    with translation.override(entering.language_of(request, invitation.study)):
        return _enter(request, token, invitation)


@require_POST
@personal
def answer(request: HttpRequest, token: str) -> HttpResponse:
    """Take an answer from the form as it works before the page's script is there.

    A refused one comes back in its box, with what is to be done about it.
    """
    session, text = _session(token), request.POST.get("text", "")
    with translation.override(session.language):
        try:
            services.accept_answer(session.pk, text, client_message_id=_message_id(request))
        except InterviewError as error:
            if error.code in BOX_ERRORS:
                return _conversation(request, token, session, draft=text, problem=error.message)
            if error.code not in NOTHING_TO_SAY:
                raise
    return redirect("chat:interview", token=token)


@require_POST
@personal
def choose(request: HttpRequest, token: str) -> HttpResponse:
    """Take an option of the newest question from its buttons as they work without a script."""
    session = _session(token)
    with translation.override(session.language):
        try:
            services.accept_choice(
                session.pk, request.POST.get("option", ""), client_message_id=_message_id(request)
            )
        except InterviewError as error:
            if error.code in BOX_ERRORS:
                return _conversation(request, token, session, problem=error.message)
            if error.code not in NOTHING_TO_SAY:
                raise
    return redirect("chat:interview", token=token)


@require_POST
@personal
def fields(request: HttpRequest, token: str) -> HttpResponse:
    """Take a form as it works without a script; a refused one comes back as it was filled in."""
    session = _session(token)
    values = {
        key: str(value)
        for key, value in request.POST.items()
        if key not in ("csrfmiddlewaretoken", "client_message_id")
    }
    with translation.override(session.language):
        try:
            services.accept_fields(session.pk, values, client_message_id=_message_id(request))
        except FormRefused as error:
            return _conversation(
                request, token, session, problem=error.message, typed=values, wrong=error.fields
            )
        except InterviewError as error:
            if error.code is ErrorCode.SESSION_PAUSED:
                return _conversation(request, token, session, problem=error.message, typed=values)
            if error.code not in NOTHING_TO_SAY:
                raise
    return redirect("chat:interview", token=token)


def _message_id(request: HttpRequest) -> UUID | None:
    """The id that the page gave to what it sends; None where it is none."""
    try:
        return UUID(request.POST.get("client_message_id", ""))
    except ValueError:
        return None


@require_POST
@personal
def resume(request: HttpRequest, token: str) -> HttpResponse:
    """Go on with a paused interview."""
    services.resume_session(_session(token).pk)
    return redirect("chat:interview", token=token)


@require_http_methods(["GET", "HEAD", "POST"])
@personal
def erase(request: HttpRequest, token: str) -> HttpResponse:
    """Ask once more whether an interview is to be withdrawn; then erase all of it."""
    session = _session(token)
    with translation.override(session.language):
        page = {
            "study_name": _study_of(session).name,
            "back": reverse("chat:interview", args=[token]),
        }
        if request.method != "POST":
            return render(request, "chat/erase.html", page)
        services.erase_session(session.pk, by=ERASED_BY_RESPONDENT)
        return render(request, "chat/erased.html", page | {"session_id": session.pk})


@require_http_methods(["GET", "HEAD", "POST"])
@personal
def mail(request: HttpRequest, token: str) -> HttpResponse:
    """Send the link of an interview to the address that its holder writes, where mail goes out."""
    session = _session(token)
    if not settings.MAIL_CONFIGURED:
        raise Http404
    with translation.override(session.language):
        name = _study_of(session).name
        page: dict[str, Any] = {
            "study_name": name,
            "back": reverse("chat:interview", args=[token]),
        }
        if request.method == "POST":
            typed = request.POST.get("address", "")
            link = _own_link(request, token)
            problem = mailing.send_link(session.pk, typed, study=name, link=link)
            page |= {"typed": typed, "problem": problem, "sent": not problem}
        return render(request, "chat/mail.html", page)


@require_safe
@personal
def transcript(request: HttpRequest, token: str) -> HttpResponse:
    """A copy of the conversation for the respondent, as plain text."""
    session = _session(token)
    with translation.override(session.language):
        speakers = {"interviewer": _("Interviewer"), "respondent": _("You")}
        lines = [_study_of(session).name, f"{session.started_at:%Y-%m-%d}", ""]
        for said in services.utterances_after(session.pk, 0):
            lines += [f"{speakers[str(said.speaker)]}:", said.text, ""]
    response = HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{session.study.slug}.txt"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


@require_safe
@personal
def image(request: HttpRequest, token: str, name: str) -> HttpResponse:
    """The image of what the interview of this link is about."""
    found = shown_image(_session(token).concept_version, name)
    if found is None:
        raise Http404
    return image_response(found)


def _study_of(session: Session) -> Study:
    """The study of an interview, in the language that it is held in."""
    return session.study.in_language(session.language)


def _own_link(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("chat:interview", args=[token]))


def _mail_url(token: str) -> str:
    """Where the link can be had by mail; "" on a site that sends none."""
    return reverse("chat:mail", args=[token]) if settings.MAIL_CONFIGURED else ""


def _session(token: str) -> Session:
    invitation = open_token(token)
    if invitation.session is None:
        raise Http404
    return invitation.session


def _conversation(
    request: HttpRequest,
    token: str,
    session: Session,
    *,
    draft: str = "",
    problem: str = "",
    typed: Mapping[str, str] | None = None,
    wrong: Mapping[str, str] | None = None,
) -> HttpResponse:
    # The standing is read first: what is said in between, the socket brings.
    view = services.session_view(session.pk)
    said = [
        replace(one, block=with_address(one.block, token))
        for one in services.utterances_after(session.pk, 0)
    ]
    return render(
        request,
        "chat/interview.html",
        {
            "view": view,
            "progress": f"{view.progress:.4f}",
            "time_left": words.time_left(view.questions_left, view.minutes_left),
            "utterances": _filled_in(said, typed or {}, wrong or {}),
            "session_id": session.pk,
            "socket_path": f"/ws/i/{token}/",
            "max_answer_chars": services.MAX_ANSWER_CHARS,
            "skip_text": words.skip_answer(),
            "words": words.for_page(),
            "answer_url": reverse("chat:answer", args=[token]),
            "choose_url": reverse("chat:choose", args=[token]),
            "fields_url": reverse("chat:fields", args=[token]),
            "message_id": uuid4(),
            "link": _own_link(request, token),
            "mail_url": _mail_url(token),
            "draft": draft,
            "dictation": session.study.dictation,
            "problem": problem,
        },
    )


def _filled_in(
    said: list[services.UtteranceView], typed: Mapping[str, str], wrong: Mapping[str, str]
) -> list[services.UtteranceView]:
    """What was said, the form at its end with what was typed in it and what is wrong there."""
    if not typed or not said or not said[-1].block or said[-1].block.get("kind") != "form":
        return said
    block = said[-1].block
    fields = [
        field | {"typed": typed.get(field["key"], ""), "problem": wrong.get(field["key"], "")}
        for field in block["fields"]
    ]
    return [*said[:-1], replace(said[-1], block=block | {"fields": fields})]


def _paused(
    request: HttpRequest, token: str, invitation: Invitation, session: Session
) -> HttpResponse:
    return render(
        request,
        "chat/paused.html",
        {
            "view": services.session_view(session.pk),
            "answers": _answers(session),
            "resume_url": reverse("chat:resume", args=[token]),
            "expires_at": invitation.expires_at,
            "link": _own_link(request, token),
            "mail_url": _mail_url(token),
        },
    )


def _done(request: HttpRequest, token: str, session: Session) -> HttpResponse:
    return render(
        request,
        "chat/done.html",
        {
            "view": services.session_view(session.pk),
            "answers": _answers(session),
            "session_id": session.pk,
            "study": _study_of(session),
            "started_at": session.started_at,
            "utterances": services.utterances_after(session.pk, 0),
            "onward": onward_address(
                session.study.redirect_url, session.pk, arrivals.carried_by(session)
            ),
            "code": completion_code(session.pk),
            "transcript_url": reverse("chat:transcript", args=[token]),
            "erase_url": reverse("chat:erase", args=[token]),
        },
    )


def _answers(session: Session) -> int:
    return session.utterances.filter(speaker="respondent", aside=False).count()


def _problem(request: HttpRequest, problem: words.Problem) -> HttpResponse:
    return render(request, "chat/problem.html", {"problem": problem}, status=problem.status)
