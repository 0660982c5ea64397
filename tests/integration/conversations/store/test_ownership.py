"""
A second company cannot use secrets, tokens, accounts, senders and addresses of the first one.

The second company's item is written to the table directly here, without the checks of the command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle.records.commands import HumanMessage
from conversations.store import routes
from conversations.store.items.routes import BusinessAddress
from events.conversations import sample_data, twilio
from events.conversations.twilio import SMS_NUMBER
from shared.access.ownership import claims
from shared.access.ownership.claims import Proof
from shared.access.ownership.ids import of_phone
from shared.events.exchange import InboundMessage
from shared.providers.company_secrets import CompanySecrets
from shared.providers.outcomes import Misconfigured
from shared.runtime import clock
from tests.integration.conversations.inbound.test_sender_matching import at_aws
from tests.integration.conversations.second_company import (
    SECOND_COMPANY,
    SECRET_ID,
    SMS,
    ask,
    second_project,
    set_up_second_company,
)
from tests.integration.conversations.steps import (
    OPENAI_SECRET_ID,
    direct_resources,
    enqueue,
    messages_of,
    start_conversation,
    status_of,
    unmatched,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

AWS_PHONE = "phone-number-id-0123456789abcdef0123456789abcdef"
WABA = "102290129340398"


def written(system: System, item: dict[str, Any]) -> None:
    """Write an item without the command's checks and without claims for its resources."""
    system.write("company", item)
    system.new_process()


def at_inbox(provider: str = "aws_social", **facts: Any) -> dict[str, Any]:
    """The settings of a project that uses a WhatsApp number of the inbox."""
    template = sample_data.INVITATION | {"meta_name": "invitation"}
    return {
        "provider": provider,
        "account": WABA,
        "phone_number_id": AWS_PHONE,
        "whatsapp_credentials_id": None,
        "templates": {"invitation": template},
        "reengagement_template": None,
        **facts,
    }


# Requests


@pytest.mark.parametrize(
    ("channel", "facts", "attribute"),
    [
        ("sms", {"company_sms_number": SMS_NUMBER}, "company_sms_number"),
        ("sms", {"company_sms_number": sample_data.WHATSAPP_SENDER}, "company_sms_number"),
        ("sms", {"sms_credentials_id": sample_data.TWILIO_SECRET_ID}, "sms_credentials_id"),
        ("email", {"company_email": sample_data.EMAIL_SENDER}, "company_email"),
        ("email", {"company_email": "Jobs@Cucumber.Example"}, "company_email"),
        ("email", {"company_email": "other@cucumber.example"}, "company_email"),
        ("email", {"company_email": "other@mail.cucumber.example"}, "company_email"),
        (
            "whatsapp",
            {"company_whatsapp_number": sample_data.WHATSAPP_SENDER},
            "company_whatsapp_number",
        ),
        (
            "whatsapp",
            at_inbox("meta", whatsapp_credentials_id=sample_data.COMPANY),
            "whatsapp_credentials_id",
        ),
        ("whatsapp", at_inbox(), "phone_number_id"),
    ],
)
def test_a_request_is_refused_if_its_project_names_resources_of_another_company(
    system: System, channel: str, facts: dict[str, Any], attribute: str
) -> None:
    config = sample_data.project()["channel_config"]
    system.set_up(
        sample_data.project(channel_config=config | {"whatsapp": config["whatsapp"] | at_inbox()})
    )
    system.set_up(sample_data.project())
    set_up_second_company(system)
    written(system, second_project(**{channel: facts}))

    status, answer = ask(system, channel)

    assert (status, answer["error"]["code"]) == (500, "CONFIGURATION_ERROR")
    assert answer["error"]["details"][0]["field"] == f"channel_config.{channel}.{attribute}"
    assert sample_data.COMPANY not in str(answer)
    assert system.sent() == []


def test_a_request_is_refused_if_no_company_has_claimed_its_sender(system: System) -> None:
    written(system, second_project())

    status, answer = ask(system)

    assert (status, answer["error"]["details"][0]["field"]) == (
        500,
        "channel_config.sms.company_sms_number",
    )


# Sending


def queued(system: System) -> str:
    """Put the second company's request on its queue, past the checks of the router; returns its `ref`."""
    ids = {"company_id": SECOND_COMPANY, "project_id": sample_data.PROJECT}
    status, answer = system.ask(
        sample_data.request("sms", "req-b", company_data=ids), company=SECOND_COMPANY
    )
    assert status == 200, answer
    return str(answer["conversation_ref"])


def move_number_to_us(system: System) -> None:
    """Move the second company's number to us, and let every process read it."""
    log = direct_resources(system).log
    for name in of_phone(SMS):
        assert claims.release(log, name, SECOND_COMPANY)
        assert claims.claim(log, name, claims.new(sample_data.COMPANY, Proof.GRANTED))
    system.new_process()


