"""
The data of a person in newsletters, by an e-mail address: the bylines of newsletters, which are texts for readers, and
what is stored of the person as a reader.

    erasure    fence     reader_records     sign-ups with their times, choices, evidence of consent
                         author_names       the name, which exported files show
               (settle)                     until an export that has read the name has ended
               sources   exported_files     the files of these newsletters
                         author_addresses   the address, by which the newsletter was found
                         reader_records     again: what a worker has stored meanwhile
    export     sources   author_addresses   title and byline of each newsletter
                         reader_records

The newsletters are the company's and stay. A person who is a user leaves with `newsletters.privacy.jobs`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from boto3.dynamodb.conditions import Key

from newsletters.store.bucket.objects import folder_of
from newsletters.store.content import newsletters
from newsletters.store.content.newsletters import StaleVersion, get_metadata, get_newsletter_stored
from newsletters.store.items import Draft, Signup
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.dynamodb_json import plain
from shared.identity.addresses import AddressInvalid
from shared.identity.identifiers import IdentifierKind, identifier
from shared.identity.keyed_hashes import address_hashes
from shared.privacy import inventory
from shared.privacy.inventory import Found, Page
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsletters.configuration.resources import Resources
    from newsletters.store.content.newsletters import Newsletter
    from newsletters.store.items import Metadata
    from shared.aws.dynamodb import Attributes
    from shared.privacy.inventory import Source

PAGE: Final = 10
NAME, FILE, ADDRESS = "author_names", "exported_files", "author_addresses"
RECORD: Final = "reader_records"
# The timeout of the exports is 60 s; the rest covers clock skew.
SETTLES_MS: Final = 70 * clock.SECOND_MS
_RECORDS_A_PAGE: Final = 50
_EXPORTED: Final = {"newsletterCode", "title", "created_at", "user_name", "user_email"}


@dataclass(frozen=True)
class Inventory(inventory.Inventory):
    """The bylines of one address of a company, and what is stored of its reader."""

    resources: Resources
    company_id: str
    address: str
    for_export: bool

    objects: ClassVar[frozenset[str]] = frozenset({FILE})
    fences: ClassVar[Sequence[Source]] = ((RECORD, ""), (NAME, ""))
    sources: ClassVar[Sequence[Source]] = ((ADDRESS, ""), (RECORD, ""))

    def fence(self, source: Source, start: Attributes | None, /) -> Page:
        """Return records of the reader, or the newsletters whose byline has a name, of a page of the company's list."""
        if source[0] == RECORD:
            return self._records(start)
        theirs, last = self._theirs(start)
        return Page([Found(NAME, one.newsletterCode) for one in theirs if one.user_name], last)

    def page(self, source: Source, start: Attributes | None, /) -> Page:
        """
        Return records of the reader, or the addresses of a page of the company's list; for an erasure the exported
        files before them.
        """
        if source[0] == RECORD:
            return self._records(start)
        theirs, last = self._theirs(start)
        found = [
            each
            for one in theirs
            for each in (
                *(Found(FILE, key) for key in self._files(one.newsletterCode)),
                Found(ADDRESS, one.newsletterCode),
            )
        ]
        return Page(found, last)

    def remove(self, found: Found, /) -> None:
        """Remove a record, a name or an address. Raises Transient after a lost race."""
        store = self.resources.store
        if found.kind == RECORD:
            store.table.delete(_key_of(found))
            return
        newsletter = get_newsletter_stored(store.table, found.key)
        if newsletter is None or not self._is_theirs(newsletter.metadata):
            return
        try:
            if found.kind == NAME:
                newsletters.configure(store, newsletter, {"user_name": ""})
            else:
                self._forget_files(newsletter)
                newsletters.change_metadata(store.table, newsletter.metadata, {"user_email": ""})
        except (StaleVersion, ConditionFailed):
            raise Transient("newsletter_contended") from None

    def item(self, found: Found, /) -> Attributes | None:
        """Return a record, or a newsletter's code, title and byline: its texts are the company's."""
        table = self.resources.store.table
        if found.kind == RECORD:
            item = table.get(_key_of(found))
            return plain(item) if item else None
        metadata = get_metadata(table, found.key)
        return metadata.model_dump(include=_EXPORTED) if metadata is not None else None

    def _records(self, start: Attributes | None) -> Page:
        """Return a page of the records of the address, over all identifier keys."""
        partitions = [
            Signup.partition_of(self.company_id, one) for one in address_hashes(self.address)
        ]
        own = str(start[PARTITION_KEY]) if start else partitions[0]
        after = start if start and SORT_KEY in start else None
        rows, last = self.resources.store.table.query(
            None, Key(PARTITION_KEY).eq(own), limit=_RECORDS_A_PAGE, start=after
        )
        found = [Found(RECORD, f"{row[PARTITION_KEY]} {row[SORT_KEY]}") for row in rows]
        if last is not None:
            return Page(found, position_after(last))
        following = partitions[partitions.index(own) + 1 :] if own in partitions else []
        return Page(found, {PARTITION_KEY: following[0]} if following else None)

    def _theirs(self, start: Attributes | None) -> tuple[list[Metadata], Attributes | None]:
        listed, last = newsletters.list_of_company(
            self.resources.store.table, self.company_id, limit=PAGE, start=start
        )
        return [one for one in listed if self._is_theirs(one)], position_after(last)

    def _is_theirs(self, metadata: Metadata) -> bool:
        try:
            normal = identifier(IdentifierKind.EMAIL, metadata.user_email).value
        except AddressInvalid:
            return False
        return normal == self.address

    def _files(self, code: str) -> list[str]:
        if self.for_export:
            return []
        folder = folder_of(self.resources.store, code)
        return list(self.resources.store.bucket.all_keys_under(f"{folder.prefix}export."))

    def _forget_files(self, newsletter: Newsletter) -> None:
        """Remove the list of files, which are gone, from the draft."""
        draft = newsletter.draft
        if draft is not None and draft.exports:
            self.resources.store.table.update(
                Draft.key(newsletter.code),
                put=Draft.named(exports={}),
                when=newsletters.has_exports_of(draft),
            )


def _key_of(found: Found) -> Attributes:
    partition, _, sort = found.key.partition(" ")
    return {PARTITION_KEY: partition, SORT_KEY: sort}


def position_after(last: Attributes | None) -> Attributes | None:
    """Return where the list of a company continues, as a job stores it."""
    return {name: last[name] for name in (PARTITION_KEY, SORT_KEY)} if last else None
