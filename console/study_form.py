"""Forms of the console that check more than a field by itself can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms

from console.fields import YamlField
from interviews.checklist import shown_in
from interviews.llm.setup import llm_config
from interviews.models import Study
from interviews.models.study import TRANSLATED
from interviews.modes.registry import choices
from interviews.revisions import FROZEN
from interviews.study_checks import Said, problems

if TYPE_CHECKING:
    StudyModelForm = forms.ModelForm[Study]
else:
    StudyModelForm = forms.ModelForm


SWITCHES = {
    "enable_srl": "Read how clauses hang together",
    "enable_canonical_slots": "Gather paraphrases in canonical slots",
    "enable_question_self_selection": "Word three questions and pick one",
}
SWITCHED = [("unknown", "as this machine's settings say"), ("true", "yes"), ("false", "no")]


class StudyForm(StudyModelForm):
    """A study; what it says is read as an interview will read it."""

    llm_choice = YamlField(
        required=False,
        label="Language models",
        help_text="Empty for the settings of this machine. Else a line for what differs, e.g. "
        "budget_usd: 5, or generation: {provider: offline}.",
    )
    data_fields = YamlField(
        required=False,
        label="Data fields",
        help_text="Asked for at the end, in order, after a consent of their own; one a line, e.g. "
        "- {key: email, type: email, required: true}. Types: name, email, phone, company, text, "
        "choice (with options), number. Also label, help, sensitive.",
    )
    recruiting = YamlField(
        required=False,
        label="Whom it takes in",
        help_text="Empty takes in whoever comes. Else: parameters: [pid] keeps what links carry "
        "along; screener: a list of questions before consent, e.g. - {key: age, type: number, "
        "text: How old are you?, at_least: 18}, or with options and accept; segments: {key: age, "
        "most: {...}} closes a segment once so many are complete; redirects: {screened_out: "
        "https://…, quota_full: https://…}.",
    )
    translations = YamlField(
        required=False,
        label="Other languages",
        help_text="Empty for a study in one language. Else, by code (it, de, fr, es, en), texts "
        "that respondents read in it, e.g. it: {name: Zaini, consent_text: …}: they choose at the "
        f"start. Texts are {', '.join(TRANSLATED)}; what is missing is shown in the study's own "
        "language.",
    )
    mode = forms.ChoiceField(choices=choices, initial="exploratory")
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

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, label in SWITCHES.items():
            if name in self.fields:
                self.fields[name].label = label
                self.fields[name].widget.choices = SWITCHED

    def clean_llm_choice(self) -> dict[str, Any]:
        """An empty field chooses nothing."""
        choice = self.cleaned_data["llm_choice"] or {}
        if not isinstance(choice, dict):
            raise forms.ValidationError("Write names and values, e.g. budget_usd: 5")
        return choice

    def clean_recruiting(self) -> Any:
        """An empty field takes in whoever comes."""
        return self.cleaned_data["recruiting"] or {}

    def clean_translations(self) -> Any:
        """An empty field is a study in one language."""
        return self.cleaned_data["translations"] or {}

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
            shown=shown_in(cleaned.get("mode", ""), cleaned.get("concept_version")),
            max_turns=cleaned.get("max_turns"),
            language=cleaned.get("language", ""),
            llm_choice=cleaned.get("llm_choice") or {},
            data_fields=cleaned.get("data_fields", []),
            translations=cleaned.get("translations") or {},
            recruiting=cleaned.get("recruiting") or {},
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
