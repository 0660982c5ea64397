"""
Tells a customer, in the project's words (`policy.file_refused`), that a file is beyond the bounds: once per message.

A file beyond the bounds of the model only is found by its turn, see `read_history`. Each delivery of a file's record
repeats the request; the notice has one turn per message. Agents who hold a conversation tell the customer themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.inbound.files import attachments
from conversations.lifecycle.records import commands
from conversations.store import messages
from conversations.store.items.log import Mode
from shared.ai.files import spoken_words

if TYPE_CHECKING:
    from conversations.configuration.resources import Resources
    from conversations.inbound.files.attachments import File
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.lifecycle.records.file_download import FileDownload


def tell(resources: Resources, opened: OpenConversation, wanted: FileDownload) -> None:
    """Request the notice if the file is beyond the bounds and the project has words for it. Idempotent."""
    if not opened.company.policy.file_refused or opened.state.mode is not Mode.AI:
        return
    message = messages.get(resources.log, wanted.ref, wanted.message_sk)
    if message is not None and _is_beyond(message.media[wanted.position]):
        commands.send_notice(resources, opened, "file_refused", message.entry_id)


def _is_beyond(file: File) -> bool:
    is_refused = file.get("refused") in {attachments.TOO_LARGE, attachments.TOO_MANY}
    return is_refused or file.get("no_transcript") == spoken_words.TOO_LARGE
