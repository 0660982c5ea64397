"""A recruiting company on the deployed stack: requests and texts in; tables, providers and logs out."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest
import urllib3

from events.conversations import sample_data, twilio
from events.conversations.recruiting import ANSWER, FRAGMENTS, HANDOFF_REQUEST, STOP, project
from local.demo.scenarios import conversation_probe
from local.demo.scenarios.conversation_probe import LoggedConversation
from local.demo.scenarios.recruiting_scenarios import (
    INITIATE,
    SCOPES,
    RecruitingDemo,
    play,
    request_conversation,
)
from local.stack.cli import Stack
from local.stack.seed import put_project, recruiting_key
from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e
http = urllib3.PoolManager(retries=False, timeout=180)
OTHER_PROJECT = "pi-aaa-002"
AWS_NUMBER = "+12025550160"


@pytest.fixture(scope="module")
def demo(deployed: Deployed) -> RecruitingDemo:
    """All scenarios; a scenario with an unexpected end raises."""
    key = recruiting_key(deployed.stack, *SCOPES)
    return play(deployed.stack, key, report=lambda _: None)


@pytest.fixture(scope="module")
def sms(demo: RecruitingDemo) -> LoggedConversation:
    return demo.conversation("first sms")


def sent_over(demo: RecruitingDemo, prefix: str) -> list[str]:
    """The messages that the candidate got at addresses that begin so."""
    taken = conversation_probe.received(demo.stack, demo.candidate)
    return [message.text for message in taken if message.to.startswith(prefix)]


def test_every_call_is_accounted_for(demo: RecruitingDemo) -> None:
    totals = demo.totals()

    assert totals.match, totals
    assert (totals.accepted, totals.started, totals.repeated, totals.blocked) == (6, 3, 1, 2)
    assert (totals.webhook_calls, totals.repeated_calls, totals.stored) == (6, 1, 5)
    assert len(totals.received) == 6


def test_the_candidate_gets_messages_in_the_format_of_each_channel(demo: RecruitingDemo) -> None:
    (template,) = sent_over(demo, "whatsapp:")
    (mail,) = sent_over(demo, "ann.")
    first_sms = sent_over(demo, "+")[0]

    assert json.loads(template) == {
        "name": "Ann",
        "rep": "Carol",
        "job": "Healthcare Assistant",
        "question": "Do you have a driving licence?",
    }
    assert "Carol from Cucumber Recruitment" in mail
    assert "Do you have a driving licence?" in first_sms
    assert first_sms.endswith("Reply STOP to opt out.")


def test_a_conversation_is_stored_as_the_contract_says(demo: RecruitingDemo) -> None:
    item = demo.conversation("first whatsapp").item

    assert item["primary_channel"] == demo.candidate.tel
    assert item["conversation_id"] == (
        f"{sample_data.COMPANY}#{sample_data.PROJECT}#first-whatsapp-{demo.run.number}#{demo.candidate.tel[1:]}"
    )
    assert item["conversation_status"] == "initial_message_sent"
    assert item["task_complete"] == 1
    assert item["gsi_company_whatsapp_number"] == sample_data.WHATSAPP_SENDER
    assert [entry["role"] for entry in item["messages"]] == ["assistant"]


def test_three_fragments_get_one_answer(sms: LoggedConversation) -> None:
    authors = [message.author for message in sms.messages]
    first_answer = sms.outbound[1]

    assert authors[:6] == ["ai", *["customer"] * 3, "ai", "customer"]
    assert tuple(message.text for message in sms.inbound) == (*FRAGMENTS, HANDOFF_REQUEST, STOP)
    assert first_answer.text.endswith("Can you start in May?")
    assert sms.item["recorded_answers"]["Do you have a driving licence?"] == "yes"
    assert sms.item["function_call_type"] == "record_answer"


def test_a_candidate_who_asks_for_a_person_is_handed_off_and_handed_back(
    demo: RecruitingDemo, sms: LoggedConversation
) -> None:
    promise, answer = sms.outbound[2:]

    assert promise.author == "ai"
    assert (answer.author, answer.text) == (f"human:api-key:{demo.key.split('_')[1]}", ANSWER)
    assert sms.item["hand_off_to_human_reason"] == "User requested agent"
    assert sms.item["hand_off_to_human"] is False
    assert sms.changes == (
        "initial_message_sent",
        "reply_sent",
        "handoff_pending",
        "handoff_active",
        "reply_sent",
        "opted_out",
    )


def test_stop_on_one_channel_applies_to_all(demo: RecruitingDemo, sms: LoggedConversation) -> None:
    assert sms.state["mode"] == "closed"
    for channel in ("whatsapp", "email"):
        refused = demo.conversation(f"second {channel}")
        assert (refused.status, refused.state["status_reason"]) == ("blocked", "opted_out")
        assert refused.messages == ()


def test_delivery_statuses_are_stored_with_each_message(
    demo: RecruitingDemo, sms: LoggedConversation
) -> None:
    assert [message.delivery for message in sms.outbound] == ["delivered"] * 4
    assert [message.delivery for message in demo.conversation("first whatsapp").outbound] == [
        "delivered"
    ]


def test_a_repeated_request_gets_the_stored_answer(demo: RecruitingDemo) -> None:
    (_, first), (_, again) = [
        (status, answer)
        for status, answer in demo.answers
        if answer["request_id"] == f"first-sms-{demo.run.number}"
    ]

    assert again == first
    other = demo.run.request(demo.candidate, "sms") | {"project_data": {"jobRole": "Cook"}}
    status, answer = request_conversation(demo.stack, demo.key, other)
    assert (status, answer["error"]["code"]) == (409, "REQUEST_ID_CONFLICT")


def test_without_the_right_key_no_request_is_accepted(demo: RecruitingDemo) -> None:
    stack, request = demo.stack, demo.run.request(demo.candidate, "sms", "keyless")
    other_project = request | {
        "company_data": {"company_id": sample_data.COMPANY, "project_id": OTHER_PROJECT}
    }
    reader = recruiting_key(stack, "conversations:read")

    without = http.request("POST", stack.api_url + INITIATE, json=request)
    assert without.status == 401
    assert request_conversation(stack, demo.key[:-1] + "_", request)[0] == 401
    assert request_conversation(stack, "pk_0123456789abcdef_" + "A" * 43, request)[0] == 401
    for key, wanted in ((reader, request), (demo.key, other_project)):
        status, answer = request_conversation(stack, key, wanted)
        assert (status, answer["error"]["code"]) == (403, "AUTHORIZATION_ERROR")


@dataclass(frozen=True)
class Webhook:
    """A call of Twilio's with a change that invalidates it."""

    body: str = "Hello"
    key: str = twilio.AUTH_TOKEN
    signed_for: str = twilio.PUBLIC_URL + twilio.ROUTE
    account: str = twilio.ACCOUNT
    added: str = ""
    header: str = "X-Twilio-Signature"


