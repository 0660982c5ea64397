"""The advice that the console gives for parked events."""

from __future__ import annotations

import re

from conversations.store.items.records import ParkReason as ConversationReason
from email_threads.store.items.parked import ParkReason as MailReason
from tests.template import ROOT
from tests.unit.console.typescript import run

PERMANENT = re.compile(r'Permanent\("(\w+)"')
REASONS = sorted(
    {*ConversationReason, *MailReason}
    | {
        reason
        for folder in ("functions", "layers/shared")
        for file in (ROOT / folder).rglob("*.py")
        for reason in PERMANENT.findall(file.read_text("utf-8"))
    }
)


def test_every_reason_of_the_code_has_advice_and_an_unknown_one_has_none() -> None:
    found = run(
        "operations/overview/parkedReasons.ts", "value.map(m.adviceOf)", [*REASONS, "new_one", None]
    )

    advice = dict(zip(REASONS, found, strict=False))
    assert [reason for reason, one in advice.items() if one is None] == []
    assert found[-2:] == [None, None]


def test_only_what_can_succeed_is_offered() -> None:
    cases = {
        ("unknown_phone", "open"): True,
        ("UNKNOWN_ADDRESS", "replayed"): True,
        ("new_one", "open"): True,
        ("unknown_phone", "resolved"): False,
        ("conflict", "open"): False,
        ("erased", "open"): False,
    }

    script = "value.map(([reason, state]) => m.mayBeReplayed(reason, state))"
    found = run("operations/overview/parkedReasons.ts", script, list(cases))

    assert dict(zip(cases, found, strict=True)) == cases
