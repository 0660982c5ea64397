"""
Lists everything that is stored about a contact, page by page: for an erasure and for an export.

    intents     sends whose outcome is in doubt: erased at once, the outcome is stored without content
    timeline    messages and calls of each conversation, with their edits, reactions, statuses, files and objects
    notes       internal notes of agents about each conversation
    sent        messages that the contact wrote elsewhere: in groups
    customer    addresses, forms, payments, aliases, parked events: what is indexed by the contact or its hash; also
                parked events that no company is proven for, unless their number is another company's today
    over quota  parked events without an item
    campaigns   pages of recipients that are still to be sent to
    groups      memberships
    heads       conversations with their sequence and the records of their changes, lists of addresses, aliases of the
                contact keys
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from boto3.dynamodb.conditions import Key

from shared.privacy.inventory import Found, Page
from whatsapp import store
from whatsapp.configuration.folders import file_prefix, older_versions_of
from whatsapp.privacy import campaign_lists, claims, kinds
from whatsapp.privacy.shares import SHARE, Share
from whatsapp.privacy.subjects import CUSTOMER_INDEX
from whatsapp.store.items import (
    Alias,
    Conversation,
    Edit,
    Intent,
    Media,
    Message,
    ParkedEntry,
    Reaction,
    Status,
    pk,
)
from whatsapp.store.items.agents import ConversationChange, Note
from whatsapp.store.items.contact_links import ContactLink, ContactLinkChange
from whatsapp.store.items.customers import AddressDefault
from whatsapp.store.items.edit_authors import EditAuthor
from whatsapp.store.items.groups import Call, Group, GroupParticipant
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.items.sequences import SequenceRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.s3 import Bucket
    from shared.privacy.inventory import Source
    from whatsapp.privacy.subjects import Contact

SENDER_INDEX = "gsi_from"
ACCOUNT_INDEX = "gsi_waba_itemtype"
MESSAGES_A_PAGE = 10  # of an erasure, which plans each of their parts
EXPORTED_A_PAGE = 50
ENTRIES_A_PAGE = 25
_KINDS = {item.item_type for item in kinds.COVERED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The data of a company about a contact up to a time (`until`), listed in pages of so many messages."""

    table: Table
    bucket: Bucket
    company: str
    contact: Contact
    until: str
    messages_a_page: int = MESSAGES_A_PAGE

    intents: ClassVar[Sequence[Source]] = (("intents", ""),)

    @property
    def timelines(self) -> list[Source]:
        """The lists of messages and calls of the contact's conversations."""
        return [("timeline", head) for head in self.contact.heads]

    @property
    def sent(self) -> list[Source]:
        """The lists of messages that the contact wrote elsewhere."""
        return [("sent", key) for key in self.contact.keys]

    @property
    def sources(self) -> list[Source]:
        """All lists, in the same order at every call: what is read, and by which key."""
        contact = self.contact
        wabas = {
            entry["waba"]
            for entry in store.phones.of_company(self.table, self.company)
            if entry.get("waba")
        }
        return [
            *self.intents,
            *self.timelines,
            *(("notes", head) for head in contact.heads),
            *self.sent,
            *(("customer", key) for key in [*contact.keys, *contact.hashes]),
            *(("over quota", hashed) for hashed in contact.hashes),
            ("campaigns", ""),
            *(("groups", waba) for waba in sorted(wabas)),
            ("heads", ""),
        ]

    def messages_in(
        self, source: Source, start: Attributes | None
    ) -> tuple[list[Message | Call], Attributes | None]:
        """Return a page of the messages and calls of a `timeline` or `sent` list, and the start of the next page."""
        by_key = {
            "timeline": (store.messages.TIMELINE_INDEX, "conversation_pk"),
            "sent": (SENDER_INDEX, "from_pk"),
        }
        index, field = by_key[source[0]]
        keys, last = self._query(
            index,
            Key(Message.name_of(field)).eq(source[1]),
            Message.name_of("received_at"),
            self.messages_a_page,
            start,
        )
        types: dict[str, Callable[[Attributes], Message | Call]] = {
            Message.item_type: Message.read,
            Call.item_type: Call.read,
        }
        found = [
            types[item["itemType"]](item) for item in self._own(keys) if item["itemType"] in types
        ]
        if source[0] == "sent":
            found = [
                message
                for message in found
                if message.conversation_pk not in self.contact.heads
                and self.contact.has(message.phone, source[1])
            ]
        return found, last

    def page(self, source: Source, start: Attributes | None, /) -> Page:
        """
        Return a page of a list, and the start of the next page.

        A thing comes after all things that are found through it, so that a part of the page can be removed.
        """
        name, key = source
        if name in {"timeline", "sent"}:
            messages, last = self.messages_in(source, start)
            return Page(list(dict.fromkeys(self._of_messages(messages))), last)
        if name == "notes":
            condition = Key(Note.name_of("conversation_pk")).eq(Note.list_of(key))
            time = Note.name_of("received_at")
            index = store.messages.TIMELINE_INDEX
            keys, last = self._query(index, condition, time, ENTRIES_A_PAGE, start)
            return Page([found for item in self._own(keys) for found in _of_item(item)], last)
        if name == "customer":
            condition = Key("customerPhone").eq(key)
            keys, last = self._query(CUSTOMER_INDEX, condition, "createdAt", ENTRIES_A_PAGE, start)
            listed = [*self._own(keys), *claims.unclaimed(self.table, self.company, keys)]
            items = self._without_messages(
                [item for item in listed if self.contact.has(_phone_of(item), key)]
            )
            return Page([found for item in items for found in self._of_listed(item)], last)
        return self._of_other_list(name, key, start)

    def _of_other_list(self, name: str, key: str, start: Attributes | None) -> Page:
        if name in {"intents", "groups"}:
            return self._intents(start) if name == "intents" else self._in_groups(key, start)
        if name == "over quota":
            keys = claims.over_quota_of(self.table, self.bucket, self.company, key)
            return Page([Found(kinds.OBJECT, each) for each in keys])
        if name == "campaigns":
            pages, position = campaign_lists.pages_with(
                self.bucket, self.company, self.contact.ids, int((start or {}).get("n", 0))
            )
            found = [Found(kinds.CAMPAIGN_LIST, each) for each in pages]
            return Page(found, {"n": position} if position is not None else None)
        return Page(list(self._heads()))

    def of_message(self, message: Message) -> list[Found]:
        """Return all that is stored about one message, and last the message itself."""
        return list(dict.fromkeys(self._of_messages([message])))

    def _of_messages(self, messages: Iterable[Message | Call]) -> Iterator[Found]:
        live = [m for m in messages if not (m.erased and not m.conversation_pk)]
        related: dict[str, list[str]] = {m.pk: self._related(m) for m in live}
        keys = {key for candidates in related.values() for key in candidates}
        items = {item[PARTITION_KEY]: item for item in self._own(sorted(keys))}
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

    def _without_messages(self, items: list[Attributes]) -> list[Attributes]:
        """
        Omit statuses, reactions and edits of the contact's messages: they are found with the message, except reactions
        whose key names a conversation.
        """
        types = {kind.item_type for kind in (Edit, Reaction, Status)}
        of_messages = [i for i in items if i["itemType"] in types and not _is_named(i)]
        key_of = {i[PARTITION_KEY]: _message_key(i) for i in of_messages}
        messages = {m[PARTITION_KEY]: Message.read(m) for m in self._own([*{*key_of.values()}])}
        found = {
            key
            for key, of in key_of.items()
            if of in messages and messages[of].conversation_pk in self.contact.heads
        }
        return [item for item in items if item[PARTITION_KEY] not in found]

    def _of_listed(self, item: Attributes) -> Iterator[Found]:
        """Yield what an item of the index leads to, and the item; of changes of several people the contact's share."""
        if item["itemType"] == EditAuthor.item_type:
            for edit in self._own([EditAuthor.read(item).edit_pk]):
                yield from self._shared(Edit.read(edit))
        if item["itemType"] == Edit.item_type:
            yield from self._shared(Edit.read(item))
        else:
            yield from _of_item(item)

    @property
    def share(self) -> Share:
        """The contact's share of changes to messages of others."""
        return Share(self.contact, self.until)

    def _shared(self, edits: Edit) -> Iterator[Found]:
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
        versions = [edits.original or {}, *edits.versions, *(edits.foreign_versions or [])]
        if is_share:
            versions = [one for one in versions if self.share.has(phone, one)]
        older = older_versions_of(self.bucket, self.company, phone, message_id)
        if len(edits.versions) >= Edit.most_versions:
            for key in self.bucket.all_keys_under(older.prefix):
                version = json.loads(self.bucket.get(key))
                if not is_share or self.share.has(phone, version):
                    versions.append(version)
                    yield Found(kinds.OBJECT, key)
        for version in versions:
            if version.get("contentS3Key"):
                yield Found(kinds.OBJECT, str(version["contentS3Key"]))
        media_ids = {str(v["mediaId"]) for v in versions if "mediaId" in v} - {first_file}
        for item in self._own([Media.key(media_id) for media_id in sorted(media_ids)]):
            if item.get("messagePk") == Message.key(message_id):
                yield from self._with_files(item)

    def _with_files(self, item: Attributes) -> Iterator[Found]:
        if item["itemType"] == Media.item_type:
            record = Media.read(item)
            prefix = file_prefix(self.company, str(record.phone), record.media_id)
            for key in self.bucket.keys_under(prefix):
                yield Found(kinds.OBJECT, key)
        yield from _of_item(item)

    def _intents(self, start: Attributes | None) -> Page:
        intents, last = store.intents.unfinished(
            self.table, self.until, limit=ENTRIES_A_PAGE, start=start
        )
        found = [
            Found(Intent.item_type, intent.pk)
            for intent in intents
            if intent.company == self.company
            and not intent.message.get("erased")
            and intent.message.get(Message.name_of("conversation_pk")) in self.contact.heads
        ]
        return Page(found, last)

    def _in_groups(self, waba: str, start: Attributes | None) -> Page:
        condition = Key(Group.name_of("waba_meta_id")).eq(waba) & Key("itemType").eq(
            Group.item_type
        )
        entries, last = self.table.query(
            ACCOUNT_INDEX, condition, limit=ENTRIES_A_PAGE, start=start
        )
        groups = [Group.read(item) for item in self._own([entry["pk"] for entry in entries])]
        members = [
            GroupParticipant.key(group.group_id, key)
            for group in groups
            for key in self.contact.keys
        ]
        found = [
            Found(Group.item_type, group.pk)
            for group in groups
            if not {*self.contact.keys}.isdisjoint([*group.participants, *group.admins])
        ]
        return Page(found + [f for item in self._own(members) for f in _of_item(item)], last)

    def _heads(self) -> Iterator[Found]:
        keys = [
            *(AddressDefault.key(key, self.company) for key in self.contact.keys),
            *self.contact.heads,
            *self.contact.aliases,
        ]
        for link in self.contact.links:
            for each in store.links.keys(self.table, link):
                kind = ContactLink if each == link else ContactLinkChange
                yield Found(kind.item_type, each)
        for item in self._own(keys):
            if item["itemType"] == Alias.item_type and not self._is_named_in(Alias.read(item)):
                continue
            head = Conversation.read(item) if item["itemType"] == Conversation.item_type else None
            if head is None or store.head_erasure.has_until(head, self.until):
                records = store.agent_changes.keys_of_records(head) if head else []
                yield from (
                    Found(ConversationChange.item_type, each["pk"]) for each in self._own(records)
                )
                if head and head.sequence_run:
                    yield from self._sequence_run(head.sequence_run)
                yield from _of_item(item)

    def _sequence_run(self, run: str) -> Iterator[Found]:
        for item in self._own([SequenceRun.key(run)]):
            if item[SequenceRun.name_of("started_at")] <= self.until:
                yield Found(SequenceRun.item_type, item[PARTITION_KEY])

    def _is_named_in(self, alias: Alias) -> bool:
        """Whether an id is the contact's today, or was."""
        targets = {alias.target, *(owner.get("target") for owner in alias.owners or [])}
        return not targets.isdisjoint(self.contact.keys)

    def _query(
        self, index: str, key: ConditionBase, time: str, limit: int, start: Attributes | None
    ) -> tuple[list[str], Attributes | None]:
        """Return the keys of a page of an index whose sort key is *time*, up to the time of the inventory."""
        entries, last = self.table.query(
            index, key & Key(time).lte(self.until), limit=limit, start=start
        )
        return [entry[PARTITION_KEY] for entry in entries], last

    def _own(self, keys: list[str]) -> list[Attributes]:
        """Return the items of the company with these keys, in their order."""
        items = {
            item[PARTITION_KEY]: item for item in self.table.get_many([pk(key) for key in keys])
        }
        found = [items[key] for key in dict.fromkeys(keys) if key in items]
        return [item for item in found if item.get("company") == self.company]


def _is_named(item: Attributes) -> bool:
    """Whether an item is a reaction whose key names a conversation."""
    return item["itemType"] == Reaction.item_type and "conversation" in item


def _phone_of(item: Attributes) -> str | None:
    """Return the business number of an item; None without one."""
    is_alias = item["itemType"] == Alias.item_type
    return Alias.phone_of(item[PARTITION_KEY]) if is_alias else item.get("phone")


def _message_key(item: Attributes) -> str:
    """Return the key of the message of a status, reaction or edit."""
    return Message.key(str(item[PARTITION_KEY]).split("#")[2])


def _of_item(item: Attributes) -> Iterator[Found]:
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
