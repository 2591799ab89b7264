"""One's own link, sent to the address that its holder writes; the address is kept nowhere."""

from __future__ import annotations

import logging
from smtplib import SMTPException
from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

from django.core.mail import EmailMessage
from django.utils.translation import gettext as _

from interviews.chat.limits import AnswerRate
from interviews.epilogue.fields import is_email

logger = logging.getLogger(__name__)

MAILS: Final = 3
"""So many at once, from one interview and to one address: nobody is flooded by a link."""
WAIT_SECONDS: Final = 1200.0
"""After so long there may be one more."""

rate = AnswerRate(burst=MAILS, per_second=1 / WAIT_SECONDS)


def send_link(session_id: UUID, address: str, *, study: str, link: str) -> str:
    """Mail a link in the active language; return what went wrong, in words, "" where nothing did.

    Blocks until the mail server has taken it, or its time is up.
    """
    address = address.strip()
    if not is_email(address):
        return _("This is no e-mail address. Write it like name@example.org.")
    if not (rate.allow(session_id) and rate.allow(uuid5(NAMESPACE_URL, address.casefold()))):
        return _("The link was sent several times already. Look among unwanted mail, or copy it.")
    name = " ".join(study.split())
    text = _(
        "Here is your own link to the interview “{study}”:\n\n{link}\n\nIt is yours alone: "
        "whoever has it can read and continue your interview."
    )
    message = EmailMessage(
        subject=_("Your link: {study}").format(study=name),
        body=text.format(study=name, link=link),
        to=[address],
    )
    try:
        message.send()
    except (SMTPException, OSError) as error:
        logger.warning("link_not_mailed error=%s", type(error).__name__)
        return _("The mail could not be sent just now. Try again later, or copy the link.")
    return ""
