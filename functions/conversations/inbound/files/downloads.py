"""
Downloads one file of a customer's message into the bucket, from allowed origins only, in its own time.

The queue may deliver a download twice, also at the same time: both write the same object, and the first one settles the
file. Other files of the message are settled meanwhile, so the list of files is compared and replaced.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from pydantic import TypeAdapter

from conversations.configuration.folders import folder_of
from conversations.inbound.files import attachments, refused_files, transcription
from conversations.lifecycle import conversation
from conversations.lifecycle.records.file_download import FileDownload
from conversations.outbound.policy.spending_bounds import cause_of
from conversations.outbound.providers.twilio_accounts import file_proof
from conversations.store import messages
from conversations.store.items.parts.due import DueKind
from conversations.store.items.records import ParkReason
from conversations.store.recovery import due
from shared.ai.spending import prices
from shared.ai.spending.bounds import Kind
from shared.ai.spending.budget import REASON, Reached
from shared.aws.sqs_fifo import digest
from shared.events.record_body import parse_body
from shared.providers import http
from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from urllib3.response import BaseHTTPResponse

    from conversations.configuration.resources import Resources, Run
    from conversations.inbound.files.attachments import File
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.log import Message
    from shared.ai.spending.budget import Spending
    from shared.aws.dynamodb import Table
    from shared.providers.company_secrets import CompanySecrets

LARGEST_FILE_BYTES = 16 << 20
# Of the function's 120 s; redirects, upload and the other calls take the rest.
DOWNLOAD_MS = 60 * clock.SECOND_MS
# Doubled after each attempt: the attempts of one file take half an hour.
AGAIN_MS = 120 * clock.SECOND_MS
MOST_HOPS = 3
# More than the other files of a message, each of which may change the list once.
MOST_CHANGES = 2 * attachments.MOST_FILES
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# A file may be available shortly after its webhook, and a provider may be busy.
_NOT_YET = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.TOO_MANY_REQUESTS})
_OUTCOMES = {"key": attachments.STORED, "refused": "refused", "failed": attachments.FAILED}
_downloads = TypeAdapter(FileDownload)


@dataclass(slots=True, kw_only=True, eq=False)
class DownloadDependencies:
    """Storage, the allowed origins of downloads, the secrets and addresses of providers, bounds on costs."""

    resources: Resources
    origins: tuple[str, ...]
    credentials: CompanySecrets
    twilio_url: str
    openai_url: str
    spending: Spending


def fetch(deps: DownloadDependencies, body: str, run: Run) -> str:
    """
    Download the file that a queue record names, and transcribe it; return the outcome. Idempotent.

    Raises Transient while the file is unavailable, Permanent if the record or its conversation is unknown.
    """
    wanted = parse_body(body, _downloads)
    log = deps.resources.log
    try:
        opened = conversation.load(deps.resources, wanted.ref)
    except Permanent as refusal:
        if refusal.reason == ParkReason.ERASED:
            return "erased"  # nothing of the person is left to complete
        raise
    message = messages.get(log, wanted.ref, wanted.message_sk)
    if message is None:
        return "expired"
    file = _file_of(message, wanted)
    outcome = "repeated"
    if _is_wanted(file):
        try:
            settled = _fetched(deps, opened, message, wanted.position, file)
        except (NotSent, InDoubt) as failure:
            raise Transient(f"media_{failure.code}", AGAIN_MS * 2 ** (run.attempt - 1)) from None
        outcome = _settle(log, wanted, settled)
    outcome = transcription.transcribe(deps, opened, wanted, run) or outcome
    refused_files.tell(deps.resources, opened, wanted)
    return outcome


def show_failure(resources: Resources, body: str, reason: str) -> None:
    """Show at its message that a file was not downloaded or transcribed. A redrive of its dead letter tries again."""
    wanted = parse_body(body, _downloads)
    message = messages.get(resources.log, wanted.ref, wanted.message_sk)
    if message is None:
        return
    if _is_wanted(_file_of(message, wanted)):
        _settle(resources.log, wanted, {**_file_of(message, wanted), "failed": reason})
    else:
        transcription.give_up(resources.log, wanted, reason)


def _is_wanted(file: File) -> bool:
    return "url" in file and not {"key", "refused"} & file.keys()


def _file_of(message: Message, wanted: FileDownload) -> File:
    if not 0 <= wanted.position < len(message.media):
        raise Permanent("unknown_file")
    return message.media[wanted.position]


def _fetched(
    deps: DownloadDependencies,
    opened: OpenConversation,
    message: Message,
    position: int,
    file: File,
) -> File:
    """Return the file with its key or its refusal. Raises NotSent and InDoubt."""
    bucket, company_id = deps.resources.bucket, opened.company.company_id
    new = {name: value for name, value in file.items() if name != "failed"}
    # Messages of an earlier release may have copied files without a key.
    located = attachments.located(bucket, company_id, message.provider, new)
    if located != new:
        return located
    if not _may_spend(deps, opened, message, position):
        return {**new, "failed": REASON}
    try:
        return {**new, "key": _copy(deps, opened, message, position, file["url"])}
    except (http.OriginRefused, http.TooLarge) as refusal:
        return {**new, "refused": type(refusal).__name__}


def _may_spend(
    deps: DownloadDependencies, opened: OpenConversation, message: Message, position: int
) -> bool:
    """Reserve a download; beyond the bounds, schedule it for the next day and return False. Idempotent."""
    event = f"{message.entry_id}:{position}"
    cause = cause_of(opened, event)
    reserved = deps.spending.reserve(Kind.MEDIA_DOWNLOAD, cause, prices.UNITS[Kind.MEDIA_DOWNLOAD])
    if not isinstance(reserved, Reached):
        return True
    log = deps.resources.log
    if due.get(log, opened.ref, DueKind.MEDIA) is None:
        sk = message.own_sk
        company = opened.company.company_id
        due.put(
            log,
            opened.ref,
            DueKind.MEDIA,
            reserved.free_at,
            company=company,
            reason=REASON,
            message_sk=sk,
        )
    return False


def _settle(log: Table, wanted: FileDownload, settled: File) -> str:
    """Replace one file in the list of its message, unless it is stored already. Raises Transient."""
    for _ in range(MOST_CHANGES):
        message = messages.get(log, wanted.ref, wanted.message_sk)
        if message is None:
            return "expired"
        if not _is_wanted(_file_of(message, wanted)):
            return "repeated"
        files = [*message.media]
        files[wanted.position] = settled
        state = attachments.state_of(files)
        if messages.put_files(log, wanted.ref, message, files, state):
            return next(word for name, word in _OUTCOMES.items() if name in settled)
    raise Transient("message_moved")


def _copy(
    deps: DownloadDependencies, opened: OpenConversation, message: Message, position: int, url: str
) -> str:
    """
    Copy one file and return its key. Raises OriginRefused, TooLarge, NotSent and InDoubt.

    Twilio redirects to a URL that is valid for a few hours. Its host must be an allowed origin too and receives no
    credentials. (Twilio, "Protect Media Access with HTTP Basic Authentication".)
    """
    folder = folder_of(deps.resources.bucket, opened.ref)
    key = f"{folder.prefix}file-{digest(message.entry_id, str(position))[:24]}"
    for _ in range(MOST_HOPS):
        headers = file_proof(deps.credentials, deps.twilio_url, opened, url)
        with http.download(url, headers=headers, origins=deps.origins) as answer:
            if answer.status in _REDIRECTS:
                url = urljoin(url, answer.headers.get("location", ""))
                continue
            _keep(deps, key, answer)
            return key
    raise http.OriginRefused("too many redirects")


def _keep(deps: DownloadDependencies, key: str, answer: BaseHTTPResponse) -> None:
    if answer.status in _NOT_YET or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise InDoubt(f"download_{answer.status}")
    if answer.status != HTTPStatus.OK:
        raise http.OriginRefused("file not found")
    with tempfile.SpooledTemporaryFile(max_size=1 << 20) as file:
        for piece in http.pieces(answer, most_bytes=LARGEST_FILE_BYTES, within_ms=DOWNLOAD_MS):
            file.write(piece)
        file.seek(0)
        kind = answer.headers.get("content-type", "application/octet-stream")
        deps.resources.bucket.put_file(key, file, kind)