def test_a_first_message_is_not_sent_from_another_companys_address(system: System) -> None:
    set_up_second_company(system)
    ref = queued(system)
    move_number_to_us(system)

    system.drain()

    assert status_of(system, ref) == ("failed", "sender_not_owned")
    assert system.sent() == []


def test_an_agent_cannot_send_from_an_address_that_another_company_has_claimed_since(
    system: System,
) -> None:
    set_up_second_company(system)
    ref = queued(system)
    system.drain()
    assert len(system.sent()) == 1
    move_number_to_us(system)

    enqueue(system, HumanMessage(ref=ref, cause="key-1", agent_id="eve", text="Hello"), ref, "say")

    (refused,) = (m for m in system.log(ref) if m["author"] == "human:eve")
    assert refused["error_code"] == "configuration:sender_not_owned"
    assert len(system.sent()) == 1


def test_a_model_is_not_called_with_another_companys_key(system: System) -> None:
    system.put_secret(OPENAI_SECRET_ID, {"ai_api_key": "sk-made-up"})
    set_up_second_company(system)
    models = {"sms": {"model": "gpt-made-up", "api_key_reference": OPENAI_SECRET_ID}}
    ai = {"provider": "openai", "openai_config": models}
    system.set_up(second_project() | {"ai_config": ai})

    ref = queued(system)
    system.drain()

    assert status_of(system, ref) == ("failed", "secret_not_owned")
    assert [call for call in system.interceptor.calls if "responses" in call] == []


def test_no_message_is_sent_with_another_account_than_the_projects(system: System) -> None:
    set_up_second_company(system)
    system.set_up(second_project(sms={"account": "AC" + "6b1e" * 8}))

    ref = queued(system)
    system.drain()

    assert status_of(system, ref) == ("failed", "account_not_owned")
    assert system.sent() == []


def test_a_secret_or_a_token_is_read_for_its_own_company_only() -> None:
    credentials = CompanySecrets(lambda: pytest.fail("no secret may be read"))

    for name in (
        sample_data.TWILIO_SECRET_ID,
        f"parley/local/companies/{SECOND_COMPANY}",
        f"parley/local/companies/{SECOND_COMPANY}/../{sample_data.COMPANY}/twilio",
        f"arn:aws:secretsmanager:us-east-1:123456789012:secret:{SECRET_ID}-a1b2c3",
        f"parley/local/companies/{SECOND_COMPANY}-2/twilio",
        "parley-local-twilio-webhook",
    ):
        with pytest.raises(Misconfigured, match="secret_not_owned"):
            credentials.value(SECOND_COMPANY, name)


# Inbound messages


def test_a_project_recorded_at_another_companys_address_gets_no_message(system: System) -> None:
    ref = start_conversation(system)
    stolen = BusinessAddress(
        company_id=SECOND_COMPANY,
        project_id=sample_data.PROJECT,
        provider="twilio",
        account=twilio.ACCOUNT,
    )
    routes.add_address(direct_resources(system).log, "sms", SMS_NUMBER, stolen)
    system.write("company", second_project() | {"accept_inbound": True})

    system.text("a", "Which shift is it?")
    system.text("b", "Is there a job?", From="+447700900555")
    system.drain()

    assert messages_of(system, ref) == ["Which shift is it?"]
    assert [row["project_id"] for row in unmatched(system)] == [sample_data.PROJECT]
    assert unmatched(system)[0]["pk"] == f"UNMATCHED#{sample_data.COMPANY}"


def test_a_message_to_an_unclaimed_address_is_parked(system: System) -> None:
    log = direct_resources(system).log
    for name in of_phone(SMS_NUMBER):
        claims.release(log, name, sample_data.COMPANY)
    owner = BusinessAddress(
        company_id=SECOND_COMPANY,
        project_id=sample_data.PROJECT,
        provider="twilio",
        account=twilio.ACCOUNT,
    )
    routes.add_address(log, "sms", SMS_NUMBER, owner)

    system.text("a", "Hello")
    system.drain()

    assert system.parked() == ["UNKNOWN_ADDRESS"]


@pytest.mark.parametrize("company", [SECOND_COMPANY, None])
def test_a_message_of_the_inbox_to_another_companys_number_is_parked(
    system: System, company: str | None
) -> None:
    at_aws(system)
    ref = start_conversation(system, "whatsapp")

    system.forward(
        InboundMessage(
            provider="aws_social",
            provider_message_id="wamid.of-ann",
            account=WABA,
            company=company,
            channel_method="whatsapp",
            business_address=sample_data.WHATSAPP_SENDER,
            customer_address=sample_data.CANDIDATE,
            received_at=clock.to_text(system.clock.ms),
            kind="text",
            text="Which shift is it?",
        )
    )
    system.drain()

    assert system.parked() == ["TENANT_MISMATCH"]
    assert messages_of(system, ref) == []
