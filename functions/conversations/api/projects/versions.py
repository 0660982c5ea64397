"""Reads and changes the versions of a project's settings for the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Key

from conversations.ai.project_checks.settings import SettingsRefused, checked
from conversations.api.access import NotFound, StateConflict
from conversations.api.projects.views import (
    LiveView,
    ProjectsView,
    ProjectView,
    WrittenVersionView,
)
from conversations.configuration import projects, versions
from conversations.configuration.projects import PARTITION_KEY, ConfigurationInvalid
from conversations.store.versions import evaluations, project_versions
from shared.ai.evaluation.sets.calls import refuse_unpassed
from shared.ai.versions import views
from shared.ai.versions.stored import NO_VERSION, NoVersion, Version, Versions
from shared.api.cursors import Listing, Page
from shared.api.errors import InvalidInput
from shared.aws import observation
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.dynamodb_json import storable
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.api.access import ApiDependencies
    from conversations.api.projects.inputs import (
        ProjectsQuery,
        Settings,
        TriedSettings,
        VersionInput,
    )
    from conversations.configuration.projects import Company
    from shared.ai.versions.inputs import GoLiveInput, VersionQuery, VersionsQuery
    from shared.ai.versions.views import VersionsView, VersionView
    from shared.api.auth import Caller
    from shared.api.routing.routes import Request
    from shared.aws.dynamodb import Attributes

PROJECT_NOT_FOUND = "project_id: project not found"


def projects_of(deps: ApiDependencies, caller: Caller, query: ProjectsQuery) -> Page[ProjectsView]:
    """Return a page of the company's projects that the caller may use, in the order of their ids."""
    table = deps.resources.companies.table
    listing = Listing(caller.company, "PROJECTS", ("projects",))
    start = listing.position(deps.seal, query.cursor) if query.cursor else None
    items, last = table.query(
        None, Key(PARTITION_KEY).eq(caller.company), limit=query.limit, start=start
    )
    shown = [
        project_view(item)
        for item in items
        if caller.may_use(caller.company, str(item[projects.SORT_KEY]))
    ]
    return Page(ProjectsView(projects=shown), listing.cursor(deps.seal, last) if last else None)


def project_view(item: Attributes) -> ProjectView:
    """Return a stored project, also one that is unusable."""
    unusable = None
    try:
        projects.parse(item)
    except ConfigurationInvalid as fault:
        unusable = fault.attribute
    channels = item.get("allowed_channels")
    live = item.get(versions.LIVE)
    return ProjectView(
        project_id=str(item[projects.SORT_KEY]),
        name=str(item["project_name"]) if item.get("project_name") else None,
        status=str(item.get("project_status") or projects.ProjectStatus.ACTIVE),
        automation_enabled=item.get("automation_enabled") is not False,
        channels=[str(one) for one in channels] if isinstance(channels, list) else [],
        live_version=int(live) if live else None,
        unusable=unusable,
    )


def item_of(deps: ApiDependencies, caller: Caller, project_id: str) -> Attributes:
    """Return the stored item of a project of the caller, read again. Raises NotFound."""
    item = None
    if caller.may_use(caller.company, project_id):
        item = deps.resources.companies.table.get(projects.key(caller.company, project_id))
    if item is None:
        raise NotFound(PROJECT_NOT_FOUND)
    return item


def listed(
    deps: ApiDependencies, caller: Caller, project_id: str, query: VersionsQuery
) -> Page[VersionsView]:
    """Return a page of the versions of a project, newest first. Raises NotFound."""
    live = item_of(deps, caller, project_id).get(versions.LIVE)
    made = _versions(deps, caller, project_id)
    listing = Listing(caller.company, "VERSIONS", (project_id,))
    return views.listed(made, int(live) if live else None, query, listing, deps.seal)


def shown(
    deps: ApiDependencies, caller: Caller, project_id: str, number: int, query: VersionQuery
) -> VersionView:
    """Return a version and how it differs from another one. Raises NotFound and NoVersion."""
    live = item_of(deps, caller, project_id).get(versions.LIVE)
    return views.compared(
        _versions(deps, caller, project_id), number, int(live) if live else None, query
    )


