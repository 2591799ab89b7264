"""Forms of the console that check more than a field by itself can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

from interviews.llm.config import read_study_choice
from interviews.llm.errors import LLMConfigurationError
from interviews.models import Study
from interviews.modes.registry import choices, missing_documents, modes

if TYPE_CHECKING:
    StudyModelForm = forms.ModelForm[Study]
else:
    StudyModelForm = forms.ModelForm


class StudyForm(StudyModelForm):
    """A study; its choice of models is read as the gateway will read it, its mode as it is led."""

    mode = forms.ChoiceField(choices=choices)

    class Meta:
        model = Study
        fields = "__all__"

    def clean_llm_choice(self) -> dict[str, Any]:
        """Refuse a choice that no call could use, naming every wrong field."""
        choice: dict[str, Any] = self.cleaned_data["llm_choice"] or {}
        try:
            read_study_choice(choice)
        except LLMConfigurationError as error:
            raise ValidationError(str(error)) from error
        return choice

    def clean(self) -> dict[str, Any]:
        """Refuse a study that lacks a document which its mode needs, naming each."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        mode = cleaned.get("mode", "")
        if mode in modes():
            missing = missing_documents(
                mode,
                methodology=cleaned.get("methodology_version") is not None,
                concept=cleaned.get("concept_version") is not None,
            )
            for kind, message in missing.items():
                field = f"{kind}_version"
                if field not in self.errors:
                    self.add_error(field, message)
        return cleaned
