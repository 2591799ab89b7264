"""Console pages of documents of every kind: written as YAML, kept as versions."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.db.models import Max, Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django_ace import AceWidget

from analytics.rights import Right
from console.editing import TEMPLATES
from console.pages import ConsoleAdmin, ReadOnlyAdmin, ReadOnlyInline, link, panel
from interviews import audit
from methodologies import registry
from methodologies.models import (
    Concept,
    ConceptVersion,
    Document,
    DocumentDraft,
    DocumentVersion,
    Guide,
    GuideVersion,
    Methodology,
    MethodologyVersion,
    Persona,
    PersonaVersion,
)
from methodologies.registry import Kind
from methodologies.yaml_loader import DocumentInvalid, load_document


class DocumentForm(forms.ModelForm):  # type: ignore[type-arg]
    """A new version of a document; the document's name is the one that the text gives."""

    kind: ClassVar[Kind]

    text = forms.CharField(
        label="YAML",
        strip=False,
        help_text="Saving stores a new version; interviews already held keep theirs.",
        widget=AceWidget(
            mode="yaml",
            width="100%",
            height="34rem",
            showprintmargin=False,
            tabsize=2,
            usesofttabs=True,
            wordwrap=True,
            useworker=False,
            toolbar=False,
            basicautocompletion=True,
        ),
    )
    note = forms.CharField(
        required=False,
        max_length=200,
        help_text="What changed and why, for those who read the versions later.",
        widget=forms.TextInput(attrs={"class": "console-input"}),
    )

    base = forms.IntegerField(required=False, widget=forms.HiddenInput)

    class Meta:
        fields: ClassVar[Sequence[str]] = ()

    class Media:
        js = (forms.Script("js/console/editor.js", type="module"),)

    def clean(self) -> dict[str, Any]:
        """Refuse to go over what somebody else saved in the meantime."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        base = cleaned.get("base")
        newest = (
            self.instance.versions.select_related("author").order_by("-number").first()
            if self.instance.pk
            else None
        )
        if base is not None and newest is not None and newest.number != base:
            self.add_error(
                "text",
                f"{newest.author or 'Somebody'} saved version {newest.number} while you were "
                f"writing on version {base}. What you typed is still here. Compare it with theirs, "
                "take over what you want, and save again.",
            )
            # Saved once more, it goes on from theirs.
            self.data = {**dict(self.data.items()), "base": str(newest.number)}
        return cleaned

    def clean_text(self) -> str:
        """Refuse a text with errors, each with its line and column, or one of another name."""
        text = str(self.cleaned_data["text"]).replace("\r\n", "\n")
        try:
            parsed, _ = registry.checked(self.kind, text, source=self.kind.title)
        except DocumentInvalid as error:
            raise forms.ValidationError(
                [f"Line {p.line}, column {p.column}: {p.message}" for p in error.problems]
            ) from error
        name = self.kind.name_of(parsed)
        if self.instance.pk and name != self.instance.name:
            raise forms.ValidationError(
                f"The text is named {name!r}, this page is about {self.instance.name!r}. "
                "Keep the name, or add a new document for the new one."
            )
        if not self.instance.pk and self._meta.model.objects.filter(name=name).exists():
            raise forms.ValidationError(
                f"There is a {self.kind.title} {name!r} already. "
                "Open it to write its next version, or choose another name."
            )
        return text


class DocumentAdmin(ConsoleAdmin):
    """A named document, its versions, and an editor for the next one."""

    kind: ClassVar[Kind]
    writes = Right.LIBRARY
    readonly_fields = ("shown",)
    change_form_before_template = "admin/console/editor.html"
    change_form_outer_after_template = "admin/console/editor_after.html"
    list_display = ("name", "newest", "written_at")
    search_fields = ("name",)
    ordering = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Document]:
        """With the number and the time of the newest version."""
        found: QuerySet[Document] = super().get_queryset(request)
        return found.annotate(
            newest_number=Max("versions__number"), newest_at=Max("versions__created_at")
        )

    @admin.display(description="newest version", ordering="newest_number")
    def newest(self, document: Document) -> str:
        """Its number."""
        number = getattr(document, "newest_number", None)
        return f"v{number}" if number else "–"

    @admin.display(description="written", ordering="newest_at")
    def written_at(self, document: Document) -> object:
        """When the newest version was stored."""
        return getattr(document, "newest_at", None)

    def get_form(
        self, request: HttpRequest, obj: Model | None = None, change: bool = False, **kwargs: Any
    ) -> type[forms.ModelForm]:  # type: ignore[type-arg]
        """The editor, filled with the newest version or with the one that `?restore=` names."""
        initial, note, base = self._starting_text(request, obj)
        kind, model = self.kind, self.model

        class Form(DocumentForm):
            class Meta(DocumentForm.Meta):
                pass

            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(*args, **kwargs)
                self.initial.update(text=initial, note=note, base=base)

        Form.kind = kind
        Form._meta.model = model  # type: ignore[misc]
        return Form

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """The editor's two fields; the text alone for who may only read."""
        return ["text", "note", "base"] if self.has_change_permission(request, obj) else ["shown"]

    @admin.display(description="newest version")
    def shown(self, document: Document) -> str:
        """Its text with numbered lines."""
        newest = document.versions.order_by("-number").first()  # type: ignore[attr-defined]
        return panel("yaml.html", lines=newest.text.splitlines() if newest else [])

    def _starting_text(
        self, request: HttpRequest, obj: Model | None
    ) -> tuple[str, str, int | None]:
        """The text to begin with, a note, and the number of the version that it goes on from."""
        draft = self.draft_of(request, obj)
        if obj is None:
            return draft.text if draft else self._template(request), "", None
        versions = self.kind.version.objects.filter(document=obj)  # type: ignore[attr-defined]
        newest = versions.order_by("-number").first()
        base = newest.number if newest else None
        wanted = request.GET.get("restore", "")
        if wanted.isdigit() and (old := versions.filter(number=int(wanted[:9])).first()):
            return old.text, f"Restored from version {old.number}", base
        if draft is not None:
            return draft.text, "", base
        return (newest.text if newest else ""), "", base

    def _template(self, request: HttpRequest) -> str:
        """The text of the document that `?from=` names, else of the smallest of its kind."""
        copied = self.kind.version.objects.filter(  # type: ignore[attr-defined]
            document__name=request.GET.get("from", "")
        )
        newest = copied.order_by("-number").first()
        return newest.text if newest else TEMPLATES[self.kind.title]

    def draft_of(self, request: HttpRequest, obj: Model | None) -> DocumentDraft | None:
        """What this author keeps of the document."""
        return DocumentDraft.objects.filter(
            kind=self.kind.title, document_id=obj.pk if obj else None, author_id=request.user.pk
        ).first()

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """With what the editor's page says beside the form."""
        if not self.has_view_permission(request):
            return super().changeform_view(request, object_id, form_url, extra_context)
        document = self.get_object(request, object_id) if object_id else None
        editor = {
            "kind": self.kind.title,
            "document": document,
            "newest": document.versions.order_by("-number").values_list("pk", flat=True).first()
            if document
            else None,
            "draft": self.draft_of(request, document),
            "writes": self.has_change_permission(request),
            "others": [] if object_id else list(self.model.objects.values_list("name", flat=True)),
        }
        return super().changeform_view(
            request, object_id, form_url, {**(extra_context or {}), "editor": editor}
        )

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Store the text as the newest version, and say what is odd about it."""
        text = form.cleaned_data["text"]
        before = obj.versions.count() if obj.pk else 0
        version = registry.publish(
            self.kind,
            text,
            source=self.kind.title,
            author=request.user,  # type: ignore[arg-type]
            note=form.cleaned_data["note"],
        )
        DocumentDraft.objects.filter(
            kind=self.kind.title, document_id=obj.pk, author_id=request.user.pk
        ).delete()
        obj.pk, obj.name = version.document.pk, version.document.name
        obj._state.adding = False
        if before and obj.versions.count() == before:
            messages.info(request, "Nothing changed: no new version was stored.")
        else:
            audit.record(audit.Action.PUBLISHED, version, by=request.user.get_username())
        for problem in load_document(text).warnings:
            messages.warning(request, f"Line {problem.line}: {problem.message}")

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Documents stay: studies and interviews refer to their versions."""
        return False


