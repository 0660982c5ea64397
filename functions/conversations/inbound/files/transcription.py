"""
Turns a stored voice note of a customer's message into text, which is stored at the message. Idempotent.

    claimed     until its lease ends no other delivery of the record calls the provider
    text        stored once; later deliveries find it. A worker that dies between call and text has paid for nothing
    no text     the reason is stored: too large, another format, beyond the bounds on costs, refused by the provider
    failed      a passing failure is tried again with the record, and shown once its attempts are exhausted

The text is part of the message: it is exported, erased and expires with it, and no log has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from conversations.ai.config import AiConfig, AiConfigBroken
from conversations.configuration.folders import folder_of
from conversations.inbound.files import attachments
from conversations.outbound.policy.spending_bounds import cause_of
from conversations.store import messages
from shared.ai.files import spoken_words
from shared.ai.files.spoken_words import AGAIN_MS, FINAL, Transcribers
from shared.aws.stored_objects import media_of
from shared.aws.tables import leases
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.configuration.resources import Resources, Run
    from conversations.inbound.files.attachments import File
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.lifecycle.records.file_download import FileDownload
    from conversations.store.items.log import Message
    from shared.ai.settings import TranscriptionSettings
    from shared.ai.spending.budget import Spending
    from shared.aws.dynamodb import Table
    from shared.providers.company_secrets import CompanySecrets


class TranscriptionDependencies(Protocol):
    """The dependencies of a transcription on the worker of files."""

    resources: Resources
    credentials: CompanySecrets
    openai_url: str
    spending: Spending


MOST_CHANGES = 20


def is_wanted(file: File) -> bool:
    """Whether a file is a stored recording that has no text yet."""
    is_open = "transcript" not in file and file.get("no_transcript") not in FINAL
    is_recording = file.get("mime_type", "").startswith("audio/")
    return "key" in file and is_recording and is_open


def settings_of(opened: OpenConversation) -> TranscriptionSettings | None:
    """Return how the project transcribes voice notes on this channel; None if it does not."""
    if not opened.company.ai_config.get("transcription"):
        return None
    try:
        method = opened.conversation.channel_method
        return AiConfig.read(opened.company.ai_config, method.value).transcription
    except AiConfigBroken:
        return None  # The reply reports it.


def transcribe(
    deps: TranscriptionDependencies, opened: OpenConversation, wanted: FileDownload, run: Run
) -> str | None:
    """Transcribe a file of a message; return the outcome, None if there is nothing to do. Raises Transient."""
    settings = settings_of(opened)
    if settings is None:
        return None
    log = deps.resources.log
    claimed = _claim(log, wanted, run)
    if claimed is None:
        return None
    message, file = claimed
    try:
        event = f"{message.entry_id}:{wanted.position}:text"
        facts = _text_of(deps, opened, settings, file, event)
    except spoken_words.Passing as failure:
        _change(log, wanted, _unclaimed)
        raise Transient(failure.code, AGAIN_MS * 2 ** (run.attempt - 1)) from None
    _change(
        log, wanted, lambda stored: {**_unclaimed(stored), **facts} if is_wanted(stored) else None
    )
    return "transcribed" if "transcript" in facts else "not_transcribed"


def give_up(log: Table, wanted: FileDownload, reason: str) -> None:
    """Show at its message that a recording has no text. A redrive of its dead letter tries again."""

    def given_up(file: File) -> File | None:
        return {**_unclaimed(file), "no_transcript": reason} if is_wanted(file) else None

    _change(log, wanted, given_up)


def _claim(log: Table, wanted: FileDownload, run: Run) -> tuple[Message, File] | None:
    until = clock.to_text(leases.expiry(run.remaining_ms()))

    def claimed(file: File) -> File | None:
        if not is_wanted(file):
            return None
        if (lease := file.get("transcribing_until", "")) > (now := clock.to_text(clock.now_ms())):
            raise Transient("transcribing", clock.from_text(lease) - clock.from_text(now))
        return {**file, "transcribing_until": until}

    message = _change(log, wanted, claimed)
    return None if message is None else (message, message.media[wanted.position])


def _text_of(
    deps: TranscriptionDependencies,
    opened: OpenConversation,
    settings: TranscriptionSettings,
    file: File,
    event: str,
) -> File:
    """Return the fields of the file that say its text, or why it has none. Raises spoken_words.Passing."""
    bucket = deps.resources.bucket
    folders = (folder_of(bucket, opened.ref), media_of(bucket, opened.company.company_id))

    def read(most_bytes: int) -> bytes | None:
        is_ours = any(folder.holds(file["key"]) for folder in folders)
        return bucket.bounded(file["key"], most_bytes) if is_ours else None

    transcribers = Transcribers(
        credentials=deps.credentials, openai_url=deps.openai_url, spending=deps.spending
    )
    words = spoken_words.of_recording(
        transcribers, settings, file.get("mime_type", ""), read, cause_of(opened, event)
    )
    return (
        {"no_transcript": words.reason or ""} if words.text is None else {"transcript": words.text}
    )


def _unclaimed(file: File) -> File:
    return {name: value for name, value in file.items() if name not in attachments.OF_SEARCH}


def _change(
    log: Table, wanted: FileDownload, changed: Callable[[File], File | None]
) -> Message | None:
    """Replace one file of a message; None if the message is gone or *changed* returns None. Raises Transient."""
    position = wanted.position
    for _ in range(MOST_CHANGES):
        message = messages.get(log, wanted.ref, wanted.message_sk)
        if message is None or not 0 <= position < len(message.media):
            return None
        new = changed(message.media[position])
        if new is None:
            return None
        files = [*message.media]
        files[position] = new
        if messages.put_files(log, wanted.ref, message, files, message.media_state):
            return message.model_copy(update={"media": files})
    raise Transient("message_moved")
