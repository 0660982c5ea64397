"""
An issue to many people with everything that goes wrong at once: no one is written to twice, and all have an end.

SES is a double in the process: a mail per call over HTTP would test the sandbox for minutes. PARLEY_ISSUE_PEOPLE is
the number of people, by default as many as the suite has time for.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from newsletters.issues import content
from newsletters.issues.delivery import turns
from newsletters.issues.delivery.limits.allowance import share_of
from newsletters.issues.delivery.turns import TURN_MS
from newsletters.store import issues
from newsletters.store.items import Issue, IssueState, RecipientState
from shared.contacts.items import Member, Membership
from shared.identity.contacts import resolution
from shared.identity.contacts.items import Profile
from shared.identity.identifiers import IdentifierKind, identifier
from shared.policy.consent.subscriptions import EMAIL
from shared.runtime import clock
from tests import keyring
from tests.simulation.interceptor import When
from tests.simulation.newsletters.scenarios import EXPORTED, settled
from tests.simulation.newsletters.steps.issues import (
    KEYS,
    approved,
    contacts_of,
    drafted,
    granted,
    issue_of,
    ledger,
    made_list,
    opted,
    ordered,
    reader,
    reported,
    sent,
    stats,
    warm,
)
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

pytestmark = pytest.mark.long
PEOPLE = int(os.environ.get("PARLEY_ISSUE_PEOPLE", "10000"))
IN_SECOND, IN_BOTH = PEOPLE // 10, PEOPLE // 30
SMALL, OTHER = "globex", "IS-20260101-00000000"
RATE = share_of(14, 1)  # as the sandbox
MAILS_OF_A_TURN = TURN_MS // RATE.every_ms + RATE.burst


@dataclass
class Provider:
    """SES in the process: it takes mails, throttles, refuses, and loses answers of mails that it has taken or not."""

    chance: random.Random
    taken: Counter[str] = field(default_factory=Counter)
    requests: list[dict[str, Any]] = field(default_factory=list)
    lost: int = 0
    is_suspended: bool = False

    def send_email(self, **request: Any) -> dict[str, Any]:
        if self.is_suspended:
            raise _error("AccountSuspendedException", 400)
        (address,) = request["Destination"]["ToAddresses"]
        what = self.chance.random()
        if what < 0.0005:
            raise _error("TooManyRequestsException", 429)
        if what < 0.002:
            raise _error("MessageRejected", 400)
        is_taken = what > 0.003
        if is_taken:
            self.taken[address] += 1
            self.requests.append({**request, "ses_id": f"ses-{len(self.requests)}"})
        if not is_taken or what > 0.998:
            self.lost += 1
            raise ReadTimeoutError(endpoint_url="https://ses.invalid")
        return {"MessageId": self.requests[-1]["ses_id"]}


def _error(code: str, status: int) -> ClientError:
    answer: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(answer, "SendEmail")


def address_of(number: int) -> str:
    return f"reader{number}@orchard.example"


def people(system: System, list_id: str, numbers: range) -> None:
    """People in a list, written as the console writes them."""
    table = contacts_of(system)
    with keyring.held(KEYS):
        for first in range(numbers.start, numbers.stop, 8):
            batch: list[dict[str, Any]] = []
            for number in range(first, min(first + 8, numbers.stop)):
                mail = identifier(IdentifierKind.EMAIL, address_of(number))
                own = resolution.ids_of(COMPANY, mail)[0]
                profile = {
                    "company_id": COMPANY, "contact_id": own, "kind": "email", "value": mail.value,
                    "created_at": clock.to_text(system.clock.ms), "named_by": "test",
                }  # fmt: skip
                batch += [
                    {**Profile.key(COMPANY, own), **profile},
                    {**Member.key(COMPANY, list_id, own), "company_id": COMPANY},
                    {**Membership.key(COMPANY, own, list_id), "company_id": COMPANY},
                ]
            table.put_many(batch)


def other_issue(system: System) -> str:
    """A small issue of another company, which begins while the large one is sent."""
    granted(system, SMALL, "@other.example")
    list_id = made_list(system, company=SMALL)
    reader(system, list_id, "zoe@field.example", company=SMALL)
    resources = system.api.resources
    large = issue_of(system)
    own = {"issue_id": OTHER, "company_id": SMALL, "list_ids": [list_id], "cause": "other"}
    fresh = {
        "sender": "news@other.example",
        "version": 1,
        "state": IssueState.APPROVED,
        "turn": 0,
        "lease_until": 0,
    }
    place = {"phase": "snapshot", "position": 0, "after": None, "shard": 0, "after_recipient": None}
    made = large.model_copy(update={**Issue.key(OTHER), **own, **fresh, **place})
    parts = content.sealed_of(resources.store, large)["a"]
    sealed = content.seal(resources.store, made, parts)
    issues.create(resources.store.table, made.model_copy(update={"sealed": sealed}))
    begun = issues.change(
        resources.store.table, made, IssueState.APPROVED,
        state=IssueState.SENDING, turn=1, due_ms=system.clock.ms + issues.LOOK_AFTER_MS,
    )  # fmt: skip
    turns.start(resources, begun)
    return OTHER


@dataclass
class Trouble:
    """What happens while the issue is sent. *leaving* opt out in its course."""

    system: System
    provider: Provider
    chance: random.Random
    leaving: list[str]
    other_at: int | None = None  # mails when the issue of another company began
    reasons: set[str | None] = field(default_factory=set)  # why the issue has paused

    def before(self, number: int) -> None:
        """Disturb the round of this number."""
        system, taken = self.system, len(self.provider.requests)
        if taken > PEOPLE // 5 and self.other_at is None:
            self.other_at = taken
            other_issue(system)
        if number % 17 == 5:
            moment = len(system.interceptor.calls) + self.chance.randrange(1, 400)
            system.interceptor.die_at = (moment, self.chance.choice([*When]))
        if number % 40 == 20 and issue_of(system).state is IssueState.SENDING:
            ordered("pause", str(number))(system)
            ordered("resume", str(number))(system)
        self._suspend(taken)
        if number == 30:
            for address in self.leaving:
                opted(system, address, EMAIL, out=True)
        if self.provider.requests and number % 10 == 0:
            mail = self.chance.choice(self.provider.requests)
            event = self.chance.choice(["Delivery", "Delivery", "Bounce"])
            reported(system, mail, event, bounceType="Permanent", bounceSubType="General")

    def _suspend(self, taken: int) -> None:
        """Half of the mails later SES suspends the account, until people have written to it and go on."""
        system, provider = self.system, self.provider
        if issue_of(system).state is IssueState.PAUSED:
            self.reasons.add(issue_of(system).pause_reason)
            provider.is_suspended = False
            ordered("resume", f"after {len(system.interceptor.calls)}")(system)
        elif taken > PEOPLE // 2 and not self.reasons:
            provider.is_suspended = True


def test_each_person_of_a_large_issue_gets_one_mail_or_has_a_named_end(system: System) -> None:
    chance = random.Random(45)  # noqa: S311 - the same faults in each run
    provider = Provider(chance)
    settled(EXPORTED, granted, warm)(system)
    system.worker.sending.ses()._client = provider
    first, second = made_list(system), made_list(system, "Others")
    people(system, first, range(PEOPLE - IN_SECOND))
    people(system, second, range(PEOPLE - IN_SECOND - IN_BOTH, PEOPLE))
    out = [address_of(number) for number in range(0, PEOPLE, 50)]
    half = len(out) // 2
    for address in out[:half]:
        opted(system, address, out=True)
    ground = {"consent": "attested", "consent_statement": "All have subscribed on paper."}
    drafted(system, list_ids=[first, second], **ground)
    approved(system)
    sent(system)

    trouble = Trouble(system, provider, chance, out[half:])
    for number in range(3_000):
        if issue_of(system).is_over:
            break
        trouble.before(number)
        work(system)
    system.settle()

    assert issue_of(system).state is IssueState.SENT
    counts = stats(system)
    assert counts["audience"] == PEOPLE
    ends = ("sent", "skipped", "failed", "unknown")
    assert sum(counts.get(name, 0) for name in ends) == PEOPLE
    assert {*provider.taken.values()} == {1}
    found = Counter(one.state for one in ledger(system))
    assert found[RecipientState.PLANNED] == found[RecipientState.SENDING] == 0
    of_small = provider.taken.pop("zoe@field.example")
    assert of_small == 1
    assert counts["sent"] <= len(provider.taken) <= counts["sent"] + counts.get("unknown", 0)
    assert not provider.taken.keys() & {*out[:half]}
    assert half <= counts["skipped"] <= len(out)
    waited = next(
        number
        for number, one in enumerate(provider.requests)
        if "other.example" in one["FromEmailAddress"]
    )
    assert trouble.other_at is not None
    assert waited - trouble.other_at <= 2 * MAILS_OF_A_TURN
    assert trouble.reasons == {"ses_AccountSuspendedException"}
    assert not system.fifo_queues.dead_letters


def work(system: System) -> None:
    batch = system.fifo_queues.receive()
    for queue, message in batch:
        system.run_worker(queue, message)
    if not batch:
        system.pass_time()
