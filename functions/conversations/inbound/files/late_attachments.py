"""
Links files that another context has fetched to the messages they belong to, and the texts of recordings.

A file may arrive before its message, by days if the message waits in a dead-letter queue or as unmatched. The file is
then recorded as an early file before the message is looked up again; intake stores a message before it looks for early
files. Message and file may therefore arrive in either order; the second one links them. A text without its message is
left out: a person asked for it in the inbox, and may ask again.
"""

from collections.abc import Mapping

from conversations.configuration.resources import Resources
from conversations.inbound import matching, normalise
from conversations.inbound.files import attachments
from conversations.lifecycle.conversation import load_project
from conversations.lifecycle.file_states import is_untranscribed
from conversations.store import erasures, messages, routes
from conversations.store.items.log import Message
from conversations.store.items.records import EarlyFile, ParkReason
from conversations.store.items.routes import Inbound
from shared.aws.sqs_standard import StandardQueue
from shared.events.exchange import FileStored, InboundMessage
from shared.identity.business_accounts import BusinessAccount
from shared.runtime.failures import Permanent, Transient


def store_file_key(resources: Resources, event: FileStored, files: StandardQueue) -> str:
    """
    Record the location of a message's file, and its text if the inbox has it; else request the text of a voice note.
    Idempotent: the first text is kept.

    Raises Transient if a concurrent writer changed the message.

    Raises Permanent if the message was received by another account or business address (`TENANT_MISMATCH`), or if no
    project uses that address (`UNKNOWN_ADDRESS`).
    """
    name = (event.provider, event.provider_message_id)
    file_key = attachments.copied_key(resources.bucket, event.provider, event.file.url or "")
    if file_key is None:
        return "not_ours"
    marked_message = _message(resources, *name)
    if marked_message is None:
        matching.owners(resources, event)
        early = EarlyFile(
            provider_id=event.file.provider_id,
            file_key=file_key,
            account=event.account,
            business_address=event.business_address,
            ttl=EarlyFile.time_to_live(),
        )
        messages.keep_early_file(resources.log, *name, early)
        marked_message = _message(resources, *name)
    if marked_message is None and erasures.is_message(resources.log, *name):
        messages.forget_early_files(resources.log, *name)
        return "erased"
    if marked_message is None:
        return "kept"
    marker, message = marked_message
    _check(resources, marker, event)
    if not attachments.is_of_company(resources.bucket, marker.company_id, file_key):
        return "foreign"
    facts = {"key": file_key}
    if event.file.transcript is not None:
        facts["transcript"] = event.file.transcript
    message = _link_files(resources, marker.ref or "", message, {event.file.provider_id: facts})
    if any(map(is_untranscribed, message.media)):
        company = load_project(resources, marker.company_id, marker.project_id)
        transcribes = company is not None and bool(company.ai_config.get("transcription"))
        attachments.request_downloads(files, marker.ref or "", message, transcribes=transcribes)
    return "filed"


def link_early_files(
    resources: Resources, ref: str, company_id: str, event: InboundMessage, message: Message
) -> Message:
    """
    Link the stored message of *event* to its early files that belong to the company, and return it with them.

    Ignores files of another account or business address. Idempotent. Raises Transient.
    """
    if message.media_state != attachments.AWAITED or not message.provider:
        return message
    early_of_message = messages.early_files(
        resources.log, message.provider, message.provider_message_id or ""
    )
    covered = [
        early
        for early in early_of_message
        if attachments.is_of_company(resources.bucket, company_id, early.file_key)
        and BusinessAccount(
            provider=event.provider, account=early.account, business_address=early.business_address
        ).covers(event)
    ]
    return _link_files(
        resources, ref, message, {early.provider_id: {"key": early.file_key} for early in covered}
    )


def _check(resources: Resources, marker: Inbound, event: FileStored) -> None:
    """Raise Permanent (`TENANT_MISMATCH`) unless the file has the account and business address of its message."""
    # Markers written before they held the account: the current owners of the address decide.
    if marker.account is None:
        projects = {
            (owner.company_id, owner.project_id) for owner in matching.owners(resources, event)
        }
        is_covered = (marker.company_id, marker.project_id) in projects
    else:
        received_at = BusinessAccount(
            provider=event.provider,
            account=marker.account,
            business_address=marker.business_address,
        )
        is_covered = received_at.covers(event)
    if not is_covered:
        raise Permanent(ParkReason.TENANT_MISMATCH)


def _message(
    resources: Resources, provider: str, provider_message_id: str
) -> tuple[Inbound, Message] | None:
    """Return the marker and the message if the message is in a conversation, else None."""
    marker = routes.marked(resources.log, provider, provider_message_id)
    if marker is None or marker.ref is None:
        return None
    entry_id = normalise.entry_of(marker.ref, provider, provider_message_id)
    message = messages.get(
        resources.log, marker.ref, Message.sk(marker.message_timestamp, entry_id)
    )
    return (marker, message) if message else None


def _link_files(
    resources: Resources, ref: str, message: Message, known: Mapping[str | None, attachments.File]
) -> Message:
    files = [
        attachments.linked(file, known[file.get("provider_id")])
        if file.get("provider_id") in known
        else file
        for file in message.media
    ]
    state = attachments.state_of(files)
    if files != message.media and not messages.put_files(resources.log, ref, message, files, state):
        raise Transient("message_moved")
    return message.model_copy(update={"media": files, "media_state": state})
