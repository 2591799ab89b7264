"""Forms of the console that check more than a field by itself can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms

from interviews.llm.setup import llm_config
from interviews.models import Study
from interviews.modes.registry import choices
from interviews.revisions import FROZEN
from interviews.study_checks import Said, problems

if TYPE_CHECKING:
    StudyModelForm = forms.ModelForm[Study]
else:
    StudyModelForm = forms.ModelForm


class StudyForm(StudyModelForm):
    """A study; what it says is read as an interview will read it."""

    mode = forms.ChoiceField(choices=choices)
    confirm_revision = forms.BooleanField(
        required=False,
        label="Make a new revision",
        help_text="A study that has been opened keeps its address, mode, documents and consent, "
        "unless you confirm: interviews already held keep theirs.",
    )
    revises: tuple[str, ...] = ()
    """The frozen fields that this changes, where the study has been opened."""

    class Meta:
        model = Study
        exclude = ("status",)

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
        for problem in problems(said, config=llm_config, live=self._touches_live()):
            if problem.field not in self.errors:
                self.add_error(problem.field, problem.message)
        self._freeze(cleaned)
        return cleaned

    def _touches_live(self) -> bool:
        """Whether this changes in a live study what it has to be live with."""
        live = self.instance.status == Study.Status.LIVE
        return live and bool({"language", "llm_choice"} & set(self.changed_data))

    def _freeze(self, cleaned: dict[str, Any]) -> None:
        """Refuse to change what is frozen, unless it was confirmed."""
        if not self.instance.pk or self.instance.status == Study.Status.DRAFT:
            return
        changed = tuple(name for name in FROZEN if name in self.changed_data)
        if changed and not cleaned.get("confirm_revision"):
            self.add_error(
                "confirm_revision",
                f"This study is {self.instance.status}; {', '.join(changed)} would change. "
                "Tick this to make it a new revision, or put back what was there.",
            )
            return
        self.revises = changed
