"""A second company on the same deployment, with addresses, account and secrets of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from events.conversations import sample_data

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

SECOND_COMPANY = "ci-bbb-001"
SECRET_ID = f"parley/local/companies/{SECOND_COMPANY}/twilio"
ACCOUNT = "AC" + "7c2f" * 8
SECRET = sample_data.TWILIO_SECRET | {"twilio_account_sid": ACCOUNT}
SMS = "+12025550161"
WHATSAPP = "+12025550162"
EMAIL = "jobs@neighbour.example"


def second_project(**channels: dict[str, Any]) -> dict[str, Any]:
    """The second company's project; *channels* are other facts of a channel."""
    config = sample_data.project()["channel_config"]
    own: dict[str, dict[str, Any]] = {
        "sms": {
            "account": ACCOUNT,
            "company_sms_number": SMS,
            "sms_credentials_id": SECRET_ID,
        },
        "whatsapp": {
            "account": ACCOUNT,
            "company_whatsapp_number": WHATSAPP,
            "whatsapp_credentials_id": SECRET_ID,
        },
        "email": {"company_email": EMAIL},
    }
    return sample_data.project(
        company_id=SECOND_COMPANY,
        channel_config={name: config[name] | own[name] | channels.get(name, {}) for name in config},
    )


def set_up_second_company(system: System) -> None:
    """An operator sets up the second company's project, which sends through Twilio."""
    config = system.sandbox.config
    senders = dict.fromkeys([*config.twilio_senders, SMS, WHATSAPP])
    system.sandbox.config = replace(
        config, twilio_senders=tuple(senders), twilio_other_accounts=(ACCOUNT,)
    )
    system.put_secret(SECRET_ID, SECRET)
    system.set_up(second_project())


def ask(system: System, channel: str = "sms") -> tuple[int, dict[str, Any]]:
    """The second company's software requests a conversation; returns status and body of the answer."""
    ids = {"company_id": SECOND_COMPANY, "project_id": sample_data.PROJECT}
    request = sample_data.request(channel, "req-b", company_data=ids)
    answer = system.ask(request, company=SECOND_COMPANY)
    system.drain()
    return answer
