"""The caller of the API: whose data they may see and what they may do, as the authorizer vouches for it."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Scope(StrEnum):
    """
    What an API key can be allowed to do.

    The scopes of PROJECT_SCOPES reach data that belongs to a project; a key that is bound to projects may have only
    those.
    """

    WHATSAPP_READ = (
        "whatsapp:read"  # conversations, messages and parked events of the company's numbers
    )
    WHATSAPP_ADMIN = "whatsapp:admin"  # replay the company's parked events
    OPERATOR = "operator"  # parked events of all companies and of none, and dead letters
    # One deployment serves one help desk. These two open it to keys of the company that its account names; where the
    # account names none, to keys of any company.
    RICHPANEL_READ = "richpanel:read"  # switches, and what was decided about a conversation and why
    RICHPANEL_OPERATE = "richpanel:operate"  # set switches, replay, clear risks, erase, redrive
    CONVERSATIONS_INITIATE = "conversations:initiate"  # start conversations of the key's projects
    CONVERSATIONS_READ = "conversations:read"
    CONVERSATIONS_REPLY = "conversations:reply"  # take over, write, hand back, release, resolve
    CONVERSATIONS_MANAGE = "conversations:manage"  # close, reopen, place messages of nobody
    # Consent is the company's: an opt-out ends conversations of all its projects, an opt-in opens them again.
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
_RETRY_AFTER, _PER_MINUTE = "retry_after", "calls_per_minute"  # names in the context


class Unauthenticated(Exception):
    """No authorizer vouched for this call."""


class RateLimited(Exception):
    """The caller's company has made its calls of this minute. *retry_after* is in seconds."""

    def __init__(self, retry_after: int, per_minute: int) -> None:
        super().__init__(
            f"the keys of your company may make {per_minute} calls a minute together; call again in {retry_after} s"
        )
        self.retry_after = retry_after


class Forbidden(Exception):
    """The caller lacks a scope, or is bound to projects and asks for data that has none; the text names the scope."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """
    Who calls. Every number, conversation and message that a call touches must be of `company`.

    `principal` says who it was in logs; it is no secret.
    """

    company: str
    scopes: frozenset[str]
    principal: str
    projects: frozenset[str] = frozenset({EVERY_PROJECT})

    def may_use(self, company: str, project: str) -> bool:
        """Whether the key is of this company and this project of it."""
        is_named = not self.projects.isdisjoint({EVERY_PROJECT, project})
        return company == self.company and is_named

    def require(self, *scopes: Scope) -> None:
        """Raise Forbidden unless the caller has one of *scopes*, and their projects allow it."""
        held = [scope for scope in scopes if scope in self.scopes]
        if not held:
            raise Forbidden(f"this needs the scope {' or '.join(scopes)}")
        if len(without_project(held, self.projects)) == len(held):
            raise Forbidden(
                f"the scope {' or '.join(held)} reaches data without a project, and this API key is bound to projects"
            )

    def as_context(self) -> dict[str, str]:
        """The caller as an authorizer hands them on: API Gateway carries flat texts only."""
        return {
            "company": self.company,
            "scopes": " ".join(sorted(self.scopes)),
            "principal": self.principal,
            "projects": " ".join(sorted(self.projects)),
        }


def without_project(scopes: Iterable[str], projects: Collection[str]) -> list[str]:
    """Those of *scopes* that a key of *projects* may not use: their data has no project. None where it has them all."""
    if EVERY_PROJECT in projects:
        return []
    return [scope for scope in scopes if scope not in PROJECT_SCOPES]


def over_rate(retry_after: int, per_minute: int) -> dict[str, str]:
    """What the authorizer adds to the context of a call above the company's rate; `caller_of` refuses such a call."""
    return {_RETRY_AFTER: str(retry_after), _PER_MINUTE: str(per_minute)}


def caller_of(event: Mapping[str, Any]) -> Caller:
    """
    The caller of a proxy event of API Gateway.

    Raises Unauthenticated when the event went through no authorizer: a route that was left open by mistake stays shut;
    and RateLimited when the authorizer found that the company calls too often.
    """
    context = event["requestContext"].get("authorizer") or {}
    company, principal = context.get("company"), context.get("principal")
    if not company or not principal:
        raise Unauthenticated("the call carries no API key")
    if retry_after := context.get(_RETRY_AFTER):
        raise RateLimited(int(retry_after), int(context.get(_PER_MINUTE) or 0))
    scopes = frozenset(str(context.get("scopes") or "").split())
    projects = frozenset(str(context.get("projects") or "").split())
    return Caller(company=company, scopes=scopes, principal=principal, projects=projects)
