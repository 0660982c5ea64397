"""Voice notes of the inbox as text: requested, paid for and stored once, shown with their failures, gone with them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from local.sandbox.accounts.media import OGG_VOICE
from shared.ai.files.spoken_words import Transcribers
from shared.ai.spending import usage
from shared.ai.spending.bounds import Kind
from shared.aws.dynamodb import Table
from shared.providers.company_secrets import CompanySecrets
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from tests import keyring
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, a_phone
from tests.integration.whatsapp.messages.test_media import media_message, sandbox  # noqa: F401 - a fixture
from tests.template import name_of
from whatsapp import store
from whatsapp.api.message_views import transcript_view
from whatsapp.inbound import transcript_requests
from whatsapp.inbound.event import TRANSCRIPTION, Outcome
from whatsapp.inbound.queued_events import parse_event
from whatsapp.store.accounts.numbers import phone_settings
from whatsapp.store.inbox import transcripts as stored
from whatsapp.store.items import Message
from whatsapp.store.items.accounts.phones import CONVERSATIONS
from whatsapp.worker.forwarding import forwarder
from whatsapp.worker.media import transcripts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.sandbox import Sandbox

KEY = "parley/local/companies/acme/openai"
SPEECH = {"provider": "openai", "model": "gpt-4o-mini-transcribe", "api_key_reference": KEY}
WORDS = "My dog Wotan needs a new collar."
PK = "MSG#wamid.1"


@dataclass
class Speech:
    """A number with a transcriber, and the worker of its voice notes."""

    harness: Harness
    sandbox: Sandbox

    @property
    def table(self) -> Table:
        return self.harness.resources.table

    @property
    def queue(self) -> Any:
        return self.harness.outbox

    @property
    def message(self) -> Message:
        found = store.messages.get(self.table, PK)
        assert found is not None
        return found

    def set_up(self, **settings: Any) -> None:
        """Give the number a transcriber; `transcription=None` takes it away."""
        facts = {"transcription": {**SPEECH, "automatic": True}} | settings
        phone_settings.change(self.table, a_phone(transcription={}, automation=""), **facts)
        store.phones.forget()

    def receive(self) -> None:
        """A customer's voice note arrives, and its file is stored."""
        self.harness.take({"messages": [media_message(OGG_VOICE, "audio", voice=True)]})
        (download,) = self.queued("media")
        assert self.harness.handle(download).outcome is Outcome.PERSISTED

    def queued(self, kind: str) -> list[str]:
        """Take the events of a kind from the queue of jobs."""
        entries = self.harness.outbox.entries
        taken = [one.body for one in entries if json.loads(one.body)["kind"] == kind]
        self.harness.outbox.entries = [one for one in entries if one.body not in taken]
        return taken

    def transcribe(self, body: str, *, attempt: int = 1, is_last: bool = False) -> Outcome:
        transcribers = Transcribers(
            credentials=CompanySecrets(lambda: boto3.client("secretsmanager")),
            openai_url=f"{self.sandbox.url}/v1",
            spending=self.harness.resources.spending,
        )
        delivery = transcripts.Delivery(
            attempt=attempt, is_last=is_last, remaining_ms=lambda: 60_000
        )
        return transcripts.handle(self.harness.resources, transcribers, parse_event(body), delivery)

    def shown(self) -> tuple[str, str | None, str | None] | None:
        view = transcript_view(self.message, store.phones.get(self.table, PHONE))
        return (view.status, view.text, view.reason) if view else None

    def calls(self) -> list[Any]:
        return [one.body for one in self.sandbox.sent if one.operation == "create_transcription"]


@pytest.fixture
def speech(harness: Harness, sandbox: Sandbox) -> Iterator[Speech]:  # noqa: F811 - the fixture
    secret = json.dumps({"ai_api_key": "sk-made-up"})
    boto3.client("secretsmanager").create_secret(Name=KEY, SecretString=secret)
    sandbox.openai.transcripts.append(WORDS)
    system = Speech(harness, sandbox)
    system.set_up()
    with keyring.held(keyring.Keys(keyring.KEY)):
        yield system


def test_each_voice_note_becomes_text_if_the_number_says_so(speech: Speech) -> None:
    speech.receive()
    (event,) = speech.queued(TRANSCRIPTION)
    assert speech.shown() == ("PENDING", None, None)

    assert speech.transcribe(event) is Outcome.PERSISTED

    assert speech.shown() == ("DONE", WORDS, None)
    (request,) = speech.calls()
    assert request["model"] == "gpt-4o-mini-transcribe"
    assert speech.message.transcribing_until is None


