"""Input models of the versions of a mailbox's settings."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from email_threads.api.inputs import Fact, Flag, Host, Model, is_one_line
from email_threads.configuration.requirements_schema import RequirementsSchema
from email_threads.store.items import ReplyMode
from shared.ai.versions.inputs import Note, Number
from shared.api.models.inputs import Change, Input

MOST_MAILS = 10
LONGEST_SUBJECT = 500
LONGEST_MAIL = 20_000


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


class WrittenMail(Input):
    """A mail of a thread that does not exist."""

    by: Literal["customer", "company"] = "customer"
    subject: Annotated[str, Field(max_length=LONGEST_SUBJECT), AfterValidator(is_one_line)] = ""
    text: str = Field(min_length=1, max_length=LONGEST_MAIL)


class StoredMail(Input):
    """A customer's mail of a thread; the model reads it and those before it."""

    conversation_id: str = Field(pattern="^[0-9a-f]{16}$")
    n: int = Field(ge=1)


class DraftTrialInput(Input):
    """
    Mails that the model is to answer: *mails* of the call, or the stored *mail*. *version* is by default the live one;
    *settings* change it for this call.
    """

    mails: list[WrittenMail] = Field(default_factory=list, max_length=MOST_MAILS)
    mail: StoredMail | None = None
    version: Number | None = None
    settings: MailboxSettings = MailboxSettings()

    @model_validator(mode="after")
    def _has_a_mail_to_answer(self) -> "DraftTrialInput":
        if (self.mail is None) == (not self.mails):
            raise ValueError("either mails or mail must be given")
        if self.mails and self.mails[-1].by != "customer":
            raise ValueError("the last of mails must be by the customer")
        return self
