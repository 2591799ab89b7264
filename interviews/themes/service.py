"""Merging, splitting, naming and moving themes: one transaction each, under the study's lock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from graphs.models import Merge, Theme, ThemeMember
from interviews import audit
from interviews.errors import ErrorCode, FormRefused, InterviewError
from interviews.models import Study
from interviews.themes.renewal import MAX_NAME, locked, name_themes, renew
from interviews.themes.snapshots import put_back, taken_of


class ThemesOutdated(InterviewError):
    """Another analyst was faster: `since` are the acts that the change did not know."""

    def __init__(self, since: Iterable[Merge]) -> None:
        self.since = tuple(since)
        who = ", ".join(sorted({one.undone_by or one.made_by for one in self.since}))
        super().__init__(
            ErrorCode.THEMES_OUTDATED,
            f"version: meanwhile {who} changed the themes of this study; nothing of yours was "
            "stored. Look at both, then send yours again.",
        )


def version_of(study_id: UUID | str) -> int:
    """The version of a study's themes: how often people changed them."""
    return _acts(study_id).aggregate(last=Max("version"))["last"] or 0


def merge(study_id: UUID, themes: Sequence[UUID], *, by: str, version: int | None = None) -> Merge:
    """Make one theme of several: the first stays, with its name.

    `version` is that of the themes that the change is based on, None for the newest. Raises
    FormRefused where one is not there or they are of different types, and ThemesOutdated.
    """
    with _changing(study_id, Merge.Kind.MERGE, by, version) as act:
        rows = [_theme(study_id, pk, "themes") for pk in dict.fromkeys(themes)]
        if len(rows) < 2:
            raise _refused("themes", "name two themes or more, of which the first stays")
        types = sorted({one.node_type for one in rows})
        if len(types) > 1:
            raise _refused("themes", f"they are of different types: {', '.join(types)}")
        act.before = taken_of([one.pk for one in rows])
        members = ThemeMember.objects.filter(theme__in=rows)
        members.update(theme=rows[0], decided=True)
        act.after = _settled(study_id, [rows[0].pk])
    return act


def split(
    study_id: UUID,
    theme: UUID,
    slots: Sequence[UUID],
    *,
    by: str,
    name: str = "",
    version: int | None = None,
) -> Merge:
    """Make a theme of its own of some slots of one; without a name they give it theirs.

    Raises FormRefused where they are not in it, or nothing would be left; and ThemesOutdated.
    """
    with _changing(study_id, Merge.Kind.SPLIT, by, version) as act:
        row = _theme(study_id, theme, "theme")
        leaving = _members_of(row, slots)
        act.before = taken_of([row.pk])
        name = _name(study_id, row, name, row.node_type) if name.strip() else ""
        new = Theme.objects.create(
            pk=uuid4(), study_id=study_id, node_type=row.node_type, name=name or str(uuid4()),
            named=bool(name),
        )  # fmt: skip
        row.members.update(decided=True)
        leaving.update(theme=new, decided=True, similarity=None)
        act.after = _settled(study_id, [row.pk, new.pk])
    return act


def move(
    study_id: UUID,
    slots: Sequence[UUID],
    into: UUID,
    *,
    by: str,
    version: int | None = None,
) -> Merge:
    """Put slots of one theme into another; a theme that loses its last slot goes.

    Raises FormRefused where slots are in no theme, in several, or of another type than `into`; and
    ThemesOutdated.
    """
    with _changing(study_id, Merge.Kind.MOVE, by, version) as act:
        target = _theme(study_id, into, "theme")
        found = ThemeMember.objects.filter(slot_id__in=slots, theme__study_id=study_id)
        sources = list(Theme.objects.filter(members__in=found).distinct())
        if len(found) != len(set(slots)) or len(sources) != 1:
            raise _refused("slots", "name slots that are in one theme of this study")
        if sources[0] == target:
            raise _refused("theme", "the slots are in this theme already")
        if sources[0].node_type != target.node_type:
            raise _refused(
                "theme", f"it is of the type {target.node_type}, they are {sources[0].node_type}"
            )
        both = [sources[0].pk, target.pk]
        act.before = taken_of(both)
        found.update(theme=target, decided=True, similarity=None)
        act.after = _settled(study_id, both)
    return act


def rename(study_id: UUID, theme: UUID, name: str, *, by: str, version: int | None = None) -> Merge:
    """Name a theme. Raises FormRefused where the name is empty, long or taken; ThemesOutdated."""
    with _changing(study_id, Merge.Kind.RENAME, by, version) as act:
        row = _theme(study_id, theme, "theme")
        act.before = taken_of([row.pk])
        row.name, row.named = _name(study_id, row, name, row.node_type), True
        row.save(update_fields=["name", "named"])
        # Its name holds it together: what opened it stays, whatever else is grouped anew.
        row.members.filter(similarity__isnull=True).update(decided=True)
        act.after = _settled(study_id, [row.pk])
    return act


