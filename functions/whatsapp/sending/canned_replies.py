"""Canned replies: kept by a company, and filled with values when an agent sends one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shared.api.errors import InvalidInput
from shared.runtime import clock
from whatsapp import store
from whatsapp.sending.inputs import LONGEST_TEXT
from whatsapp.sending.views import CannedRepliesView, CannedReplyView, RemovedView
from whatsapp.store.items.canned_replies import CannedReply

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from whatsapp.sending.inputs import CannedReplyInput

MOST_VARIABLES = 20
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_VARIABLE = re.compile(r"{{([a-z][a-z0-9_]{0,31})}}")


def replies(table: Table, company: str) -> CannedRepliesView:
    """Return the company's canned replies, by name."""
    found = store.canned_replies.listed(table, company)
    return CannedRepliesView(canned_replies=[_view(reply) for reply in found])


def save(table: Table, company: str, name: str, text: str, principal: str) -> CannedReplyView:
    """Create a canned reply, or replace its text. Raises InvalidInput and ListFull."""
    check_name(name)
    _check_text(text)
    reply = CannedReply(
        pk=CannedReply.key(company, name),
        company=company,
        name=name,
        text=text,
        updated_at=clock.to_text(clock.now_ms()),
        updated_by=principal,
    )
    store.canned_replies.put(table, reply)
    return _view(reply)


def remove(table: Table, company: str, name: str) -> RemovedView:
    """Delete a canned reply; a missing one is no error. Raises InvalidInput."""
    check_name(name)
    store.canned_replies.remove(table, company, name)
    return RemovedView(name=name)


def filled(table: Table, company: str, chosen: CannedReplyInput) -> str:
    """Return the text of a canned reply with the values of its variables. Raises InvalidInput."""
    reply = store.canned_replies.get(table, company, chosen.name)
    if reply is None:
        raise _invalid("cannedReply.name", "there is no such canned reply")
    wanted, given = _variables(reply.text), chosen.variables.keys()
    missing, unknown = [name for name in wanted if name not in given], sorted(given - set(wanted))
    if missing:
        raise _invalid("cannedReply.variables", f"values are missing: {', '.join(missing)}")
    if unknown:
        raise _invalid("cannedReply.variables", f"the reply has only: {', '.join(wanted)}")
    # One pass: a value that looks like a variable stays as it is.
    text = _VARIABLE.sub(lambda match: chosen.variables[match[1]], reply.text)
    if len(text) > LONGEST_TEXT:
        raise _invalid("cannedReply.variables", f"the text has more than {LONGEST_TEXT} characters")
    return text


def check_name(name: str) -> None:
    """Raise InvalidInput unless *name* is a name of a canned reply."""
    if not _NAME.fullmatch(name):
        raise _invalid(
            "name", "must have 1 to 64 of a-z, 0-9, _ and -, and begin with a letter or digit"
        )


def _check_text(text: str) -> None:
    if any(brace in _VARIABLE.sub("", text) for brace in ("{{", "}}")):
        raise _invalid("text", "a variable is a name of a-z, 0-9 and _ in double braces: {{name}}")
    if len(_variables(text)) > MOST_VARIABLES:
        raise _invalid("text", f"must have at most {MOST_VARIABLES} variables")


def _variables(text: str) -> list[str]:
    """Return the names of a text's variables, each once, in order."""
    return list(dict.fromkeys(_VARIABLE.findall(text)))


def _view(reply: CannedReply) -> CannedReplyView:
    return CannedReplyView(
        name=reply.name,
        text=reply.text,
        variables=_variables(reply.text),
        updated_at=reply.updated_at,
        updated_by=reply.updated_by,
    )


def _invalid(field: str, problem: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": problem}])
