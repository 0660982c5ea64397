"""Lists the messages of groups."""

from datetime import datetime

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import paging
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Moment, PageInput
from whatsapp.actions.groups_and_calls import known_groups
from whatsapp.actions.groups_and_calls.groups import GROUPS, GroupId
from whatsapp.api.message_views import Messages, message_view


class GetMessages(PageInput):
    """A group, and the time of the oldest message."""

    group_id: GroupId
    since: Moment | None = None


@GROUPS.reads("local", Scope.WHATSAPP_GROUPS)
def get_group_messages(call: Call[GetMessages]) -> Page[Messages]:
    """List the messages of a group, newest first."""
    group, _ = known_groups.find(call, call.input.group_id)
    found, last = store.groups.messages(
        call.table,
        group,
        _text(call.input.since),
        limit=call.input.limit,
        start=paging.start_of(call),
    )
    bucket = call.resources.bucket
    shown = [message_view(bucket, message, None) for message in found]
    return Page(Messages(messages=shown), paging.cursor_of(call, last))


def _text(moment: datetime | None) -> str | None:
    return clock.to_text(int(moment.timestamp() * clock.SECOND_MS)) if moment else None
