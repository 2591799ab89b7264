"""Forms of the console that check more than a field by itself can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms

from interviews.llm.setup import llm_config
from interviews.models import Study
from interviews.modes.registry import choices
from interviews.study_checks import Said, problems

if TYPE_CHECKING:
    StudyModelForm = forms.ModelForm[Study]
else:
    StudyModelForm = forms.ModelForm


class StudyForm(StudyModelForm):
    """A study; what it says is read as an interview will read it."""

    mode = forms.ChoiceField(choices=choices)

    class Meta:
        model = Study
        fields = "__all__"

    def clean_llm_choice(self) -> dict[str, Any]:
        """An empty field chooses nothing."""
        choice: dict[str, Any] = self.cleaned_data["llm_choice"] or {}
        return choice

    def clean_data_fields(self) -> list[Any]:
        """An empty field asks for nothing."""
        fields: list[Any] = self.cleaned_data["data_fields"] or []
        return fields

    def clean(self) -> dict[str, Any]:
        """Say at its field what no interview could use, and what a study that goes live lacks."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        said = Said(
            mode=cleaned.get("mode", ""),
            methodology=cleaned.get("methodology_version") is not None,
            concept=cleaned.get("concept_version") is not None,
            guide=cleaned.get("guide_version") is not None,
            max_turns=cleaned.get("max_turns"),
            language=cleaned.get("language", ""),
            llm_choice=cleaned.get("llm_choice") or {},
            data_fields=cleaned.get("data_fields", []),
        )
        for problem in problems(said, config=llm_config, live=self._goes_live(cleaned)):
            if problem.field not in self.errors:
                self.add_error(problem.field, problem.message)
        return cleaned

    def _goes_live(self, cleaned: dict[str, Any]) -> bool:
        """Whether this makes a study live, or changes in a live one what it has to be live with."""
        changed = {"status", "language", "llm_choice"} & set(self.changed_data)
        return cleaned.get("status") == Study.Status.LIVE and bool(changed)
