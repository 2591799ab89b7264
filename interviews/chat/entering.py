"""The way in: a screener where a study has one, then consent; who cannot take part is told so."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language_info

from interviews import arrivals, services
from interviews.chat import words
from interviews.errors import ErrorCode, InterviewError
from interviews.models import Study
from interviews.recruiting import (
    Recruiting,
    Screened,
    parameters_of,
    screened,
    with_parameters,
)

SALT: Final = "interviews.screener"
GOOD_FOR: Final = timedelta(hours=12)
LANGUAGE: Final = "language"
"""The parameter of an address that says which language was chosen."""
BROWSER_COOKIE: Final = "respondents_browser"
BROWSER_MEMORY: Final = timedelta(days=90)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Somebody at a study's door. `begin` makes their interview of segments and a browser's token.

    `action` is where forms go, `continue_url` the interview that this device began already, `lost`
    what became of one that cannot be gone on with.
    """

    study: Study
    action: str
    begin: Callable[[Mapping[str, str], str], HttpResponse]
    continue_url: str | None = None
    lost: words.Problem | None = None


def language_of(request: HttpRequest, study: Study) -> str:
    """The language that was chosen for an interview of this study; the study's own else."""
    chosen = request.GET.get(LANGUAGE, "")
    return chosen if chosen in study.languages else study.language


def enter(request: HttpRequest, entry: Entry) -> HttpResponse:
    """Ask for the language where there are several, then the screener's questions, then consent."""
    languages = entry.study.languages
    if len(languages) > 1 and request.GET.get(LANGUAGE) not in languages:
        return _language_page(request, entry)
    entry = replace(entry, study=entry.study.in_language(language_of(request, entry.study)))
    recruiting = arrivals.recruiting_of(entry.study)
    carried = parameters_of(recruiting, request.GET.dict())
    if request.method == "POST" and "screen" in request.POST:
        return _screen(request, entry, recruiting, carried)
    answers = _passed(request, entry.study) if recruiting.screener else {}
    if answers is None:
        return _screener_page(request, entry, recruiting)
    if request.method != "POST":
        return _consent_page(request, entry)
    segments = {**carried, **answers}
    if arrivals.is_full(entry.study, segments):
        return full(request, entry.study)
    browser = request.COOKIES.get(BROWSER_COOKIE) or secrets.token_urlsafe(16)
    response = entry.begin(segments, browser)
    response.set_cookie(
        BROWSER_COOKIE,
        browser,
        max_age=BROWSER_MEMORY,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
    return response


def _language_page(request: HttpRequest, entry: Entry) -> HttpResponse:
    query = request.GET.copy()
    choices = []
    for code in entry.study.languages:
        query[LANGUAGE] = code
        name = get_language_info(code)["name_local"]
        choices.append({"code": code, "name": name, "query": query.urlencode()})
    names = [entry.study.in_language(code).name for code in entry.study.languages]
    context = {"choices": choices, "names": list(dict.fromkeys(names))}
    return _shown(request, "chat/language.html", entry, context)


def full(request: HttpRequest, study: Study) -> HttpResponse:
    """There are enough interviews: thanks, and the way on where the study names one."""
    recruiting = arrivals.recruiting_of(study)
    problem = words.link_problem(ErrorCode.QUOTA_REACHED)
    return _turned_away(request, recruiting, problem, recruiting.redirects.quota_full)


def refused(request: HttpRequest, study: Study, error: InterviewError) -> HttpResponse:
    """The page of a study that takes nobody in just now."""
    if error.code is ErrorCode.QUOTA_REACHED:
        return full(request, study)
    problem = words.link_problem(error.code)
    return render(request, "chat/problem.html", {"problem": problem}, status=problem.status)


def _screen(
    request: HttpRequest, entry: Entry, recruiting: Recruiting, carried: Mapping[str, str]
) -> HttpResponse:
    found = screened(recruiting, request.POST.dict())
    if found.wrong:
        return _screener_page(request, entry, recruiting, found)
    if not found.passed:
        onward = recruiting.redirects.screened_out
        return _turned_away(request, recruiting, words.screened_out(), onward)
    if arrivals.is_full(entry.study, {**carried, **found.answers}):
        return full(request, entry.study)
    kept = {"study": str(entry.study.pk), "answers": found.answers}
    return _consent_page(request, entry, screened=signing.dumps(kept, salt=SALT))


def _passed(request: HttpRequest, study: Study) -> dict[str, str] | None:
    """The answers with which somebody passed the study's screener, None where they have not."""
    try:
        kept = signing.loads(request.POST.get("screened", ""), salt=SALT, max_age=GOOD_FOR)
    except signing.BadSignature:
        return None
    if kept["study"] != str(study.pk):
        return None
    answers: dict[str, str] = kept["answers"]
    return answers


def _turned_away(
    request: HttpRequest, recruiting: Recruiting, problem: words.Problem, onward: str
) -> HttpResponse:
    carried = parameters_of(recruiting, request.GET.dict())
    context = {"problem": problem, "onward": with_parameters(onward, carried)}
    return render(request, "chat/problem.html", context, status=problem.status)


def _screener_page(
    request: HttpRequest, entry: Entry, recruiting: Recruiting, found: Screened | None = None
) -> HttpResponse:
    questions = [
        {
            "asked": one,
            "given": found.answers[one.key] if found else "",
            "wrong": found is not None and one.key in found.wrong,
        }
        for one in recruiting.screener
    ]
    return _shown(request, "chat/screener.html", entry, {"questions": questions})


def _consent_page(request: HttpRequest, entry: Entry, *, screened: str = "") -> HttpResponse:
    study = entry.study
    return _shown(
        request,
        "chat/consent.html",
        entry,
        {
            "minutes": max(round(study.max_turns * services.MINUTES_PER_TURN), 1),
            "greeting": study.greeting,
            "told": words.told_before_consent(study),
            "consent_text": study.consent_text,
            "dictation": study.dictation,
            "reward": bool(study.reward.strip()),
            "screened": screened,
        },
    )


def _shown(
    request: HttpRequest, template: str, entry: Entry, context: Mapping[str, Any]
) -> HttpResponse:
    query = request.GET.urlencode()
    return render(
        request,
        template,
        {
            "study_name": entry.study.name,
            "action": f"{entry.action}?{query}" if query else entry.action,
            "continue_url": entry.continue_url,
            "lost": entry.lost,
            "anew": "anew" in request.POST or entry.continue_url is not None,
            **context,
        },
    )
