"""Lists the actions."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.runtime import clock
from whatsapp.actions import ACTIONS
from whatsapp.actions.calls import paging
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Input, NoInput, PageInput
from whatsapp.actions.dispatch import catalogue
from whatsapp.actions.dispatch.registration import Group, Mode
from whatsapp.sending.views import View

UTILITY = Group("config_utility")
LEGACY = Group("legacy")
LISTING = Path(__file__).parents[2] / "dispatch" / "listing.json"
VERSION = "1"


class Pong(View):
    """*time*: of this deployment, UTC."""

    time: str
    version: str
    actions: int


class ListedAction(View):
    """One action."""

    name: str
    group: str
    mode: Mode
    scope: str
    idempotent: bool
    required: list[str]
    summary: str


class ListedActions(View):
    """A page of actions, by name."""

    actions: list[ListedAction]


class ListActions(PageInput):
    """A group (`category`) or mode of actions."""

    category: str | None = Field(
        default=None, min_length=1, max_length=64, description="only the actions of this group"
    )
    mode: Literal["remote_eum", "remote_graph", "local"] | None = Field(
        default=None, description="only the actions of this mode"
    )


class Help(Input):
    """The name of an action; without it all actions are listed."""

    name: str | None = Field(
        default=None, min_length=1, max_length=64, description="the name of the action"
    )


class Explained(View):
    """
    One action: *input* and *result* are JSON Schema (2020-12); or all actions.

    *description*: its effect, and its errors besides the errors of every action.
    """

    action: ListedAction | None = None
    description: str | None = None
    input: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    actions: list[ListedAction] | None = None


@cache
def listing() -> tuple[ListedAction, ...]:
    """Return all actions by name, from the generated listing: importing all of them would take seconds."""
    return tuple(map(ListedAction.model_validate, json.loads(LISTING.read_bytes())))


@UTILITY.reads("local", Scope.WHATSAPP_READ)
def ping(call: Call[NoInput]) -> Pong:  # noqa: ARG001 - every action takes its call
    """Return the time, the version and the number of actions. Reads nothing."""
    return Pong(time=clock.to_text(clock.now_ms()), version=VERSION, actions=len(ACTIONS))


@UTILITY.reads("local", Scope.WHATSAPP_READ)
def list_actions(call: Call[ListActions]) -> Page[ListedActions]:
    """List the actions with group, mode, scope and required parameters."""
    asked = call.input
    found = [
        one
        for one in listing()
        if asked.category in {None, one.group} and asked.mode in {None, one.mode}
    ]
    shown, cursor = paging.slice_of(call, found)
    return Page(ListedActions(actions=shown), cursor)


@LEGACY.reads("local", Scope.WHATSAPP_READ)
def help(call: Call[Help]) -> Explained:  # noqa: A001 - the action's name
    """Explain an action, with the JSON Schema of its input and result; without a name, list all actions."""
    if call.input.name is None:
        return Explained(actions=list(listing()))
    from whatsapp.actions.dispatch import answer_schemas  # noqa: PLC0415 - few calls need schemas

    action = catalogue.find(call.input.name)
    (listed,) = (one for one in listing() if one.name == action.name)
    return Explained(
        action=listed,
        description=action.description,
        input=action.input_model.model_json_schema(),
        result=answer_schemas.schema_of(action.result),
    )
