"""
The rates at which parts of a deployment stop keeping up, calculated from the template, the measured requests of events
and quotas of AWS.

    python -m tests.cost.limits [--write docs/performance.md]

Times are assumptions, named below; every other number is read from the template or the code, or is a quota of AWS in
us-east-1. The sandbox of `make load` cannot show any of these rates.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from conversations.store.items.routes import ActiveShard
from conversations.store.limits import active_shards
from local.docs.readme_tables import replace_section
from operations.doctor import capacity
from shared.aws.secrets import CACHE_MS
from shared.inbox.lists import partitions
from shared.policy.kill_switches import CACHE_SECONDS
from tests import template
from tests.cost.console import inbox
from tests.cost.conversations import conversations
from tests.cost.email_threads import kinds as email_kinds
from tests.cost.whatsapp import kinds
from whatsapp.jobs import counting_plan
from whatsapp.jobs.minute_jobs import COUNT_MS
from whatsapp.store.analytics import counts
from whatsapp.store.items import Intent

if TYPE_CHECKING:
    from collections.abc import Iterator

# Assumptions.
CALL_MS: Final = 7  # a request to a service of AWS, of 5 to 10
BATCH_READ_MS: Final = 20  # a BatchGetItem of 100 keys
TRANSACTION_MS: Final = (
    20  # from its first write to its last one: others of the same item conflict meanwhile
)
UNDISTURBED: Final = (
    1 / 3
)  # of the time an item may be in transactions, until most attempts conflict
TURN_SECONDS: Final = 3  # the model or provider of one message
FILE_SECONDS: Final = 2
COUNTED_PAGE_MS: Final = (
    200  # a thousand messages: mostly the time of the processor, 4 ms of a whole one for a hundred
)
PAGE_MESSAGES: Final = 10  # of a campaign, per second and page
# Quotas of AWS.
PARTITION_UNITS: Final = 1_000  # write units per second of one partition of a table or an index
PARAMETER_READS: Final = 40  # GetParameter and GetParametersByPath, per second of an account
IN_FLIGHT: Final = 120_000  # messages of one queue
ACCOUNT_EXECUTIONS: Final = 1_000
MESSAGE_UNITS: Final = inbox.WRITTEN_DOWN[inbox.MESSAGE].write_units
# Queues without shares, see decision 0117: an event takes less time than a look at whose it is.
IN_ORDER: Final = (
    "WhatsApp messages",
    "customers' messages of AI conversations",
    "statuses of AI conversations",
    "mails",
)
BACKLOG: Final = 6_000
# Indexes whose partition keys have few values: the units that one event writes into one partition, the partitions that
# the events are divided into at most, what the event is, and who shares them.
SHARED_PARTITIONS: Final[dict[tuple[str, str], tuple[float, int, str, str]]] = {
    ("WhatsAppTable", "gsi_direction"): (1, 1, "inbound messages", "all companies"),
    ("WhatsAppTable", "gsi_status"): (1, 1, "statuses of one kind", "all companies"),
    ("WhatsAppTable", "gsi_webhook_event"): (
        2,
        Intent.shards,
        "messages from the inbox",
        "all companies",
    ),
    ("ConversationsTable", "company-id-project-id-index"): (3, 1, "answers", "one company"),
    ("EmailThreadsTable", "StatusIndex"): (8, 1, "mails in threads of one status", "all companies"),
    # All units of a change but the unit of the entry itself.
    ("InboxTable", "gsi_list"): (
        MESSAGE_UNITS - 1,
        partitions.MOST,
        "changes of one list",
        "one company",
    ),
}


@dataclass(frozen=True, slots=True)
class Limit:
    """One row. *rate* is events per second; *what* names the events, *source* where the numbers are from."""

    what: str
    rate: float
    source: str
    beyond: str


def limits(**given: str) -> list[Limit]:
    """All rows under these parameters."""
    return [
        *_queues(given),
        *_partitions(given),
        *_places(),
        _counts(),
        *_feeds(given),
        *_requests(given),
        *_parameter_store(),
    ]


def feed_rate(**given: str) -> float:
    """Changes per second of one shard, each of another conversation: the most expensive batch."""
    source = _source("WhatsAppInboxFeed", "Heads", given)
    records = int(source["BatchSize"])
    # A write for each record; entries, and heads in at most two batches; then the look for connections.
    batch_ms = records * CALL_MS + 3 * BATCH_READ_MS + CALL_MS
    return int(source["ParallelizationFactor"]) * records / batch_ms * 1_000


def waits_behind(records: int, **given: str) -> dict[str, float]:
    """
    The seconds that one event waits behind so many of other conversations, on each queue that companies share in order.

    Their workers are all busy, and handle no event for longer than it takes. Events of one conversation are one group.
    """
    rates = {one.what: one.rate for one in _queues(given)}
    return {what: records / rates[what] for what in IN_ORDER}


def markdown() -> str:
    """The section of docs/performance.md."""
    found = limits()
    rows = ["| what | per second | calculated from | beyond it |", "| --- | ---: | --- | --- |"]
    rows += [f"| {one.what} | {_text(one.rate)} | {one.source} | {one.beyond} |" for one in found]
    maxima = {name: int(template.parameters({})[name]) for name in capacity.SOURCES}
    used = capacity.FIXED + sum(capacity.SOURCES[name] * most for name, most in maxima.items())
    streams = sum(1 for _ in _sources("DynamoDB", {}))
    parallel = int(template.parameters({})["FeedParallelization"])
    rows += [
        "",
        f"With all queues full, the default maxima take {used} of an account's {ACCOUNT_EXECUTIONS:,} concurrent"
        f" executions, and the {streams} feeds {parallel} for each shard of a stream. A",
        f"queue holds {IN_FLIGHT:,} messages in flight, far more than these executions have.",
        "",
        "Queues of received events have no shares of companies"
        f" ([0117](decisions/0117-received-events-in-order.md)). Behind {BACKLOG:,} events of another company"
        " one event waits for",
        ", ".join(f"{seconds:.0f} s ({what})" for what, seconds in waits_behind(BACKLOG).items())
        + "; behind 100,000 events 17 times as long.",
    ]
    return "\n".join(rows) + "\n"


def _queues(given: dict[str, str]) -> Iterator[Limit]:
    waits = "messages wait in the queue; `QueuesOld`"
    of_whatsapp = {kind.name: kind.figures for kind in kinds.KINDS}
    customer = conversations.WRITTEN_DOWN["a message of the customer"]
    status = conversations.WRITTEN_DOWN["status: delivered"]
    mail = email_kinds.WRITTEN_DOWN["a further mail"]
    text = of_whatsapp["message: text"].requests
    yield _worked(
        "WhatsApp messages", ("WhatsAppWorker", "Queue"), text * CALL_MS / 1_000, given, waits
    )
    yield Limit(
        "WhatsApp messages of one conversation",
        1_000 / (text * CALL_MS),
        "one run at a time for a group of the FIFO queue",
        "that conversation waits",
    )
    yield _worked(
        "customers' messages of AI conversations",
        ("ConversationsIntake", "Work"),
        customer.requests * CALL_MS / 1_000,
        given,
        waits,
    )
    yield _worked(
        "statuses of AI conversations",
        ("ConversationsStatuses", "Work"),
        status.requests * CALL_MS / 1_000,
        given,
        waits,
    )
    yield _worked(
        "first messages of a channel",
        ("ConversationsWhatsApp", "Work"),
        TURN_SECONDS,
        given,
        waits,
    )
    yield _worked(
        "agents' messages",
        ("ConversationsReplies", "Agents"),
        TURN_SECONDS,
        given,
        "they wait; `AgentsQueueOld`",
    )
    yield _worked(
        "answers of AI conversations", ("ConversationsReplies", "Work"), TURN_SECONDS, given, waits
    )
    yield _worked(
        "mails", ("EmailThreadsWorker", "Work"), mail.requests * CALL_MS / 1_000, given, waits
    )
    yield _worked(
        "mails that a model reads", ("EmailThreadsWorker", "Work"), TURN_SECONDS, given, waits
    )
    yield _worked(
        "tickets of the help desk", ("RichpanelWorker", "Mail"), TURN_SECONDS, given, waits
    )
    yield _worked("files of WhatsApp", ("WhatsAppJobs", "File"), FILE_SECONDS, given, "`FilesLate`")
    yield _worked(
        "messages of campaigns",
        ("WhatsAppJobs", "Campaign"),
        1 / PAGE_MESSAGES,
        given,
        "pages wait; `CampaignsLate`",
    )


def _worked(
    what: str, source: tuple[str, str], seconds: float, given: dict[str, str], beyond: str
) -> Limit:
    """The rate of a queue's workers: runs at the same time, divided by the seconds of one message."""
    function, event = source
    raw = template.template()["Resources"][function]["Properties"]["Events"][event]["Properties"]
    most = raw["ScalingConfig"]["MaximumConcurrency"]
    runs = int(_source(function, event, given)["ScalingConfig"]["MaximumConcurrency"])
    name = f"`{most['Ref']}` " if isinstance(most, dict) else ""
    return Limit(what, runs / seconds, f"{name}{runs} at {seconds:.2g} s", beyond)


