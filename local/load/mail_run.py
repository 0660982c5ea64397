"""One load run of e-mail threads: store mails, kill, approve the drafts, wait, compare."""

from __future__ import annotations

import json
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote_plus

import urllib3

from events.whatsapp.sample_data import LOAD_COMPANY
from local.load.function_killer import MAIL, FunctionKiller
from local.load.mail_check import MailVerdict, drafts_waiting, parked, verdict
from local.load.mail_traffic import DESK, DOMAIN, PEOPLE, ROBOT, mail_traffic
from local.load.run import (
    BETWEEN_KILLS_SECONDS,
    REPORT_EVERY_SECONDS,
    TIMEOUT_SECONDS,
    short_visibility,
)
from local.load.traffic import SENDERS
from local.stack.seed import grant, operate

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator

    from local.load.mail_traffic import Arrival, MailTraffic
    from local.load.run import Plan
    from local.stack.cli import Stack

SCOPES: Final = ("read", "write", "approve", "admin")
QUEUES: Final = ("email_inbound", "email_threads")
# Longer than a batch takes on a busy machine: a mail delivered again during its run counts one attempt more, and
# after five it is a dead letter. A killed send is in doubt for three minutes, if no event of SES comes.
VISIBILITY_SECONDS: Final = 60
QUIET_SECONDS: Final = 5  # SES's events follow a send
_MODEL: Final = {"automation": "email_threads", "ai": {"provider": "scripted"}}
_MAILBOXES: Final[dict[str, dict[str, Any]]] = {
    PEOPLE: {"automation": "none"},
    DESK: _MODEL,
    ROBOT: _MODEL | {"reply_mode": "auto"},
}
_ACCEPTED: Final = frozenset({200, 202})
_GONE: Final = frozenset({404, 409})


@dataclass(frozen=True, slots=True)
class MailOutcome:
    """The result: killed processes, approved drafts, durations, and the verdict."""

    traffic: MailTraffic
    verdict: MailVerdict
    approved: int
    killed: Counter[str]
    stored_within_s: float
    done_within_s: float

    def in_words(self) -> Iterator[str]:
        """Yield the lines of a readable report."""
        sent, found = self.traffic, self.verdict
        reasons = ", ".join(f"{number} {reason}" for reason, number in sorted(found.parked.items()))
        killed = ", ".join(f"{name} {number}" for name, number in sorted(self.killed.items()))
        yield (
            f"{sent.events} mails = {found.stored} stored + {sent.repeats} repeated"
            f" + {found.parked.total()} parked ({reasons}); {sent.early} came before the mail that they answer"
        )
        yield (
            f"{self.approved} drafts approved by people; {found.answers} mails sent,"
            f" {found.unknown} sends without evidence"
        )
        yield f"killed: {killed or 'none'}"
        yield (
            f"all mails handled at {sent.events / self.stored_within_s:.1f} a second;"
            f" with the answers {self.done_within_s:.0f} s (waits for killed workers included)"
        )
        yield from (f"ERROR: {fault}" for fault in found.faults)
        if not found.faults:
            yield "Every mail is in one thread, numbered without gaps, and no draft was sent twice."


def run(stack: Stack, plan: Plan, *, report: Callable[[str], None]) -> MailOutcome:
    """Store all mails while functions are killed, approve what waits, wait until all is handled, and check."""
    key = _prepare(stack)
    sent = mail_traffic(plan.seed, plan.events, plan.conversations, f"load{int(time.time())}")
    killer = FunctionKiller(plan.seed, plan.kills, BETWEEN_KILLS_SECONDS, MAIL)
    before = parked(stack)
    began = time.monotonic()
    with ExitStack() as context:
        for name in QUEUES:
            context.enter_context(short_visibility(stack, name, VISIBILITY_SECONDS))
        killer.start()
        context.callback(killer.stop)
        with ThreadPoolExecutor(SENDERS) as senders:
            list(senders.map(lambda arrivals: _store_all(stack, arrivals), sent.by_sender))
        report(f"all in the bucket, in {time.monotonic() - began:.0f} s")
        _wait_until_handled(stack, report)
        stored_within = time.monotonic() - began
        approved = _approve_all(stack, key, sent)
        report(f"{approved} drafts approved")
        _wait_until_handled(stack, report)
    done_within = time.monotonic() - began
    found = verdict(stack, sent, before)
    return MailOutcome(sent, found, approved, killer.killed, stored_within, done_within)


