"""Items about messages beside them: files, edits, reactions, statuses, objects, and the sends."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.privacy.inventory import Found
from whatsapp.configuration.folders import file_prefix, older_versions_of
from whatsapp.privacy.contents import kinds
from whatsapp.privacy.shares import SHARE, Share
from whatsapp.store.items import (
    Alias,
    Edit,
    Intent,
    Media,
    Message,
    ParkedEntry,
    Reaction,
    Status,
    pk,
)
from whatsapp.store.items.conversations.groups import Call
from whatsapp.store.items.item import PARTITION_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.s3 import Bucket
    from whatsapp.privacy.subjects import Contact

_KINDS = {item.item_type for item in kinds.COVERED}


@dataclass(frozen=True, kw_only=True)
class MessageParts:
    """The data of a company about a contact up to a time (`until`), by messages."""

    table: Table
    bucket: Bucket
    company: str
    contact: Contact
    until: str

    def own(self, keys: list[str]) -> list[Attributes]:
        """Return the items of the company with these keys, in their order."""
        items = {
            item[PARTITION_KEY]: item for item in self.table.get_many([pk(key) for key in keys])
        }
        found = [items[key] for key in dict.fromkeys(keys) if key in items]
        return [item for item in found if item.get("company") == self.company]

    def of_messages(self, messages: Iterable[Message | Call]) -> Iterator[Found]:
        """Yield all that is stored about messages, and after it each message."""
        live = [m for m in messages if not (m.erased and not m.conversation_pk)]
        related: dict[str, list[str]] = {m.pk: self._related(m) for m in live}
        keys = {key for candidates in related.values() for key in candidates}
        items = {item[PARTITION_KEY]: item for item in self.own(sorted(keys))}
        for message in live:
            edit_pk = Edit.key(message.phone, Message.id_of(message.pk))
            if isinstance(message, Message) and edit_pk in items:
                yield from self._of_versions(Edit.read(items[edit_pk]), message.media_id)
            for key in related[message.pk]:
                item = items.pop(key, None)
                if item is not None and item.get("messagePk", message.pk) == message.pk:
                    yield from self._with_files(item)
            if isinstance(message, Message) and message.content_s3_key:
                yield Found(kinds.OBJECT, message.content_s3_key)
            yield Found(message.item_type, message.pk)

    def _related(self, message: Message | Call) -> list[str]:
        """Return the keys that items about a message may have."""
        action = [Intent.key(message.action_id)] if message.action_id else []
        files = [Media.key(media_id) for media_id in kinds.media_ids_of(message)]
        if isinstance(message, Call):
            return [*files, *action]
        phone, message_id = message.phone, message.message_id
        actors = {*(message.reactions or {}), *self.contact.keys, message.from_, message.to}
        if message.group_id:
            actors |= {f"{actor}@{message.group_id}" for actor in actors if actor}
        return [
            Edit.key(phone, message_id),
            *(Reaction.key(phone, message_id, actor) for actor in sorted(filter(None, actors))),
            *(Status.of(phone, message_id, word) for word in message.status_words),
            *files,
            *([Alias.of_action(phone, message.action_id)] if message.action_id else []),
            *action,
        ]

    @property
    def share(self) -> Share:
        """The contact's share of changes to messages of others."""
        return Share(self.contact, self.until)

    def shared(self, edits: Edit) -> Iterator[Found]:
        """Yield the contact's share of changes to a message of others, after its objects."""
        theirs = self.share.of(edits)
        yield from self._of_versions(edits, is_share=True)
        if theirs.content_s3_key:
            yield Found(kinds.OBJECT, theirs.content_s3_key)
        yield Found(Edit.item_type, edits.pk, SHARE)

    def _of_versions(
        self, edits: Edit, first_file: str | None = None, *, is_share: bool = False
    ) -> Iterator[Found]:
        """Yield the objects and files of the versions of a message, except its first file; or of the contact's."""
        _, phone, message_id = edits.pk.split("#", 2)
        changed = [*edits.versions, *(edits.foreign_versions or [])]
        versions = [edits.original or {}, *changed]
        if is_share:
            versions = [one for one in changed if self.share.has(edits, one)]
        older = older_versions_of(self.bucket, self.company, phone, message_id)
        # An erasure of another person may have left fewer.
        if is_share or len(edits.versions) >= Edit.most_versions:
            for key in self.bucket.all_keys_under(older.prefix):
                version = json.loads(self.bucket.get(key))
                if not is_share or self.share.has(edits, version):
                    versions.append(version)
                    yield Found(kinds.OBJECT, key)
        for version in versions:
            if version.get("contentS3Key"):
                yield Found(kinds.OBJECT, str(version["contentS3Key"]))
        media_ids = {str(v["mediaId"]) for v in versions if "mediaId" in v} - {first_file}
        for item in self.own([Media.key(media_id) for media_id in sorted(media_ids)]):
            if item.get("messagePk") == Message.key(message_id):
                yield from self._with_files(item)

    def _with_files(self, item: Attributes) -> Iterator[Found]:
        if item["itemType"] == Media.item_type:
            record = Media.read(item)
            prefix = file_prefix(self.company, str(record.phone), record.media_id)
            for key in self.bucket.keys_under(prefix):
                yield Found(kinds.OBJECT, key)
        yield from of_item(item)


def of_item(item: Attributes) -> Iterator[Found]:
    """Yield an item of a covered type, after its objects and the item that lists it."""
    pointer = item.get("fullEvent")
    pointers = (
        item.get("dataS3Key"),
        item.get("contentS3Key"),
        pointer.get("key") if pointer else None,
        *sorted(item.get("furtherS3Keys", ())),
    )
    for key in pointers:
        if key:
            yield Found(kinds.OBJECT, key)
    if pointer:
        yield Found(ParkedEntry.item_type, ParkedEntry.key(item["eventId"]))
    if item["itemType"] in _KINDS:
        yield Found(item["itemType"], item[PARTITION_KEY])