def _partitions(given: dict[str, str]) -> Iterator[Limit]:
    for (table, index), (units, most, event, shared_by) in SHARED_PARTITIONS.items():
        names = {
            one["IndexName"]
            for one in template.properties(table, **given)["GlobalSecondaryIndexes"]
        }
        if index in names:
            yield Limit(
                f"{event}, of {shared_by}",
                most * PARTITION_UNITS / units,
                f"{most if most > 1 else 'a'} partition{'s' if most > 1 else ''} of `{index}` of {table}:"
                f" {units:g} of {PARTITION_UNITS:,} units each",
                "the table's writes are throttled; `TableThrottled`",
            )


def _counts() -> Limit:
    """Messages whose hours change at all ages: their parts in the counts of the hour itself, and whole hours then."""
    minutes = counting_plan.EVERY_MINUTES
    of_run = COUNT_MS / (minutes * counting_plan.MINUTE_MS)
    reads = sum(counting_plan.LARGE_AT) / 60 + 1 + len(counting_plan.AGES)
    return Limit(
        "messages of WhatsApp that are counted, of all companies",
        of_run * counts.ENTRIES_PER_QUERY / COUNTED_PAGE_MS * 1_000 / reads,
        f"{COUNT_MS // 1_000} s of {minutes} minutes, {reads:.2g} reads of each message at most",
        "counts are late; `ScheduleLate`",
    )