def version_of(deps: ApiDependencies, caller: Caller, project_id: str, number: int) -> Version:
    """Return a version of a project of the caller. Raises NoVersion."""
    if not caller.may_use(caller.company, project_id):
        raise NoVersion(NO_VERSION)
    return _versions(deps, caller, project_id).get(number)


def _versions(deps: ApiDependencies, caller: Caller, project_id: str) -> Versions:
    return project_versions.of_project(deps.resources.log, caller.company, project_id)


def create(
    deps: ApiDependencies, project_id: str, request: Request[VersionInput]
) -> WrittenVersionView:
    """Store a version, which is not live. Repeatable. Raises NotFound, and InvalidInput for broken rules."""
    return create_from(deps, project_id, request, request.input)


def create_from(
    deps: ApiDependencies, project_id: str, request: Request[Any], given: VersionInput
) -> WrittenVersionView:
    """Store a version for a call whose own input is another one. As `create`."""
    caller = request.caller
    item = item_of(deps, caller, project_id)
    before = versions.settings_of(item)
    if given.based_on is not None:
        before = version_of(deps, caller, project_id, given.based_on).settings
    settings = changed(before, given.settings)
    checked_project(item, settings)
    observation.note(before, settings)
    live = versions.live_version(deps.resources.log, deps.resources.companies.table, item)
    wanted = Version(
        settings=settings,
        note=given.note.strip(),
        by=caller.principal,
        at=clock.to_text(clock.now_ms()),
        based_on=given.based_on or live,
        made_for=request.cause,
    )
    stored = _versions(deps, caller, project_id).add(wanted, live)
    return WrittenVersionView(project_id=project_id, number=stored.number)


def go_live(
    deps: ApiDependencies, project_id: str, version: Version, request: Request[GoLiveInput]
) -> LiveView:
    """Make a version live, also an older one. Repeatable. Raises NotFound, InvalidInput, SetRefused, StateConflict."""
    company_id, table = request.caller.company, deps.resources.companies.table
    item = item_of(deps, request.caller, project_id)
    checked_project(item, version.settings)  # channels may have changed since it was stored
    if item.get(versions.LIVE) != version.number:
        stored = evaluations.of_project(deps.resources.log, company_id, project_id)
        refuse_unpassed(stored, version.number)
    before = item.get(versions.LIVE)
    try:
        versions.go_live(
            table, company_id, project_id, version, instead_of=request.input.instead_of
        )
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise NotFound(PROJECT_NOT_FOUND) from None
        raise StateConflict("instead_of: another version is live") from None
    observation.note(
        {"live_version": before, **versions.settings_of(item)},
        {"live_version": version.number, **version.settings},
    )
    return LiveView(
        project_id=project_id, live_version=version.number, before=int(before) if before else None
    )


def settings_to_try(
    deps: ApiDependencies, caller: Caller, project_id: str, item: Attributes, given: TriedSettings
) -> dict[str, Any]:
    """Return the settings that a call tries. Raises NoVersion."""
    settings = versions.settings_of(item)
    if given.version is not None:
        settings = version_of(deps, caller, project_id, given.version).settings
    return changed(settings, given.settings)


def changed(settings: Mapping[str, Any], given: Settings) -> dict[str, Any]:
    """Return the settings of a version with the ones that a call gives; null removes one."""
    whole = {**settings, **storable(given.given())}
    return {name: value for name, value in whole.items() if value is not None}


def checked_project(item: Attributes, settings: Mapping[str, Any]) -> Company:
    """Return the project with these settings. Raises InvalidInput with the path and the rule of each broken rule."""
    try:
        return checked(versions.with_settings(item, settings), None)
    except SettingsRefused as refusal:
        raise InvalidInput(
            [{"field": f"settings.{path}", "problem": rule} for path, rule in refusal.faults]
        ) from None
