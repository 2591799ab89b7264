"""Who may do what: one table of roles and rights. Pure."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What somebody is here, by a group of that name; a superuser is an administrator."""

    ADMINISTRATOR = "administrator"
    RESEARCHER = "researcher"
    ANALYST = "analyst"


class Right(StrEnum):
    """Something that a role may do; the value is how pages and documentation call it."""

    READ = "read studies, interviews, their graphs and costs, and the library"
    CORRECT = "correct what was read from interviews, code answers, write memos"
    EXPORT = "export interviews"
    STUDIES = "make and change studies"
    INVITE = "invite respondents and see their links"
    TRY = "try studies out"
    RUN = "try again, extend and end running interviews"
    LIBRARY = "write methodologies, concepts, personas and guides"
    ERASE = "erase interviews"
    AUDIT = "read who did what"
    TEAMS = "put people into a team and take them out"
    PERSONAL = "read what respondents gave of themselves"
    ACCOUNTS = "make accounts and teams, give roles, read every team's studies"


_ANALYST = frozenset({Right.READ, Right.CORRECT})
_RESEARCHER = _ANALYST | {
    Right.EXPORT,
    Right.STUDIES,
    Right.INVITE,
    Right.TRY,
    Right.RUN,
    Right.LIBRARY,
    Right.ERASE,
    Right.AUDIT,
    Right.TEAMS,
}

RIGHTS: dict[Role, frozenset[Right]] = {
    Role.ADMINISTRATOR: frozenset(Right),
    Role.RESEARCHER: _RESEARCHER,
    Role.ANALYST: _ANALYST,
}
"""The rights of each role. All but an administrator's end at the studies of their own teams."""


def roles_page() -> str:
    """The table as a page of the reference, in Markdown."""
    lines = [
        "# Roles",
        "",
        "A role is a group of that name, given to an account on the console's page *People*; an",
        "account may have several. A superuser is an administrator. Being staff opens nothing.",
        "",
        "Every study belongs to one team. Researchers and analysts have their rights in the",
        "studies of the teams that they are in; what belongs to another team is not found (404).",
        "Studies that a command makes belong to the team *Default*. The library is everybody's.",
        "",
        "| may | " + " | ".join(RIGHTS) + " |",
        "|---|" + "---|" * len(RIGHTS),
    ]
    for right in Right:
        marks = ("yes" if right in rights else "" for rights in RIGHTS.values())
        lines.append(f"| {right.value} | " + " | ".join(marks) + " |")
    lines += [
        "",
        "What respondents gave of themselves is read by administrators, and in their own teams by",
        "accounts with the permissions *can view personal value* and, to take it out of the house,",
        "*can export personal value*.",
    ]
    return "\n".join(lines) + "\n"
