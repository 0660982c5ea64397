"""
The data of a person in newsletters, by an e-mail address: the bylines of newsletters, which are texts for readers, and
what is stored of the person as a reader (`reader_records`).

    erasure    fence     reader_records     sign-ups, choices, evidence of consent
                         author_names       the name, which exported files show
               (settle)                     until an export that has read the name has ended
               sources   exported_files     the files of these newsletters
                         author_addresses   the address, by which the newsletter was found
                         reader_records     again: what a worker has stored meanwhile
    export     sources   author_addresses   title and byline of each newsletter
                         reader_records

The newsletters are the company's and stay. A person who is a user leaves with `newsletters.privacy.inventory`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from newsletters.privacy import reader_records
from newsletters.privacy.inventory import PAGE, position_after
from newsletters.store import newsletters
from newsletters.store.items import Draft
from newsletters.store.newsletters import StaleVersion, get_metadata, get_newsletter_stored
from newsletters.store.objects import folder_of
from shared.aws.dynamodb import ConditionFailed
from shared.identity.addresses import AddressInvalid
from shared.identity.identifiers import IdentifierKind, identifier
from shared.privacy.inventory import Found, Page
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from newsletters.configuration.resources import Resources
    from newsletters.store.items import Metadata
    from newsletters.store.newsletters import Newsletter
    from shared.aws.dynamodb import Attributes
    from shared.privacy.exports import ExportFolder
    from shared.privacy.inventory import Source

NAME, FILE, ADDRESS = "author_names", "exported_files", "author_addresses"
# The timeout of the exports is 60 s; the rest covers clock skew.
SETTLES_MS: Final = 70 * clock.SECOND_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """The bylines of one address of a company. *exports*: the prefix of the person's exports."""

    resources: Resources
    company_id: str
    address: str
    exports: str
    for_export: bool

    fences: ClassVar[Sequence[Source]] = ((reader_records.KIND, ""), (NAME, ""))
    sources: ClassVar[Sequence[Source]] = ((ADDRESS, ""), (reader_records.KIND, ""))

    def fence(self, source: Source, start: Attributes | None) -> Page:
        """Return records of the reader, or the newsletters whose byline has a name, of a page of the company's list."""
        if source[0] == reader_records.KIND:
            return self._records(start)
        theirs, last = self._theirs(start)
        return Page([Found(NAME, one.newsletterCode) for one in theirs if one.user_name], last)

    def page(self, source: Source, start: Attributes | None) -> Page:
        """
        Return records of the reader, or the addresses of a page of the company's list; for an erasure the exported
        files before them.
        """
        if source[0] == reader_records.KIND:
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

    def remove(self, found: Found) -> None:
        """Remove a record, a name, a file or an address. Raises Transient after a lost race."""
        store = self.resources.store
        if found.kind == reader_records.KIND:
            reader_records.remove(store.table, found)
            return
        if found.kind == FILE:
            store.bucket.delete(found.key)
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

    def export(self, page: Iterable[Found], _folder: ExportFolder) -> list[dict[str, object]]:
        """Return a line for each record and newsletter: of that code, title and byline. Its texts are the company's."""
        lines: list[dict[str, object]] = []
        for found in page:
            if found.kind == reader_records.KIND:
                record = reader_records.line(self.resources.store.table, found)
                lines += [record] if record is not None else []
                continue
            metadata = get_metadata(self.resources.store.table, found.key)
            if found.kind == ADDRESS and metadata is not None:
                named = {"newsletterCode", "title", "created_at", "user_name", "user_email"}
                lines.append({"kind": found.kind, "item": metadata.model_dump(include=named)})
        return lines

    def finish(self) -> None:
        """Delete the exports of the person."""
        bucket = self.resources.store.bucket
        for key in bucket.all_keys_under(self.exports):
            bucket.delete(key)

    def _records(self, start: Attributes | None) -> Page:
        return reader_records.page(self.resources.store.table, self.company_id, self.address, start)

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
