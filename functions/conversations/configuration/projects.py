"""
Settings of a company's project: one item of the company data table, validated when it is read.

The operator assigns its ids; it refers to secrets by name and never contains them. Errors for an invalid item name the
attribute, never its value.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal

from boto3.dynamodb.conditions import Key
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conversations.configuration.burst_waits import BurstWaits
from conversations.configuration.follow_ups import MOST_STEPS, FollowUp
from conversations.configuration.memory import MemorySettings
from conversations.configuration.opening_hours import OpeningHours
from conversations.configuration.satisfaction import SatisfactionSettings
from conversations.configuration.texts import Text
from conversations.store.items.conversation import ChannelMethod
from shared.aws.dynamodb import Attributes, Table
from shared.identity.addresses import country_of
from shared.runtime import clock
from shared.runtime.validation import patterns
from shared.runtime.validation.timezones import ZoneName

PARTITION_KEY = "company_id"
SORT_KEY = "project_id"
# Attributes that the console switches. A file that does not name one leaves it as it is.
SWITCHES = ("project_status", "automation_enabled")
# Changed settings, such as a project switched off, take effect within 30 seconds.
CACHE_MS = 30 * clock.SECOND_MS
ID = r"^[A-Za-z0-9._-]{1,64}$"
# Maximum characters of one message that Parley sends on a channel.
LONGEST_TEXT = {
    ChannelMethod.WHATSAPP: 4_096,
    ChannelMethod.SMS: 1_600,
    ChannelMethod.EMAIL: 20_000,
}

# Lambda's maximum for the workers of one queue; a higher limit of turns would limit nothing.
MOST_WORKERS = 1_000
TWILIO_LONGEST = 1_600  # on every channel

type Dollars = Annotated[float, Field(ge=0, le=1_000_000)]
type _Hour = Annotated[str, Field(pattern=patterns.TIME)]


class ConfigurationInvalid(Exception):
    """The company's item, or a resource that it names, is unusable. Gives the *attribute*, never the value."""

    def __init__(self, attribute: str) -> None:
        super().__init__(attribute)
        self.attribute = attribute


class _Part(BaseModel):
    """Base of all parts: keeps unknown attributes, and no error contains a value."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True, defer_build=True)


class ProjectStatus(StrEnum):
    """Whether a project may start conversations."""

    ACTIVE = "active"
    INACTIVE = "inactive"


class RateLimits(_Part):
    """
    Limits of a project; `max_message_length` is in characters and applies to every outgoing text.

    `max_concurrent_turns` is how many replies the project's model composes at the same time; None: as many as the reply
    workers of the deployment, which all projects share.
    """

    requests_per_minute: int = Field(default=60, ge=1)
    requests_per_day: int = Field(default=2_000, ge=1)
    concurrent_conversations: int = Field(default=30, ge=1)
    max_message_length: int = Field(default=4_096, ge=1)
    max_concurrent_turns: int | None = Field(default=None, ge=1, le=MOST_WORKERS)


class Policy(_Part):
    """
    Policy rules of a project; hours are `HH:MM` in the recipient's local time, `None` disables a rule.

    `tokens_per_day`, `dollars_per_day` and `dollars_per_month` (UTC) end the model's turns, not people's; at
    `warn_at_percent` of the dollars an alarm is raised. `initiated_per_day` and `initiated_per_week` count
    business-initiated messages per person; 0 permits none.
    """

    quiet_hours: tuple[_Hour, _Hour] | None = ("21:00", "08:00")
    initiated_per_day: int = Field(default=2, ge=0)
    initiated_per_week: int = Field(default=5, ge=0)
    answers_per_hour: int | None = Field(default=None, ge=1)
    answers_per_day: int | None = Field(default=None, ge=1)
    tokens_per_day: int | None = Field(default=None, ge=1)
    dollars_per_day: Dollars | None = None
    dollars_per_month: Dollars | None = None
    warn_at_percent: int = Field(default=80, ge=1, le=100)
    opt_out_words: dict[str, list[str]] = Field(default_factory=dict)
    help_text: Text | None = None
    opt_out_confirmation: Text | None = None
    opt_out_hint: Text | None = None
    handoff_notice: Text | None = None
    file_refused: Text | None = None
    in_doubt: Literal["never_resend", "resend_if_absent"] = "never_resend"
    link_hosts: list[str] = Field(default_factory=list)

    @property
    def dollars(self) -> bool:
        """Whether there is a budget in dollars."""
        return self.dollars_per_day is not None or self.dollars_per_month is not None

    @property
    def permits_initiated(self) -> bool:
        """Whether the project may send business-initiated messages at all."""
        return self.initiated_per_day > 0 and self.initiated_per_week > 0


class WhatsAppChannel(_Part):
    """WhatsApp settings of a project."""

    provider: Literal["twilio", "meta", "aws_social"]
    company_whatsapp_number: Annotated[str, Field(pattern=patterns.PHONE)]
    whatsapp_credentials_id: str | None = None
    phone_number_id: str | None = None  # Meta's id of the number; AWS's for aws_social
    account: str | None = None
    templates: dict[str, Any] = Field(default_factory=dict)  # of `whatsapp_templates.Template`
    default_template: str | None = None
    reengagement_template: str | None = None
    # Whether the customer's message is marked as read, and typing is shown, during waits and while the model answers.
    typing_indicator: bool = True

    @property
    def can_show_typing(self) -> bool:
        """Whether typing is shown. Not at Twilio, whose call for it is a beta without terms for protected data."""
        return self.typing_indicator and self.provider != "twilio"

    @property
    def address(self) -> str:
        """The business's address on this channel."""
        return self.company_whatsapp_number

    @property
    def credentials_id(self) -> str | None:
        """Id of the secret with the sending credentials; None if not set."""
        return self.whatsapp_credentials_id


