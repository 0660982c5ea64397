"""
Finds the copy of a stored mail in an answer that begins with it, without a mark of its end.

Such an attribution may also be a sentence of a person, with own text below it: only the mail that is answered decides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from email_threads.parsing.body import reply_text
from email_threads.store import threads
from email_threads.threading import ids

if TYPE_CHECKING:
    from email_threads.parsing.mail import ParsedMail
    from email_threads.store.items import Mail
    from shared.aws.dynamodb import Table


def without_it(table: Table, company_id: str, mail: ParsedMail) -> ParsedMail:
    """Return the mail, its new text without the copy of the stored mail that it answers. Other mails cost no read."""
    begin = reply_text.copy_begin(mail.text, mail.subject)
    is_first = mail.text.lstrip().startswith(mail.new_text)
    if begin is None or not is_first or not mail.in_reply_to:
        return mail
    answered = _stored(table, ids.email_id(company_id, mail.in_reply_to[-1]))
    if answered is None:
        return mail
    own = reply_text.below_copy(mail.text[begin:], answered.body)
    if own is None:
        return mail
    # Of a long mail only the beginning is in its item: the rest is no text of this sender either.
    return replace(mail, new_text=own if answered.body_key is None else "")


def _stored(table: Table, email_id: str) -> Mail | None:
    alias = threads.aliases(table, [email_id]).get(email_id)
    if alias is None or alias.n is None:
        return None
    found = threads.mails(table, alias.thread, [alias.n])
    return next((mail for mail in found if mail.email_id == email_id), None)
