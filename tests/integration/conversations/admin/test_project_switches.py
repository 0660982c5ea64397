"""Admins switch a project and its model off and on."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.configuration import projects
from shared.api.auth import Scope
from shared.aws.tables.dynamodb_json import plain
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.harness import COMPANY, PROJECT, THEIRS, Harness, caller

ADMIN = caller(COMPANY, Scope.CONVERSATIONS_ADMIN)
AGENT = caller(COMPANY, Scope.CONVERSATIONS_MANAGE)
LINE = "POST /projects/{project_id}/switches"


def switch(harness: Harness, who: Any = ADMIN, project: str = PROJECT, **given: Any) -> Answer:
    return harness.call(LINE, given, names={"project_id": project}, who=who)


def stored(harness: Harness) -> Any:
    return plain(harness.resources.companies.table.get(projects.key(COMPANY, PROJECT)))


def test_an_admin_turns_the_model_of_a_project_off_and_on_and_its_list_shows_it(
    harness: Harness,
) -> None:
    before = stored(harness)

    off = switch(harness, automation_enabled=False)
    [shown, *_] = harness.call("GET /projects", who=ADMIN).result["projects"]
    on = switch(harness, automation_enabled=True)

    assert (off.status, off.result["automation_enabled"], off.result["status"]) == (
        200, False, "active",
    )  # fmt: skip
    assert shown["automation_enabled"] is False
    assert on.result["automation_enabled"] is True
    assert stored(harness) == before | {"automation_enabled": True}


def test_a_project_that_is_paused_keeps_all_other_settings(harness: Harness) -> None:
    before = stored(harness)

    paused = switch(harness, project_status="inactive")

    assert (paused.result["status"], paused.result["automation_enabled"]) == ("inactive", True)
    assert stored(harness) == before | {"project_status": "inactive"}


@pytest.mark.parametrize(
    "given",
    [{}, {"project_status": "off"}, {"automation_enabled": "false"}, {"ai_config": {}},
     {"project_status": None}],
)  # fmt: skip
def test_a_wrong_switch_is_refused_and_changes_nothing(
    harness: Harness, given: dict[str, Any]
) -> None:
    before = stored(harness)

    assert switch(harness, **given).status == 400
    assert stored(harness) == before


def test_only_admins_of_the_company_switch_a_project_that_exists(harness: Harness) -> None:
    before = stored(harness)
    harness.resources.companies.table.delete(projects.key(THEIRS.company, PROJECT))

    refused = [
        switch(harness, who, project, project_status="inactive").status
        for who, project in ((THEIRS, PROJECT), (AGENT, PROJECT), (ADMIN, "unknown"))
    ]

    assert refused == [404, 403, 404]
    assert stored(harness) == before
