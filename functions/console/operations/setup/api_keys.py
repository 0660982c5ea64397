"""The API keys of a company for its administrators: list, create and revoke."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from console.operations.setup.people import require_person
from console.operations.setup.views import ApiKeyCreated, ApiKeyRevoked, ApiKeys, ApiKeyView
from shared.access import company_keys
from shared.access.company_keys import KeyTaken
from shared.access.refusals import ChangeRefused
from shared.api.auth import EVERY_PROJECT, PROJECT_SCOPES, Forbidden, without_project
from shared.api.errors import KeyReused
from shared.aws import observation
from shared.aws.sqs_fifo import digest
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from console.operations.setup.inputs import ApiKeyInput, RotationInput
    from shared.access.company_keys import ApiKey
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table

_ID_LENGTH = 16
_HOUR_SECONDS = 3_600
_ID = re.compile(f"[0-9a-f]{{{_ID_LENGTH}}}", re.ASCII)


class ApiKeyNotFound(Exception):
    """There is no such API key in the company."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A key to create; *expires_at* in epoch seconds."""

    key_id: str
    name: str
    scopes: tuple[str, ...]
    projects: tuple[str, ...]
    expires_at: int | None


def listed(table: Table, caller: Caller) -> ApiKeys:
    """Return the keys of the caller's company, also those that are revoked or expired. Raises Forbidden."""
    require_person(caller)
    return ApiKeys(keys=[_view(key) for key in company_keys.of_company(table, caller.company)])


def create(
    table: Table, caller: Caller, given: ApiKeyInput, cause: str
) -> Callable[[], ApiKeyCreated]:
    """
    Return the change that creates a key in the caller's company.

    The id of the key follows from *cause*: a repeat of a change that was cut off finds the key that it made, whose text
    is lost. Raises Forbidden for software and for scopes that the caller lacks, and ChangeRefused for scopes whose data
    has no project in a key of projects. The change raises TooManyKeys, and KeyReused for another key.
    """
    require_person(caller)
    _check_scopes(caller, given.scopes)
    projects = tuple(dict.fromkeys(given.projects)) or (EVERY_PROJECT,)
    refused = without_project(given.scopes, projects)
    if refused:
        raise ChangeRefused(
            "scopes",
            f"must be scopes of projects ({', '.join(sorted(PROJECT_SCOPES))}) in a key of projects,"
            f" unlike {', '.join(refused)}",
        )
    days = given.expires_days
    wanted = Wanted(
        key_id=digest("API key", cause)[:_ID_LENGTH],
        name=given.name,
        scopes=tuple(dict.fromkeys(map(str, given.scopes))),
        projects=projects,
        expires_at=clock.expires_in(days * clock.DAY_SECONDS) if days else None,
    )
    return lambda: _made(table, caller, wanted)


def rotate(
    table: Table, caller: Caller, key_id: str, given: RotationInput, cause: str
) -> Callable[[], ApiKeyCreated]:
    """
    Return the change that creates a key with the name, the permissions, the projects and the lifetime of another one,
    which expires *keep_hours* later.

    Raises what `create` raises, ApiKeyNotFound, and ChangeRefused for a key that is not active or has a successor.
    """
    require_person(caller)
    key = _of_company(table, caller, key_id)
    new_id = digest("rotated API key", cause)[:_ID_LENGTH]
    if key.state() != company_keys.ACTIVE or key.successor not in {None, new_id}:
        raise ChangeRefused("key_id", "must be the id of an active key without a successor")
    _check_scopes(caller, key.scopes)
    wanted = Wanted(
        key_id=new_id,
        name=key.name,
        scopes=key.scopes,
        projects=key.projects,
        expires_at=None if key.expires_at is None else clock.expires_in(_lifetime(key)),
    )

    def change() -> ApiKeyCreated:
        created = _made(table, caller, wanted)
        observation.note({"successor": key.successor}, {"successor": new_id}, "successor")
        # After it: without a new key the old one stays.
        kept_until = clock.expires_in(given.keep_hours * _HOUR_SECONDS)
        company_keys.succeed(table, key, new_id, kept_until)
        return created

    return change


def revoke(table: Table, caller: Caller, key_id: str) -> Callable[[], ApiKeyRevoked]:
    """Return the change that revokes a key of the caller's company. Raises Forbidden and ApiKeyNotFound."""
    require_person(caller)
    key = _of_company(table, caller, key_id)

    def change() -> ApiKeyRevoked:
        company_keys.revoke(table, key.key_id)
        observation.note({"status": key.state()}, {"status": company_keys.REVOKED})
        return ApiKeyRevoked(key_id=key.key_id)

    return change


def _of_company(table: Table, caller: Caller, key_id: str) -> ApiKey:
    key = company_keys.find(table, key_id) if _ID.fullmatch(key_id) else None
    if key is None or key.company != caller.company:
        raise ApiKeyNotFound
    return key


def _made(table: Table, caller: Caller, wanted: Wanted) -> ApiKeyCreated:
    """Create a key, or find that an earlier attempt has. Raises TooManyKeys, and KeyReused for another key."""
    try:
        text = company_keys.create(table, company=caller.company, **asdict(wanted))
    except KeyTaken:
        key = _of_company(table, caller, wanted.key_id)
        if (key.name, key.scopes, key.projects) != (wanted.name, wanted.scopes, wanted.projects):
            raise KeyReused("the Idempotency-Key was used for another API key") from None
        return ApiKeyCreated.repeated(wanted.key_id)
    observation.note(None, asdict(wanted), "key_id", "name", "expires_at")
    return ApiKeyCreated(key_id=wanted.key_id, key=text, notice=None)


def _check_scopes(caller: Caller, scopes: Iterable[str]) -> None:
    lacking = [scope for scope in scopes if scope not in caller.scopes]
    if lacking:
        raise Forbidden(f"scopes: must be scopes of your own roles, unlike {', '.join(lacking)}")


def _lifetime(key: ApiKey) -> int:
    """Return for how many seconds a key was made."""
    return (key.expires_at or 0) - clock.from_text(key.created_at) // clock.SECOND_MS


def _view(key: ApiKey) -> ApiKeyView:
    expires_at = key.expires_at
    return ApiKeyView(
        key_id=key.key_id,
        name=key.name,
        scopes=list(key.scopes),
        projects=[one for one in key.projects if one != EVERY_PROJECT],
        created_at=key.created_at,
        expires_at=None if expires_at is None else clock.to_text(expires_at * clock.SECOND_MS),
        last_used_on=key.last_used_on,
        successor=key.successor,
        state=key.state(),
    )
