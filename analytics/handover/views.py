"""Files, backlog, package and answers of a handover: parse, authorise, delegate."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render

from analytics.access import AnalystRequiredMixin, may, study_for
from analytics.handover.page import files_page
from analytics.rights import Right
from interviews import audit
from interviews.errors import InterviewError
from interviews.ingest.limits import FILE_BYTES
from interviews.models import BacklogQuestion, SourceFile, SourcePassage, Study
from interviews.sources import ask, backlog, files, package

MODE = "handover"


class HandoverView(AnalystRequiredMixin):
    """A page of a handover study; other studies have none."""

    def study(self, request: HttpRequest, slug: str, right: Right = Right.READ) -> Study:
        """The study. Raises Http404, and PermissionDenied without the right."""
        found = study_for(request.user, slug, right)
        if found.mode != MODE:
            raise Http404("This study is no handover.")
        return found


class FilesView(HandoverView):
    """Files with what became of them, findings, and the backlog; a POST takes files in."""

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The page; while files are under way it comes again by itself."""
        study = self.study(request, slug)
        told = {"study": study, "may_change": may(request.user, Right.STUDIES)}
        return render(request, "analytics/handover_files.html", told | files_page(study))

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Take files in; each that is refused is named with the reason."""
        study = self.study(request, slug, Right.STUDIES)
        for upload in request.FILES.getlist("files"):
            try:
                # What is larger is refused by its size, without being read.
                content = upload.read(FILE_BYTES + 1)
                files.add(study, upload.name or "file", content)
            except InterviewError as error:
                messages.error(request, error.message)
        audit.record(audit.Action.CHANGED, study, by=request.user.get_username(), fields=["files"])
        return redirect("analytics:handover_files", slug)


class FileView(HandoverView):
    """A file analysed anew, or erased."""

    def post(self, request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
        """Do what the button says."""
        study = self.study(request, slug, Right.STUDIES)
        file = get_object_or_404(SourceFile, study=study, pk=pk)
        by = request.user.get_username()
        try:
            if "erase" in request.POST:
                files.erase(study, [file.pk])
                audit.record(audit.Action.DELETED, file, by=by)
            else:
                files.repeat(file)
        except InterviewError as error:
            messages.error(request, error.message)
        return redirect("analytics:handover_files", slug)


class BacklogView(HandoverView):
    """A question of the backlog written, changed, dropped or opened again."""

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Store what the form says; without a question's id it is a new one."""
        study = self.study(request, slug, Right.STUDIES)
        said: dict[str, Any] = {
            "text": request.POST.get("text", ""),
            "priority": request.POST.get("priority", ""),
            "dropped": "dropped" in request.POST,
        }
        known = request.POST.get("question")
        try:
            if known:
                question = get_object_or_404(BacklogQuestion, study=study, question_id=known)
                backlog.change(question, **said)
            else:
                backlog.add(study, text=said["text"], priority=said["priority"])
        except InterviewError as error:
            messages.error(request, error.message)
        return redirect("analytics:handover_files", slug)


class AskView(HandoverView):
    """An answer from the material, or that it is not in there."""

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The page, with the answer to `?q=`."""
        study = self.study(request, slug)
        question = request.GET.get("q", "").strip()
        answer = ask.ask(study, question) if question else None
        told = {"study": study, "question": question, "answer": answer}
        return render(request, "analytics/handover_ask.html", told)


class PassageView(HandoverView):
    """The place of a citation: its passage as it was read."""

    def get(self, request: HttpRequest, slug: str, passage: int) -> HttpResponse:
        """The passage between its neighbours."""
        study = self.study(request, slug)
        rows = SourcePassage.objects.select_related("file")
        found = get_object_or_404(rows, pk=passage, file__study=study)
        beside = rows.filter(file=found.file, number__in=[found.number - 1, found.number + 1])
        told = {"study": study, "passage": found, "beside": list(beside)}
        return render(request, "analytics/handover_passage.html", told)


class PackageView(HandoverView):
    """The package for the successor as a file."""

    def get(self, request: HttpRequest, slug: str, format_name: str) -> HttpResponse:
        """The package in the format of this name."""
        study = self.study(request, slug)
        if format_name == "json":
            return JsonResponse(package.as_json(study))
        if format_name == "pdf":
            response = HttpResponse(package.as_pdf(study), content_type="application/pdf")
        elif format_name == "md":
            text = package.as_markdown(study)
            response = HttpResponse(text, content_type="text/markdown; charset=utf-8")
        else:
            raise Http404("There is no such format.")
        response["Content-Disposition"] = f'attachment; filename="{study.slug}.{format_name}"'
        return response
