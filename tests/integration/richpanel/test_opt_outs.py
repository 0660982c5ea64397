"""Customers who have opted out of a company's conversations get no automatic replies in its help desk either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from richpanel.configuration import account
from richpanel.inbound.channels import channel_names
from richpanel.worker import cases
from richpanel.worker.cases import Overtaken
from shared.consent.records import Consents, Source, Statement
from shared.runtime.observability import metrics
from shared.runtime.settings import SettingInvalid
from tests.integration.logs import counted
from tests.integration.richpanel.harness import AGENT, JANE, Harness, open_harness

if TYPE_CHECKING:
    from collections.abc import Callable

    from local.sandbox import Sandbox
    from tests.integration.richpanel.conftest import Time

WHERE = "Hi, where is my order? It has not arrived yet."
CALL_ME = "Could you please call me by phone? I do not like to write."
ROUTE = "route-email-support-team"
JOHN = "john@shop.example"


@pytest.fixture
def heeding(sandbox: Sandbox, time: Time, dynamodb: Any) -> Harness:
    """A worker that checks the opt-outs of a company."""
    return open_harness(sandbox, time, company="acme")


def say(harness: Harness, *addresses: str, opts_in: bool = False, company: str = "acme") -> None:
    """Record an opt-out over SMS, or an opt-in by mail."""
    register = harness.resources.consents
    assert register is not None
    harness.time.ms += 1
    said = Statement(source=Source.WORD, at_ms=harness.time.ms, evidence="a word", channel="sms")
    if opts_in:
        register.record_opt_in(company, addresses, said, channels=["email"])
    else:
        register.record_opt_out(company, addresses, said)


def looks(monkeypatch: pytest.MonkeyPatch, then: Callable[[], None] = lambda: None) -> list[str]:
    """The channels of all reads of the register; *then* runs before each read."""
    seen: list[str] = []
    ask = Consents.standing

    def standing(register: Consents, company: str, addresses: Any, channel: str) -> Any:
        seen.append(channel)
        then()
        return ask(register, company, addresses, channel)

    monkeypatch.setattr(Consents, "standing", standing)
    return seen


def test_the_ticket_of_an_opted_out_customer_is_routed_and_not_answered(heeding: Harness) -> None:
    say(heeding, JANE)
    heeding.ticket(WHERE)

    assert heeding.handle().outcome == "processed"

    assert heeding.replies() == []
    assert ROUTE in heeding.tags()
    assert heeding.decided()["reason"] == "policy_refused"
    assert heeding.decided()["policy"] == "opted_out"
    assert "reserved_reply" not in heeding.state()


def test_a_newer_opt_in_of_the_address_to_mail_counts_too(heeding: Harness) -> None:
    say(heeding, JANE)
    say(heeding, JANE, opts_in=True)
    heeding.ticket(WHERE)

    heeding.handle()

    assert len(heeding.replies()) == 1


def test_an_opt_out_from_another_company_does_not_count(heeding: Harness) -> None:
    say(heeding, JANE, company="another")
    heeding.ticket(WHERE)

    heeding.handle()

    assert len(heeding.replies()) == 1


def test_without_a_company_the_register_is_not_read(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = looks(monkeypatch)
    harness.ticket(WHERE)

    harness.handle()

    assert len(harness.replies()) == 1
    assert seen == []


def test_the_register_is_read_at_the_decision_and_before_the_reply_and_only_if_a_reply_is_due(
    heeding: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = looks(monkeypatch)
    heeding.ticket(CALL_ME)
    heeding.handle()
    assert seen == []
    heeding.ticket(WHERE, ticket="t-2")

    heeding.handle(heeding.event("t-2"))

    assert len(heeding.replies("t-2")) == 1
    assert seen == ["email", "email"]


def test_an_opt_out_between_decision_and_reply_stops_the_reply(
    heeding: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    heeding.ticket(WHERE)
    decide = cases.decision_on

    def decided(*given: Any) -> Any:
        decision = decide(*given)
        say(heeding, JANE)
        return decision

    with monkeypatch.context() as patch:
        patch.setattr(cases, "decision_on", decided)
        with pytest.raises(Overtaken):
            heeding.handle()

    heeding.handle(receives=2)
    assert heeding.replies() == []
    assert heeding.decided()["policy"] == "opted_out"


def test_if_the_register_cannot_be_read_no_reply_is_sent_and_tickets_are_still_routed(
    heeding: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused() -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "BatchGetItem")

    metrics.clear_metrics()  # a hundred values of one metric flush all metrics
    looks(monkeypatch, refused)
    heeding.ticket(WHERE)

    heeding.handle()

    assert heeding.replies() == []
    assert ROUTE in heeding.tags()
    assert heeding.decided()["policy"] == "consents_unreadable"
    assert counted("ConsentsUnreadable") == 1


def test_a_copied_in_sender_is_not_answered_if_the_tickets_requester_has_opted_out(
    heeding: Harness,
) -> None:
    """A reply goes to the requester of the ticket."""
    say(heeding, JANE)
    heeding.ticket(CALL_ME)
    heeding.comment("On it.", author_id=AGENT, is_operator=True)
    heeding.time.ms += 3_600_000
    heeding.comment(WHERE, id="m-9", author_id="customer-2", sender=JOHN)

    heeding.handle()

    assert heeding.replies() == []


def test_a_mail_without_a_known_recipient_goes_to_agents(heeding: Harness) -> None:
    heeding.ticket(WHERE, sender=None, profile_email=None)

    heeding.handle()

    assert heeding.replies() == []
    assert heeding.decided()["policy"] == "recipient_unknown"


def test_a_chat_without_an_address_is_answered(heeding: Harness) -> None:
    heeding.ticket(WHERE, channel="livechat", sender=None, profile_email=None)

    heeding.handle()

    assert heeding.decided()["reason"] == "tier1_safe_assist"


def test_a_chat_of_a_customer_whose_address_has_opted_out_is_not_answered(heeding: Harness) -> None:
    say(heeding, JANE)
    heeding.ticket(WHERE, channel="livechat")

    heeding.handle()

    assert heeding.decided()["policy"] == "opted_out"


@pytest.mark.parametrize("company", ['""', '"ac#me"', "7"])
def test_an_invalid_company_id_is_refused(company: str) -> None:
    with pytest.raises(SettingInvalid, match="company"):
        account.read(f'{{"company": {company}}}', channel_names(()))
