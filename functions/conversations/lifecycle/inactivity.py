"""
Closes conversations without activity for `close_after_days` of their project, so that its open list stays bounded.

    one in EVERY turns --> a part of the project's open list --> a `Close` record for each idle one --> its processor

A turn that looks reads PART entries, more than EVERY turns add, so each conversation is looked at again and again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.lifecycle.status import LISTED, Status
from conversations.lifecycle.transitions import Cause, finish_notes, move
from conversations.store.lists import open_list
from shared.aws.sqs_fifo import digest
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.configuration.projects import Company
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation
    from shared.aws.sqs_fifo import Entry

EVERY, PART = 64, 500
REASON = "no_activity"


def close_some(resources: Resources, opened: OpenConversation, cause: str) -> None:
    """Enqueue the closing of idle conversations, for one of EVERY causes. Safe to repeat."""
    if int(digest(opened.ref, cause)[:8], 16) % EVERY:
        return
    from conversations.lifecycle.records import commands  # noqa: PLC0415 - few turns look

    company = opened.company
    of_project = (resources.log, company.company_id, company.project_id)
    found, position = open_list.idle(*of_project, _before(company), PART)
    for method, queue in resources.channels.items():
        entries: list[Entry] = [
            commands.entry(commands.Close(ref=one.ref), one.ref, "close", one.last_activity_at)
            for one in found
            if one.channel_method is method
        ]
        queue.send(entries)
    # After the queues have them: a crash in between enqueues them again.
    open_list.note_idle(*of_project, position)


def close(resources: Resources, opened: OpenConversation) -> None:
    """Close a conversation if it still has no activity and no running turn, and waits for no time. Safe to repeat."""
    company, state = opened.company, opened.state
    entry = open_list.entry_of(resources.log, company.company_id, company.project_id, opened.ref)
    if entry is None:
        return
    cause = Cause(who="parley", what=digest("close", entry.last_activity_at), reason=REASON)
    if Status(opened.conversation.conversation_status) not in LISTED:
        finish_notes(
            resources, opened, cause
        )  # An earlier attempt died before it removed the entry.
        return
    newest = max(entry.last_activity_at, state.last_message_at or "", state.last_inbound_at or "")
    now = clock.to_text(clock.now_ms())
    waits = state.snoozed_at(now) is not None or (state.send_at or "") > now
    if newest >= _before(company) or state.turn is not None or waits:
        return
    move(resources, opened, Status.CLOSED, cause)


def _before(company: Company) -> str:
    return clock.to_text(clock.now_ms() - company.close_after_days * 24 * clock.HOUR_MS)