def test_without_a_transcriber_nothing_is_requested_and_nothing_offered(speech: Speech) -> None:
    speech.set_up(transcription=None)

    speech.receive()

    assert speech.queued(TRANSCRIPTION) == []
    assert speech.shown() is None


def test_with_a_transcriber_on_request_a_person_asks(speech: Speech) -> None:
    speech.set_up(transcription={**SPEECH, "automatic": False})
    speech.receive()
    assert speech.queued(TRANSCRIPTION) == []
    assert speech.shown() == ("OFFERED", None, None)

    for _ in range(2):
        transcript_requests.request(speech.queue, a_phone(), PK)
    events = speech.queued(TRANSCRIPTION)

    assert [speech.transcribe(event) for event in events] == [
        Outcome.PERSISTED,
        Outcome.DUPLICATE,
    ]
    assert len(speech.calls()) == 1


def test_at_the_number_of_an_ai_conversation_its_project_decides(speech: Speech) -> None:
    speech.set_up(automation=CONVERSATIONS)

    speech.receive()

    assert speech.queued(TRANSCRIPTION) == []


def test_the_text_that_a_person_asked_for_is_reported_to_the_ai_conversation_also_after_a_crash(
    speech: Speech, monkeypatch: pytest.MonkeyPatch
) -> None:
    speech.set_up(automation=CONVERSATIONS)
    speech.receive()
    reported = speech.harness.inbound
    reported.entries.clear()
    transcript_requests.request(speech.queue, a_phone(), PK)
    (asked,) = speech.queued(TRANSCRIPTION)

    def dies(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(forwarder, "file", dies)
        with pytest.raises(KeyboardInterrupt):
            speech.transcribe(asked)
    assert reported.entries == []

    assert speech.transcribe(asked) is Outcome.DUPLICATE

    (event,) = reported.entries
    file = json.loads(event.body)["file"]
    assert file["transcript"] == WORDS
    assert file["url"].endswith(speech.message.s3_key or "-")
    assert len(speech.calls()) == 1


def test_the_text_of_a_number_of_people_is_reported_nowhere(speech: Speech) -> None:
    speech.receive()
    (event,) = speech.queued(TRANSCRIPTION)

    speech.transcribe(event)

    assert speech.harness.inbound.entries == []


def test_a_picture_is_no_recording(speech: Speech) -> None:
    speech.harness.take({"messages": [media_message("1003383421387256")]})
    (download,) = speech.queued("media")

    speech.harness.handle(download)

    assert speech.queued(TRANSCRIPTION) == []
    assert speech.shown() is None
    transcript_requests.request(speech.queue, a_phone(), PK)
    (asked,) = speech.queued(TRANSCRIPTION)
    assert speech.transcribe(asked) is Outcome.DUPLICATE
    assert speech.calls() == []


def test_a_repeated_download_requests_the_text_again_and_it_is_paid_for_once(
    speech: Speech,
) -> None:
    speech.harness.take({"messages": [media_message(OGG_VOICE, "audio", voice=True)]})
    (download,) = speech.queued("media")
    for _ in range(2):
        speech.harness.handle(download)

    for event in speech.queued(TRANSCRIPTION):
        speech.transcribe(event)

    assert len(speech.calls()) == 1
    assert speech.shown() == ("DONE", WORDS, None)


def test_a_worker_waits_for_another_one_and_takes_over_after_its_lease(
    speech: Speech, monkeypatch: pytest.MonkeyPatch
) -> None:
    speech.receive()
    (event,) = speech.queued(TRANSCRIPTION)

    def dies(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(stored, "settle", dies)
        with pytest.raises(KeyboardInterrupt):
            speech.transcribe(event)
    with pytest.raises(Transient, match="transcribing") as waits:
        speech.transcribe(event)
    assert waits.value.wait_ms
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 120_000)
    speech.sandbox.openai.transcripts.append("Again.")

    assert speech.transcribe(event) is Outcome.PERSISTED

    assert speech.shown() == ("DONE", "Again.", None)


def test_a_failure_that_passes_is_tried_again_and_shown_at_the_end_with_a_new_request(
    speech: Speech,
) -> None:
    speech.receive()
    (event,) = speech.queued(TRANSCRIPTION)
    speech.sandbox.faults.add(
        provider="openai", operation="create_transcription", kind="status", status=503, times=2
    )

    with pytest.raises(Transient):
        speech.transcribe(event)
    assert speech.transcribe(event, attempt=5, is_last=True) is Outcome.PERSISTED
    status, text, reason = speech.shown() or ("", None, None)
    assert (status, text) == ("FAILED", None)
    assert reason

    transcript_requests.request(speech.queue, a_phone(), PK)
    (again,) = speech.queued(TRANSCRIPTION)
    speech.transcribe(again)
    assert speech.shown() == ("DONE", WORDS, None)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"largest_bytes": 10}, "too_large"),
        ({"api_key_reference": "parley/local/companies/globex/openai"}, "Misconfigured"),
        ({"api_key_reference": "parley/local/companies/acme/none"}, None),
        ({"provider": "other"}, transcripts.UNREADABLE),
    ],
)
def test_a_recording_without_words_has_the_reason(
    speech: Speech, settings: dict[str, Any], reason: str | None
) -> None:
    speech.set_up(transcription={**SPEECH, "automatic": True, **settings})
    speech.receive()
    (event,) = speech.queued(TRANSCRIPTION)

    speech.transcribe(event)

    status, _, shown = speech.shown() or ("", None, None)
    assert status == "FAILED"
    assert shown == reason if reason else shown
    assert speech.calls() == []


