"""Messages of a customer to the shop by WhatsApp, SMS and mail, and the shop's first SMS. All data is fictitious."""

from __future__ import annotations

from dataclasses import dataclass, replace
from email.message import EmailMessage
from email.utils import formatdate
from typing import TYPE_CHECKING, Any, Final

from events.conversations import aws_sms
from events.whatsapp import gateway, payloads
from events.whatsapp.sample_data import COMPANY, COUNTER, Customer
from shared.runtime import clock

if TYPE_CHECKING:
    from events.conversations.recruiting import Candidate, Run

PROJECT: Final = "deliveries"
MAILBOX: Final = "orders@shop.example"
NAME: Final = ("Ruth", "Penrose")
BY_WHATSAPP: Final = "Hello, is my cargo bike ready?"
BY_SMS: Final = "Yes, in the morning"
BY_MAIL: Final = "Please send me the invoice for the cargo bike."
OF_NAMESAKE: Final = "Do you repair tandems?"
# A number of AWS, which belongs to the company only in the demo.
SMS_PROJECT: Final[dict[str, Any]] = {
    "company_id": COMPANY,
    "project_id": PROJECT,
    "company_name": "Acme Bicycles",
    "project_name": "Deliveries",
    "allowed_channels": ["sms"],
    "project_status": "active",
    "ai_config": {
        "provider": "scripted",
        "prompts": {"initial": "Be brief.", "reply": "Be brief."},
    },
    "channel_config": {
        "sms": {
            "provider": "aws_sms",
            "company_sms_number": aws_sms.NUMBER,
            "configuration_set": "parley",
        }
    },
    "default_region": "US",
    "policy": {"quiet_hours": None},
}


@dataclass(frozen=True, slots=True)
class Author:
    """The customer of one run of the demo, with own number and address; a namesake has an address alone."""

    run: Run
    person: Candidate

    @classmethod
    def of(cls, run: Run) -> Author:
        """Return the customer of a run."""
        return cls(run, run.candidate(*NAME))

    @property
    def namesake(self) -> Author:
        """Another person with the same name."""
        return replace(
            self, person=replace(self.person, email=f"penrose.{self.run.number}@example.org")
        )

    @property
    def full_name(self) -> str:
        """The name as the person writes it."""
        return f"{self.person.first_name} {self.person.last_name}"

    def webhook(self) -> bytes:
        """Return the body of WhatsApp's webhook for a message to the counter."""
        sender = Customer(self.full_name, wa_id=self.person.tel.removeprefix("+"))
        sent = payloads.message(
            sender, f"wamid.customer.{self.run.number}", self.run.number, payloads.text(BY_WHATSAPP)
        )
        change = payloads.messages_change(COUNTER, [sent], [sender])
        return gateway.meta_bytes(payloads.webhook(payloads.entry(COUNTER.waba, change)))

    def text(self) -> dict[str, Any]:
        """Return an SMS to the shop in the format of the sandbox."""
        return {"sender": self.person.tel, "to": aws_sms.NUMBER, "body": BY_SMS}

    def mail(self, body: str) -> bytes:
        """Return a mail to the shop."""
        mail = EmailMessage()
        mail["From"] = f"{self.full_name} <{self.person.email}>"
        mail["To"] = MAILBOX
        mail["Subject"] = "Cargo bike" if body == BY_MAIL else "Tandems"
        mail["Date"] = formatdate(self.run.number)
        mail["Message-ID"] = f"<{self.person.email.replace('@', '.at.')}@mail.example>"
        mail.set_content(body)
        return mail.as_bytes()

    def request(self) -> dict[str, Any]:
        """Return the shop's request for an SMS, which names the customer's number and address."""
        return {
            "company_data": {"company_id": COMPANY, "project_id": PROJECT},
            "recipient_data": self.person.recipient_data(),
            "project_data": {
                "order": "cargo bike",
                "clarificationPoints": [
                    {"point": "Shall we deliver it on Friday?", "pointConfirmed": "false"}
                ],
            },
            "request_data": {
                "request_id": f"delivery-{self.run.number}",
                "channel_method": "sms",
                "initial_request_timestamp": clock.to_text(clock.now_ms()),
            },
        }
