"""A record that fails for the last time: the conversation shows it, before the record goes to the dead letters."""

from pydantic import TypeAdapter

from conversations import commands, conversation
from conversations.commands import FetchFiles, Lengthen, Notice
from conversations.conversation import Opened
from conversations.initiation.context_object import ContextObject
from conversations.lifecycle import NEVER_SENT, OVER, Status
from conversations.projects import Company
from conversations.resources import Resources
from conversations.store import states
from conversations.store.items import identifiers
from conversations.transitions import Cause, move
from shared.aws.sqs_fifo import digest
from shared.events import ReplyTrigger

_triggers = TypeAdapter(ReplyTrigger)


def of_record(here: Resources, body: str, reason: str) -> None:
    """A first message failed; anything else shows at its message. A redrive starts from there."""
    record = commands.read(body)
    if isinstance(record, Lengthen | FetchFiles | Notice):
        return  # No first message hangs on it.
    if isinstance(record, ContextObject):
        data = record.conversation_data
        refs = identifiers.refs_of(data.conversation_id, data.conversation_ref)
        ref = states.ref_in_use(here.log, refs)
    else:
        ref = record.ref
    opened, cause = _opened(here, ref), _cause(body, reason)
    status = Status(opened.conversation.conversation_status)
    if status is Status.DEFERRED:  # It was due: nothing else would bring it back.
        opened = move(here, opened, Status.PROCESSING, cause)
    if status in NEVER_SENT:
        move(here, opened, Status.FAILED, cause)


def of_trigger(here: Resources, body: str, reason: str) -> None:
    """A customer waits for an answer that does not come: a person has to give it."""
    trigger = _triggers.validate_json(body)
    opened = _opened(here, trigger.ref)
    if Status(opened.conversation.conversation_status) in OVER:
        return
    move(here, opened, Status.HANDOFF_PENDING, _cause(body, reason))


def _opened(here: Resources, ref: str) -> Opened:
    """As much of a conversation as a move needs: a project whose set-up is broken does not keep it from being seen."""
    state, item = conversation.load_items(here, ref)
    company = Company(company_id=state.company_id, project_id=state.project_id)
    return Opened(ref=ref, conversation=item, state=state, company=company)


def _cause(body: str, reason: str) -> Cause:
    return Cause(who="parley", what=f"given_up:{digest(body)[:16]}", reason=reason)