@pytest.mark.parametrize(
    "forged",
    [
        Webhook(key="guessed"),
        Webhook(added="&Body=Other"),
        Webhook(signed_for="https://other.example" + twilio.ROUTE),
        Webhook(signed_for=twilio.PUBLIC_URL + twilio.STATUS_ROUTE),
        Webhook(account="AC" + "0bad" * 8),
        Webhook(header="X-Not-A-Signature"),
    ],
    ids=["token", "body", "host", "route", "account", "none"],
)
def test_a_webhook_that_twilio_did_not_sign_is_refused(
    demo: RecruitingDemo, forged: Webhook
) -> None:
    sid = f"forged {demo.run.number} {forged}"
    form = twilio.text(sid, forged.body, From=demo.candidate.tel, AccountSid=forged.account)
    signature = twilio.sign(forged.signed_for, list(form.items()), forged.key)
    headers = {"Content-Type": "application/x-www-form-urlencoded", forged.header: signature}

    answer = http.request(
        "POST",
        demo.stack.api_url + twilio.ROUTE,
        body=urlencode(form) + forged.added,
        headers=headers,
    )

    assert (answer.status, answer.data) == (403, b"")


# Over AWS


@pytest.fixture(scope="module")
def over_aws(demo: RecruitingDemo) -> LoggedConversation:
    """Bob's conversation: his project sends SMS through AWS, and limits the model to one answer an hour."""
    stack, run = demo.stack, demo.run
    bob = run.candidate("Bob", "Ray", position=1)
    put_project(stack, texting_over_aws())
    key = recruiting_key(stack, *SCOPES, project=OTHER_PROJECT)
    ids = {"company_id": sample_data.COMPANY, "project_id": OTHER_PROJECT}
    status, answer = request_conversation(
        stack, key, run.request(bob, "sms", "bob") | {"company_data": ids}
    )
    assert status == 200, answer
    ref = answer["conversation_ref"]
    wait_for_delivered(stack, ref, 1)
    for words in ("Which shift would it be?", "And what is the job role?"):
        sent_before = len(conversation_probe.wait_for(stack, ref, lambda _: True).outbound)
        publish(stack, bob.text(words) | {"to": AWS_NUMBER})
        wait_for_delivered(stack, ref, sent_before + 1)
    return conversation_probe.wait_for(stack, ref, lambda _: True)