def _prepare(stack: Stack) -> str:
    """Register the mailboxes of the load run, which belong to a separate company; return an API key of it."""
    scopes = [f"email_threads:{one}" for one in SCOPES]
    key = operate(
        stack,
        "api-keys",
        "create",
        "--company",
        LOAD_COMPANY,
        "--scopes",
        *scopes,
        "--name",
        "load",
    )
    grant(stack, "email", f"@{DOMAIN}", company=LOAD_COMPANY)
    for address, settings in _MAILBOXES.items():
        status = _call(stack, key, "PUT", f"/email-mailboxes/{address}", settings)
        if status not in _ACCEPTED:
            raise RuntimeError(f"PUT /email-mailboxes answered {status}")
    return key


def _store_all(stack: Stack, arrivals: list[Arrival]) -> None:
    """Store mails as SES does; S3 notifies the queue, and of some mails this repeats its notification."""
    s3, sqs = stack.client("s3"), stack.client("sqs")
    for arrival in arrivals:
        key = f"raw/{arrival.mailbox}/{uuid.uuid4().hex}"
        answer = s3.put_object(Bucket=stack.buckets["email"], Key=key, Body=arrival.raw)
        if arrival.is_told_twice:
            object_ = {
                "key": quote_plus(key),
                "size": len(arrival.raw),
                "eTag": answer["ETag"].strip('"'),
            }
            record = {
                "eventSource": "aws:s3",
                "eventName": "ObjectCreated:Put",
                "eventTime": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
                "s3": {"bucket": {"name": stack.buckets["email"]}, "object": object_},
            }
            body = json.dumps({"Records": [record]})
            sqs.send_message(QueueUrl=stack.queues["email_inbound"], MessageBody=body)


def _approve_all(stack: Stack, key: str, sent: MailTraffic) -> int:
    """Approve each waiting draft of this run twice, as by a double click; return how many there are."""
    approved = 0
    for draft in drafts_waiting(stack, sent):
        path = f"/email-threads/{draft.thread}/replies/{draft.reply_id}/approve"
        for _ in range(2):
            status = _call(stack, key, "POST", path, {"version": draft.version})
            if status not in _ACCEPTED | _GONE:
                raise RuntimeError(f"POST approve answered {status}")
        approved += 1
    return approved


def _call(stack: Stack, key: str, method: str, path: str, body: dict[str, Any]) -> int:
    http = urllib3.PoolManager(retries=False, timeout=60)
    address, headers = stack.api_url + path, {"x-api-key": key}
    return http.request(method, address, headers=headers, body=json.dumps(body)).status


def _wait_until_handled(stack: Stack, report: Callable[[str], None]) -> None:
    """Wait until the queues have been empty for some seconds. Raises RuntimeError after half an hour."""
    began, quiet_since = time.monotonic(), time.monotonic()
    next_report, left = 0.0, 0
    while (now := time.monotonic()) - began < TIMEOUT_SECONDS:
        left = stack.messages_on(QUEUES)
        quiet_since = now if left else quiet_since
        if now - quiet_since >= QUIET_SECONDS:
            return
        if left and now - began >= next_report:
            next_report = now - began + REPORT_EVERY_SECONDS
            report(f"{left} events wait")
        time.sleep(1)
    raise RuntimeError(f"{left} events were not handled within {TIMEOUT_SECONDS} s")
