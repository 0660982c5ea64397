"""The API caller as verified by the authorizer: company, projects, scopes and rate limit."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from shared.api.errors import InvalidInput


class Scope(StrEnum):
    """
    Permissions of an API key, or of a person by role (`access/roles.py`).

    The scopes in PROJECT_SCOPES cover data that belongs to a project; a key restricted to projects may have only those.
    """

    WHATSAPP_READ = (
        "whatsapp:read"  # conversations, messages and parked events of the company's numbers
    )
    WHATSAPP_WRITE = (
        "whatsapp:write"  # mark conversations as read, archive, assign, label, resolve, add notes
    )
    WHATSAPP_SEND = "whatsapp:send"  # send messages from the company's numbers; canned replies
    WHATSAPP_ADMIN = "whatsapp:admin"  # replay the company's parked events
    WHATSAPP_PRIVACY = "whatsapp:privacy"  # erase and export a contact of the company's numbers
    # These give access to actions of the WhatsApp Business API, by what they change or show.
    WHATSAPP_MEDIA = "whatsapp:media"
    WHATSAPP_TEMPLATES = "whatsapp:templates"
    WHATSAPP_PROFILE = "whatsapp:profile"  # business profile, QR codes, automated greetings
    WHATSAPP_COMMERCE = "whatsapp:commerce"  # catalogs, products, orders of shops
    WHATSAPP_PAYMENTS = "whatsapp:payments"
    WHATSAPP_REFUNDS = "whatsapp:refunds"
    WHATSAPP_GROUPS = "whatsapp:groups"
    WHATSAPP_CALLS = "whatsapp:calls"
    WHATSAPP_FLOWS = "whatsapp:flows"
    WHATSAPP_CAMPAIGNS = "whatsapp:campaigns"
    WHATSAPP_ANALYTICS = "whatsapp:analytics"
    WHATSAPP_CONTACTS = "whatsapp:contacts"  # contacts, their consent and addresses; blocked users
    OPERATOR = "operator"  # parked events of all companies and of none, and dead letters
    ACCESS_ADMIN = "access:admin"  # settings of the company; its people, roles and teams
    AUDIT_READ = "audit:read"  # who changed what in the company, over all contexts
    # One deployment serves one help desk. These two scopes give access to it to keys of the company named in its
    # account; if the account names no company, to keys of any company.
    RICHPANEL_READ = "richpanel:read"  # switches, decisions about a conversation and reasons
    RICHPANEL_OPERATE = "richpanel:operate"  # set switches, replay, clear risks, erase
    CONVERSATIONS_INITIATE = "conversations:initiate"  # start conversations of the key's projects
    CONVERSATIONS_READ = "conversations:read"
    CONVERSATIONS_REPLY = "conversations:reply"  # take over, write, hand back, release, resolve
    CONVERSATIONS_MANAGE = "conversations:manage"  # close, reopen, attach unmatched messages
    CONVERSATIONS_ADMIN = (
        "conversations:admin"  # settings of projects; replay the company's parked events
    )
    EMAIL_READ = "email_threads:read"  # threads, mails and attachments of the company's mailboxes
    EMAIL_WRITE = (
        "email_threads:write"  # status, assignee, tags, notes, archive, merge; write drafts
    )
    EMAIL_APPROVE = "email_threads:approve"  # approve and reject drafts, decide about unknown sends
    EMAIL_ADMIN = "email_threads:admin"  # mailboxes; replay the company's parked events
    EMAIL_PRIVACY = "email_threads:privacy"  # erase and export a person who writes to the mailboxes
    NEWSLETTERS_READ = "newsletters:read"  # newsletters of all colleagues
    NEWSLETTERS_WRITE = "newsletters:write"  # own newsletters: create, generate, edit, export
    NEWSLETTERS_REVIEW = (
        "newsletters:review"  # read newsletters of colleagues, approve and return drafts
    )
    NEWSLETTERS_SEND = "newsletters:send"  # approve, schedule, send, pause and cancel issues
    NEWSLETTERS_ADMIN = "newsletters:admin"  # settings, documents; replay parked events
    NEWSLETTERS_PRIVACY = "newsletters:privacy"  # erase and export a user
    CONTACTS_READ = (
        "contacts:read"  # people over all contexts, as far as their conversations may be read
    )
    CONTACTS_WRITE = "contacts:write"  # create, change, merge and separate contacts
    PRIVACY_ADMIN = "privacy:admin"  # erase and export a person in all contexts
    CONTACTS_ADMIN = "contacts:admin"  # attributes of contacts; change notes of others
    # Consent belongs to the company: an opt-out ends conversations of all its projects, an opt-in reopens them.
    CONSENT_READ = "consent:read"
    CONSENT_WRITE = "consent:write"


PROJECT_SCOPES = frozenset(
    {
        Scope.CONVERSATIONS_INITIATE,
        Scope.CONVERSATIONS_READ,
        Scope.CONVERSATIONS_REPLY,
        Scope.CONVERSATIONS_MANAGE,
    }
)
EVERY_PROJECT = "*"
COMPANY_HEADER = "x-company"
# Keys in the authorizer context.
_RETRY_AFTER, _PER_MINUTE, _UNRESOLVED = "retry_after", "calls_per_minute", "unresolved"
_ISSUED_AT = "issued_at"


class Unresolved(StrEnum):
    """The reason why the authorizer found no company for a person who is logged in."""

    NO_COMPANY = "no_company"  # none of the person's groups gives a role
    OTHER_COMPANY = "other_company"  # the header names a company without a role for the person
    SEVERAL_COMPANIES = "several_companies"  # the header is missing


class Unauthenticated(Exception):
    """The call did not pass an authorizer."""


class RateLimited(Exception):
    """The calls of this minute are used up. *retry_after* is in seconds; *whose* begins the text about the limit."""

    def __init__(
        self,
        retry_after: int,
        per_minute: int,
        whose: str = "all callers of the company share a limit of",
    ) -> None:
        super().__init__(f"{whose} {per_minute} calls per minute; retry in {retry_after} s")
        self.retry_after = retry_after


class Forbidden(Exception):
    """The caller lacks a scope, or a key restricted to projects requests data without one. Names the scope."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """
    The caller of an API operation. Every number, conversation and message that a call uses must belong to `company`.

    `principal` identifies the caller in logs and stored changes (`shared.api.principals`). It is not a secret.
    `issued_at`: when the access token was issued (epoch seconds); 0 for an API key.
    """

    company: str
    scopes: frozenset[str]
    principal: str
    projects: frozenset[str] = frozenset({EVERY_PROJECT})
    issued_at: int = 0

    def may_use(self, company: str, project: str) -> bool:
        """Whether the key belongs to this company and may use this project."""
        is_named = not self.projects.isdisjoint({EVERY_PROJECT, project})
        return company == self.company and is_named

    def require(self, *scopes: Scope) -> None:
        """Raise Forbidden unless the caller has one of *scopes* and its projects permit that scope."""
        held = [scope for scope in scopes if scope in self.scopes]
        if not held:
            raise Forbidden(f"this needs the scope {' or '.join(scopes)}")
        if len(without_project(held, self.projects)) == len(held):
            raise Forbidden(
                f"the scope {' or '.join(held)} applies to data without a project,"
                " and this API key is bound to projects"
            )

    def as_context(self) -> dict[str, str]:
        """Return the caller as an authorizer context: API Gateway passes flat strings only."""
        return {
            "company": self.company,
            "scopes": " ".join(sorted(self.scopes)),
            "principal": self.principal,
            "projects": " ".join(sorted(self.projects)),
            **({_ISSUED_AT: str(self.issued_at)} if self.issued_at else {}),
        }


def without_project(scopes: Iterable[str], projects: Collection[str]) -> list[str]:
    """Return the *scopes* that a key of *projects* may not use: their data has no project. Empty for all projects."""
    if EVERY_PROJECT in projects:
        return []
    return [scope for scope in scopes if scope not in PROJECT_SCOPES]


def over_rate(retry_after: int, per_minute: int) -> dict[str, str]:
    """Return the authorizer context entries for a call above the company's rate; `caller_of` rejects such a call."""
    return {_RETRY_AFTER: str(retry_after), _PER_MINUTE: str(per_minute)}


