"""Reads, makes and goes back to versions of the settings of a company's model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from newsletters.api.inputs import SettingsInput
from newsletters.store import companies, sets
from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.items.item import timestamp
from shared.ai.evaluation.sets.calls import refuse_unpassed
from shared.ai.versions import views
from shared.ai.versions.stored import NO_VERSION, NoVersion, Version
from shared.api.cursors import Listing, Page
from shared.api.errors import InvalidInput
from shared.api.models.inputs import checked
from shared.aws import observation
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsletters.api.inputs import SettingsVersionInput
    from newsletters.api.queries import ApiDependencies
    from newsletters.store.items import CompanySettings
    from shared.ai.versions.inputs import GoLiveInput, VersionQuery, VersionsQuery
    from shared.ai.versions.views import LiveView, VersionsView, VersionView, WrittenVersionView
    from shared.api.auth import Caller
    from shared.api.routing.routes import Request
    from shared.aws.dynamodb import Table

TRIES: Final = 8

# Raises NotProven if the company may not use what the settings name.
type Prove = Callable[[SettingsInput], None]


class OtherVersionLive(Exception):
    """Another version is live than the caller takes to be. The text has the field and the rule."""


def listed(deps: ApiDependencies, caller: Caller, query: VersionsQuery) -> Page[VersionsView]:
    """Return a page of the versions, newest first."""
    table, listing = deps.resources.store.table, Listing(caller.company, "VERSIONS", ("settings",))
    made = companies.versions_of(table, caller.company)
    return views.listed(made, _live(deps, caller.company), query, listing, deps.seal)


def shown(deps: ApiDependencies, caller: Caller, number: int, query: VersionQuery) -> VersionView:
    """Return a version and how it differs from another one. Raises NoVersion."""
    made = companies.versions_of(deps.resources.store.table, caller.company)
    return views.compared(made, number, _live(deps, caller.company), query)


def create(
    deps: ApiDependencies, request: Request[SettingsVersionInput], prove: Prove
) -> WrittenVersionView:
    """Store a version, which is not live. Repeatable. Raises NoVersion, InvalidInput and as *prove*."""
    given, company, table = request.input, request.caller.company, deps.resources.store.table
    stored = companies.get_settings(table, company)
    made = companies.versions_of(table, company)
    live = companies.live_version(table, stored) if stored is not None else None
    before = _before(table, company, stored, given.based_on)
    settings = companies.SETTINGS.changed(before, given.settings.values())
    prove(_checked(settings))
    observation.note(before, settings)
    wanted = Version(
        settings=settings,
        note=given.note.strip(),
        by=request.caller.principal,
        at=clock.to_text(clock.now_ms()),
        based_on=given.based_on or live,
        made_for=digest(request.cause),
    )
    return views.WrittenVersionView(number=made.add(wanted, live or 0).number)


def to_try(
    deps: ApiDependencies, company: str, number: int | None, changes: dict[str, Any]
) -> tuple[SettingsInput, int | None]:
    """
    Return the settings of a version, by default the live one, with *changes*, and the number of the version, None with
    changes. Raises NoVersion and InvalidInput.
    """
    table = deps.resources.store.table
    stored = companies.get_settings(table, company)
    before = _before(table, company, stored, number)
    live = stored.ai_version if stored is not None else None
    settings = companies.SETTINGS.changed(before, changes)
    return _checked(settings), None if changes else number or live


def _before(
    table: Table, company: str, stored: CompanySettings | None, number: int | None
) -> dict[str, Any]:
    """Return the settings of a version; without a number the live ones. Raises NoVersion."""
    if number is None:
        return companies.SETTINGS.of(stored)
    return companies.versions_of(table, company).get(number).settings


def go_live(
    deps: ApiDependencies, number: int, request: Request[GoLiveInput], prove: Prove
) -> LiveView:
    """
    Make a version live, also an older one. Repeatable.

    Raises NoVersion, OtherVersionLive, SetRefused, InvalidInput, Transient, and as *prove*.
    """
    company, table = request.caller.company, deps.resources.store.table
    expected = request.input.instead_of
    version = companies.versions_of(table, company).get(number)
    prove(_checked(version.settings))
    for _ in range(TRIES):
        stored = companies.get_settings(table, company)
        if stored is None:
            raise NoVersion(NO_VERSION)
        before = companies.live_version(table, stored)
        if expected is not None and before not in {expected, number}:
            raise OtherVersionLive("instead_of: another version is live")
        if before != number:
            refuse_unpassed(sets.of_company(table, company), number)
        changes = companies.SETTINGS.values_of(version) | {
            "updated_at": timestamp(clock.now_ms()),
            "updated_by": request.caller.principal,
        }
        try:
            companies.put_settings(table, stored.model_copy(update=changes))
        except StaleVersion:
            continue
        return views.LiveView(live_version=number, before=before)
    raise Transient("settings_contended")


def _live(deps: ApiDependencies, company: str) -> int | None:
    stored = companies.get_settings(deps.resources.store.table, company)
    return stored.ai_version if stored is not None else None


def _checked(settings: dict[str, Any]) -> SettingsInput:
    """Return the settings as a change of them has them. Raises InvalidInput with their paths."""
    try:
        return checked({**settings, "version": 0}, SettingsInput)
    except InvalidInput as refusal:
        raise InvalidInput(
            [{**one, "field": f"settings.{one['field']}"} for one in refusal.problems]
        ) from None
