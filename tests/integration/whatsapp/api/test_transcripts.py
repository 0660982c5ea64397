"""The routes of voice notes as text: who may ask for one, and who sets the transcriber of a number."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import boto3
import pytest

from shared.api.auth import Caller
from shared.aws.sqs_fifo import digest
from tests import api_gateway
from tests.integration.whatsapp.api.conftest import AGENT, GLOBEX, Answer, Invocation
from tests.integration.whatsapp.api.test_admin import ADMIN, Admin, admin, module  # noqa: F401 - fixtures
from tests.integration.whatsapp.conftest import PHONE, Harness
from whatsapp import store
from whatsapp.api.views import number_view
from whatsapp.store.items import Message, pk

PK = "MSG#wamid.acme"
KEY = "parley/local/companies/acme/openai"
SPEECH = {"provider": "openai", "apiKeyReference": KEY}
FOREIGN = replace(GLOBEX, scopes=frozenset({"whatsapp:read", "whatsapp:write", "whatsapp:admin"}))


def post(admin: Admin, path: str, body: dict[str, Any], caller: Caller, key: str = "k-1") -> Answer:  # noqa: F811 - the fixture
    event = api_gateway.request(
        f"POST {path}",
        json.dumps(body),
        caller,
        headers={"Idempotency-Key": f"change-{key}"},
        request_id=key,
    )
    answer = admin.module.handler(event, Invocation())
    return Answer(answer["statusCode"], {}, json.loads(answer["body"]))


def set_up(admin: Admin, caller: Caller = ADMIN, **settings: Any) -> Answer:  # noqa: F811 - as above
    body = {"phone": PHONE, "transcription": {**SPEECH, **settings}}
    answer = post(
        admin, "/whatsapp/transcription", body, caller, f"set-{digest(str(settings))[:20]}"
    )
    store.phones.forget()
    return answer


@pytest.fixture
def recording(admin: Admin, harness: Harness) -> Admin:  # noqa: F811 - as above
    """The function, and a message with a stored recording."""
    facts = Message.named(
        media_id="77", mime_type="audio/ogg; codecs=opus", s3_bucket="b", s3_key="media/acme/v.ogg"
    )
    harness.resources.table.update(pk(PK), put=facts)
    return admin


def test_an_administrator_sets_and_removes_the_transcriber_of_a_number(
    admin: Admin,  # noqa: F811 - as above
    harness: Harness,
) -> None:
    answer = set_up(admin, language="de", automatic=False)

    assert answer.status == 200
    assert answer.body["result"]["transcription"] == {
        "provider": "openai",
        "apiKeyReference": KEY,
        "model": "gpt-4o-mini-transcribe",
        "language": "de",
        "largestBytes": 2_000_000,
        "automatic": False,
    }
    phone = store.phones.get(harness.resources.table, PHONE)
    assert phone is not None
    assert number_view(phone).transcription == "on_request"

    gone = {"phone": PHONE, "transcription": None}
    assert post(admin, "/whatsapp/transcription", gone, ADMIN).status == 200
    store.phones.forget()
    phone = store.phones.get(harness.resources.table, PHONE)
    assert phone is not None
    assert number_view(phone).transcription is None


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"language": "German"}, "transcription.language"),
        ({"largestBytes": 0}, "transcription.largestBytes"),
        ({"largestBytes": (16 << 20) + 1}, "transcription.largestBytes"),
        ({"apiKeyReference": "parley/local/companies/globex/x"}, "transcription.apiKeyReference"),
        ({"apiKeyReference": None}, "transcription"),
        ({"provider": "bedrock"}, "transcription.provider"),
        ({"bucket": "x"}, "transcription.bucket"),
        ({"model": ""}, "transcription.model"),
    ],
)
def test_a_wrong_setting_names_field_and_rule(
    admin: Admin,  # noqa: F811 - as above
    settings: dict[str, Any],
    field: str,
) -> None:
    answer = set_up(admin, **settings)

    assert answer.status == 400
    assert answer.fields == [field]


def test_only_administrators_of_the_company_set_it(admin: Admin) -> None:  # noqa: F811 - as above
    assert set_up(admin, AGENT).status == 403
    assert set_up(admin, FOREIGN).status == 404


def test_an_agent_asks_for_a_transcript_and_a_second_time_nothing_more_is_paid_for(
    recording: Admin,
) -> None:
    set_up(recording, automatic=False)
    asked = {"messageId": "wamid.acme"}

    answers = [post(recording, "/whatsapp/transcripts", asked, AGENT, key) for key in "ab"]

    assert [one.status for one in answers] == [202, 202]
    assert answers[0].body["result"] == {"id": "wamid.acme", "status": "PENDING"}
    sqs = boto3.client("sqs")
    url = sqs.get_queue_url(QueueName="parley-dev-whatsapp-jobs")["QueueUrl"]
    queued = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    assert {json.loads(one["Body"])["kind"] for one in queued} == {"transcription"}


def test_a_message_of_another_company_is_not_found(recording: Admin) -> None:
    set_up(recording)

    for message in ("wamid.acme", "wamid.none"):
        answer = post(recording, "/whatsapp/transcripts", {"messageId": message}, FOREIGN)
        assert (answer.status, answer.error) == (404, "not_found")


def test_a_message_without_a_recording_and_a_number_without_a_transcriber_are_refused(
    recording: Admin,
    harness: Harness,
) -> None:
    asked = {"messageId": "wamid.acme"}
    without = post(recording, "/whatsapp/transcripts", asked, AGENT, "a")
    set_up(recording)
    harness.resources.table.update(pk(PK), drop=["s3Key"])
    no_recording = post(recording, "/whatsapp/transcripts", asked, AGENT, "b")

    for answer, problem in ((without, "transcriber"), (no_recording, "stored recording")):
        assert (answer.status, answer.fields) == (400, ["messageId"])
        assert problem in answer.body["error"]["details"][0]["problem"]
