"""Rights to read conversations of the inbox, and to learn that they exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shared.api.auth import Scope, without_project
from shared.inbox.items import Context

if TYPE_CHECKING:
    from shared.api.auth import Caller
    from shared.inbox.items import Entry

# The scope that reading a conversation in its context needs.
SCOPES: Final = {
    Context.WHATSAPP: Scope.WHATSAPP_READ,
    Context.CONVERSATIONS: Scope.CONVERSATIONS_READ,
    Context.EMAIL_THREADS: Scope.EMAIL_READ,
}


def readable(caller: Caller) -> frozenset[Context]:
    """Return the contexts whose conversations the caller may read."""
    return frozenset(
        context
        for context, scope in SCOPES.items()
        if scope in caller.scopes and not without_project([scope], caller.projects)
    )


def is_readable(caller: Caller, contexts: frozenset[Context], entry: Entry) -> bool:
    """Whether the caller, who may read *contexts*, may read the entry, and may learn that it exists."""
    return (
        entry.company_id == caller.company
        and entry.context in contexts
        and (entry.project_id is None or caller.may_use(entry.company_id, entry.project_id))
    )
