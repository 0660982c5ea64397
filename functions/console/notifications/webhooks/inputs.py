"""Input models of webhooks."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from shared.api.models.inputs import Input
from shared.inbox.items import Context
from shared.inbox.notifications.webhooks.items import EventType
from shared.runtime.settings import is_local_stage
from shared.runtime.validation import web_addresses

MOST_KEPT_HOURS: Final = 7 * 24
MOST_SHOWN: Final = 100
_LONGEST_NAME: Final = 80

type Chosen = Literal[
    "message.received",
    "message.sent",
    "conversation.opened",
    "conversation.reopened",
    "conversation.assigned",
    "conversation.resolved",
    "conversation.handed_off",
    "conversation.overdue",
    "conversation.failed",
    "contact.opted_out",
]


def _is_address(text: str) -> str:
    try:
        return web_addresses.checked(text, local=is_local_stage())
    except web_addresses.WebAddressInvalid:
        raise PydanticCustomError("url", web_addresses.RULE) from None


def _is_one_line(text: str) -> str:
    if not text.isprintable() or text != text.strip():
        raise PydanticCustomError("line", "must be one line without blanks at its ends")
    return text


type Url = Annotated[str, Field(max_length=web_addresses.LONGEST), AfterValidator(_is_address)]
type Name = Annotated[
    str, Field(min_length=1, max_length=_LONGEST_NAME), AfterValidator(_is_one_line)
]
type Types = Annotated[list[Chosen], Field(min_length=1, max_length=len(EventType))]
type Contexts = Annotated[list[Context], Field(min_length=1, max_length=len(Context))]


class WebhookInput(Input):
    """A webhook: its *url*, the *types* of events that it wants, of conversations of these *contexts*."""

    name: Name
    url: Url = Field(repr=False)
    types: Types
    contexts: Contexts = Field(default_factory=lambda: list(Context))


class WebhookChange(Input):
    """A change of a webhook: fields that are absent stay."""

    name: Name | None = None
    url: Url | None = Field(default=None, repr=False)
    types: Types | None = None
    contexts: Contexts | None = None
    state: Literal["active", "paused"] | None = None


class SecretRotation(Input):
    """For how many hours the present secret signs deliveries beside the new one."""

    keep_hours: Annotated[int, Field(ge=1, le=MOST_KEPT_HOURS)] = Field(
        default=24, alias="keepHours"
    )


class DeliveriesQuery(Input):
    """A page of deliveries."""

    cursor: str | None = None
    limit: int = Field(default=25, ge=1, le=MOST_SHOWN)
