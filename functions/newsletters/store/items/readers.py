"""Readers without a login: public lists, sign-ups, what readers choose, and the evidence of their consent."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from newsletters.store.items.item import PARTITION_KEY, SORT_KEY, TableItem
from newsletters.store.items.jobs import OPEN_WORK
from shared.aws.audited import audited
from shared.aws.tables.items import filled
from shared.providers.action_ledger import Action
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes

SIGNUP_PREFIX: Final = "SIGNUP#"
EVIDENCE_PREFIX: Final = "CONSENT#"

type Frequency = Literal["all", "weekly", "monthly"]
type Asked = Literal["join", "choices", "erase"]


class Welcome(BaseModel):
    """The mail to a reader who has joined a list: a subject, and plain text with paragraphs."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    subject: str = Field(repr=False)
    text: str = Field(repr=False)


@audited("title", "topics")
class PublicList(TableItem):
    """
    What the public sees of a list of contacts, and who sends its mails to readers. *is_open*: people may sign up.
    *has_archive*: sent issues are public. *topics* are those among which readers choose. *keeps_ip*: the evidence of
    consent has the network address of the reader. *welcome*: the mail to readers who have confirmed, once.
    """

    partition: ClassVar[str] = "NLCOMPANY#{company_id}"
    sort: ClassVar[str] = "LIST#{list_id}"

    company_id: str
    list_id: str
    title: str = Field(repr=False)
    description: str = Field(default="", repr=False)
    language: str = "en"
    is_open: bool = False
    has_archive: bool = False
    topics: list[str] = Field(default_factory=list)
    keeps_ip: bool = False
    welcome: Welcome | None = None
    sender: str
    sender_name: str = Field(repr=False)
    reply_to: str | None = None
    postal_address: str = Field(repr=False)
    updated_at: str
    updated_by: str
    version: int = 1


class ArchivedIssue(TableItem):
    """An issue in the public archive of a list."""

    partition: ClassVar[str] = "NLCOMPANY#{company_id}"
    sort: ClassVar[str] = "ARCHIVE#{list_id}#{sent_at}#{issue_id}"

    issue_id: str
    subject: str = Field(repr=False)
    preheader: str = Field(default="", repr=False)
    sent_at: str


class ReaderItem(TableItem):
    """An item of a reader, by the keyed hash of the address."""

    partition: ClassVar[str] = "NLSUB#{company_id}#{recipient}"

    @classmethod
    def key(cls, partition: str, *parts: str) -> Attributes:
        """Return the whole key: the company, the recipient, and the parts of the sort key."""
        recipient, *of_sort = parts
        return {
            PARTITION_KEY: cls.partition_of(partition, recipient),
            SORT_KEY: filled(cls.sort, *of_sort),
        }

    @classmethod
    def partition_of(cls, company_id: str, recipient: str) -> str:
        """Return the partition of all that is stored of a reader."""
        return filled(cls.partition, company_id, recipient)


class SignupState(StrEnum):
    """
    The state of a sign-up.

        requested -> sending -> mailed | unknown | failed | refused
            '----------'---------'-> confirmed -> joined
                                         '-> welcoming -> joined: the list has a welcome mail
        a new sign-up begins again; a link that was mailed earlier still confirms

    Of an erasure the joining is that the erasure starts; a link to the choices is not confirmed.
    """

    REQUESTED = "requested"
    SENDING = "sending"
    MAILED = "mailed"
    UNKNOWN = "unknown"
    FAILED = "failed"
    REFUSED = "refused"  # the list is closed, its sender is no longer the company's, or mail does not reach the address
    CONFIRMED = "confirmed"
    WELCOMING = "welcoming"
    JOINED = "joined"


