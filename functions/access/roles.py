"""Roles of people: the scopes that a group gives. Groups that name no role, such as teams, give nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.access.groups import Role, role_of
from shared.api.auth import Caller, Scope, Unresolved

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from access.access_tokens import Holder

_AGENT = frozenset(
    {
        Scope.WHATSAPP_READ,
        Scope.WHATSAPP_WRITE,
        Scope.WHATSAPP_SEND,
        Scope.WHATSAPP_MEDIA,
        Scope.CONVERSATIONS_READ,
        Scope.CONVERSATIONS_REPLY,
        Scope.EMAIL_READ,
        Scope.EMAIL_WRITE,
        Scope.RICHPANEL_READ,
        Scope.NEWSLETTERS_READ,
        Scope.CONTACTS_READ,
        Scope.CONTACTS_WRITE,
        Scope.CONSENT_READ,
    }
)
_SUPERVISOR = _AGENT | {
    Scope.WHATSAPP_TEMPLATES,
    Scope.WHATSAPP_COMMERCE,
    Scope.WHATSAPP_GROUPS,
    Scope.WHATSAPP_CALLS,
    Scope.WHATSAPP_CAMPAIGNS,
    Scope.WHATSAPP_ANALYTICS,
    Scope.WHATSAPP_CONTACTS,
    Scope.CONVERSATIONS_INITIATE,
    Scope.CONVERSATIONS_MANAGE,
    Scope.EMAIL_APPROVE,
    Scope.NEWSLETTERS_WRITE,
    Scope.NEWSLETTERS_REVIEW,
    Scope.NEWSLETTERS_SEND,
    Scope.CONSENT_WRITE,
}
SCOPES: Mapping[Role, frozenset[Scope]] = {
    Role.AGENT: _AGENT,
    Role.SUPERVISOR: _SUPERVISOR,
    Role.ADMIN: frozenset(Scope) - {Scope.OPERATOR},
    Role.OPERATOR: frozenset({Scope.OPERATOR}),
}


def scopes_by_company(groups: Iterable[str]) -> dict[str, frozenset[Scope]]:
    """Return the scopes that *groups* give in each company; empty if no group names a company and a role."""
    found: dict[str, frozenset[Scope]] = {}
    for group in groups:
        named = role_of(group)
        if named is not None:
            company, role = named
            found[company] = found.get(company, frozenset()) | SCOPES[role]
    return found


def caller_of(holder: Holder, chosen: str | None) -> Caller | Unresolved:
    """Return the caller that a person is in the company *chosen*, by default in the only one with a role."""
    companies = scopes_by_company(holder.groups)
    if not companies:
        return Unresolved.NO_COMPANY
    if chosen is None and len(companies) > 1:
        return Unresolved.SEVERAL_COMPANIES
    company = next(iter(companies)) if chosen is None else chosen
    if company not in companies:
        return Unresolved.OTHER_COMPANY
    return Caller(
        company=company,
        scopes=frozenset(companies[company]),
        principal=holder.principal,
        issued_at=holder.issued_at,
    )
