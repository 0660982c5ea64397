"""
Facts for the model that people accept, in versions of a project's settings that are not live.

Facts that are accepted one after another, also by several people at once, are in one version: each version with a fact
begins with the newest one that has facts on top of the same live version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from conversations.api.projects import versions as project_versions
from conversations.api.projects.inputs import LARGEST_SETTINGS_BYTES, Settings
from conversations.configuration import versions
from conversations.store.items.parts.project_version import ProjectVersion
from conversations.store.versions.project_versions import of_project
from shared.ai.versions.stored import ATTEMPTS
from shared.api.errors import InvalidInput
from shared.aws import observation
from shared.aws.tables.dynamodb_json import plain
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.api.access import ApiDependencies
    from conversations.api.projects.knowledge.inputs import AcceptanceInput
    from shared.ai.versions.stored import Version, Versions
    from shared.api.routing.routes import Request

MOST_READ: Final = 50  # versions among which the newest one with facts is looked for


def in_version(deps: ApiDependencies, project_id: str, request: Request[AcceptanceInput]) -> int:
    """
    Store a version whose words for replies end with the fact. It is not live. Repeatable. Returns its number.

    Raises NotFound, InvalidInput if the words are too long, and Transient if other authors take each number first.
    """
    caller, log = request.caller, deps.resources.log
    item = project_versions.item_of(deps, caller, project_id)
    live = versions.live_version(log, deps.resources.companies.table, item)
    made = of_project(log, caller.company, project_id)
    newest = made.newest(live)
    for number in range(newest + 1, newest + 1 + ATTEMPTS):
        known = _with_facts(made, live, number)
        own = next((one for one in known if one.made_for == request.cause), None)
        if own is not None:
            return own.number
        base: Version | None = next(iter(known), None)
        before = base.settings if base else versions.settings_of(item)
        settings = _with_fact(before, request.input.text.strip())
        _check(item, settings)
        wanted = ProjectVersion(
            number=number,
            settings=settings,
            note=request.input.title.strip(),
            by=caller.principal,
            at=clock.to_text(clock.now_ms()),
            based_on=base.number if base else live,
            made_for=request.cause,
            facts_on=live,
        )
        if made.put(wanted) is wanted:
            observation.note(before, settings)
            return number
    raise Transient("version_contended")


def _with_facts(made: Versions, live: int, number: int) -> list[ProjectVersion]:
    """Return the versions below *number* that have facts on top of the live version, newest first."""
    if number - 1 <= live:
        return []
    newest = made.below(number, min(number - 1 - live, MOST_READ))
    return [one for one in newest if isinstance(one, ProjectVersion) and one.facts_on == live]


def _with_fact(before: Mapping[str, Any], fact: str) -> dict[str, Any]:
    config = plain(before.get("ai_config") or {})
    prompts = config.get("prompts") or {}
    reply = "\n\n".join(filter(None, [prompts.get("reply", ""), fact]))
    try:
        given = Settings(ai_config=config | {"prompts": prompts | {"reply": reply}})
    except ValidationError:
        rule = f"must leave the settings at most {LARGEST_SETTINGS_BYTES} bytes"
        raise InvalidInput([{"field": "text", "problem": rule}]) from None
    return project_versions.changed(before, given)


def _check(item: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    try:
        project_versions.checked_project(dict(item), settings)
    except InvalidInput as refusal:
        raise InvalidInput([one | {"field": "text"} for one in refusal.problems]) from None
