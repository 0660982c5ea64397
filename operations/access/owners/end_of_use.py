"""Removes what depends on the ownership of a resource, beyond the check before every use: registrations, routes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conversations.configuration import ownership
from conversations.configuration.projects import Companies, ConfigurationInvalid
from conversations.store import routes
from conversations.store.items.conversation import ChannelMethod
from email_threads.store.configuration import mailboxes
from operations.command_line.arguments import Refused
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import SHARED
from shared.access.ownership.ids import EMAIL, ProviderId
from whatsapp import store
from whatsapp.store.accounts.numbers import ownership as whatsapp_ownership

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from operations.access.owners.tables import Tables

_OF_NUMBERS = frozenset({ids.NUMBER, ids.ACCOUNT, ids.APP})
_CHANNELS = frozenset(method.value for method in ChannelMethod)


def end(
    tables: Tables, company_id: str, resources: Sequence[ProviderId], *, is_shared: bool = False
) -> Iterator[str]:
    """
    Remove what a company has registered with resources that it loses. Yields a line for each. Idempotent.

    *is_shared*: the resources become shared, so numbers keep their app.

    Called before the owner changes, so that a command that dies can be repeated, and after it: the company may register
    something in between.
    """
    if company_id == SHARED:
        return
    for resource in resources:
        if resource.kind in _CHANNELS:
            _remove_routes(tables, company_id, resource)
        if resource.kind == EMAIL:
            is_lost = partial(_is_lost, tables, company_id, resource)
            for address in mailboxes.remove_of(tables.mail, company_id, is_lost):
                yield f"removed the mailbox {address}"
        if resource.kind in _OF_NUMBERS and not (resource.kind == ids.APP and is_shared):
            yield from _end_numbers(tables, company_id, resource)


def _end_numbers(tables: Tables, company_id: str, resource: ProviderId) -> Iterator[str]:
    """End the company's ownership of its numbers of the inbox that name a resource: a number, account or app."""
    for phone in store.phones.records_of_company(tables.inbox, company_id):
        named = {one.resource for one in whatsapp_ownership.named_by(phone)}
        if resource in named and phone.proof is not None:
            whatsapp_ownership.end(tables.inbox, tables.log, phone)
            yield f"disabled the number {phone.phone}"


def refuse_if_used(tables: Tables, company_id: str, resources: Sequence[ProviderId]) -> None:
    """Raise Refused if a project of the company uses one of its resources."""
    companies = Companies(tables.companies)
    for project_id in companies.projects(company_id):
        try:
            project = companies.project(company_id, project_id)
            used = ownership.names_of(project) if project else set()
        except ConfigurationInvalid as fault:
            raise Refused(f"project {project_id}: {fault.attribute} is invalid") from None
        if used.intersection(resources):
            raise Refused(
                f"--id: project {project_id} uses it; remove it from the project first,"
                " or stop the project with --although-used"
            )


def _remove_routes(tables: Tables, company_id: str, resource: ProviderId) -> None:
    # `owners` names the projects of the present owner only.
    for owner in routes.owners(tables.log, resource.kind, resource.text):
        if owner.company_id == company_id:
            routes.remove_address(tables.log, resource.kind, resource.text, owner)


def _is_lost(tables: Tables, company_id: str, resource: ProviderId, address: str) -> bool:
    """Whether a company owns an address through this resource, or does not own it any more."""
    owner, deciding = claims.owner_of_email(tables.log, address)
    chain = [ids.email(address), *ids.domains_of(address)]  # the nearest first
    if resource not in chain:
        return False
    return owner != company_id or chain.index(resource) <= chain.index(deciding)