def undo(study_id: UUID, *, by: str, version: int | None = None) -> Merge:
    """Undo the newest act that stands. Raises InterviewError THEMES_REFUSED, ThemesOutdated."""
    with _locked(study_id, version):
        act = _acts(study_id).filter(undone_at__isnull=True).order_by("-number").first()
        if act is None:
            raise InterviewError(ErrorCode.THEMES_REFUSED, "There is nothing to undo.")
        put_back(study_id, act.before, act.after)
        act.undone_by, act.undone_at = by, timezone.now()
        _stamp(act, study_id, by, "undo")
    return act


def redo(study_id: UUID, *, by: str, version: int | None = None) -> Merge:
    """Make the act again that was undone last, unless another was made since."""
    with _locked(study_id, version):
        act = redoable(study_id)
        if act is None:
            raise InterviewError(ErrorCode.THEMES_REFUSED, "There is nothing to redo.")
        put_back(study_id, act.after, act.before)
        act.undone_by, act.undone_at = "", None
        _stamp(act, study_id, by, "redo")
    return act


@dataclass(frozen=True, slots=True)
class Changes:
    """How far people changed a study's themes, and whether a step goes back or forth from here."""

    version: int
    can_undo: bool
    can_redo: bool


def changes_of(study_id: UUID) -> Changes:
    """What of themes can be undone and redone, in one query."""
    acts = list(_acts(study_id).values_list("version", "number", "follows", "undone_at"))
    newest = max((number for _, number, _, undone in acts if undone is None), default=0)
    return Changes(
        version=max((version for version, *_ in acts), default=0),
        can_undo=newest > 0,
        can_redo=any(undone and follows == newest for *_, follows, undone in acts),
    )


def redoable(study_id: UUID) -> Merge | None:
    """The act that `redo` would make again, None where there is none."""
    standing = _acts(study_id).filter(undone_at__isnull=True).aggregate(last=Max("number"))
    undone = _acts(study_id).filter(undone_at__isnull=False, follows=standing["last"] or 0)
    return undone.order_by("-number").first()


def _acts(study_id: UUID | str) -> QuerySet[Merge]:
    return Merge.objects.filter(study_id=study_id, number__gt=0)


@contextmanager
def _locked(study_id: UUID, version: int | None) -> Iterator[Study]:
    with transaction.atomic():
        study = locked(study_id)
        if version is not None:
            since = list(_acts(study_id).filter(version__gt=version).order_by("version"))
            if since:
                raise ThemesOutdated(since)
        yield study


@contextmanager
def _changing(study_id: UUID, kind: str, by: str, version: int | None) -> Iterator[Merge]:
    """An act whose `before` and `after` the caller fills in, kept when that is done."""
    with _locked(study_id, version):
        acts = _acts(study_id)
        standing = acts.filter(undone_at__isnull=True).aggregate(last=Max("number"))["last"]
        act = Merge(
            scope=Merge.Scope.STUDY,
            kind=kind,
            study_id=study_id,
            number=(acts.aggregate(last=Max("number"))["last"] or 0) + 1,
            follows=standing or 0,
            made_by=by,
        )
        yield act
        _stamp(act, study_id, by, kind)


def _stamp(act: Merge, study_id: UUID, by: str, what: str) -> None:
    act.version = version_of(study_id) + 1
    act.save()
    name_themes(study_id)
    audit.record(audit.Action.THEMED, Study.objects.only("pk").get(pk=study_id), by=by,
                 fields=[what])  # fmt: skip


def _settled(study_id: UUID, themes: Sequence[UUID]) -> dict[str, dict[str, object]]:
    """How themes stand after an act; those without a slot are gone."""
    left = Theme.objects.filter(study_id=study_id, pk__in=themes, members__isnull=False)
    return taken_of(left.distinct().values_list("pk", flat=True))


def _theme(study_id: UUID, pk: UUID, field: str) -> Theme:
    found = Theme.objects.filter(study_id=study_id, pk=pk).first()
    if found is None:
        raise _refused(
            field, f"there is no theme {pk} in this study; it may have been merged or grouped anew"
        )
    return found


def _members_of(theme: Theme, slots: Sequence[UUID]) -> QuerySet[ThemeMember]:
    found = theme.members.filter(slot_id__in=slots)
    if not slots or len(found) != len(set(slots)):
        raise _refused("slots", f"name slots that are in the theme “{theme.name}”")
    if theme.members.count() == len(found):
        raise _refused("slots", "leave one slot at least in the theme; this would take all")
    return found


def _name(study_id: UUID, theme: Theme, name: str, node_type: str) -> str:
    name = " ".join(name.split())
    if not name or len(name) > MAX_NAME:
        raise _refused("name", f"give a name of 1 to {MAX_NAME} characters")
    others = Theme.objects.filter(study_id=study_id, node_type=node_type, name__iexact=name)
    if others.exclude(pk=theme.pk).exists():
        raise _refused("name", f"another theme of this type is called “{name}”; merge them instead")
    return name


def _refused(field: str, message: str) -> FormRefused:
    return FormRefused(f"{field}: {message}.", fields={field: message})


def forget_erased(study_id: UUID) -> None:
    """Bring themes in order after interviews of the study were erased."""
    if Theme.objects.filter(study_id=study_id).exists():
        renew(study_id)
