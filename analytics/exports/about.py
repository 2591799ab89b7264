"""What is printed into every file: what it holds, of which interviews, and what to mind."""

from __future__ import annotations

from django.utils import timezone

from analytics.exports.source import ExportOptions, ExportSource

UNREVIEWED = (
    "Free text is unreviewed: words that respondents gave to sensitive fields are blanked, "
    "whatever else they said of themselves is not."
)
LEFT_OUT = "Memos, stars, reviews, themes and the matrix are left out."
PERSONAL = "Holds personal data in clear."


def about(source: ExportSource, options: ExportOptions) -> dict[str, str]:
    """Name and text of each line."""
    study = source.of_study
    lines = {
        "study": study.name,
        "study id": study.slug,
        "mode": study.mode,
        "interviews": source.described,
        "exported at": timezone.now().isoformat(timespec="seconds"),
    }
    if options.pseudonymise:
        lines["pseudonymised"] = f"Ids are renewed. {UNREVIEWED} {LEFT_OUT}"
    if options.personal and not options.pseudonymise:
        lines["personal data"] = PERSONAL
    return lines
