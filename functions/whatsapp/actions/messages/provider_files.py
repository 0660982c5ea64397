"""
Checks files that a message names by an id of the provider or by a link, before it is sent, by their first bytes.

    record with a stored file        its type, which its first bytes had when it was stored
    other ids at Graph               the type that Graph names, and the first bytes behind its link
    other ids at AWS                 the type that AWS names, and the first bytes of a copy that is deleted again
    links                            `files.check_link`

A file that cannot be read is refused, by id as by link: the provider takes the message, and reports minutes later that
the file is missing or of another type. If the provider cannot be asked now, nothing is sent, and a retry helps.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import digest
from shared.providers import http
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import participants, remote
from whatsapp.api.queries import NotFound
from whatsapp.configuration.folders import file_prefix
from whatsapp.sending import files
from whatsapp.sending.failures import NotConfigured, ProviderUnavailable, of_not_sent, of_refused
from whatsapp.store.items import Media
from whatsapp.worker.media.downloads import GONE
from whatsapp.worker.media.types import LIMITS, SNIFFED_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whatsapp.actions.calls.call import Call
    from whatsapp.sending.inputs import FileType
    from whatsapp.store.items import Phone

_FOUND = frozenset({200, 206})
_SERVER_ERRORS = 500
_NO_OBJECT = "33"  # Graph's subcode for an id that is unknown or not shown
_GONE = frozenset({"FAILED", "EXPIRED", "REVOKED"})
# Files in objects of the provider, such as headers, and what they are sent as.
_IN_OBJECTS: Mapping[str, FileType] = {
    "image": "image",
    "video": "video",
    "gif": "video",
    "document": "document",
}
MESSAGE_WITHIN_MS = 10 * clock.SECOND_MS  # for all links of one message
# After so many links to one host that did not answer, a run of many messages asks it no more.
_MOST_UNREAD = 3


@dataclass(slots=True)
class Checks:
    """
    The files that a run of many messages has checked, so that each is looked at once: None, or its refusal. *silent*:
    how many links to a host had no answer.
    """

    results: dict[tuple[str, str], InvalidInput | NotFound | None] = field(default_factory=dict)
    silent: Counter[str] = field(default_factory=Counter)

    def check_link(self, kind: FileType, link: str, place: str, until: int) -> None:
        """Check a link before the time *until*. Raises InvalidInput."""
        host = link.partition("://")[2].partition("/")[0]
        left_ms = until - clock.now_ms()
        if left_ms <= 0 or self.silent[host] >= _MOST_UNREAD:
            raise files.LinkUnread(place, None)
        try:
            files.check_link(kind, link, place, min(left_ms, files.LINKED_WITHIN_MS))
        except files.LinkUnread as refusal:
            self.silent[host] += not refusal.has_answer
            raise


def check_files(
    call: Call[Any],
    part: object,
    place: str,
    phone: Phone | None = None,
    checks: Checks | None = None,
) -> None:
    """
    Check the files in an object of the provider, by id or link. *place*: the field of the request that it is. *phone*:
    the sending number, by default the input's. *checks*: results for the messages before.

    Raises NotFound for another company's file, InvalidInput for one that is of another type or cannot be read, and as
    `check_id` while the provider cannot be asked.
    """
    checks = checks or Checks()
    until = clock.now_ms() + MESSAGE_WITHIN_MS
    for name, kind, file in _files_in(part, place):
        source = "id" if "id" in file else "link"
        named = file.get(source)
        if named is None or (source == "link" and not isinstance(named, str)):
            continue
        key = (kind, f"{source} {named}")
        if key not in checks.results:
            try:
                if source == "id":
                    check_named(call, str(named), kind, f"{name}.id", phone)
                else:
                    checks.check_link(kind, named, f"{name}.link", until)
            except (InvalidInput, NotFound) as refusal:
                checks.results[key] = refusal
            else:
                checks.results[key] = None
        known = checks.results[key]
        if known is not None:
            raise known


def known_media(call: Call[Any], media_id: str, place: str = "mediaId") -> Media | None:
    """Return our record of a file at the provider, None if there is none. Raises NotFound for another company's."""
    record = store.media.get(call.table, Media.key(media_id))
    if record is not None and (record.company != call.company or record.media_status in _GONE):
        raise NotFound(f"{place}: file not found")
    return record


def check_named(
    call: Call[Any], media_id: str, kind: FileType, place: str, phone: Phone | None = None
) -> None:
    """Check a file with an id at the provider, ours or not. Raises NotFound for another company's; as `check_id`."""
    record = known_media(call, media_id, place)
    check_id(call, phone, media_id, kind, place=place, record=record)


