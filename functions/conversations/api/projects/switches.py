"""The switches of a project: whether it sends at all, and whether its model answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from conversations.api.access import NotFound
from conversations.api.projects import versions
from conversations.configuration import projects
from shared.aws import observation
from shared.aws.dynamodb import ConditionFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.api.access import ApiDependencies
    from conversations.api.projects.inputs import SwitchesInput
    from conversations.api.projects.views import ProjectView
    from shared.api.routing.routes import Request


def change(
    deps: ApiDependencies, project_id: str, request: Request[SwitchesInput]
) -> Callable[[], ProjectView]:
    """Return the change of the switches; functions see it within 30 seconds. Repeatable. Raises NotFound."""
    before = versions.item_of(deps, request.caller, project_id)
    given = request.input.given()

    def change() -> ProjectView:
        try:
            after = deps.resources.companies.table.update(
                projects.key(request.caller.company, project_id),
                put=given,
                when=Attr(projects.PARTITION_KEY).exists(),
            )
        except ConditionFailed:
            raise NotFound(versions.PROJECT_NOT_FOUND) from None
        shown = versions.project_view(after)
        was = versions.project_view(before)
        observation.note(
            {"project_status": was.status, "automation_enabled": was.automation_enabled},
            {"project_status": shown.status, "automation_enabled": shown.automation_enabled},
        )
        return shown

    return change
