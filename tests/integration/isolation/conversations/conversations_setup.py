"""Conversations with two companies: A with two projects, B with one, each with its own numbers and Twilio account."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3

from events.conversations import sample_data, twilio
from shared.events.exchange import File, InboundMessage
from shared.runtime import clock
from tests.integration.isolation.attacks.attacks import Attacker
from tests.integration.isolation.deployed_companies import WITH_A, WITHOUT_A, QueuedCompanies
from tests.simulation.conversations.system import System
from tests.simulation.kernel import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


COMPANY_B = "ci-bbb-001"
OTHER_PROJECT_A = "pi-aaa-002"
ANN, BEN, LEFT = sample_data.CANDIDATE, "+447700900177", "+447700900166"
ACCOUNT_B = "AC" + "77e1" * 8
TOKEN_B = "the-token-of-company-b-not-a-real-one"
SMS_B, WHATSAPP_B, EMAIL_B = "+12025550182", "+12025550183", "jobs@other.example"
SMS_OF_OTHER_PROJECT = "+12025550192"
SECRET_B = f"parley/local/companies/{COMPANY_B}/twilio"
# Numbers at Meta, of a WABA that the inbox serves.
WABA_A, WABA_B = "102290129340398", "902290129340398"
META_A, META_B = "106540352242922", "906540352242922"
PICTURE_A, PICTURE_B = "wamid.picture-of-a", "wamid.picture-of-b"
FILE_A = f"media/{sample_data.COMPANY}/{META_A}/77/file.jpg"
CANARY = "canary-words-of-ann"
UNPLACED = "canary-words-of-nobody"
KEY = "idempotency-key-of-company-a"
REQUEST_ID = "req-of-company-a"
NAME = "Canary-Last-Name"
LABEL, NOTE = "canary-label", "canary-note"
# Too long for an item: stored in the bucket.
PROJECT_DATA = "canary-project-data " * 100
SIGNERS = {
    **twilio.SECRET["accounts"],
    ACCOUNT_B: {"auth_tokens": [TOKEN_B], "shared_keys": {}},
}


@dataclass
class TwoCompanies(QueuedCompanies[System]):
    """The simulated conversations of A and B in one deployment."""

    company_a: str = sample_data.COMPANY
    company_b: str = COMPANY_B
    project_a: str = sample_data.PROJECT
    other_project_a: str = OTHER_PROJECT_A
    words: tuple[str, ...] = (CANARY, UNPLACED, NAME, LABEL, NOTE, "canary-project-data")

    def __post_init__(self) -> None:
        """The history of both companies, with a snapshot of each state that a test starts from."""
        self.system.reset()
        self.system.replace_items({})
        self.system.put_webhook_secret(SIGNERS)
        self.system.put_secret(
            SECRET_B, {"twilio_account_sid": ACCOUNT_B, "twilio_auth_token": TOKEN_B}
        )
        self._b_begins()
        without_a = self.system.snapshot()
        self._other_project_begins()
        without_project = self.system.snapshot()
        refs = self._a_begins()
        self.keep(
            {
                WITH_A: self.system.snapshot(),
                WITHOUT_A: without_a,
                "without the project": without_project,
            }
        )
        self.names = {**self.names, **self._names(refs)}
        self.ids = (*refs.values(), FILE_A)

    def without_a(self, attacker: Attacker = Attacker.OTHER_COMPANY) -> None:
        is_same_company = attacker is Attacker.OTHER_PROJECT
        self.begin("without the project" if is_same_company else WITHOUT_A)

    def module_of(self, line: str) -> ModuleType:
        return self.system.functions[
            "ConversationsRouter" if "initiate" in line else "ConversationsAdmin"
        ]

    def picture(
        self, message_id: str, waba: str, number: str, customer: str, **facts: Any
    ) -> InboundMessage:
        """A picture that the inbox hands over before it has fetched the file."""
        known: dict[str, Any] = {
            "provider": "meta",
            "company": sample_data.COMPANY if waba == WABA_A else COMPANY_B,
            "provider_message_id": message_id,
            "account": waba,
            "channel_method": "whatsapp",
            "business_address": number,
            "customer_address": customer,
            "received_at": clock.to_text(self.system.clock.ms),
            "kind": "media",
            "media": [File(provider_id="77", mime_type="image/jpeg")],
        }
        return InboundMessage(**known | facts)

    def sent(self) -> list[dict[str, Any]]:
        """Messages sent to a provider since the start of the test."""
        return self.system.sent()

    def row(self, beginning: str, **attributes: str) -> dict[str, Any]:
        """The first item of the log table with this partition key prefix and these attributes."""
        return next(
            row
            for key, row in sorted(self.system.rows().items())
            if key[0] == "log"
            and key[1].startswith(beginning)
            and all(row.get(name) == value for name, value in attributes.items())
        )

    def _b_begins(self) -> None:
        """B has a project, a conversation, and a project of the same name as A's."""
        for project in ("pi-bbb-001", self.project_a):
            self.system.set_up(project_of_b(project))
        self.names = {"ref_of_b": self._ask(COMPANY_B, "pi-bbb-001", "req-of-b", BEN)}
        self._ask(COMPANY_B, "pi-bbb-001", "req-of-b-2", BEN, channel="whatsapp")
        self.system.forward(self.picture(PICTURE_B, WABA_B, WHATSAPP_B, BEN))
        fields = {"AccountSid": ACCOUNT_B, "To": SMS_B, "From": BEN}
        self.system.webhook(twilio.post(twilio.text("b", "Hello", **fields), key=TOKEN_B))
        self.system.drain()

    def _other_project_begins(self) -> None:
        changes = sample_data.project()["channel_config"]
        sms = changes["sms"] | {"company_sms_number": SMS_OF_OTHER_PROJECT}
        item = sample_data.project(project_id=OTHER_PROJECT_A, channel_config={"sms": sms})
        self.system.set_up(item | {"allowed_channels": ["sms"]})
        self._ask(self.company_a, OTHER_PROJECT_A, "req-other", "+447700900188")

    def _a_begins(self) -> dict[str, str]:
        """A has two conversations, an unmatched message and a parked message."""
        self.system.set_up(sample_data.project(channel_config=channels_of_a()))
        boto3.client("s3").put_object(Bucket=self.system.bucket, Key=FILE_A, Body=CANARY.encode())
        ref = self._ask(self.company_a, self.project_a, REQUEST_ID, ANN)
        second = self._ask(self.company_a, self.project_a, "req-2", ANN, channel="whatsapp")
        self.system.text("a", CANARY)
        self.system.forward(self.picture(PICTURE_A, WABA_A, sample_data.WHATSAPP_SENDER, ANN))
        self.system.drain()
        for number in ("+447700900998", "+447700900999"):
            self.system.text(f"nobody {number}", UNPLACED, From=number)
        self.system.text("stop", "STOP", From=LEFT)
        self.system.drain()
        for words in ("in other words", "and in others"):
            # Parked: the same id with another content, after the queue's deduplication interval.
            self.system.clock.sleep(10 * 60)
            self.system.text("a", f"{CANARY} {words}")
            self.system.drain()
        for what, body in {
            "labels": {"labels": [LABEL], "revision": 0},
            "snooze": {"snoozed_until": self._later()},
            "notes": {"text": NOTE},
            "memory": {"summary": NOTE, "facts": [NOTE], "revision": 0},
        }.items():
            self.system.call_admin_api(f"POST /conversations/{{ref}}/{what}", body, ref=ref)
        self.system.call_admin_api(
            "POST /projects/{project_id}/versions",
            {"settings": {"company_rep": {"company_rep_1": NAME}}, "note": NOTE},
            project_id=self.project_a,
        )
        made_up = {"name": NOTE, "turns": [{"says": NOTE, "answers": [NOTE]}]}
        set_of_a = {"project_id": self.project_a, "set_name": "made-up"}
        line = "POST /projects/{project_id}/sets/{set_name}"
        self.system.call_admin_api(line, {"scenarios": [made_up]}, **set_of_a)
        self.system.call_admin_api(f"{line}/runs", {"recorded": True}, **set_of_a)
        trial = {"mode": "shadow", "version": 2, "most_answers": 5}
        line = "POST /projects/{project_id}/trials"
        begun = self.system.call_admin_api(line, trial, project_id=self.project_a)
        of_a = {"project_id": self.project_a, "trial_id": str(begun["trial_id"])}
        self.system.call_admin_api(f"{line}/{{trial_id}}/stop", {}, **of_a)
        answer = next(m for m in reversed(self.system.log(ref)) if m.get("up_to"))
        bad = {"entry_id": answer["entry_id"], "rating": "down"}
        self.system.call_admin_api("POST /conversations/{ref}/ratings", bad, ref=ref)
        kept = {"question": NOTE, "document": f"{NOTE}.md"}
        line = "POST /projects/{project_id}/knowledge/questions"
        self.system.call_admin_api(line, kept, project_id=self.project_a)
        self.system.drain()
        queue = next(iter(self.system.fifo_queues.queues.values()))
        queue._append('{"type": "resume", "ref": "-"}', "letter-of-a", "letter-of-a")
        queue.dead_letters.append(queue.messages.pop())
        return {"ref": ref, "second_ref": second}

    def _later(self) -> str:
        return clock.to_text(self.system.clock.ms + 24 * clock.HOUR_MS)

    def _ask(
        self, company: str, project: str, request_id: str, recipient: str, channel: str = "sms"
    ) -> str:
        payload = request_of(company, project, request_id, recipient, channel)
        status, answer = self.system.ask(payload, company=company)
        assert status == 200, answer
        self.system.drain()
        return str(answer["conversation_ref"])

    def _names(self, refs: dict[str, str]) -> dict[str, str]:
        self.with_a()

        def shown(line: str, **query: str) -> dict[str, Any]:
            return self.shown(line, refs, **query)

        parked = shown("GET /conversations/parked", company=self.company_a)["result"]["events"]
        message = next(m for m in reversed(self.system.log(refs["ref"])) if m["author"] == "ai")
        customers = next(m for m in self.system.log(refs["ref"]) if m["author"] == "customer")
        link = self.row("OUT#", ref=refs["ref"])
        return refs | {
            "later": self._later(),
            "before_note": f"{self._later()}~{'0' * 32}",
            "company": self.company_a,
            "project": self.project_a,
            "version": "2",
            "set": "made-up",
            "run": self.shown("GET /projects/{project_id}/sets", {"project_id": self.project_a})[
                "result"
            ]["sets"][0]["newest_run"],
            "trial": self.shown(
                "GET /projects/{project_id}/trials", {"project_id": self.project_a}
            )["result"]["trials"][0]["trial_id"],
            "question": self.shown(
                "GET /projects/{project_id}/knowledge/questions", {"project_id": self.project_a}
            )["result"]["questions"][0]["question_id"],
            "unanswered": self.shown(
                "GET /projects/{project_id}/knowledge/suggestions", {"project_id": self.project_a}
            )["result"]["suggestions"][0]["question_ids"][0],
            "recipient": ANN,
            "entry_id": str(message["entry_id"]),
            "message_sk": f"MSG#{message['message_timestamp']}#{message['entry_id']}",
            "customers_sk": f"MSG#{customers['message_timestamp']}#{customers['entry_id']}",
            "provider_message_id": str(message["provider_message_id"]),
            "customers_message_id": str(customers["provider_message_id"]),
            "action_id": str(link["action_id"]),
            "unmatched_id": shown("GET /unmatched")["result"]["messages"][0]["id"],
            "recipient_who_left": LEFT,
            "before": f"{message['message_timestamp']}~{message['entry_id']}",
            "project_data_key": next(
                key for key in self.system.objects() if "project-data" in key and refs["ref"] in key
            ),
            "file_key": FILE_A,
            "conversation_id": str(self.system.state(refs["ref"])["conversation_id"]),
            "key": KEY,
            "request_id": REQUEST_ID,
            "event_id": parked[0]["eventId"],
            "reason": parked[0]["reason"],
            "letter": shown("GET /conversations/dead-letters")["result"]["letters"][0]["id"],
        }


