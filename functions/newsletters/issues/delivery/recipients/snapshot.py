"""
The snapshot: all people of the lists and segments come into the ledger, each once.

A recipient is named after the keyed hash of the address, so two contacts with one address are one mail: the second is
in the ledger as `shared_address`. People without an address are in it, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from newsletters.issues import local_times
from newsletters.issues.delivery import subject_tests
from newsletters.issues.delivery.recipients import audience
from newsletters.issues.pace import mailbox_providers, warm_up
from newsletters.store import companies, issues
from newsletters.store.items import Recipient, RecipientState
from newsletters.store.readers import recipients
from shared.identity.keyed_hashes import address_hashes
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsletters.configuration.resources import SendingResources
    from newsletters.issues.delivery.recipients.audience import Member
    from newsletters.store.items import Issue

UTC: Final = "UTC"
NO_ADDRESS, SHARED_ADDRESS = "no_address", "shared_address"


def plan_page(resources: SendingResources, issue: Issue) -> Issue:
    """Plan the next page of the audience, and return the issue at its next place. Safe to repeat. Raises LeaseLost."""
    table = resources.store.table
    if issue.position >= len(issue.audiences):
        return issues.advance(table, issue, phase="dispatch", after=None)
    of = issue.audiences[issue.position]
    people, after = audience.page(resources, issue.company_id, of, issue.after)
    list_id = of.id if of.kind == "list" else None
    planned = _planned(resources, issue, list_id, people)
    place: dict[str, Any] = {"after": after}
    if after is None:
        place["position"] = issue.position + 1
    if warm_up.room_today(table, issue.company_id, issue.sender) is not None:
        planned = _ranked(resources, issue, planned)
        ranks = {*issue.ranks, *(one.rank for one in planned if one.rank is not None)}
        place |= {"ranks": sorted(ranks), "rank": min(ranks, default=0)}
    recipients.plan(table, issue.issue_id, planned)
    return issues.advance(table, issue, **place)


def _ranked(
    resources: SendingResources, issue: Issue, planned: Sequence[Recipient]
) -> list[Recipient]:
    """Return the recipients with their ranks, by which they get the first mails of a new domain."""
    from newsletters.issues.pace import interest_ranks  # noqa: PLC0415 - of new domains only
    from newsletters.store.readers import interest  # noqa: PLC0415 - as above

    hashes = [one.address_hash for one in planned if one.address_hash is not None]
    since = interest.since(resources.store.table, issue.company_id, hashes)
    return [
        one.model_copy(update={"rank": interest_ranks.rank_of(since.get(one.address_hash or ""))})
        for one in planned
    ]


def _planned(
    resources: SendingResources, issue: Issue, list_id: str | None, people: Sequence[Member]
) -> list[Recipient]:
    """Return the recipients of a page, without people who are in the ledger."""
    names = {one.contact_id: address_hashes(one.address) for one in people if one.address}
    every = sorted({name for hashes in names.values() for name in hashes})
    keys = [Recipient.key_of(issue.issue_id, name) for name in every]
    stored = map(Recipient.read, resources.store.table.get_many(keys)) if keys else ()
    holders = {one.recipient: one.contact_id for one in stored}
    settings = companies.get_settings(resources.store.table, issue.company_id)
    hosted = mailbox_providers.hosted_domains(settings)
    planned: list[Recipient] = []
    for person in people:
        hashes = names.get(person.contact_id, [])
        holder = next((holders[name] for name in hashes if name in holders), None)
        if holder == person.contact_id:
            continue
        provider = mailbox_providers.provider_of(person.address or "", hosted)
        made = _recipient(issue, list_id, person, hashes, is_shared=holder is not None)
        planned.append(made.model_copy(update={"mailbox_provider": provider}))
        holders |= dict.fromkeys(hashes[:1], person.contact_id) if holder is None else {}
    return planned


def _time_of(issue: Issue, person: Member) -> int | None:
    """Return the time of an issue in the reader's zone (ms since 1970); None if all readers have the same."""
    if not issue.in_reader_zone or issue.local is None:
        return None
    return local_times.moment_of(issue.local, person.zone or issue.timezone or UTC)


def _recipient(
    issue: Issue, list_id: str | None, person: Member, hashes: Sequence[str], *, is_shared: bool
) -> Recipient:
    reason = SHARED_ADDRESS if is_shared else None if hashes else NO_ADDRESS
    name = hashes[0] if reason is None else f"{reason}.{person.contact_id}"
    return Recipient(
        **Recipient.key_of(issue.issue_id, name),
        recipient=name,
        contact_id=person.contact_id,
        list_id=list_id,
        address_hash=hashes[0] if hashes else None,
        state=RecipientState.PLANNED if reason is None else RecipientState.SKIPPED,
        reason=reason,
        not_before=_time_of(issue, person),
        variant=subject_tests.variant_of(issue, name),
        ttl=clock.expires_in(Recipient.ttl_days * clock.DAY_SECONDS),
    )
