"""Input models of projects, their versions and the playground."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from conversations.api.inputs import MESSAGE, Flag
from conversations.configuration.projects import ProjectStatus
from conversations.configuration.versions import VERSIONED
from conversations.store.items.conversation import ChannelMethod
from shared.ai.versions.inputs import Note, Number
from shared.api.models.inputs import Input
from shared.runtime.validation import patterns

LARGEST_SETTINGS_BYTES = 200_000
MOST_MESSAGES = 40
LONGEST_MESSAGE = 4_000
LONGEST_RESULT = 16_000
MOST_FILES = 4
LARGEST_FILE = 5_000_000  # characters of base64


class ProjectsQuery(Input):
    """Position in the list of projects."""

    limit: int = Field(default=25, ge=1, le=100)
    cursor: str | None = None


class SpendingQuery(Input):
    """The month, `2026-11` (UTC); the present one by default."""

    month: Annotated[str, Field(pattern=patterns.MONTH)] | None = None


class SwitchesInput(Input):
    """
    The switches to set: `inactive` sends nothing, and without `automation_enabled` people answer in place of the model.
    An absent one stays.
    """

    project_status: ProjectStatus | None = None
    automation_enabled: Flag | None = None

    @model_validator(mode="after")
    def _sets_one(self) -> "SwitchesInput":
        if not self.given():
            raise ValueError("project_status or automation_enabled must be given")
        return self

    def given(self) -> dict[str, Any]:
        """Return the values to store, by attribute of the project."""
        return self.model_dump(mode="json", exclude_none=True)


class ModelInput(Input):
    """The model of a new project; *api_key_reference* is the name of a secret of the company, which OpenAI needs."""

    provider: Literal["bedrock", "openai", "scripted"]
    model: str | None = Field(default=None, min_length=1, max_length=2_048)
    api_key_reference: str | None = Field(default=None, min_length=1, max_length=400)

    def config(self, channels: list[str]) -> dict[str, Any]:
        """Return the `ai_config` of a project: the model has a section per channel."""
        model = self.model_dump(mode="json", exclude={"provider"}, exclude_none=True)
        of_channels = {f"{self.provider}_config": dict.fromkeys(channels, model)} if model else {}
        return {"provider": self.provider, **of_channels}


class WhatsAppInput(Input):
    """
    A number of the inbox, as the list of the company's numbers shows it. *account* is Meta's id of its account,
    *whatsapp_credentials_id* the name of the company's access token: its id, or with a name after a slash.
    """

    provider: Literal["meta", "aws_social"]
    company_whatsapp_number: str = Field(pattern=patterns.PHONE)
    phone_number_id: str = Field(min_length=1, max_length=200)
    account: str = Field(min_length=1, max_length=25)
    whatsapp_credentials_id: str | None = Field(default=None, min_length=1, max_length=140)


class SmsInput(Input):
    """A number of AWS End User Messaging. A number of Twilio needs the operator's command, which asks Twilio."""

    provider: Literal["aws_sms"]
    company_sms_number: str = Field(pattern=patterns.PHONE)


class EmailInput(Input):
    """An address at a domain of the company, from which SES sends."""

    company_email: str = Field(pattern=patterns.EMAIL, max_length=254)
    email_from_name: str | None = Field(default=None, min_length=1, max_length=100)


class ChannelsInput(Input):
    """The channels of a new project, at least one."""

    whatsapp: WhatsAppInput | None = None
    sms: SmsInput | None = None
    email: EmailInput | None = None

    @model_validator(mode="after")
    def _has_one(self) -> "ChannelsInput":
        if not self.model_dump(exclude_none=True):
            raise ValueError("whatsapp, sms or email must be given")
        return self


