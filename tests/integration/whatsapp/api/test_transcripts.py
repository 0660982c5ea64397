"""The routes of voice notes as text: who may ask for one, and who sets the transcriber of a number."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import boto3
import pytest

from shared.api.auth import Caller
from shared.aws.sqs_fifo import digest
from tests.aws import api_gateway
from tests.integration.whatsapp.api.conftest import AGENT, GLOBEX, Answer, Invocation
from tests.integration.whatsapp.api.test_admin import ADMIN, Admin, admin, module  # noqa: F401 - fixtures
from tests.integration.whatsapp.conftest import PHONE, Harness
from whatsapp import store
from whatsapp.api.views import number_view

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


def listed(admin: Admin, caller: Caller = ADMIN) -> dict[str, Any]:  # noqa: F811 - as above
    event = api_gateway.request("GET /whatsapp/transcription", None, caller)
    answer = admin.module.handler(event, Invocation())
    assert answer["statusCode"] == 200
    numbers = json.loads(answer["body"])["result"]["numbers"]
    return {one["phone"]: one.get("transcription") for one in numbers}


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
    assert listed(admin) == {PHONE: answer.body["result"]["transcription"]}
    phone = store.phones.get(harness.resources.table, PHONE)
    assert phone is not None
    assert number_view(phone).transcription == "on_request"

    gone = {"phone": PHONE, "transcription": None}
    assert post(admin, "/whatsapp/transcription", gone, ADMIN).status == 200
    store.phones.forget()
    phone = store.phones.get(harness.resources.table, PHONE)
    assert phone is not None
    assert number_view(phone).transcription is None
    assert listed(admin)[PHONE] is None


def test_the_transcribers_of_numbers_are_read_by_administrators_of_their_company_only(
    admin: Admin,  # noqa: F811 - as above
) -> None:
    set_up(admin)

    assert PHONE not in listed(admin, FOREIGN)
    refused = admin.module.handler(
        api_gateway.request("GET /whatsapp/transcription", None, AGENT), Invocation()
    )
    assert refused["statusCode"] == 403


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


def test_an_agent_asks_for_a_transcript(admin: Admin) -> None:  # noqa: F811 - as above
    set_up(admin, automatic=False)
    asked = {"phone": PHONE, "messageId": "wamid.acme"}

    answers = [post(admin, "/whatsapp/transcripts", asked, AGENT, key) for key in "aab"]

    assert [one.status for one in answers] == [202] * 3
    assert answers[0].body["result"] == {"id": "wamid.acme", "status": "PENDING"}
    sqs = boto3.client("sqs")
    url = sqs.get_queue_url(QueueName="parley-dev-whatsapp-jobs")["QueueUrl"]
    queued = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    events = [json.loads(one["Body"]) for one in queued]
    assert [(one["kind"], one["payload"]) for one in events] == [
        ("transcription", {"messagePk": "MSG#wamid.acme"})
    ] * 2


def test_a_number_of_another_company_is_not_found_and_one_without_a_transcriber_refused(
    admin: Admin,  # noqa: F811 - as above
) -> None:
    asked = {"phone": PHONE, "messageId": "wamid.acme"}
    without = post(admin, "/whatsapp/transcripts", asked, AGENT, "a")
    set_up(admin)
    foreign = post(admin, "/whatsapp/transcripts", asked, FOREIGN, "b")
    reader = replace(AGENT, scopes=frozenset({"whatsapp:read"}))

    assert (without.status, without.fields) == (400, ["phone"])
    assert (foreign.status, foreign.error) == (404, "not_found")
    assert post(admin, "/whatsapp/transcripts", asked, reader, "c").status == 403
