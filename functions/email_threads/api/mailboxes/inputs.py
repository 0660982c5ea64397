"""Input models of the versions of a mailbox's settings."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from email_threads.api.inputs import Fact, Flag, Host, Model, is_one_line
from email_threads.configuration.requirements_schema import RequirementsSchema
from email_threads.store.items import ReplyMode
from shared.ai.versions.inputs import Note, Number
from shared.api.models.inputs import Change, Input


class MailboxSettings(Change):
    """The settings of a version: absent ones stay as in the version it is based on, null removes one."""

    ai: Model | None = None
    requirements_schema: RequirementsSchema | None = None
    auto_complete: Flag | None = None
    facts: Annotated[list[Fact], Field(max_length=20)] | None = None
    link_hosts: Annotated[list[Host], Field(max_length=20)] | None = None
    reply_mode: ReplyMode | None = None

    def values(self) -> dict[str, Any]:
        """Return the values that were given, as they are stored; None for those to remove."""
        present = self.model_dump(mode="json", exclude_none=True)
        return {name: present.get(name) for name in self.given()}


class MailboxVersionInput(Input):
    """A new version: changes of the settings of *based_on*, by default the live ones; *note* says why."""

    settings: MailboxSettings
    note: Annotated[Note, AfterValidator(is_one_line)] = ""
    based_on: Number | None = None