def _places() -> Iterator[Limit]:
    """Conversations of a project: a transaction of its count, or of a shard, at the start and at the end."""
    one = 1_000 / TRANSACTION_MS * UNDISTURBED / 2
    shards, most = len(ActiveShard.names), active_shards.SHARDED_FROM
    times = f"2 transactions of {TRANSACTION_MS} ms each, in a third of the time"
    beyond = "500 `DATABASE_ERROR` after 3 s of conflicts; it can be repeated"
    yield Limit("AI conversations that start and end, of one project", one, times, beyond)
    yield Limit(
        f"the same with `concurrent_conversations` from {most:,}",
        shards * one,
        f"{shards} shards of its count",
        beyond,
    )


def _feeds(given: dict[str, str]) -> Iterator[Limit]:
    source = _source("WhatsAppInboxFeed", "Heads", given)
    yield Limit(
        "changes of conversations in the inbox, for each shard of a stream",
        feed_rate(**given),
        f"`FeedParallelization` {source['ParallelizationFactor']} batches of {source['BatchSize']}",
        "entries are late; `FeedLate`",
    )
    yield Limit(
        "changes of one conversation in the inbox",
        1_000 / (3 * CALL_MS),
        "a read of entry and head, and a write",
        "records of it are handled together",
    )


def _requests(given: dict[str, str]) -> Iterator[Limit]:
    values = template.parameters(given)
    rate = int(values["ApiRateLimit"])
    company = rate * int(values["ApiCompanyPercent"]) / 100
    yield Limit(
        "webhooks of Meta or Twilio, for each route",
        int(values["WebhookRateLimit"]),
        "`WebhookRateLimit`",
        "429; Meta sends them again, the gap check finds Twilio's",
    )
    yield Limit("calls of the API, of all companies", rate, "`ApiRateLimit`", "429")
    yield Limit(
        "calls of the API, of one company",
        company,
        f"`ApiCompanyPercent`; {rate / company:.2g} companies at it use `ApiRateLimit` up",
        "429",
    )


def _parameter_store() -> Iterator[Limit]:
    """Environments instead of a rate: each reads its switches, and two secrets, at fixed intervals."""
    switches = PARAMETER_READS * CACHE_SECONDS
    both = PARAMETER_READS / (1 / CACHE_SECONDS + 2 / (CACHE_MS / 1_000))
    beyond = "the last values are used for some minutes"
    yield Limit(
        "environments of functions that send (not per second)",
        switches,
        f"{PARAMETER_READS} reads a second, one in {CACHE_SECONDS} s each",
        beyond,
    )
    yield Limit(
        "the same with `SecretStore=parameters`",
        both,
        f"and two secrets in {CACHE_MS // 1_000} s each",
        beyond,
    )


def _source(function: str, event: str, given: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = template.properties(function, **given)["Events"][event]["Properties"]
    return found


def _sources(kind: str, given: dict[str, str]) -> Iterator[dict[str, Any]]:
    for name in template.resources("AWS::Serverless::Function"):
        for event in template.properties(name, **given).get("Events", {}).values():
            if event["Type"] == kind:
                yield event["Properties"]


def _text(rate: float) -> str:
    """Two significant digits: the assumptions allow no more."""
    return f"{float(f'{rate:.2g}'):,.0f}" if rate >= 10 else f"{rate:.2g}"


if __name__ == "__main__":
    table = markdown()
    print(table)
    if sys.argv[1:2] == ["--write"]:
        replace_section(Path(sys.argv[2]), "limits", table)
