"""The respondent's addresses."""

from __future__ import annotations

from django.urls import path

from interviews.chat import views

app_name = "chat"

urlpatterns = [
    path("s/<slug:slug>/", views.study, name="study"),
    path("i/<str:token>/", views.interview, name="interview"),
    path("i/<str:token>/consent/", views.consent, name="consent"),
    path("i/<str:token>/answer/", views.answer, name="answer"),
    path("i/<str:token>/choose/", views.choose, name="choose"),
    path("i/<str:token>/fields/", views.fields, name="fields"),
    path("i/<str:token>/resume/", views.resume, name="resume"),
    path("i/<str:token>/withdraw/", views.erase, name="erase"),
    path("i/<str:token>/mail/", views.mail, name="mail"),
    path("i/<str:token>/image/<str:name>", views.image, name="image"),
    path("i/<str:token>/transcript.txt", views.transcript, name="transcript"),
]