def test_recordings_beyond_the_bounds_on_costs_have_no_text(speech: Speech) -> None:
    table = Table(speech.harness.dynamodb, name_of("SpendingTable"))
    usage.set_percents(table, "acme", {Kind.TRANSCRIPTION: 0}, by="a person")
    speech.receive()
    (event,) = speech.queued(TRANSCRIPTION)

    speech.transcribe(event)

    assert speech.shown() == ("FAILED", None, "spending_limit")
    assert speech.calls() == []


def test_the_words_go_with_a_revoked_message_and_come_no_more(speech: Speech) -> None:
    speech.receive()
    (event,) = speech.queued(TRANSCRIPTION)
    speech.transcribe(event)
    assert speech.message.transcript == WORDS
    revoke: dict[str, Any] = {
        "id": "wamid.2",
        "from": "447700900101",
        "timestamp": str(NOW // 1_000),
    }
    revoke |= {"type": "revoke", "revoke": {"original_message_id": "wamid.1"}}

    speech.harness.take({"messages": [revoke]})

    assert speech.message.revoked_at
    assert "Wotan" not in json.dumps(speech.harness.item(PK), default=str)
    assert speech.transcribe(event) is Outcome.DUPLICATE
    assert speech.shown() is None


def test_an_event_of_another_company_names_no_message_of_this_one(speech: Speech) -> None:
    speech.receive()
    (event,) = speech.queued(TRANSCRIPTION)
    other = "306540352242944"
    store.phones.register(
        speech.table,
        a_phone(
            pk=f"PHONE#{other}",
            phone=other,
            company="globex",
            waba_meta_id="902290129340398",
            phone_arn=f"arn:parley:whatsapp:::phone-number-id/{other}",
            transcription=SPEECH,
        ),
    )
    foreign = json.dumps(json.loads(event) | {"phone": other, "waba": "902290129340398"})

    with pytest.raises(Permanent, match="tenant_mismatch"):
        speech.transcribe(foreign)

    assert speech.calls() == []


def test_no_log_has_the_words(speech: Speech, capsys: pytest.CaptureFixture[str]) -> None:
    speech.receive()
    (event,) = speech.queued(TRANSCRIPTION)
    speech.transcribe(event)

    assert "Wotan" not in capsys.readouterr().out


def test_a_very_long_text_is_cut(speech: Speech) -> None:
    speech.sandbox.openai.transcripts.clear()
    speech.sandbox.openai.transcripts.append("é" * 5_000)
    speech.receive()
    (event,) = speech.queued(TRANSCRIPTION)

    speech.transcribe(event)

    assert len(speech.message.transcript or "") == 4_000


def test_a_number_keeps_its_transcriber_when_it_is_registered_again(speech: Speech) -> None:
    store.phones.register(speech.table, a_phone())
    store.phones.forget()

    phone = store.phones.get(speech.table, PHONE)

    assert phone is not None
    assert phone.transcription
