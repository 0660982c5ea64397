"""A thread of 2,000 mails, a customer with 500 threads, and a mail of 30 MB: calls and memory stay as they are."""

from __future__ import annotations

import base64
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from email_threads.parsing.caps import MOST_BYTES, MOST_HEADER_BYTES
from email_threads.parsing.mail import parse
from email_threads.store.items import Mail
from shared.aws.dynamodb import Table
from tests.integration.email_threads.api.thread_calls import result, thread_of
from tests.simulation.email_threads.system import ANN, MAILBOX, mail

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.email_threads.system import System

pytestmark = pytest.mark.long

MAILS = 2_000
THREADS = 500
BATCH = 25
MEGABYTE = 1_048_576


def calls(system: System, steps: Callable[[], object]) -> list[str]:
    """The calls of AWS that some steps make, in their order."""
    system.interceptor.rewind()
    steps()
    return list(system.interceptor.calls)


def put_all(system: System, items: list[dict[str, Any]]) -> None:
    table = Table(system.dynamodb, system.table)
    for start in range(0, len(items), BATCH):
        table.put_many(items[start : start + BATCH])


def lengthen(system: System, count: int) -> str:
    """Give the only thread so many mails, copies of its first one; return its path."""
    (head,) = system.threads()
    thread = head["conversation_id"]
    (first,) = system.mails(thread)
    copies = [first | Mail.number(thread, n) | {"n": n} for n in range(2, count + 1)]
    put_all(system, [*copies, head | {"email_count": count, "last_inbound_n": count}])
    return f"/email-threads/{thread}"


def test_a_thread_of_2000_mails_is_read_and_continued_with_the_calls_of_a_short_one(
    system: System,
) -> None:
    thread_of(system, mail("a@x", "Hello. " * 90))
    start = system.snapshot()
    made, shown = [], []
    for length in (2 * BATCH, MAILS):
        system.restore(start)
        path = lengthen(system, length)

        def steps(path: str = path) -> None:
            shown.append(result(system.call("GET", path))["email_count"])
            before: dict[str, str] = {}
            for _ in range(2):
                page = result(system.call("GET", f"{path}/emails", query=before))
                shown.append([one["n"] for one in page["mails"]])
                before = {"before": str(page["mails"][-1]["n"])}
            system.deliver(mail("b@x", in_reply_to="a@x"), name="b", address=MAILBOX)
            system.drain()

        made.append(calls(system, steps))

    assert made[0] == made[1]
    newest = list(range(MAILS, MAILS - BATCH, -1))
    assert shown[3:] == [MAILS, newest, [n - BATCH for n in newest]]
    (head,) = system.threads()
    assert head["email_count"] == MAILS + 1


def test_a_split_of_a_thread_of_2000_mails_is_requested_with_the_calls_of_a_short_one(
    system: System,
) -> None:
    thread_of(system, mail("a@x"))
    start = system.snapshot()
    made = []
    for length in (2 * BATCH, MAILS):
        system.restore(start)
        path = lengthen(system, length)
        given = {"mails": [length - 1, length]}
        named = calls(system, lambda: result(system.call("POST", f"{path}/split", given)))  # noqa: B023 - called at once
        made.append([call.partition(" ")[0] for call in named])

    assert made[0] == made[1]


def test_a_customer_with_500_threads_is_listed_and_heard_with_the_calls_of_one_with_25(
    system: System,
) -> None:
    thread_of(system, mail("a@x"))
    (head,) = system.threads()
    (row,) = [one for key, one in system.rows().items() if "#participant#" in key]
    start = system.snapshot()
    made, pages = [], []
    for count in (BATCH, THREADS):
        system.restore(start)
        copies = []
        for number in range(count):
            name = f"{number:016x}"
            key = row["conversation_id"].replace(head["conversation_id"], name)
            copies += [head | {"conversation_id": name}, row | {"conversation_id": key}]
        put_all(system, copies)

        def steps() -> None:
            query = {"participant": ANN}
            pages.append(len(result(system.call("GET", "/email-threads", query=query))["threads"]))
            system.deliver(mail("b@x", subject="Re: Tables"), name="b", address=MAILBOX)
            system.drain()

        made.append(calls(system, steps))

    assert made[0] == made[1]
    assert pages == [BATCH, BATCH]


def test_of_a_mail_of_30_megabytes_only_the_headers_are_read_and_it_is_kept_for_a_person(
    system: System,
) -> None:
    block = mail("huge@x", "Hello.", more="Subject: Plans")
    raw = block + b"\n" + (b"0" * 76 + b"\n") * (30 * MEGABYTE // 77)
    ranges: list[str | None] = []
    client = system.worker.resources.bucket.client
    client.meta.events.register(
        "provide-client-params.s3.GetObject",
        lambda params, **_: ranges.append(params.get("Range")),
        unique_id="ranges",
    )
    try:
        key = system.deliver(raw, name="huge", address=MAILBOX)
        system.drain()
    finally:
        client.meta.events.unregister("provide-client-params.s3.GetObject", unique_id="ranges")

    assert ranges == [f"bytes=0-{MOST_HEADER_BYTES - 1}"]
    (stored,) = system.mails()
    assert (stored["kind"], stored["hold_reason"]) == ("held", "too_large")
    assert (stored["from"], stored["raw_key"]) == (ANN, key)


def test_the_largest_mail_that_is_parsed_needs_less_than_a_third_of_the_workers_memory() -> None:
    file = base64.encodebytes(bytes(range(256)) * (7 * MEGABYTE // 256))
    raw = (
        b"From: ann@orchard.example\nMessage-ID: <large@x>\nMIME-Version: 1.0\n"
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nHello.\n--b\n"
        b"Content-Type: application/pdf\nContent-Transfer-Encoding: base64\n"
        b"Content-Disposition: attachment; filename=plan.pdf\n\n" + file + b"--b--\n"
    )
    assert 0.9 * MOST_BYTES < len(raw) <= MOST_BYTES
    tracemalloc.start()
    try:
        parsed = parse(raw)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert [len(one.content or b"") for one in parsed.attachments] == [7 * MEGABYTE]
    assert most < 512 * MEGABYTE // 3
