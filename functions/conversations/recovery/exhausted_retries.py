"""Shows the last failed attempt of a record in its conversation, before the record becomes a dead letter."""

from pydantic import TypeAdapter

from conversations.configuration.projects import Company
from conversations.configuration.resources import Resources
from conversations.lifecycle import conversation
from conversations.lifecycle.conversation import OpenConversation
from conversations.lifecycle.records.reply_trigger import ReplyTrigger
from conversations.lifecycle.status import NEVER_SENT, OVER, Status
from conversations.lifecycle.transitions import Cause, move
from conversations.store import states
from conversations.store.items import identifiers
from shared.aws.sqs_fifo import digest


def of_record(resources: Resources, body: str, reason: str) -> None:
    """
    Mark a conversation failed if its first message was never sent. A redrive continues from `failed`.

    Other failures are visible at their message.
    """
    from conversations.initiation.context_object import ContextObject  # noqa: PLC0415 - not of replies
    from conversations.lifecycle.records import commands  # noqa: PLC0415 - as above

    record = commands.read(body)
    others = commands.Lengthen | commands.FetchFiles | commands.Notice | commands.FollowUp
    if isinstance(record, others | commands.AskSatisfaction | commands.Shadow):
        return  # These records do not affect the first message.
    if isinstance(record, ContextObject):
        data = record.conversation_data
        refs = identifiers.refs_of(data.conversation_id, data.conversation_ref)
        ref = states.ref_in_use(resources.log, refs)
    else:
        ref = record.ref
    opened, cause = _opened(resources, ref), _cause(body, reason)
    status = Status(opened.conversation.conversation_status)
    if (
        status is Status.DEFERRED
    ):  # It was due and has no other retry; `failed` follows `processing` only.
        opened = move(resources, opened, Status.PROCESSING, cause)
    if status in NEVER_SENT:
        move(resources, opened, Status.FAILED, cause)


def of_trigger(resources: Resources, body: str, reason: str) -> None:
    """Hand the conversation off to an agent: the customer waits for an answer that could not be produced."""
    trigger = TypeAdapter(ReplyTrigger).validate_json(body)
    opened = _opened(resources, trigger.ref)
    if Status(opened.conversation.conversation_status) in OVER:
        return
    move(resources, opened, Status.HANDOFF_PENDING, _cause(body, reason))


def _opened(resources: Resources, ref: str) -> OpenConversation:
    """Load only the items that a status change needs, so that it works even if the project settings are invalid."""
    state, item = conversation.load_items(resources, ref)
    company = Company(company_id=state.company_id, project_id=state.project_id)
    return OpenConversation(ref=ref, conversation=item, state=state, company=company)


def _cause(body: str, reason: str) -> Cause:
    return Cause(who="parley", what=f"given_up:{digest(body)[:16]}", reason=reason)
