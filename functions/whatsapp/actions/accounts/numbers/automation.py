"""Shows and sets WhatsApp's automatic greetings: ice breakers, commands and the welcome event."""

import re
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Flag, Input, SenderInput, Text
from whatsapp.actions.calls.views import Done
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending.views import View

AUTOMATION = Group("automation")
_EDGE = "conversational_automation"
# Pictographs and the characters that join or vary them.
_EMOJI = re.compile("[\u200d\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]")


def _without_emoji(text: str) -> str:
    if _EMOJI.search(text):
        raise PydanticCustomError("emoji", "must not contain emoji")
    return text


type Prompt = Annotated[Text, Field(max_length=80), AfterValidator(_without_emoji)]


class Command(Input):
    """A command that customers choose after typing a slash."""

    name: str = Field(pattern=r"^[a-zA-Z0-9_]{1,30}$")
    description: Annotated[Text, Field(max_length=256)]


class SetAutomation(SenderInput):
    """Given values replace the present ones; an empty list removes them."""

    prompts: Annotated[list[Prompt], Field(max_length=4)] | None = None
    commands: Annotated[list[Command], Field(max_length=30)] | None = None
    enable_welcome_message: Flag | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.prompts is None and self.commands is None and self.enable_welcome_message is None:
            raise PydanticCustomError(
                "change", "must have at least one of prompts, commands, enableWelcomeMessage"
            )
        return self


class CommandView(View):
    """A command."""

    name: str
    description: str


class AutomationView(View):
    """*enable_welcome_message*: an event is reported when a customer opens the chat for the first time."""

    prompts: list[str]
    commands: list[CommandView]
    enable_welcome_message: bool


@AUTOMATION.reads("remote_graph", Scope.WHATSAPP_READ)
def get_conversational_automation(call: Call[SenderInput]) -> AutomationView:
    """Show the ice breakers, the commands and the welcome event at the provider."""
    phone = participants.sender_of(call)
    found = remote.graph_of(call, phone).get(phone.phone, fields=_EDGE).get(_EDGE, {})
    commands = [
        CommandView(
            name=str(one.get("command_name", "")),
            description=str(one.get("command_description", "")),
        )
        for one in found.get("commands", [])
    ]
    return AutomationView(
        prompts=[str(one) for one in found.get("prompts", [])],
        commands=commands,
        enable_welcome_message=bool(found.get("enable_welcome_message")),
    )


@AUTOMATION.changes("remote_graph", Scope.WHATSAPP_PROFILE)
def set_conversational_automation(call: Call[SetAutomation]) -> Done:
    """
    Set ice breakers (at most 4 of 80 characters, without emoji), commands (at most 30) and the welcome event.

    Meta's document permits three ice breakers, its guide four: the provider refuses a fourth if three is right.
    """
    phone = participants.sender_of(call)
    remote.graph_of(call, phone).post(phone.phone, _EDGE, body=body_of(call.input))
    return Done()


def body_of(given: SetAutomation) -> dict[str, Any]:
    """Return Graph's body; values that are not given are left out, and stay unchanged."""
    commands = (
        None
        if given.commands is None
        else [
            {"command_name": one.name, "command_description": one.description}
            for one in given.commands
        ]
    )
    body = {
        "prompts": given.prompts,
        "commands": commands,
        "enable_welcome_message": given.enable_welcome_message,
    }
    return {name: value for name, value in body.items() if value is not None}
