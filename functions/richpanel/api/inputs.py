"""Input models of the admin API and their limits."""

from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from richpanel.classification import Language
from richpanel.classification.taxonomy import Intent, Team
from richpanel.inbound.channels import Channel
from richpanel.store.items import DecisionOutcome
from shared.ai.versions.inputs import Note
from shared.api.models.inputs import Input
from shared.runtime import clock

LONGEST_TICKET = 20_000  # characters
LONGEST_KEY = 1_000
type KeyName = Literal[
    "richpanel", "shopify", "shopify_client_id", "shopify_client_secret", "shipstation_key", "shipstation_secret",
    "ai_api_key",
]  # fmt: skip


class SwitchesInput(Input):
    """Switches by name, as JSON or as stored texts. `richpanel.api.configuration.switches` checks the names."""

    model_config = ConfigDict(extra="allow")


class DecisionsQuery(Input):
    """The page of a conversation's audit."""

    limit: int = Field(default=50, ge=1, le=50)
    cursor: str | None = None


def _today() -> date:
    return datetime.fromtimestamp(clock.now_ms() / clock.SECOND_MS, UTC).date()


class DecisionListQuery(Input):
    """
    Filter for the decisions of a day (UTC, default today), and the page.

    *gate*: the reason why there was no reply, or the reason of the reply.
    """

    day: date = Field(default_factory=_today)
    intent: Intent | None = None
    team: Team | None = None
    gate: Annotated[str | None, Field(pattern=r"^[a-z0-9_]{1,64}$")] = None
    outcome: DecisionOutcome | None = None
    limit: int = Field(default=50, ge=1, le=50)
    cursor: str | None = None


class ForecastQuery(Input):
    """How many days back from today (UTC) are read, and how many tickets of dry run are compared with their state."""

    days: int = Field(default=7, ge=1, le=14)
    compare: int = Field(default=0, ge=0, le=20)


class SettingsQuery(Input):
    """The version of the settings; without *number* the settings in force."""

    number: int | None = Field(default=None, ge=0)


class SettingsVersionsQuery(Input):
    """The versions of the settings: the newest ones, or versions below *before*."""

    before: int | None = Field(default=None, ge=1)
    limit: int = Field(default=20, ge=1, le=50)


class SettingsInput(Input):
    """
    New settings (`richpanel.configuration.shop_settings`), on top of the version *based_on*. Absent parts stay, null
    parts get their standard values.
    """

    based_on: int = Field(ge=0)
    settings: dict[str, Any]


class SettingsDraftInput(Input):
    """
    Settings that are stored and not in force: on top of the version *based_on* (0: the standard settings), by default
    the one in force. Absent parts stay, null parts get their standard values. *note* says why.
    """

    settings: dict[str, Any]
    note: Note = ""
    based_on: int | None = Field(default=None, ge=0)


class SettingsRollbackInput(Input):
    """The version to return to (0: the standard settings), on top of the version *based_on*."""

    based_on: int = Field(ge=0)
    number: int = Field(ge=0)


class PreviewInput(Input):
    """
    The reply to show, and the settings (default: the settings in force).

    *asks_number*: the order is not known, so that the text asks for its number.
    """

    template: str = Field(max_length=64)
    language: Language = Language.ENGLISH
    channel: Channel = Channel.EMAIL
    brand: str | None = None
    asks_number: bool = True
    settings: dict[str, Any] | None = None


class ReplayInput(Input):
    """The mode of a replay: decide only (`dry_run`), or continue unfinished work (`repair`)."""

    mode: Literal["dry_run", "repair"]


class DecisionTrialInput(Input):
    """
    A ticket that does not exist. *context* has more facts about it, as `richpanel.decisions.command` reads them: the
    order, earlier messages, switches. *number* is the version of the settings, by default the one in force; *settings*
    change it for this call: null parts get their standard values.
    """

    text: str = Field(default="", max_length=LONGEST_TICKET)
    subject: str | None = Field(default=None, max_length=500)
    channel: Channel = Channel.EMAIL
    first_name: str | None = Field(default=None, max_length=100)
    context: dict[str, Any] = Field(default_factory=dict, max_length=30)
    number: int | None = Field(default=None, ge=0)
    settings: dict[str, Any] = Field(default_factory=dict)


def _is_visible(key: str | None) -> str | None:
    if key is None or (1 <= len(key) <= LONGEST_KEY and all("!" <= sign <= "~" for sign in key)):
        return key
    problem = f"must be one line of 1 to {LONGEST_KEY} ASCII characters without spaces"
    raise PydanticCustomError("secret", problem)


type Key = Annotated[str | None, AfterValidator(_is_visible)]


class KeysInput(Input):
    """
    Keys of the help desk, the shop, the shipping service and the model's provider. Absent ones stay, *remove* names
    those to remove. They are written and never shown again.
    """

    richpanel: Key = Field(default=None, repr=False)
    shopify: Key = Field(default=None, repr=False)
    shopify_client_id: Key = Field(default=None, repr=False)
    shopify_client_secret: Key = Field(default=None, repr=False)
    shipstation_key: Key = Field(default=None, repr=False)
    shipstation_secret: Key = Field(default=None, repr=False)
    ai_api_key: Key = Field(default=None, repr=False)
    remove: Annotated[list[KeyName], Field(max_length=len(get_args(KeyName.__value__)))] = Field(
        default_factory=list
    )

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not self.written() and not self.remove:
            raise PydanticCustomError("keys", "must have a key to store or to remove")
        if both := sorted(self.written().keys() & set(self.remove)):
            raise PydanticCustomError("keys", f"must not store and remove {', '.join(both)}")
        return self

    def written(self) -> dict[str, str]:
        """Return the keys to store by their names in the secret."""
        names = get_args(KeyName.__value__)
        return {name: key for name in names if (key := getattr(self, name)) is not None}
