"""Addresses of search, questions and collections."""

from __future__ import annotations

from django.urls import path

from analytics.finding import views

urlpatterns = [
    path("search/", views.SearchView.as_view(), name="search_all"),
    path("studies/<slug:slug>/search/", views.SearchView.as_view(), name="search"),
    path("studies/<slug:slug>/questions/", views.AskStudyView.as_view(), name="ask_study"),
    path("collections/", views.CollectionsView.as_view(), name="collect_all"),
    path("studies/<slug:slug>/collections/", views.CollectionsView.as_view(), name="collect"),
    path("collections/<uuid:pk>/", views.CollectionView.as_view(), name="collection"),
]