class SmsChannel(_Part):
    """SMS settings of a project; `senders` maps the recipient's country (ISO 3166) to another sender number."""

    provider: Literal["twilio", "aws_sms"]
    company_sms_number: Annotated[str, Field(pattern=patterns.PHONE)]
    sms_credentials_id: str | None = None
    account: str | None = None
    messaging_service_sid: str | None = None
    configuration_set: str | None = None
    message_type: Literal["TRANSACTIONAL", "PROMOTIONAL"] = "TRANSACTIONAL"
    max_segments: int = Field(default=3, ge=1, le=10)
    max_messages: int = Field(default=3, ge=1, le=5)  # of one answer
    opt_out_handled_by: Literal["provider", "parley"] = "provider"
    senders: dict[str, Annotated[str, Field(pattern=patterns.PHONE)]] = Field(default_factory=dict)

    @property
    def address(self) -> str:
        """The business's address on this channel."""
        return self.company_sms_number

    @property
    def credentials_id(self) -> str | None:
        """Id of the secret with the sending credentials; None if not set."""
        return self.sms_credentials_id


class EmailChannel(_Part):
    """E-mail settings of a project; SES sends the messages."""

    provider: Literal["ses"] = "ses"
    company_email: Annotated[str, Field(pattern=patterns.EMAIL)]
    email_from_name: str | None = None
    default_subject_line: Text | None = None
    configuration_set: str | None = None
    email_credentials_id: str | None = None
    account: str | None = None
    list_unsubscribe: str | None = None

    @property
    def address(self) -> str:
        """The business's address on this channel."""
        return self.company_email.casefold()

    @property
    def credentials_id(self) -> str | None:
        """None: the IAM role authorises sending with SES."""
        return None


type Channel = WhatsAppChannel | SmsChannel | EmailChannel


class ChannelConfig(_Part):
    """Channel settings of a project; None for a channel that is not set up."""

    whatsapp: WhatsAppChannel | None = None
    sms: SmsChannel | None = None
    email: EmailChannel | None = None


