"""
The data of a person in a company's conversations, from the person's addresses.

    fences     addresses   a tombstone by hash of each address: older events that arrive again are refused; and a fence
                           on the state of each conversation: no worker starts writing to it
    sources    contents    logs, files, copies at the model's provider, routes of each conversation
               strays      unmatched messages and parked events
               heads       the conversations, last, since all other data is found through them; then the address. The
                           given addresses come after those that are found through them

Consent records stay, since they hold hashes only, and so does the fact that something was sent. Copies elsewhere (the
inbox, the provider's own log, dead letters) are not reached; the tombstones refuse a dead letter that is redriven.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from boto3.dynamodb.conditions import Key

from conversations.configuration.folders import folder_of
from conversations.privacy import orphans, removal, subjects
from conversations.privacy.orphans import FILE, Orphans, Person
from conversations.privacy.owned_numbers import Owners, number_of
from conversations.privacy.person import conversations_of, is_since, with_ref
from conversations.store import conversations, erasures, states
from conversations.store.items import identifiers
from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.log import Message, OfConversation
from conversations.store.items.parts.function_result import FunctionResult
from conversations.store.items.parts.privacy_job import THREAD_LEFT
from conversations.store.items.parts.state import State
from conversations.store.items.parts.trial import ShadowAnswer
from conversations.store.versions.trials import Trials
from shared.privacy import inventory
from shared.privacy.inventory import Found, Page
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.privacy.dependencies import ErasureDependencies
    from conversations.store.items.conversation import Conversation
    from shared.aws.dynamodb import Attributes
    from shared.privacy.exports import ExportFolder
    from shared.privacy.inventory import Line, Source

CONVERSATIONS, MESSAGES, RECORDS, ROUTES = "conversations", "messages", "records", "routes"
ADDRESSES, THREADS = "addresses", "threads"
_CONTENTS, _STRAYS, _HEADS = "contents", "strays", "heads"
TOMBSTONE_SECONDS: Final = 35 * clock.DAY_SECONDS
ITEMS_A_PAGE: Final = 100
FILES_A_PAGE: Final = 500
_WITHOUT_LINES: Final = frozenset({ADDRESSES, ROUTES, THREADS, orphans.ENTRY})


@dataclass(frozen=True, kw_only=True)
class Inventory(inventory.Inventory):
    """The data about *addresses*, in the order of the job; *at*: the time of the request."""

    deps: ErasureDependencies
    company_id: str
    addresses: Sequence[str]
    at: str
    for_export: bool

    objects: ClassVar[frozenset[str]] = frozenset({FILE})

    @property
    def fences(self) -> list[Source]:
        """The addresses."""
        return [(ADDRESSES, address) for address in self.addresses]

    @property
    def sources(self) -> list[Source]:
        """Contents, strays and heads of all addresses."""
        of_addresses = [
            (name, address) for name in (_CONTENTS, _STRAYS) for address in self.addresses
        ]
        heads = [(_HEADS, address) for address in self.addresses]
        return [*of_addresses, (_STRAYS, subjects.UNREADABLE), *heads]

    def fence(self, source: Source, start: Attributes | None, /) -> Page:
        """Fence a page of the conversations of an address, after the address itself."""
        _, address = source
        if start is None and self._owners.is_present(address):
            address_of = number_of(address)
            erasures.mark_address_erased(self.deps.log, self.company_id, address_of, self.at)
        found, last = self._listed(address, ITEMS_A_PAGE, start)
        for _, ref in found:
            if not is_since(self.deps, ref, self.at):
                erasures.fence_erased(self.deps.log, ref, self.at)
        return Page([], last)

    def page(self, source: Source, start: Attributes | None, /) -> Page:
        """Return a page of a source."""
        name, key = source
        page = {_CONTENTS: self._contents, _STRAYS: self._strays, _HEADS: self._heads}[name](
            key, start
        )
        if not self.for_export:
            return page
        return Page([one for one in page.found if one.kind not in _WITHOUT_LINES], page.last)

    def remove(self, found: Found, /) -> None:
        """Remove a finding."""
        if found.kind in {MESSAGES, RECORDS}:
            self._remove_record(*json.loads(found.key))
        elif found.kind in {orphans.UNMATCHED, orphans.PARKED, orphans.ENTRY}:
            self._orphans.remove(found)
        elif found.kind == ADDRESSES:
            if self._owners.is_present(found.key):
                removal.address(self.deps, self.company_id, number_of(found.key), self._numbers)
        elif found.kind in {ROUTES, CONVERSATIONS}:
            self._remove_conversation(found)

    def lines(self, found: Found, folder: ExportFolder, /) -> Sequence[Line]:
        """Return the line of a finding, and copy a file."""
        if found.kind in {orphans.UNMATCHED, orphans.PARKED}:
            line = self._orphans.export(found)
            return [line] if line is not None else []
        return super().lines(found, folder)

    def item(self, found: Found, /) -> Attributes | None:
        """Return a conversation, or an item of its log."""
        if found.kind == CONVERSATIONS:
            stored = conversations.read_stored(self.deps.table, *json.loads(found.key))
            return stored.attributes() if stored else None
        ref, sk = json.loads(found.key)
        key = {PARTITION_KEY: OfConversation.partition(ref), SORT_KEY: sk}
        return erasures.read_item(self.deps.log, key)

    def _contents(self, address: str, start: Attributes | None) -> Page:
        """Return a part of one conversation: first its log, page by page, then its files, then what leads to it."""
        place = start or _begin(None)
        at, part = place["at"], place["part"]
        found, following = self._page_of(address, 1, at)
        after = _begin(following) if following else None
        if not found:
            return Page([], after)
        conversation, ref = found[0]
        if part == MESSAGES:
            records, last = self._records(ref, place["item"])
            next_part = MESSAGES if last else FILE
            return Page(records, {"at": at, "part": next_part, "item": last})
        files, is_cut = self._files(conversation, ref)
        if is_cut:
            return Page(files, place)
        leads = [*self._threads(conversation), _of(ROUTES, conversation)]
        return Page([*files, *leads], after)

    def _records(self, ref: str, start: Attributes | None) -> tuple[list[Found], Attributes | None]:
        """Return a page of a log. What a message leads to comes before it."""
        of_log = Key(PARTITION_KEY).eq(OfConversation.partition(ref))
        items, last = self.deps.log.query(None, of_log, limit=ITEMS_A_PAGE, start=start)
        found: list[Found] = []
        for item in items:
            sk = str(item[SORT_KEY])
            if sk.startswith(Message.first_sk):
                found += self._of_message(Message.read(item))
                found.append(Found(MESSAGES, json.dumps([ref, sk])))
            elif sk != State.sk():
                found.append(Found(RECORDS, json.dumps([ref, sk])))
        return found, last

    def _of_message(self, message: Message) -> list[Found]:
        parked = [
            one for name in removal.names_of(message) for one in self._orphans.of_message(name)
        ]
        keys = orphans.mail_files(self.deps.bucket, self.company_id, message.media)
        return [*parked, *(Found(FILE, key) for key in keys)]

    def _files(self, conversation: Conversation, ref: str) -> tuple[list[Found], bool]:
        """Return the files of a conversation, and whether there are more."""
        # A request that was accepted twice during a key rotation may have stored its data under another `ref`.
        refs = dict.fromkeys([ref, *identifiers.refs_of(conversation.conversation_id)])
        bucket = self.deps.bucket
        keys = [key for one in refs for key in bucket.all_keys_under(folder_of(bucket, one).prefix)]
        most = len(keys) if self.for_export else FILES_A_PAGE
        return [Found(FILE, key) for key in keys[:most]], len(keys) > most

    def _threads(self, conversation: Conversation) -> list[Found]:
        """Delete the copy at the model's provider; return it as deleted, or as left to an operator."""
        if conversation.thread_id is None or self.for_export:
            return []
        is_gone = removal.thread(self.deps, conversation)
        return [Found(THREADS if is_gone else THREAD_LEFT, conversation.thread_id)]

    def _strays(self, address: str, start: Attributes | None) -> Page:
        """Return a page of what is indexed under an address, then under each of its conversations."""
        if address == subjects.UNREADABLE:
            listed = [address]
        else:
            own = conversations_of(self.deps, self.company_id, [address])
            of_address = subjects.of_address(number_of(address))
            strays = sorted(of_address) if self._owners.is_present(address) else []
            listed = [*strays, *(ref for _, ref in own if self._has_ref(ref))]
        number, position = (start["subject"], start["position"]) if start else (0, None)
        if int(number) >= len(listed):
            return Page([])
        limit = None if self.for_export else ITEMS_A_PAGE
        page = self._orphans.page(listed[int(number)], position, limit)
        if page.last is not None:
            return Page(page.found, {"subject": int(number), "position": page.last})
        return Page(page.found, {"subject": int(number) + 1, "position": None})

    def _heads(self, address: str, start: Attributes | None) -> Page:
        found, last = self._page_of(address, ITEMS_A_PAGE, start)
        heads = [_of(CONVERSATIONS, conversation) for conversation, _ in found]
        return Page([*heads, *([] if last else [Found(ADDRESSES, address)])], last)

    def _remove_record(self, ref: str, sk: str) -> None:
        partition = OfConversation.partition(ref)
        item = erasures.read_item(self.deps.log, {PARTITION_KEY: partition, SORT_KEY: sk})
        if item is None:
            return
        if sk.startswith(Message.first_sk):
            removal.traces_of_message(self.deps, ref, Message.read(item), self.at)
        elif item.get("item_type") == FunctionResult.item_type:
            self.deps.ledger.forget(sk.partition("#")[2])
        elif item.get("item_type") == ShadowAnswer.item_type:
            answer = ShadowAnswer.read(item)
            Trials(self.deps.log, answer.company_id, answer.project_id).forget_shadow(ref, answer)
        erasures.remove(self.deps.log, partition, sk)

    def _remove_conversation(self, found: Found) -> None:
        """Remove what leads to a conversation, or in the end the conversation."""
        stored = conversations.read_stored(self.deps.table, *json.loads(found.key))
        named = with_ref(self.deps, stored) if stored else None
        if named is None:
            return
        conversation, ref = named
        if found.kind == ROUTES:
            removal.routes_of(self.deps, conversation, ref, self._numbers)
            return
        ttl = clock.expires_in(TOMBSTONE_SECONDS)
        erasures.replace_state(self.deps.log, ref, self.at, ttl)
        conversations.erase(self.deps.table, conversation)

    def _page_of(
        self, address: str, limit: int, start: Attributes | None
    ) -> tuple[list[tuple[Conversation, str]], Attributes | None]:
        found, last = self._listed(address, limit, start)
        return [one for one in found if self._has_ref(one[1])], last

    def _listed(
        self, address: str, limit: int, start: Attributes | None
    ) -> tuple[list[tuple[Conversation, str]], Attributes | None]:
        listed, last = conversations.page_with_recipient(
            self.deps.table, self.company_id, number_of(address), limit=limit, start=start
        )
        owners = self._owners
        named = (with_ref(self.deps, one) for one in listed)
        return [one for one in named if one is not None and owners.has(address, *one)], last

    def _has_ref(self, ref: str) -> bool:
        """Whether a conversation belongs to the run: an erasure leaves those that it did not fence."""
        return self.for_export or states.is_erased(self.deps.log, ref)

    @property
    def _owners(self) -> Owners:
        return Owners(self.deps, self.company_id)

    @property
    def _numbers(self) -> list[str]:
        """The addresses that are the person's now, without their owner."""
        return [number_of(one) for one in self.addresses if self._owners.is_present(one)]

    @property
    def _orphans(self) -> Orphans:
        person = Person(self.company_id, frozenset(self._numbers))
        return Orphans(
            log=self.deps.log,
            bucket=self.deps.bucket,
            person=person,
            at=self.at,
            for_export=self.for_export,
        )


def _begin(at: Attributes | None) -> Attributes:
    """Return the position at the begin of the conversation after *at*."""
    return {"at": at, "part": MESSAGES, "item": None}


def _of(kind: str, conversation: Conversation) -> Found:
    return Found(kind, json.dumps([conversation.primary_channel, conversation.conversation_id]))
