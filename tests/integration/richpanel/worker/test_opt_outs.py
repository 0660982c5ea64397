"""Customers who have opted out of a company's conversations get no automatic replies in its help desk either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from richpanel.configuration import account
from richpanel.inbound.channels import channel_names
from richpanel.worker.cases import decisions
from richpanel.worker.cases.case import Overtaken
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.records import Consents
from shared.runtime.observability import metrics
from shared.runtime.settings import SettingInvalid
from tests.integration.logs import counted
from tests.integration.richpanel.harness import AGENT, JANE, WHERE, Harness, open_harness

if TYPE_CHECKING:
    from collections.abc import Callable

    from local.sandbox import Sandbox
    from tests.integration.richpanel.conftest import Time

CALL_ME = "Could you please call me by phone? I do not like to write."
ROUTE = "route-email-support-team"
JOHN = "john@shop.example"


@pytest.fixture
def consent_harness(sandbox: Sandbox, time: Time, dynamodb: Any) -> Harness:
    """A worker that checks the opt-outs of a company."""
    return open_harness(sandbox, time, company="acme")


def record_consent(
    harness: Harness, *addresses: str, opts_in: bool = False, company: str = "acme"
) -> None:
    """Record an opt-out over SMS, or an opt-in by mail."""
    register = harness.resources.consents
    assert register is not None
    harness.time.ms += 1
    statement = Statement(
        source=Source.WORD, at_ms=harness.time.ms, evidence="a word", channel="sms"
    )
    if opts_in:
        register.record_opt_in(company, addresses, statement, channels=["email"])
    else:
        register.record_opt_out(company, addresses, statement)


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


def test_the_ticket_of_an_opted_out_customer_is_routed_and_not_answered(
    consent_harness: Harness,
) -> None:
    record_consent(consent_harness, JANE)
    consent_harness.ticket(WHERE)

    assert consent_harness.handle().outcome == "processed"

    assert consent_harness.replies() == []
    assert ROUTE in consent_harness.tags()
    assert consent_harness.decided()["reason"] == "policy_refused"
    assert consent_harness.decided()["policy"] == "opted_out"
    assert "reserved_reply" not in consent_harness.state()


def test_a_newer_opt_in_of_the_address_to_mail_counts_too(consent_harness: Harness) -> None:
    record_consent(consent_harness, JANE)
    record_consent(consent_harness, JANE, opts_in=True)
    consent_harness.ticket(WHERE)

    consent_harness.handle()

    assert len(consent_harness.replies()) == 1


def test_an_opt_out_from_another_company_does_not_count(consent_harness: Harness) -> None:
    record_consent(consent_harness, JANE, company="another")
    consent_harness.ticket(WHERE)

    consent_harness.handle()

    assert len(consent_harness.replies()) == 1


def test_without_a_company_the_register_is_not_read(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = looks(monkeypatch)
    harness.ticket(WHERE)

    harness.handle()

    assert len(harness.replies()) == 1
    assert seen == []


def test_the_register_is_read_at_the_decision_and_before_the_reply_and_only_if_a_reply_is_due(
    consent_harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = looks(monkeypatch)
    consent_harness.ticket(CALL_ME)
    consent_harness.handle()
    assert seen == []
    consent_harness.ticket(WHERE, ticket="t-2")

    consent_harness.handle(consent_harness.event("t-2"))

    assert len(consent_harness.replies("t-2")) == 1
    assert seen == ["email", "email"]


def test_an_opt_out_between_decision_and_reply_stops_the_reply(
    consent_harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    consent_harness.ticket(WHERE)
    decide = decisions.decision_on

    def decided(*given: Any) -> Any:
        decision = decide(*given)
        record_consent(consent_harness, JANE)
        return decision

    with monkeypatch.context() as patch:
        patch.setattr(decisions, "decision_on", decided)
        with pytest.raises(Overtaken):
            consent_harness.handle()

    consent_harness.handle(receives=2)
    assert consent_harness.replies() == []
    assert consent_harness.decided()["policy"] == "opted_out"


def test_if_the_register_cannot_be_read_no_reply_is_sent_and_tickets_are_still_routed(
    consent_harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused() -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "BatchGetItem")

    metrics.clear_metrics()  # a hundred values of one metric flush all metrics
    looks(monkeypatch, refused)
    consent_harness.ticket(WHERE)

    consent_harness.handle()

    assert consent_harness.replies() == []
    assert ROUTE in consent_harness.tags()
    assert consent_harness.decided()["policy"] == "consents_unreadable"
    assert counted("ConsentsUnreadable") == 1


def test_a_copied_in_sender_is_not_answered_if_the_tickets_requester_has_opted_out(
    consent_harness: Harness,
) -> None:
    """A reply goes to the requester of the ticket."""
    record_consent(consent_harness, JANE)
    consent_harness.ticket(CALL_ME)
    consent_harness.comment("On it.", author_id=AGENT, is_operator=True)
    consent_harness.time.ms += 3_600_000
    consent_harness.comment(WHERE, id="m-9", author_id="customer-2", sender=JOHN)

    consent_harness.handle()

    assert consent_harness.replies() == []


def test_a_mail_without_a_known_recipient_goes_to_agents(consent_harness: Harness) -> None:
    consent_harness.ticket(WHERE, sender=None, profile_email=None)

    consent_harness.handle()

    assert consent_harness.replies() == []
    assert consent_harness.decided()["policy"] == "recipient_unknown"


def test_a_chat_without_an_address_is_answered(consent_harness: Harness) -> None:
    consent_harness.ticket(WHERE, channel="livechat", sender=None, profile_email=None)

    consent_harness.handle()

    assert consent_harness.decided()["reason"] == "tier1_safe_assist"


def test_a_chat_of_a_customer_whose_address_has_opted_out_is_not_answered(
    consent_harness: Harness,
) -> None:
    record_consent(consent_harness, JANE)
    consent_harness.ticket(WHERE, channel="livechat")

    consent_harness.handle()

    assert consent_harness.decided()["policy"] == "opted_out"


@pytest.mark.parametrize("company", ['""', '"ac#me"', "7"])
def test_an_invalid_company_id_is_refused(company: str) -> None:
    with pytest.raises(SettingInvalid, match="company"):
        account.read(f'{{"company": {company}}}', channel_names(()))
