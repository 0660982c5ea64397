"""The messaging window of WhatsApp: when it closes, and that no other module has a constant for it."""

from __future__ import annotations

import ast
import re
from operator import add, mul, sub
from typing import TYPE_CHECKING

import pytest

from shared.policy import window
from tests.cases import each
from tests.template import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
NOON = 1_768_478_400_000

# Where a constant of 24 hours, or of a minute less, is not the messaging window, with what it is.
ALLOWED = {
    "functions/console/notifications/webhooks/run.py": "when a webhook without an accepted delivery is paused",
    "functions/console/operations/conservation.py": "the end of a day of metrics",
    "functions/console/operations/cost.py": "a day of costs",
    "functions/console/privacy/inputs.py": "the day of a request, in any time zone",
    "functions/conversations/ai/checks/values/durations.py": "a day, in minutes",
    "functions/conversations/ai/project_checks/settings.py": "a day of requests, in minutes",
    "layers/shared/shared/ai/trials/inputs.py": "days of a trial",
    "functions/newsletters/issues/pace/interest_ranks.py": "days since a reader has shown interest",
    "functions/conversations/dialogues/scenarios/format.py": "the unit of a day",
    "functions/conversations/recovery/gap_check.py": "the last look at a message",
    "functions/conversations/recovery/sweep.py": "delays of reconciliation",
    "functions/email_threads/api/inputs.py": "the longest target, in minutes",
    "functions/email_threads/store/parked.py": "the day before, as a list of parked mails is by day",
    "functions/email_threads/store/threads.py": "entries live a day longer than their thread",
    "functions/email_threads/worker/due_times.py": "the next day, when an end of a thread is looked at again",
    "functions/newsletters/issues/pace/days.py": "the day before, in a warm-up",
    "functions/newsletters/issues/pace/warm_up.py": "the next day of a warm-up",
    "functions/newsletters/series/routes.py": "the day after, on which a series begins if its time today has passed",
    "functions/newsletters/jobs/requests.py": "how long a job waits behind others of its company",
    "layers/shared/shared/policy/consent/withdrawals.py": "how long notices of one change arrive",
    "functions/newsletters/api/configuration.py": "UTC midnight",
    "functions/richpanel/api/dry_runs/report.py": "a day of the report",
    "functions/richpanel/recovery/sweep.py": "a day of the list of events",
    "functions/whatsapp/actions/accounts/analytics/periods.py": "a day of analytics",
    "functions/whatsapp/actions/accounts/analytics/sequences.py": "the longest delay of a step, in minutes",
    "layers/shared/shared/inbox/notifications/causes.py": "how long a stream keeps a record",
    "functions/whatsapp/actions/campaigns/schedule.py": "when a campaign without progress is abandoned",
    "functions/whatsapp/actions/media/links.py": "the longest life of a link",
    "functions/whatsapp/actions/messages/resends/resends.py": "the usual age of a message to resend",
    "functions/richpanel/recovery/backfill.py": "from a day to the day before",
    "functions/whatsapp/actions/commerce/payments/refunds/refunds.py": "when a refund is listed by the provider",
    "functions/whatsapp/actions/templates/synchronisation.py": "how often templates are confirmed",
    "functions/whatsapp/jobs/delayed_checks.py": "the longest outage that a round makes up for",
    "functions/whatsapp/jobs/payment_checks.py": "when a payment is looked up, in minutes",
    "functions/whatsapp/sending/gate.py": "the pause of marketing after the provider's refusal",
    "functions/whatsapp/sending/templates/approval.py": "how long a stored template counts as current",
    "functions/whatsapp/store/conversations/heads.py": "until when an answer to an ad opens a free entry point",
    "layers/shared/shared/policy/business_hours.py": "days of business hours",
    "layers/shared/shared/policy/decision.py": "how long first messages wait for the end of safe mode",
    "layers/shared/shared/policy/quiet_hours.py": "the next day's free hours",
    "layers/shared/shared/policy/window.py": "the messaging window",
    "layers/shared/shared/aws/tables/rate_limits/gcra.py": "states live a day longer",
    "layers/shared/shared/access/first_links.py": "the life of a one-time link",
    "layers/shared/shared/access/revocations.py": "the longest life of a revoked token",
    "layers/shared/shared/runtime/clock.py": "the length of a day",
    "layers/shared/shared/ai/spending/budget.py": "a day of costs",
    "layers/shared/shared/api/cursors.py": "the life of a cursor",
}
# Limits are per day, and lifetimes are in days: neither is compared with a customer's message.
LIMITS_AND_LIFETIMES = {"Limit", "expires_in"}
NAMES = {"SECOND_MS": SECOND, "MINUTE_MS": MINUTE, "HOUR_MS": HOUR, "DAY_SECONDS": 86_400}
LENGTHS = {unit * minutes for unit in (1, 60, MINUTE) for minutes in (24 * 60, 24 * 60 - 1)}
OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Mult: mul,
    ast.Add: add,
    ast.Sub: sub,
}
# What each of these expressions has: a name, two numbers with an operation, or a length. Files without are not parsed.
WRITTEN = re.compile(
    rf"{'|'.join(NAMES)}|timedelta|\d\)?\s*[-+*]\s*\(?\d|\b(1_?440|1_?439|86_?400|86_?340)(_?000)?\b"
)
SECONDS_OF = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}


