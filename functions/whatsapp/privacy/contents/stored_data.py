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

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from boto3.dynamodb.conditions import Key

from shared.privacy.inventory import Found, Page
from whatsapp import store
from whatsapp.privacy.contents import campaign_lists, claims, kinds
from whatsapp.privacy.contents.message_parts import MessageParts, of_item
from whatsapp.privacy.subjects import CUSTOMER_INDEX
from whatsapp.store.items import (
    Alias,
    Conversation,
    Edit,
    Intent,
    Message,
    Reaction,
    Status,
)
from whatsapp.store.items.contacts.contact_links import ContactLink, ContactLinkChange
from whatsapp.store.items.contacts.customers import AddressDefault
from whatsapp.store.items.conversations.agents import ConversationChange, Note
from whatsapp.store.items.conversations.edit_authors import EditAuthor
from whatsapp.store.items.conversations.groups import Call, Group, GroupParticipant
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.items.sending.sequences import SequenceRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shared.aws.dynamodb import Attributes
    from shared.privacy.inventory import Source

ACCOUNT_INDEX = "gsi_waba_itemtype"
MESSAGES_A_PAGE = 10  # of an erasure, which plans each of their parts
EXPORTED_A_PAGE = 50
ENTRIES_A_PAGE = 25
_OF_CONVERSATION = (store.messages.TIMELINE_INDEX, "conversationPk", "receivedAt")
# The index of a list, its partition and its time.
_LISTS: Final = {
    "timeline": _OF_CONVERSATION,
    "notes": _OF_CONVERSATION,
    "sent": ("gsi_from", "fromPk", "receivedAt"),
    "customer": (CUSTOMER_INDEX, "customerPhone", "createdAt"),
}


@dataclass(frozen=True, kw_only=True)
class Listing(MessageParts):
    """The data of a contact, listed in pages of so many messages."""

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
        name, key = source
        items, last = self._query(name, key, self.messages_a_page, start)
        found: list[Message | Call] = [
            Call.read(item) if item["itemType"] == Call.item_type else Message.read(item)
            for item in self.own(items)
            if item["itemType"] in {Message.item_type, Call.item_type}
        ]
        if name == "timeline":
            return found, last
        elsewhere = (one for one in found if one.conversation_pk not in self.contact.heads)
        return [one for one in elsewhere if self.contact.has(one.phone, key)], last

    def page(self, source: Source, start: Attributes | None, /) -> Page:
        """
        Return a page of a list, and the start of the next page.

        A thing comes after all things that are found through it, so that a part of the page can be removed.
        """
        name, key = source
        last: Attributes | None = None
        match name:
            case "timeline" | "sent":
                messages, last = self.messages_in(source, start)
                found = list(dict.fromkeys(self.of_messages(messages)))
            case "notes":
                keys, last = self._query(name, Note.list_of(key), ENTRIES_A_PAGE, start)
                found = [one for item in self.own(keys) for one in of_item(item)]
            case "customer":
                found, last = self._of_customer(key, start)
            case "intents":
                found, last = self._intents(start)
            case "groups":
                found, last = self._in_groups(key, start)
            case "over quota":
                over = claims.over_quota_of(self.table, self.bucket, self.company, key)
                found = [Found(kinds.OBJECT, each) for each in over]
            case "campaigns":
                at = int((start or {}).get("n", 0))
                pages, after = campaign_lists.pages_with(
                    self.bucket, self.company, self.contact.ids, at
                )
                found = [Found(kinds.CAMPAIGN_LIST, each) for each in pages]
                last = {"n": after} if after is not None else None
            case _:
                found = list(self._heads())
        return Page(found, last)

    def _of_customer(self, key: str, start: Attributes | None) -> Page:
        keys, last = self._query("customer", key, ENTRIES_A_PAGE, start)
        listed = [*self.own(keys), *claims.unclaimed(self.table, self.company, keys)]
        items = [item for item in listed if self.contact.has(_phone_of(item), key)]
        found = [one for item in self._without_messages(items) for one in self._of_listed(item)]
        return Page(found, last)

    def of_message(self, message: Message) -> list[Found]:
        """Return all that is stored about one message, and last the message itself."""
        return list(dict.fromkeys(self.of_messages([message])))

    def _without_messages(self, items: list[Attributes]) -> list[Attributes]:
        """
        Omit statuses, reactions and edits of the contact's messages: they are found with the message, except reactions
        whose key names a conversation.
        """
        types = {kind.item_type for kind in (Edit, Reaction, Status)}
        of_messages = [i for i in items if i["itemType"] in types and not _is_named(i)]
        key_of = {i[PARTITION_KEY]: _message_key(i) for i in of_messages}
        messages = {m[PARTITION_KEY]: Message.read(m) for m in self.own([*{*key_of.values()}])}
        found = {
            key
            for key, of in key_of.items()
            if of in messages and messages[of].conversation_pk in self.contact.heads
        }
        return [item for item in items if item[PARTITION_KEY] not in found]

    def _of_listed(self, item: Attributes) -> Iterator[Found]:
        """Yield what an item of the index leads to, and the item; of changes of several people the contact's share."""
        kind, has_more = item["itemType"], False
        if kind == EditAuthor.item_type:
            for edit in map(Edit.read, self.own([EditAuthor.read(item).edit_pk])):
                has_more = self.share.has_more(edit)
                yield from self.shared(edit)
        if kind == Edit.item_type:
            yield from self.shared(Edit.read(item))
        elif not has_more:
            yield from of_item(item)

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
        groups = [Group.read(item) for item in self.own([entry["pk"] for entry in entries])]
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
        return Page(found + [f for item in self.own(members) for f in of_item(item)], last)

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
        for item in self.own(keys):
            if item["itemType"] == Alias.item_type and not self._is_named_in(Alias.read(item)):
                continue
            head = Conversation.read(item) if item["itemType"] == Conversation.item_type else None
            if head is None or store.head_erasure.has_until(head, self.until):
                records = store.agent_changes.keys_of_records(head) if head else []
                yield from (
                    Found(ConversationChange.item_type, each["pk"]) for each in self.own(records)
                )
                if head and head.sequence_run:
                    yield from self._sequence_run(head.sequence_run)
                yield from of_item(item)

    def _sequence_run(self, run: str) -> Iterator[Found]:
        for item in self.own([SequenceRun.key(run)]):
            if item[SequenceRun.name_of("started_at")] <= self.until:
                yield Found(SequenceRun.item_type, item[PARTITION_KEY])

    def _is_named_in(self, alias: Alias) -> bool:
        """Whether an id is the contact's today, or was."""
        targets = {alias.target, *(owner.get("target") for owner in alias.owners or [])}
        return not targets.isdisjoint(self.contact.keys)

    def _query(
        self, name: str, key: str, limit: int, start: Attributes | None
    ) -> tuple[list[str], Attributes | None]:
        """Return the keys of a page of a list, up to the time of the inventory."""
        index, field, time = _LISTS[name]
        condition = Key(field).eq(key) & Key(time).lte(self.until)
        entries, last = self.table.query(index, condition, limit=limit, start=start)
        return [entry[PARTITION_KEY] for entry in entries], last


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
