"""The checklist of an issue, and who may approve it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest

from shared.providers import dns
from shared.providers.email.identities import Account, Identities, Identity
from tests.simulation.newsletters.scenarios import (
    EDITED,
    EXPORTED,
    configured,
    draft_edited,
    settled,
)
from tests.simulation.newsletters.steps.issues import (
    ONE,
    READERS,
    READY,
    approved,
    drafted,
    mails,
    reported,
    sent,
    shown,
    with_readers,
)

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System


HEALTHY = Account(may_send=True, is_under_review=False, is_sandbox=False, left_today=100)


@pytest.mark.parametrize(
    ("account", "expected"),
    [
        (HEALTHY, set()),
        (replace(HEALTHY, may_send=False), {("account_paused", "blocks")}),
        (
            replace(HEALTHY, is_under_review=True, is_sandbox=True, left_today=0),
            {
                ("account_under_review", "warning"),
                ("sandbox", "warning"),
                ("daily_quota", "warning"),
            },
        ),
    ],
)
def test_the_checklist_says_what_is_wrong_with_the_account_of_the_mail_provider(
    system: System,
    monkeypatch: pytest.MonkeyPatch,
    account: Account,
    expected: set[tuple[str, str]],
) -> None:
    settled(EXPORTED, with_readers(READERS[0]), drafted, approved)(system)
    monkeypatch.setattr(Identities, "account", lambda _: account)

    found = {(one["code"], one["level"]) for one in system.read(f"{ONE}/checklist")["checks"]}

    assert {one for one in found if one[0].startswith(("account", "sandbox", "daily"))} == expected
    status, answer = system.call("POST", f"{ONE}/send", {"version": 2})
    refused = (409, "checklist_failed")
    is_paused = not account.may_send
    assert (status == 202) is not is_paused
    assert not is_paused or (status, answer["error"]["code"]) == refused


def test_the_checklist_warns_of_a_sender_about_whose_mails_readers_complain(
    system: System,
) -> None:
    settled(READY, sent)(system)
    first = mails(system)
    for mail in first:
        reported(system, mail, "Delivery")
    reported(system, first[0], "Complaint")
    system.settle()
    drafted(system, key="second")

    def warned() -> list[str]:
        found = system.read(f"{ONE}/checklist")["checks"]
        return [one["problem"] for one in found if one["code"] == "complaints"]

    assert warned() == []  # one reader is no rate
    reported(system, first[1], "Complaint")
    system.settle()
    [problem] = warned()
    assert problem.startswith("readers complained about 66.67 %")
    for number in range(12):  # Drafts hide no issue that was sent.
        drafted(system, key=f"draft {number}")
    assert warned() == [problem]
    system.clock.ms += 31 * 86_400_000
    assert warned() == []


def test_the_author_of_an_issue_does_not_approve_it_if_the_company_wants_four_eyes(
    system: System,
) -> None:
    settled(EXPORTED, with_readers(), partial(configured, four_eyes=True))(system)
    drafted(system)
    body = {"version": 1, "content_id": shown(system), "acknowledge_warnings": True}

    assert system.call("POST", f"{ONE}/approve", body)[0] == 403
    assert system.call("POST", f"{ONE}/approve", body, user="ben")[0] == 200


@pytest.mark.parametrize(
    ("records", "mail_from", "warned"),
    [
        ({}, "bounces.shop.example", ["dmarc_missing", "spf_not_aligned"]),
        (None, "bounces.shop.example", ["dmarc_unknown", "spf_unknown"]),
        ({"_dmarc.shop.example": ["v=DMARC1; p=none"]}, None, ["spf_not_aligned"]),
        (
            {
                "_dmarc.shop.example": ["v=DMARC1; p=reject"],
                "bounces.shop.example": ["v=spf1 include:amazonses.com ~all"],
            },
            "bounces.shop.example",
            [],
        ),
    ],
)
def test_the_checklist_says_what_the_senders_records_lack_and_blocks_nothing(
    system: System,
    monkeypatch: pytest.MonkeyPatch,
    records: dict[str, list[str]] | None,
    mail_from: str | None,
    warned: list[str],
) -> None:
    settled(EXPORTED, with_readers("ada@readers.example"))(system)
    drafted(system)
    known = None if records is None else {name: set(texts) for name, texts in records.items()}
    monkeypatch.setattr(
        dns, "published", lambda name, _: None if known is None else known.get(name, set())
    )
    monkeypatch.setattr(
        Identities,
        "of_address",
        lambda *_: Identity(may_send=True, is_aligned=True, mail_from=mail_from),
    )
    found = [
        one
        for one in system.read(f"{ONE}/checklist")["checks"]
        if one["code"].startswith(("dmarc", "spf"))
    ]
    assert [one["code"] for one in found] == warned
    assert {one["level"] for one in found} <= {"warning"}


def test_the_checklist_says_that_the_newsletter_has_changed_since_the_approval(
    system: System,
) -> None:
    READY(system)

    def levels() -> list[str]:
        checks = system.read(f"{ONE}/checklist")["checks"]
        return [one["level"] for one in checks if one["code"] == "newsletter_changed"]

    assert levels() == []
    draft_edited(system)
    assert levels() == ["warning"]
    sent(system)
    system.settle()
    html = mails(system)[0]["Content"]["Simple"]["Body"]["Html"]["Data"]
    assert EDITED not in html