class ProjectInput(Input):
    """
    A new project, with the names that its file has. *accept_inbound*: a customer may begin a conversation. Its model is
    off until a switch turns it on; until then people answer.
    """

    project_name: str = Field(min_length=1, max_length=100)
    ai_config: ModelInput
    channel_config: ChannelsInput
    default_language: str = Field(default="en", min_length=2, max_length=35)
    timezone: str = Field(default="UTC", min_length=1, max_length=64)
    accept_inbound: Flag = True

    def item(self, company_id: str, project_id: str) -> dict[str, Any]:
        """Return the project's item, without a version."""
        given = self.model_dump(mode="json", exclude_none=True)
        channels = [name.value for name in ChannelMethod if name.value in given["channel_config"]]
        ids = {"company_id": company_id, "project_id": project_id}
        given |= {"ai_config": self.ai_config.config(channels), "allowed_channels": channels}
        return {**ids, **given, "automation_enabled": False}


class Settings(Input):
    """
    The settings of a version as the project's file has them. An absent one is taken from the version it is based on;
    null removes a setting.
    """

    ai_config: dict[str, Any] | None = None
    knowledge_config: dict[str, Any] | None = None
    policy: dict[str, Any] | None = None
    company_rep: dict[str, Any] | None = None
    opening_hours: dict[str, Any] | None = None
    follow_ups: list[dict[str, Any]] | None = None
    memory: dict[str, Any] | None = None
    burst_wait: dict[str, Any] | None = None
    default_language: str | None = None
    timezone: str | None = None
    satisfaction: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _is_small_enough(self) -> "Settings":
        if len(self.model_dump_json(exclude_unset=True)) > LARGEST_SETTINGS_BYTES:
            raise ValueError(f"must be at most {LARGEST_SETTINGS_BYTES} bytes")
        return self

    def given(self) -> dict[str, Any]:
        """Return the settings that the caller has given, with None for those to remove."""
        return {name: getattr(self, name) for name in VERSIONED if name in self.model_fields_set}


class VersionInput(Input):
    """A new version: changes of the settings of *based_on*, by default the live version; *note* says why."""

    settings: Settings
    note: Note = ""
    based_on: Number | None = None


class SentFileInput(Input):
    """A picture or PDF of the customer, in base64."""

    content: str = Field(min_length=1, max_length=LARGEST_FILE)


class SpokenInput(Input):
    """A message of the conversation so far; the customer's may have *files*."""

    by: Literal["customer", "company"]
    text: str = Field(default="", max_length=LONGEST_MESSAGE)
    files: list[SentFileInput] = Field(default_factory=list, max_length=MOST_FILES)

    @model_validator(mode="after")
    def _says_something(self) -> "SpokenInput":
        if not (self.text or self.files):
            raise ValueError("text or files must be given")
        if self.files and self.by == "company":
            raise ValueError("only the customer has files")
        return self


class TriedSettings(Input):
    """The settings that a call tries: of *version*, by default the live one; *settings* change it for this call."""

    version: Number | None = None
    settings: Settings = Settings()


class PlaygroundInput(TriedSettings):
    """
    A conversation in which the model is to write the next message; without messages, the first one.

    *functions* are the results of the project's functions by name: nothing is called.
    """

    channel: ChannelMethod
    language: str | None = Field(default=None, max_length=35)
    messages: list[SpokenInput] = Field(default_factory=list, max_length=MOST_MESSAGES)
    project_data: dict[str, Any] = Field(default_factory=dict)
    recipient_first_name: str | None = Field(default=None, max_length=100)
    functions: dict[str, Any] = Field(default_factory=dict, max_length=20)

    @model_validator(mode="after")
    def _waits_for_an_answer(self) -> "PlaygroundInput":
        if self.messages and self.messages[-1].by != "customer":
            raise ValueError("the last of messages must be by the customer")
        return self


class ReplayInput(TriedSettings):
    """
    A message of a conversation, `<message_timestamp>~<entry_id>`: the customer's is answered again; before one of the
    company the dialogue ends. *version*, *settings* and *functions* are as in the playground.
    """

    message: str = Field(
        pattern=patterns.worded(
            MESSAGE, "must be the message_timestamp, ~ and the entry_id of a message"
        )
    )
    functions: dict[str, Any] = Field(default_factory=dict, max_length=20)