def check_id(
    call: Call[Any],
    phone: Phone | None,
    media_id: str,
    kind: FileType,
    *,
    place: str,
    record: Media | None,
) -> None:
    """
    Check a file with an id at the provider before it is sent as *kind*; *record*: ours.

    Raises InvalidInput; NotConfigured, ProviderRejected, ProviderUnavailable or TooFast if the provider says nothing of
    the file.
    """
    if record is not None and record.s3_key is not None:
        files.check_type(kind, record.content_type or "", place)
        return
    phone = phone or participants.sender_of(call)
    try:
        if phone.provider == "eum":
            mime_type, first_bytes = _beginning_at_aws(call, phone, media_id, kind, place)
        else:
            mime_type, first_bytes = _beginning_at_graph(call, phone, media_id, kind, place)
    except Refused as refusal:
        if not _is_unknown(refusal):
            raise of_refused(refusal) from None
        raise _unread(place, refusal.code) from None
    except NotSent as failure:
        raise of_not_sent(failure) from None
    except (InDoubt, http.TooLarge):
        raise ProviderUnavailable("the provider did not show the file; nothing was sent") from None
    except http.OriginRefused:
        raise NotConfigured(
            "the host of the provider's files is not among its known ones"
        ) from None
    files.check_beginning(kind, mime_type, first_bytes, place)


def _is_unknown(refusal: Refused) -> bool:
    """Whether the provider has no such file for the number; Graph's code alone stands for any bad parameter."""
    subcode = refusal.details.subcode if refusal.details else None
    return refusal.code in GONE and (refusal.code != "graph_100" or subcode == _NO_OBJECT)


def _unread(place: str, code: object) -> InvalidInput:
    rule = f"unreadable file: the provider shows no file with this id to the number ({code}); upload it"
    return InvalidInput([{"field": place, "problem": rule}])


def _check_size(kind: FileType, size: int, place: str) -> None:
    """Raise InvalidInput for a file that is too large to be sent as *kind*; 0: its size is not known."""
    largest = LIMITS[kind].largest_bytes
    if size > largest:
        problem = f"a file of this type has at most {largest} bytes"
        raise InvalidInput([{"field": place, "problem": problem}])


def _files_in(part: object, place: str) -> Iterator[tuple[str, FileType, dict[str, Any]]]:
    """Yield the files in an object of the provider: the place of each, and what it is sent as."""
    if isinstance(part, list):
        for index, entry in enumerate(part):
            yield from _files_in(entry, f"{place}.{index}")
    if not isinstance(part, dict):
        return
    for name, value in part.items():
        if name in _IN_OBJECTS and isinstance(value, dict):
            yield f"{place}.{name}", _IN_OBJECTS[name], value
        yield from _files_in(value, f"{place}.{name}")


def _beginning_at_graph(
    call: Call[Any], phone: Phone, media_id: str, kind: FileType, place: str
) -> tuple[str, bytes]:
    """Return the type and the first bytes of a file. Raises as `_beginning_at_aws`, and http.OriginRefused."""
    token = remote.graph_of(call, phone).token
    listing = call.resources.graph.media(phone.phone, token, media_id)
    _check_size(kind, listing.size_bytes, place)
    headers = {
        "Authorization": f"Bearer {token}",
        "Range": f"bytes=0-{SNIFFED_BYTES - 1}",
        "Accept-Encoding": "identity",
    }
    with http.download(
        listing.url, headers=headers, origins=call.resources.media_origins
    ) as answer:
        if answer.status >= _SERVER_ERRORS:
            raise InDoubt("no_file")
        if answer.status not in _FOUND:
            raise _unread(place, answer.status)
        found = b""
        # A piece may be short, so that the next one exceeds what is wanted.
        for piece in http.pieces(
            answer, most_bytes=2 * SNIFFED_BYTES, within_ms=files.LINKED_WITHIN_MS, of=SNIFFED_BYTES
        ):
            found += piece
            if len(found) >= SNIFFED_BYTES:
                break
        return listing.mime_type, found[:SNIFFED_BYTES]


def _beginning_at_aws(
    call: Call[Any], phone: Phone, media_id: str, kind: FileType, place: str
) -> tuple[str, bytes]:
    """
    Return the type and the first bytes of a file. AWS shows content only by copying the whole file: one of another
    type, or too large to be sent, is not.

    Raises InvalidInput, NotConfigured, Refused, NotSent and InDoubt.
    """
    account, bucket = remote.eum_of(call, phone), call.resources.bucket
    number = str(phone.aws_phone)
    listing = account.attempt(
        "get_whatsapp_message_media",
        originationPhoneNumberId=number,
        mediaId=media_id,
        metadataOnly=True,
    )
    mime_type = str(listing.get("mimeType", ""))
    files.check_type(kind, mime_type, place)
    _check_size(kind, int(listing.get("fileSize") or 0), place)
    # A copy of its own: the folder of the id may get the file of a message meanwhile.
    folder = file_prefix(phone.company, phone.phone, digest("checked file", media_id, call.id))
    call.resources.eum.copy_media(number, media_id, bucket.name, folder)
    keys = bucket.keys_under(folder)
    try:
        if not keys:
            raise InDoubt("no_copy")
        return mime_type, bucket.first_bytes(keys[0], SNIFFED_BYTES)
    finally:
        for key in keys:
            bucket.delete(key)
