"""The profiles of a person with what is stored beside them, as an erasure or export finds them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from shared.contacts import lists
from shared.contacts.items import LIST_PREFIX, ContactList
from shared.identity.contacts.items import Found as Token
from shared.identity.contacts.items import Marker, Merge, Profile
from shared.privacy.inventory import Found, Page

if TYPE_CHECKING:
    from console.store.person_jobs import PersonJob
    from shared.aws.dynamodb import Attributes, Table

PROFILE, TOKEN, LIST, MERGE = "profiles", "tokens", "lists", "merges"
RECORD: Final = "contact_records"
KINDS: Final = frozenset({PROFILE, TOKEN, LIST, MERGE, RECORD})
RECORDS_A_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class Profiles:
    """The profiles of the person of a job, in the table of the contacts."""

    table: Table
    job: PersonJob

    def page(self, contact_id: str, start: Attributes | None) -> Page:
        """
        Return the records beside a profile page by page, with the last ones the profile after its tokens, and after
        profiles that lead to it since the begin of the run.
        """
        records, last = self._records(contact_id, start)
        found = [_beside(contact_id, sort) for sort in records]
        is_export = self.job.kind == "export"
        if last is not None:
            return Page([one for one in found if not (is_export and _is_technical(one))], last)
        for one in [*self._later_members(contact_id), contact_id]:
            item = self.table.get(Profile.key(self.job.company_id, one))
            if item is None:
                continue
            profile = Profile.read(item)
            tokens = [Token.list_of(self.job.company_id, each) for each in sorted(profile.tokens)]
            found += [Found(MERGE, each) for each in sorted(profile.merges)]
            found += [Found(TOKEN, json.dumps([partition, one])) for partition in tokens]
            found.append(Found(PROFILE, one))
        return Page([one for one in found if not (is_export and _is_technical(one))])

    def _records(
        self, contact_id: str, start: Attributes | None
    ) -> tuple[list[str], Attributes | None]:
        """Return sort keys of the items beside a profile: notes, changes, marks of requests, memberships in lists."""
        key = Profile.key(self.job.company_id, contact_id)
        items, last = self.table.query(
            None,
            Key(Profile.name_of("pk")).eq(key["pk"]),
            limit=RECORDS_A_PAGE,
            start=start,
            fields=["sk"],
        )
        return [item["sk"] for item in items if item["sk"] != key["sk"]], last

    def remove(self, found: Found) -> None:
        """Remove a finding of these kinds. Safe to repeat."""
        company = self.job.company_id
        if found.kind == PROFILE:
            self._remove_profile(found.key)
        elif found.kind == MERGE:
            self.table.delete(Merge.key(company, found.key))
        elif found.kind == RECORD:
            contact_id, sort = json.loads(found.key)
            self.table.delete(Profile.key(company, contact_id) | {"sk": sort})
        elif found.kind == TOKEN:
            partition, contact_id = json.loads(found.key)
            self.table.delete({"pk": partition, "sk": contact_id})
        elif found.kind == LIST:
            list_id, contact_id = json.loads(found.key)
            lists.forget(self.table, company, list_id, contact_id)

    def line(self, found: Found) -> dict[str, object]:
        """Return the line of an export about a finding: a profile, a record, or the name of a list."""
        company = self.job.company_id
        if found.kind == LIST:
            item = self.table.get(ContactList.key(company, json.loads(found.key)[0])) or {}
            return {"kind": found.kind, "name": item.get(ContactList.name_of("name"))}
        contact_id, sort = (
            json.loads(found.key) if found.kind == RECORD else (found.key, Profile.sk_pattern)
        )
        item = self.table.get(Profile.key(company, contact_id) | {"sk": sort}) or {}
        hashes = Profile.name_of("tokens")
        return {"kind": found.kind, "item": {n: item[n] for n in item if n != hashes} or None}

    def _remove_profile(self, contact_id: str) -> None:
        """Remove a profile, then what was written beside it since the page: nothing is without a profile."""
        self.table.delete(Profile.key(self.job.company_id, contact_id))
        last: Attributes | None = None
        while True:
            records, last = self._records(contact_id, last)
            for sort in records:
                self.remove(_beside(contact_id, sort))
            if last is None:
                return

    def _later_members(self, contact_id: str) -> list[str]:
        item = self.table.get(Profile.key(self.job.company_id, contact_id))
        return sorted(Profile.read(item).members - {*(self.job.contact_ids or [])}) if item else []


def _beside(contact_id: str, sort: str) -> Found:
    """Return the finding of an item beside a profile. A membership is two items, which are removed in their order."""
    if sort.startswith(LIST_PREFIX):
        return Found(LIST, json.dumps([sort.removeprefix(LIST_PREFIX), contact_id]))
    return Found(RECORD, json.dumps([contact_id, sort]))


def _is_technical(found: Found) -> bool:
    """Whether a finding says nothing about the person: a token, a merge, or the mark of a request."""
    if found.kind == RECORD:
        return str(json.loads(found.key)[1]).startswith(Marker.prefix())
    return found.kind in {TOKEN, MERGE}