class Signup(ReaderItem):
    """
    A sign-up of an address to a list; *recipient* is its keyed hash. It is open work until its mail is sent, and from
    the confirmation until the contact is in the list. *owner* makes the wire attempt, until *deadline_ms*.

    With *asks* it is another request of a reader that a mail answers, in the name of the list: for a link to the
    `choices`, or to `erase` all that newsletters have. *times_ms*: when the address asked for that.
    """

    sort: ClassVar[str] = "SIGNUP#{name}"
    ttl_days: ClassVar[int] = 30

    company_id: str
    recipient: str
    list_id: str
    asks: Asked = "join"
    times_ms: list[int] | None = None
    email: str = Field(repr=False)
    first_name: str = Field(default="", repr=False)
    language: str
    state: SignupState = SignupState.REQUESTED
    reason: str | None = None
    requested_at: str
    requests: int = 1
    turn: int = 0
    owner: str | None = None
    deadline_ms: int | None = None
    ses_id: str | None = None
    confirmed_at: str | None = None
    GSI1PK: str | None = OPEN_WORK
    GSI1SK: str | None = None
    ttl: int

    @property
    def name(self) -> str:
        """The request of the reader: the list, else `choices` or `erase`."""
        return self.list_id if self.asks == "join" else self.asks


class WelcomeMail(Action, ReaderItem):  # type: ignore[misc] # both have `named`; of a ledger's item it is the ledger's
    """The welcome mail of a list to a reader, in the action ledger: one attempt, also if the reader joins again."""

    model_config = ConfigDict(
        alias_generator=None, populate_by_name=True, extra="allow", defer_build=True
    )
    sort: ClassVar[str] = "WELCOME#{list_id}"
    ttl_days: ClassVar[int] = 400
    ttl_seconds: ClassVar[int] = 400 * clock.DAY_SECONDS


class SignupPace(ReaderItem):
    """The times of an address's sign-ups to any list (ms since 1970); written with the sign-up."""

    sort: ClassVar[str] = "PACE"
    ttl_days: ClassVar[int] = 2

    times_ms: list[int] = Field(default_factory=list)
    ttl: int


class ReaderQuota(ReaderItem):
    """Sign-ups of a company, or from one network address, and tests of a company, in the present hour and day."""

    sort: ClassVar[str] = "QUOTA"

    ttl: int


class Choices(ReaderItem):
    """
    What a reader has chosen: *language* of pages and mails, *frequency* of issues, *topics* of each list. *joins* are
    lists into which the contact *contact_id* is still to come, *is_language_new* that the contact does not have the
    language yet, *first_name* the one that it does not have yet, empty for none; until then it is open work.
    *last_issue_at* is kept for readers who want fewer issues.
    """

    sort: ClassVar[str] = "CHOICES"

    company_id: str
    recipient: str
    contact_id: str
    language: str | None = None
    frequency: Frequency = "all"
    topics: dict[str, list[str]] = Field(default_factory=dict)
    joins: list[str] = Field(default_factory=list)
    is_language_new: bool = False
    first_name: str | None = Field(default=None, repr=False)
    last_issue_at: str | None = None
    last_issue_id: str | None = None
    changed_at: str
    version: int = 1
    turn: int = 0
    GSI1PK: str | None = OPEN_WORK
    GSI1SK: str | None = None

    @property
    def changes_contact(self) -> bool:
        """Whether the contact does not have yet what the reader has chosen."""
        return bool(self.joins) or self.is_language_new or self.first_name is not None


class SoftBounces(ReaderItem):
    """
    Temporary bounces of an address in a row. *mails*: the provider's ids of the newest ones, *last_at* the time of the
    newest bounce.
    """

    sort: ClassVar[str] = "BOUNCES"
    ttl_days: ClassVar[int] = 90

    mails: list[str] = Field(default_factory=list)
    last_at: str
    ttl: int


class Interest(ReaderItem):
    """Since when a reader has shown interest, by a confirmed sign-up or a click; kept for 400 days after it."""

    sort: ClassVar[str] = "INTEREST"
    ttl_days: ClassVar[int] = 400

    since: str
    ttl: int


class ConsentEvidence(ReaderItem):
    """
    One act of a reader, which is never changed. *wording* is what the page said. *list_id* is absent if the act is
    about all newsletters. *ip* is kept only if the list asks for it.
    """

    sort: ClassVar[str] = "CONSENT#{at}#{id}"
    requested_days: ClassVar[int] = 30  # of a sign-up that nothing confirms

    action: Literal["requested", "confirmed", "joined", "left", "left_all", "returned"]
    at: str
    source: Literal["form", "link", "preferences"]
    list_id: str | None = None
    language: str
    wording: str = Field(default="", repr=False)
    user_agent_hash: str | None = None
    ip: str | None = Field(default=None, repr=False)
    ttl: int | None = None
