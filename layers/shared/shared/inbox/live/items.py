"""
The items of the live table: one-time tickets, open connections, browsers that get pushes, and counts of searches and
reads of metrics.
Notifications, which are in it too, are in `shared.inbox.notifications`.
"""

from typing import ClassVar, Final

from shared.aws.dynamodb import Attributes
from shared.aws.sqs_fifo import digest
from shared.aws.tables.items import Item, filled
from shared.inbox.items import Context

PARTITION_KEY: Final = "pk"
SORT_KEY: Final = "sk"
CONNECTION_INDEX: Final = "gsi_connection"
PRINCIPAL_INDEX: Final = "gsi_principal"  # tickets are in it too
EVERY_PROJECT: Final = "*"
TICKET_SECONDS: Final = 60
# API Gateway ends a WebSocket connection after two hours.
CONNECTION_SECONDS: Final = 2 * 3_600 + 300
SUBSCRIBED_DAYS: Final = 60  # since a page of the browser was open last


class Reader(Item):
    """
    The access of a caller, copied when the ticket was issued.

    `contexts` whose conversations the caller may read. `projects`: names, or `*` for all. `issued_at`: when the
    caller's access token was issued (epoch seconds); 0 for an API key.
    """

    company: str
    principal: str
    contexts: set[Context]
    projects: set[str]
    issued_at: int = 0

    def may_read(self, company: str, context: Context, project: str | None) -> bool:
        """Whether the caller may read a conversation; *project* is None if it belongs to none."""
        in_projects = project is None or not self.projects.isdisjoint({EVERY_PROJECT, project})
        return company == self.company and context in self.contexts and in_projects


class Ticket(Reader):
    """Opens one connection within TICKET_SECONDS. The key has a hash: who reads the table cannot use a ticket."""

    pk_pattern: ClassVar[str] = "TICKET#{hash}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str = "TICKET"
    ttl: int

    @classmethod
    def key(cls, ticket: str) -> Attributes:
        """Return the key of a ticket, from its text."""
        hashed = filled(cls.pk_pattern, digest("live ticket", ticket))
        return {PARTITION_KEY: hashed, SORT_KEY: "TICKET"}


class Connection(Reader):
    """
    An open connection, in the partition of its company. `gsi_connection` holds its key by `connection_id`,
    `gsi_principal` by `principal`.

    `heard_at`: when its latest message was relayed (ms since 1970). `shown`: the conversation that its client shows, as
    `place` writes it.
    """

    pk_pattern: ClassVar[str] = "COMPANY#{company}"
    sk_pattern: ClassVar[str] = "CONNECTION#{connection_id}"
    indexes: ClassVar[tuple[str, ...]] = (CONNECTION_INDEX, PRINCIPAL_INDEX)
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str
    connection_id: str
    connected_at: int  # ms since 1970
    heard_at: int = 0
    shown: str | None = None
    ttl: int  # epoch seconds

    @classmethod
    def partition(cls, company: str) -> str:
        """Return the partition of a company's connections."""
        return filled(cls.pk_pattern, company)

    @classmethod
    def key(cls, company: str, connection_id: str) -> Attributes:
        """Return the key of a connection."""
        return {PARTITION_KEY: cls.partition(company), SORT_KEY: cls.sort_key(connection_id)}

    @classmethod
    def sort_key(cls, connection_id: str) -> str:
        """Return the sort key of a connection; of no id: the beginning of all."""
        return cls.sk_pattern.format(connection_id=connection_id)

    @property
    def own_key(self) -> Attributes:
        """The key of this connection."""
        return {PARTITION_KEY: self.pk, SORT_KEY: self.sk}


class PushSubscription(Item):
    """
    A browser that gets a push when something waits for a person whose pages are closed. In the company's partition,
    beside its connections. `gsi_principal` holds its key by `principal`.

    `owners`: the person, and the teams whose notifications they want. `endpoint`: the browser's address at its
    push service. `pushed_to`: the time of the newest notification that a push was sent for.
    """

    pk_pattern: ClassVar[str] = Connection.pk_pattern
    sk_pattern: ClassVar[str] = "PUSH#{hash}"
    indexes: ClassVar[tuple[str, ...]] = (PRINCIPAL_INDEX,)
    ttl_days: ClassVar[int | None] = SUBSCRIBED_DAYS

    pk: str
    sk: str
    company: str
    principal: str
    owners: set[str]
    endpoint: str
    pushed_to: str = ""
    ttl: int

    @classmethod
    def key(cls, company: str, principal: str, endpoint: str) -> Attributes:
        """Return the key of a person's browser."""
        hashed = digest("push", principal, endpoint)
        return {PARTITION_KEY: Connection.partition(company), SORT_KEY: cls.sort_key(hashed)}

    @classmethod
    def sort_key(cls, hashed: str) -> str:
        """Return the sort key of a browser; of no hash: the beginning of all."""
        return cls.sk_pattern.format(hash=hashed)

    @property
    def own_key(self) -> Attributes:
        """The key of this item."""
        return {PARTITION_KEY: self.pk, SORT_KEY: self.sk}


class SearchCount(Item):
    """The searches of a caller in the present minute. Its other attributes belong to `aws.tables.rate_limits`."""

    pk_pattern: ClassVar[str] = "SEARCHES#{company}"
    sk_pattern: ClassVar[str] = "{principal}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str
    ttl: int

    @classmethod
    def key(cls, company: str, principal: str) -> Attributes:
        """Return the key of a caller's count."""
        return {
            PARTITION_KEY: filled(cls.pk_pattern, company),
            SORT_KEY: filled(cls.sk_pattern, principal),
        }


class MetricCount(Item):
    """The reads of metrics in the present minute and day. Its other attributes belong to `aws.tables.rate_limits`."""

    pk_pattern: ClassVar[str] = "METRICS"
    sk_pattern: ClassVar[str] = "{kind}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str
    ttl: int

    @classmethod
    def key(cls, kind: str) -> Attributes:
        """Return the key of the count of a kind of reads."""
        return {PARTITION_KEY: cls.pk_pattern, SORT_KEY: filled(cls.sk_pattern, kind)}


def place(context: Context, key: str) -> str:
    """Return a conversation as one text; *key* is the one in APIs."""
    return f"{context} {key}"
