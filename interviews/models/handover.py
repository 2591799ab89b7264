"""What handover interviews rest on: files, what was found in them, and the questions about it."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from pgvector.django import HnswIndex, VectorField

from graphs.language.embeddings import DIMENSIONS
from interviews.models.session import Session
from interviews.models.study import Study


class Work(models.Model):
    """A row that is its own queue, as turns are: a lease settles who may write, a fence until when.

    Each claim raises `fence`; a commit that carries an older one changes nothing.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        WORKING = "working"
        DONE = "done"
        UNREADABLE = "unreadable"
        SAME = "same"
        FAILED = "failed"

    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    reason = models.TextField(blank=True, help_text="Why it was not read, or what failed.")
    fence = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempt = models.PositiveSmallIntegerField(default=0)
    queued_at = models.DateTimeField(db_default=Now())

    class Meta:
        abstract = True


class SourceFile(Work):
    """A file of a handover. Its content is kept until it is read; what is kept then are passages.

    `passages_in_all` is None until the file is read, `dived` counts those that were analysed,
    `dropped` findings whose quote stood nowhere.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=300)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveIntegerField()
    content = models.BinaryField(null=True)
    kind = models.CharField(max_length=10, blank=True)
    purpose = models.TextField(blank=True)
    passages_in_all = models.PositiveIntegerField(null=True)
    dived = models.PositiveIntegerField(default=0)
    dropped = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["study", "created_at", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["study", "sha256"],
                condition=~Q(status="same"),
                name="uniq_content_of_study",
            )
        ]

    def __str__(self) -> str:
        return self.name


class SourcePassage(models.Model):
    """A passage as :class:`interviews.ingest.passages.Passage` has it, in its file's order."""

    file = models.ForeignKey(SourceFile, on_delete=models.CASCADE, related_name="passages")
    number = models.PositiveIntegerField()
    place = models.CharField(max_length=400)
    text = models.TextField()
    heading = models.TextField(blank=True)
    marks = models.JSONField()

    class Meta:
        ordering: ClassVar = ["file", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["file", "number"], name="uniq_passage_number")
        ]

    def __str__(self) -> str:
        return f"{self.file_id} {self.place}"


class SourceVector(models.Model):
    """The embedding of a passage; apart, so that nothing else rewrites it or its index."""

    passage = models.OneToOneField(
        SourcePassage, primary_key=True, on_delete=models.CASCADE, related_name="vector"
    )
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+")
    embedding = VectorField(dimensions=DIMENSIONS)

    class Meta:
        indexes: ClassVar = [
            HnswIndex(
                name="source_vector_hnsw", fields=["embedding"], opclasses=["vector_cosine_ops"]
            )
        ]

    def __str__(self) -> str:
        return f"vector of {self.passage_id}"


class SourceFinding(models.Model):
    """Something that was found in a passage, by its quote; contradictions have several `places`."""

    file = models.ForeignKey(SourceFile, on_delete=models.CASCADE, related_name="findings")
    passage = models.ForeignKey(
        SourcePassage, null=True, on_delete=models.CASCADE, related_name="findings"
    )
    kind = models.CharField(max_length=16)
    name = models.CharField(max_length=200)
    value = models.CharField(max_length=300, blank=True)
    place = models.CharField(max_length=400)
    quote = models.TextField()
    places = models.JSONField(default=list)

    class Meta:
        ordering: ClassVar = ["file", "pk"]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class HandoverBrief(Work):
    """What all files of a study come to, once they are read: the work on it is leased like a file.

    It is due, and queued, from the moment when a file comes, goes or is analysed anew.
    """

    study = models.OneToOneField(
        Study, primary_key=True, on_delete=models.CASCADE, related_name="brief"
    )
    summary = models.TextField(blank=True)
    corpus = models.TextField(blank=True, help_text="What is in the files, in 1,200 tokens.")
    names = models.JSONField(default=list, help_text="Names that the files know.")
    files = models.JSONField(default=list, help_text="The names of the files that were read.")

    def __str__(self) -> str:
        return f"brief of {self.study_id}"


class Asked(models.Model):
    """What a question of a backlog is, for a study or as an interview copied it.

    `reference` lists the places that it names: file, place and quote.
    """

    class Priority(models.TextChoices):
        P0 = "P0"
        P1 = "P1"

    class Origin(models.TextChoices):
        FILE = "FILE"
        GLOBAL = "GLOBAL"
        FOLLOW_UP = "FOLLOW_UP"

    class Status(models.TextChoices):
        OPEN = "OPEN"
        ANSWERED_BY_FILES = "ANSWERED_BY_FILES"
        ANSWERED_BY_INTERVIEW = "ANSWERED_BY_INTERVIEW"
        REFUSED = "REFUSED"
        DROPPED = "DROPPED"

    question_id = models.CharField(max_length=24)
    text = models.TextField()
    about = models.CharField(max_length=300, blank=True)
    priority = models.CharField(max_length=2, choices=Priority, default=Priority.P1)
    origin = models.CharField(max_length=9, choices=Origin, default=Origin.FILE)
    reference = models.JSONField(default=list)
    status = models.CharField(max_length=21, choices=Status, default=Status.OPEN)
    answer = models.TextField(blank=True)
    confidence = models.FloatField(null=True)
    parent = models.CharField(max_length=24, blank=True)
    position = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True


class BacklogQuestion(Asked):
    """A question of a study. What interviews made of it is in their own rows, and goes with them.

    `edited` marks what a team lead wrote or changed: no analysis touches it again.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="backlog")
    edited = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["study", "position", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "question_id"], name="uniq_backlog_question")
        ]

    def __str__(self) -> str:
        return self.text


class SessionQuestion(Asked):
    """A question as one interview has it: copied at its opening, or made in it by `made_turn`.

    `closed_turn` is the answer that closed it, None while it is open.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="questions")
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+")
    made_turn = models.PositiveIntegerField(default=0)
    closed_turn = models.PositiveIntegerField(null=True)

    class Meta:
        ordering: ClassVar = ["session", "position", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["session", "question_id"], name="uniq_session_question")
        ]
        indexes: ClassVar = [
            models.Index(fields=["study", "question_id"], name="session_question_of_study")
        ]

    def __str__(self) -> str:
        return self.text


class HandoverFact(models.Model):
    """A fact that stands alone, read in the answer of `turn` to a question."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="facts")
    turn = models.PositiveIntegerField()
    number = models.PositiveSmallIntegerField()
    question_id = models.CharField(max_length=24)
    text = models.TextField()
    confidence = models.FloatField()

    class Meta:
        ordering: ClassVar = ["session", "turn", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["session", "turn", "number"], name="uniq_fact")
        ]

    def __str__(self) -> str:
        return self.text


class HandoverSummary(Work):
    """The summary of a finished interview under its five headings; made once it is over."""

    session = models.OneToOneField(
        Session, primary_key=True, on_delete=models.CASCADE, related_name="handover_summary"
    )
    text = models.TextField(blank=True)
    made_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"summary of {self.session_id}"