def unresolved(principal: str, reason: Unresolved) -> dict[str, str]:
    """Return the authorizer context of a person without a company; `caller_of` rejects the call."""
    return {"principal": principal, _UNRESOLVED: reason}


def caller_of(event: Mapping[str, Any]) -> Caller:
    """
    Return the caller of an API Gateway proxy event.

    Raises Unauthenticated if the event passed no authorizer, so that a route left open by mistake rejects all calls;
    RateLimited if the authorizer found the company above its rate. For a person, raises Forbidden without a role in the
    company, and InvalidInput if the call must name one of several companies.
    """
    context = event["requestContext"].get("authorizer") or {}
    company, principal = context.get("company"), context.get("principal")
    if reason := context.get(_UNRESOLVED):
        raise _ANSWERS[Unresolved(reason)]()
    if not company or not principal:
        raise Unauthenticated("the call carries neither an API key nor an access token")
    if retry_after := context.get(_RETRY_AFTER):
        raise RateLimited(int(retry_after), int(context.get(_PER_MINUTE) or 0))
    scopes = frozenset(str(context.get("scopes") or "").split())
    projects = frozenset(str(context.get("projects") or "").split())
    return Caller(
        company=company,
        scopes=scopes,
        principal=principal,
        projects=projects,
        issued_at=int(context.get(_ISSUED_AT) or 0),
    )


_ANSWERS: Mapping[Unresolved, Callable[[], Exception]] = {
    Unresolved.NO_COMPANY: lambda: Forbidden("this login has no role in any company"),
    Unresolved.OTHER_COMPANY: lambda: Forbidden(
        f"{COMPANY_HEADER}: this login has no role in that company"
    ),
    Unresolved.SEVERAL_COMPANIES: lambda: InvalidInput(
        [
            {
                "field": COMPANY_HEADER,
                "problem": "must name one of the companies in which this login has a role",
            }
        ]
    ),
}