def channels_of_a() -> dict[str, Any]:
    """SMS over Twilio, WhatsApp over Meta, e-mail over SES."""
    known: dict[str, Any] = sample_data.project()["channel_config"]
    meta = at_meta(known["whatsapp"], sample_data.COMPANY, WABA_A, META_A)
    return known | {"whatsapp": meta}


def at_meta(channel: dict[str, Any], company: str, waba: str, number: str) -> dict[str, Any]:
    """A channel config of WhatsApp over a number at Meta."""
    templates = {"invitation": sample_data.INVITATION | {"meta_name": "invitation"}}
    changes = {
        "provider": "meta",
        "account": waba,
        "phone_number_id": number,
        "whatsapp_credentials_id": company,
    }
    return channel | changes | {"templates": templates, "reengagement_template": None}


def project_of_b(project: str, **changes: Any) -> dict[str, Any]:
    """The company data of a project of B."""
    twilio_of_b = {"provider": "twilio", "account": ACCOUNT_B}
    channels = {
        "sms": twilio_of_b
        | {
            "company_sms_number": SMS_B,
            "sms_credentials_id": SECRET_B,
            "opt_out_handled_by": "parley",
        },
        "whatsapp": at_meta(
            sample_data.project()["channel_config"]["whatsapp"], COMPANY_B, WABA_B, META_B
        )
        | {"company_whatsapp_number": WHATSAPP_B},
        "email": sample_data.project()["channel_config"]["email"] | {"company_email": EMAIL_B},
    }
    known = {"company_id": COMPANY_B, "project_id": project, "company_name": "Other Ltd"}
    return sample_data.project(channel_config=channels, **(known | changes))


def request_of(
    company: str, project: str, request_id: str, recipient: str, channel: str = "sms"
) -> dict[str, Any]:
    """The request of a company's software that starts a conversation."""
    person = sample_data.request()["recipient_data"] | {"recipient_tel": recipient}
    if company == sample_data.COMPANY:
        person |= {"recipient_last_name": NAME}
    else:
        person |= {"recipient_email": "ben@example.com", "recipient_first_name": "Ben"}
    about = {} if company == COMPANY_B else {"project_data": {"notes": PROJECT_DATA}}
    return sample_data.request(
        channel,
        request_id,
        company_data={"company_id": company, "project_id": project},
        recipient_data=person,
        **about,
    )


@contextmanager
def two_companies() -> Iterator[TwoCompanies]:
    """The system, created once per module."""
    with running(System) as system:
        yield TwoCompanies(system)