class Company(_Part):
    """One project of one company."""

    company_id: Annotated[str, Field(pattern=ID)]
    project_id: Annotated[str, Field(pattern=ID)]
    company_name: str | None = None
    project_name: str | None = None
    allowed_channels: list[ChannelMethod] = Field(default_factory=list)
    project_status: ProjectStatus = ProjectStatus.ACTIVE
    automation_enabled: bool = True  # False: people answer, as with the switch of the deployment
    auto_queue_initial_message: bool = False
    auto_queue_initial_message_from_number: list[str] = Field(default_factory=list, max_length=20)
    auto_queue_initial_message_from_email: list[str] = Field(default_factory=list, max_length=20)
    auto_queue_reply_message: bool = False
    auto_queue_reply_message_from_number: list[str] = Field(default_factory=list, max_length=20)
    auto_queue_reply_message_from_email: list[str] = Field(default_factory=list, max_length=20)
    rate_limits: RateLimits = Field(default_factory=RateLimits)
    company_rep: dict[str, str | None] = Field(default_factory=dict)
    ai_config: dict[str, Any] = Field(default_factory=dict)
    # Of `ai.knowledge.settings.KnowledgeConfig`; empty: the model has no documents.
    knowledge_config: dict[str, Any] = Field(default_factory=dict)
    channel_config: ChannelConfig = Field(default_factory=ChannelConfig)
    burst_wait: BurstWaits = Field(default_factory=BurstWaits)
    follow_ups: list[FollowUp] = Field(default_factory=list, max_length=MOST_STEPS)
    opening_hours: OpeningHours | None = None
    memory: MemorySettings = Field(default_factory=MemorySettings)
    satisfaction: SatisfactionSettings | None = None
    default_language: str = "en"
    default_region: str | None = Field(default=None, pattern=r"^[A-Z]{2}$")
    timezone: ZoneName = "UTC"
    policy: Policy = Field(default_factory=Policy)
    accept_inbound: bool = False
    fallback_channels: list[ChannelMethod] = Field(default_factory=list)
    retention_days: int = Field(default=365, ge=1)
    close_after_days: int = Field(default=30, ge=1, le=3_650)  # without activity
    ai_version: int | None = Field(default=None, ge=1)  # see `configuration.versions`
    ai_trial: str | None = None  # id of the trial of a version that runs, or has just ended

    def channel(self, method: ChannelMethod) -> Channel:
        """Return the settings of a channel. Raises ConfigurationInvalid if there are none."""
        settings: Channel | None = getattr(self.channel_config, method.value)
        if settings is None:
            raise ConfigurationInvalid(f"channel_config.{method.value}")
        return settings

    def longest_text(self, method: ChannelMethod) -> int:
        """Return the maximum characters of a message of the project on a channel, by its provider."""
        limits = [LONGEST_TEXT[method], self.rate_limits.max_message_length]
        settings: Channel | None = getattr(self.channel_config, method.value)
        if settings is not None and settings.provider == "twilio":
            limits.append(TWILIO_LONGEST)
        return min(limits)

    def sender(self, method: ChannelMethod, customer: str) -> str:
        """Return the sender for *customer*; SMS may use a number per country. Raises like `channel`."""
        channel = self.channel(method)
        if isinstance(channel, SmsChannel) and channel.senders:
            return channel.senders.get(country_of(customer) or "", channel.address)
        return channel.address


def parse(item: Mapping[str, Any]) -> Company:
    """Parse an item, or a Context Object's copy of one, into a project. Raises ConfigurationInvalid."""
    try:
        return Company.model_validate(item)
    except ValidationError as refusal:
        where = refusal.errors(include_input=False, include_url=False, include_context=False)[0]
    raise ConfigurationInvalid(".".join(str(part) for part in where["loc"]))


def key(company_id: str, project_id: str) -> Attributes:
    """Return the primary key of a project's item."""
    return {PARTITION_KEY: company_id, SORT_KEY: project_id}


@dataclass(eq=False)
class Companies:
    """Reads the company data table; items are cached for 30 seconds. *versions* were read: they never change."""

    table: Table
    versions: dict[tuple[str, str, int], Mapping[str, Any]] = field(default_factory=dict)
    _cache: dict[tuple[str, str], tuple[int, Attributes]] = field(default_factory=dict)

    def item(self, company_id: str, project_id: str) -> Attributes | None:
        """Return the stored item; None if the project is unknown."""
        now = clock.now_ms()
        cached = self._cache.get((company_id, project_id))
        if cached and now - cached[0] < CACHE_MS:
            return cached[1]
        item = self.table.get(key(company_id, project_id))
        if item is not None:
            self._cache[company_id, project_id] = (now, item)
        return item

    def projects(self, company_id: str) -> list[str]:
        """Return the ids of a company's projects in order, read with strong consistency."""
        project_ids: list[str] = []
        start: Attributes | None = None
        while True:
            items, start = self.table.query(None, Key(PARTITION_KEY).eq(company_id), start=start)
            project_ids += [str(item[SORT_KEY]) for item in items]
            if start is None:
                return project_ids

    def project(self, company_id: str, project_id: str) -> Company | None:
        """Return the project; None if it is unknown. Raises ConfigurationInvalid."""
        item = self.item(company_id, project_id)
        return parse(item) if item else None
