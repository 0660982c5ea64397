"""Access patterns of the mails of a test: each has one wire attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Attr, Key

from newsletters.store.items import ReaderQuota, RecipientState, TestMail
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.aws.tables.rate_limits.fixed_window import Quotas
from shared.aws.tables.rate_limits.limit import Limit
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsletters.store.items.recipients import TestOutcome
    from shared.aws.dynamodb import Attributes, Table

OF_DAY: Final = (Limit(20, clock.DAY_SECONDS),)
MOST_MAILS: Final = 10  # of a test
OUTCOMES: Final[tuple[TestOutcome, ...]] = (
    "delayed",
    "delivered",
    "bounced",
    "complained",
    "rejected",
)
_SUBJECT: Final = "tests"  # of the quota


def may_test(table: Table, company_id: str) -> bool:
    """Count a test of a company; False above the limit of a day."""
    quotas = Quotas(table, lambda subject: ReaderQuota.key(company_id, subject))
    return quotas.take(_SUBJECT, OF_DAY) is None


def plan(table: Table, mails: Sequence[TestMail]) -> None:
    """Write the mails of a test, unless they are written. Safe to repeat."""
    absent = Attr(PARTITION_KEY).not_exists()
    try:
        table.transact(*(table.to_put(one.attributes(), when=absent) for one in mails))
    except TransactionRefused:
        return  # by an earlier attempt of the same call


def of_test(table: Table, issue_id: str, test_id: str) -> list[TestMail]:
    """Return the mails of a test in their order."""
    key = TestMail.key(issue_id, test_id, "-")
    prefix = str(key[SORT_KEY]).removesuffix("-")
    condition = Key(PARTITION_KEY).eq(key[PARTITION_KEY]) & Key(SORT_KEY).begins_with(prefix)
    rows, _ = table.query(None, condition, limit=MOST_MAILS)
    return sorted(map(TestMail.read, rows), key=lambda one: one.number)


def reserve(table: Table, mail: TestMail, owner: str, deadline_ms: int) -> bool:
    """Note a wire attempt before it is made; False if there is one already."""
    put = TestMail.named(state=RecipientState.SENDING.value, owner=owner, deadline_ms=deadline_ms)
    is_planned = TestMail.attr("state").eq(RecipientState.PLANNED.value)
    try:
        table.update(_key(mail), put=put, when=is_planned)
    except ConditionFailed as refusal:
        stored = TestMail.read(refusal.existing) if refusal.existing else mail
        return (stored.state, stored.owner, mail.owner) == (RecipientState.SENDING, owner, None)
    return True


def settle(table: Table, mail: TestMail, state: RecipientState, reason: str | None = None) -> None:
    """Write the result of a mail. Safe to repeat."""
    table.update(
        _key(mail),
        put=TestMail.named(state=state.value, reason=reason),
        drop=[TestMail.name_of("owner"), TestMail.name_of("deadline_ms")],
    )


def note_outcome(
    table: Table, issue_id: str, test_id: str, number: str, outcome: TestOutcome
) -> bool:
    """
    Note what the provider reports of a mail, in any order: the later one of OUTCOMES counts. False if that is known, or
    the test is over. Raises Transient if another event was written meanwhile.
    """
    item = table.get(TestMail.key(issue_id, test_id, number))
    mail = TestMail.read(item) if item else None
    if mail is None or (mail.outcome and OUTCOMES.index(outcome) <= OUTCOMES.index(mail.outcome)):
        return False
    written = TestMail.attr("outcome")
    is_as_read = written.not_exists() if mail.outcome is None else written.eq(mail.outcome)
    still_there = Attr(PARTITION_KEY).exists()
    try:
        table.update(_key(mail), put=TestMail.named(outcome=outcome), when=still_there & is_as_read)
    except ConditionFailed:
        raise Transient("test_contended") from None
    return True


def _key(mail: TestMail) -> Attributes:
    return {PARTITION_KEY: mail.PK, SORT_KEY: mail.SK}