class VersionInline(ReadOnlyInline):
    """The versions of a document, newest first."""

    fields = ("number", "note", "author", "shipped", "created_at")
    readonly_fields = fields
    ordering = ("-number",)
    verbose_name_plural = "versions"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without their texts, with their authors."""
        found: QuerySet[Any] = super().get_queryset(request)
        return found.select_related("author", "document").defer("text", "parsed")


class VersionAdmin(ReadOnlyAdmin):
    """One immutable version: its text, and what changed since the one before."""

    kind: ClassVar[Kind]
    when_empty = "Load the library that ships with manage.py load_library, or write a document."
    list_display = ("document", "number", "note", "author", "shipped", "created_at")
    list_display_links = ("document", "number")
    list_filter = ("shipped",)
    list_select_related = ("document", "author")
    search_fields = ("document__name", "note")
    ordering = ("-created_at", "-number")
    fields = (
        "document",
        "number",
        "note",
        "author",
        "shipped",
        "created_at",
        "checksum",
        "restore",
        "compare",
        "changes",
        "yaml",
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Lists leave the texts where they are."""
        found: QuerySet[Any] = super().get_queryset(request)
        return found.defer("parsed", "text") if _is_list(request) else found.defer("parsed")

    def get_model_perms(self, request: HttpRequest) -> dict[str, bool]:
        """Reached from the document's page; the menu lists documents only."""
        return {}

    @admin.display(description="use it again")
    def restore(self, version: DocumentVersion) -> str:
        """A link to the editor with this text in it."""
        document = version.document  # type: ignore[attr-defined]
        address = reverse(
            f"admin:methodologies_{document._meta.model_name}_change", args=[document.pk]
        )
        return link(f"{address}?restore={version.number}", "Open this text in the editor")

    @admin.display(description="changes since the version before")
    def changes(self, version: DocumentVersion) -> str:
        """The lines that came and went."""
        before = self._others(version).filter(number__lt=version.number).first()
        return panel(
            "diff.html", lines=changed_lines(before.text, version.text) if before else None
        )

    def _others(self, version: DocumentVersion) -> QuerySet[Any]:
        """The document's other versions, newest first."""
        found: QuerySet[Any] = type(version).objects.filter(document_id=version.document_id)  # type: ignore[attr-defined]
        return found.exclude(pk=version.pk).order_by("-number")

    @admin.display(description="compare with")
    def compare(self, version: DocumentVersion) -> str:
        """Links to the difference from each other version."""
        return panel(
            "compare.html",
            version=version,
            kind=self.kind.title,
            others=self._others(version).defer("text", "parsed")[:50],
        )

    @admin.display(description="YAML")
    def yaml(self, version: DocumentVersion) -> str:
        """The text with numbered lines."""
        return panel("yaml.html", lines=version.text.splitlines())