def texting_over_aws() -> dict[str, Any]:
    usual = project()
    sms = {
        "provider": "aws_sms",
        "company_sms_number": AWS_NUMBER,
        "configuration_set": "parley",
    }
    return usual | {
        "project_id": OTHER_PROJECT,
        "channel_config": usual["channel_config"] | {"sms": sms},
        "policy": usual["policy"] | {"answers_per_hour": 1},
    }


def publish(stack: Stack, words: dict[str, Any]) -> None:
    answer = http.request("POST", f"{stack.sandbox_url}/_texts", json=words)
    assert answer.json() == {"published": 1}


def wait_for_delivered(stack: Stack, ref: str, count: int) -> LoggedConversation:
    wanted = ["delivered"] * count
    return conversation_probe.wait_for(
        stack,
        ref,
        lambda conversation: [message.delivery for message in conversation.outbound] == wanted,
    )


def test_a_message_by_sns_topics_is_answered_too(over_aws: LoggedConversation) -> None:
    assert [(message.author, message.text) for message in over_aws.messages][1:3] == [
        ("customer", "Which shift would it be?"),
        ("ai", over_aws.outbound[1].text),
    ]
    assert "nights" in over_aws.outbound[1].text


def test_at_the_cap_of_answers_the_conversation_is_handed_off_with_a_notice(
    over_aws: LoggedConversation,
) -> None:
    notice = over_aws.outbound[2]

    assert over_aws.status == "handoff_pending"
    assert over_aws.item["hand_off_to_human_reason"] == "loop_cap"
    assert (notice.author, notice.text) == ("system", "A colleague will answer you soon.")


# Results


def test_no_record_is_in_the_dead_letters_and_none_was_parked(
    demo: RecruitingDemo, over_aws: LoggedConversation
) -> None:
    scan = demo.stack.client("dynamodb").get_paginator("scan")
    pages = scan.paginate(TableName=demo.stack.tables["conversation_log"])
    keys = [(row["pk"]["S"], row["sk"]["S"]) for page in pages for row in page["Items"]]
    since = demo.conversation("first sms").item["created_at"]

    assert conversation_probe.dead_letters(demo.stack) == 0
    assert [sk for pk, sk in keys if pk.startswith("PARK#") and sk > since] == []


def test_no_personal_data_are_logged(demo: RecruitingDemo, over_aws: LoggedConversation) -> None:
    logs = demo.stack.client("logs").get_paginator("filter_log_events")
    everything = "\n".join(
        event["message"]
        for group in (
            *map(conversation_probe.log_group, conversation_probe.FUNCTIONS),
            "/aws/lambda/parley-local-api-authorizer",
        )
        for page in logs.paginate(logGroupName=group)
        for event in page["events"]
    )
    people = [demo.candidate, demo.run.candidate("Bob", "Ray", position=1)]
    found = [demo.conversation(name) for name in demo.refs] + [over_aws]
    secrets = {
        *(part for person in people for part in (person.tel[1:], person.email)),
        *(str(one.item["conversation_id"]) for one in found),
        *(line for one in found for message in one.messages for line in message.text.split("\n")),
        *(twilio.AUTH_TOKEN, demo.key, demo.key.split("_", 2)[2]),
    } - {STOP}

    assert len(everything) > 10_000
    assert [secret for secret in secrets if secret in everything] == []
    assert re.findall(r"\b(Ann|Bob|Doe|Ray|Carol|Dana)\b", everything) == []
