"""
Messages of clients over an open connection, and their relay to the company's other connections.

    {"typing": {"context", "key"}}         --> {"typing": {"context", "key", "principal"}}
    {"taking_over": {"context", "key"}}    --> {"taking_over": {"context", "key", "principal"}}
    {"shows": {"context", "key"} or null}  stored: hints about typing in other conversations are not wanted

API Gateway itself answers {"action": "ping"} (stacks/monitoring.yaml). It closes a connection after ten silent minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, model_validator

from shared.api.errors import InvalidInput
from shared.api.models import inputs
from shared.api.models.inputs import Input
from shared.aws.sqs_fifo import to_json
from shared.inbox import entries
from shared.inbox.items import Context, Entry
from shared.inbox.live import connections, posts
from shared.inbox.live.items import place

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.inbox.live.items import Connection
    from shared.inbox.live.posts import Live

LONGEST_MESSAGE = 1_024  # characters
RELAY_EVERY_MS = 2_000
RELAY_WITHIN_MS = 3_000


class Place(Input):
    """A conversation, by the key that GET /inbox gives."""

    context: Context
    key: Annotated[str, Field(pattern=r"^[!-~]{1,512}$")]


class Message(Input):
    """A message of a client: exactly one of the fields. `shows` may be null."""

    typing: Place | None = None
    taking_over: Place | None = None
    shows: Place | None = None

    @model_validator(mode="after")
    def _one(self) -> Message:
        if len(self.model_fields_set) != 1:
            raise ValueError("must have exactly one field")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveDependencies:
    """The connections, and the inbox table, which knows the projects of conversations."""

    live: Live
    inbox: Table


def take(deps: LiveDependencies, connection_id: str, text: str) -> None:
    """
    Handle a message. Messages of unknown connections, and messages over the rate, are dropped.

    Raises InvalidInput.
    """
    if len(text) > LONGEST_MESSAGE:
        raise InvalidInput([{"field": "body", "problem": "is too long"}])
    message = inputs.body(text, Message)
    table = deps.live.table
    key = connections.key_of(table, connection_id)
    if key is None:
        return
    if "shows" in message.model_fields_set:
        shown = message.shows
        connections.show(table, key, place(shown.context, shown.key) if shown else None)
        return
    sender = connections.heard(table, key, every_ms=RELAY_EVERY_MS)
    about = message.typing or message.taking_over
    if sender is not None and about is not None:
        _relay(deps, sender, about, "typing" if message.typing else "taking_over")


def _relay(deps: LiveDependencies, sender: Connection, about: Place, name: str) -> None:
    project = None
    if about.context is Context.CONVERSATIONS:
        # Only these have projects. Their keys are their references.
        entry = entries.get(deps.inbox, Entry.key(about.context, about.key))
        if entry is None or entry.company_id != sender.company:
            return
        project = entry.project_id
    if not sender.may_read(sender.company, about.context, project):
        return
    text = to_json({name: {**about.model_dump(mode="json"), "principal": sender.principal}})
    here = place(about.context, about.key)
    colleagues = [
        one
        for one in connections.of_company(deps.live.table, sender.company)
        if one.connection_id != sender.connection_id
        and one.may_read(sender.company, about.context, project)
        and one.shown in {None, here}
    ]
    permitted = connections.with_access(deps.live.keys, [sender, *colleagues])
    if sender in permitted:
        receivers = [(one, text) for one in permitted if one is not sender]
        posts.post(deps.live, receivers, within_ms=RELAY_WITHIN_MS)