def changed_lines(before: str, after: str) -> list[tuple[str, str]]:
    """A unified diff as (kind, line) with kind "add", "del", "at" or "same"."""
    kinds = {"+": "add", "-": "del", "@": "at"}
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=2, lineterm=""))
    return [(kinds.get(line[:1], "same"), line) for line in lines[2:]]


def _is_list(request: HttpRequest) -> bool:
    match = request.resolver_match
    return bool(match and match.url_name and match.url_name.endswith("_changelist"))


def _register(
    kind: Kind, document: type[Document], version: type[DocumentVersion], purpose: str
) -> None:
    """Give one kind of document its two pages."""
    inline = type(f"{version.__name__}Inline", (VersionInline,), {"model": version})
    about = {
        "kind": kind,
        "purpose": purpose,
        "when_empty": "Load the library that ships with manage.py load_library, or add your own.",
        "inlines": (inline,),
    }
    admin.site.register(document, type(f"{document.__name__}Admin", (DocumentAdmin,), about))
    admin.site.register(
        version,
        type(
            f"{version.__name__}Admin",
            (VersionAdmin,),
            {"kind": kind, "purpose": f"One version of a {kind.title}; versions never change."},
        ),
    )


_register(
    registry.METHODOLOGY,
    Methodology,
    MethodologyVersion,
    "How to interview: the ladder of concepts, the strategies, and what makes each worth choosing.",
)
_register(
    registry.CONCEPT,
    Concept,
    ConceptVersion,
    "What to explore: the subject of a study, apart from how it is explored.",
)
_register(
    registry.PERSONA,
    Persona,
    PersonaVersion,
    "How a synthetic respondent answers, for trying out a study before people do.",
)
_register(
    registry.GUIDE,
    Guide,
    GuideVersion,
    "What a guided interview covers: topics in their order, what to learn about each, the time.",
)