def value_of(node: ast.AST) -> int | None:
    """Return the value of a constant expression, a timedelta in seconds; None for any other expression."""
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return NAMES.get(name)
        case ast.BinOp(left, operator, right):
            first, second = value_of(left), value_of(right)
            operation = OPERATIONS.get(type(operator))
            if operation and first is not None and second is not None:
                return operation(first, second)
        case ast.Call(func=ast.Name(id="timedelta"), keywords=parts):
            lengths = [(value_of(part.value), SECONDS_OF.get(str(part.arg))) for part in parts]
            return sum((length or 0) * (unit or 0) for length, unit in lengths)
    return None


def windows_in(node: ast.AST) -> Iterator[int]:
    """Yield the lines of constants that are as long as the window, if they are not parts of longer products."""
    value = value_of(node)
    if value is not None:
        if value in LENGTHS and isinstance(node, ast.expr):
            yield node.lineno
        return
    if isinstance(node, ast.Call) and _name_of(node.func) in LIMITS_AND_LIFETIMES:
        return
    for part in ast.iter_child_nodes(node):
        is_factor = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
        if not (is_factor and value_of(part) is not None):
            yield from windows_in(part)


def _name_of(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


@pytest.mark.parametrize(
    ("wrote", "free", "end"),
    [
        (NOON, None, NOON + 24 * HOUR - MINUTE),
        (None, NOON, NOON - MINUTE),
        (NOON, NOON + 72 * HOUR, NOON + 72 * HOUR - MINUTE),
        (NOON, NOON + HOUR, NOON + 24 * HOUR - MINUTE),
        (None, None, None),
    ],
)
def test_the_window_closes_a_minute_before_the_provider_closes_it(
    wrote: int | None, free: int | None, end: int | None
) -> None:
    assert window.until(wrote, free) == end
    assert window.is_open((end or NOON) - 1, wrote, free) == (end is not None)
    assert not window.is_open(end or NOON, wrote, free)


@each(
    ("code", "is_found"),
    [
        ("WINDOW_MS = 24 * clock.HOUR_MS", True),
        ("WINDOW_MS = 24 * clock.HOUR_MS - 60 * clock.SECOND_MS", True),
        ("until = last + 24 * 60 * 60", True),
        ("until = last + 86_400", True),
        ("until = last + (23 * 60 + 59)", True),
        ("until = last + (23 * 60 + 59) * 60", True),
        ("until = last + timedelta(hours=24)", True),
        ("until = last + timedelta(hours=23, minutes=59)", True),
        ("is_open = now - clock.DAY_SECONDS < last", True),
        ("KEPT = 30 * clock.DAY_SECONDS", False),
        ("ttl = clock.expires_in(clock.DAY_SECONDS)", False),
        ("kept = days * clock.DAY_SECONDS * clock.SECOND_MS", False),
        ("LONGEST = 25 * clock.HOUR_MS", False),
    ],
)
def test_constants_as_long_as_the_window_are_found(code: str, is_found: bool) -> None:
    assert WRITTEN.search(code) or not is_found
    assert bool(list(windows_in(ast.parse(code)))) == is_found


def test_no_other_module_has_a_constant_for_the_window() -> None:
    files = [path for folder in ("functions", "layers") for path in (ROOT / folder).rglob("*.py")]
    found = {
        str(path.relative_to(ROOT))
        for path in files
        if WRITTEN.search(text := path.read_text())
        if list(windows_in(ast.parse(text)))
    }

    assert len(files) > 500
    assert found == set(ALLOWED), "a constant of 24 hours: use shared.policy.window, or list it"
