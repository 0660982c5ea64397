"""`POST /initiate-conversation`: accepted, unauthorised and repeated requests, and the project's settings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from conversations.store.items import identifiers
from events.conversations import sample_data
from shared.api.auth import Scope
from tests.integration.conversations.initiation.requests import (
    HOUR_MS,
    MINUTE_MS,
    SECRET,
    numbered,
    post_request,
    queue_name,
    queued,
)
from tests.simulation.interceptor import Died, When

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

# Accepted requests


def test_a_request_is_answered_with_the_ids_of_its_conversation(system: System) -> None:
    status, answer = system.ask(sample_data.request("sms"))

    assert status == 200
    assert answer == {
        "status": "success",
        "request_id": "req-1",
        "message": "Request accepted and queued for processing",
        "queue_timestamp": "2026-01-01T12:00:00.000Z",
        "conversation_id": "ci-aaa-001#pi-aaa-001#req-1#447700900123",
        "conversation_ref": answer["conversation_ref"],
        "warnings": [],
    }
    assert len(answer["conversation_ref"]) == 26


def test_the_queued_record_has_the_request_verbatim_and_the_current_project(system: System) -> None:
    system.ask(sample_data.request("sms") | {"colour": "blue"})

    (context,) = queued(system)
    assert context["frontend_payload"] == sample_data.request("sms") | {"colour": "blue"}
    assert context["company_data_payload"] == sample_data.project()
    assert context["conversation_data"] == {
        "conversation_id": "ci-aaa-001#pi-aaa-001#req-1#447700900123",
        "conversation_ref": identifiers.ref_of("ci-aaa-001#pi-aaa-001#req-1#447700900123"),
        "conversation_status": "initiated",
        "fallback": 0,
    }
    assert context["metadata"].keys() == {"router_version", "queued_at", "correlation_id"}


def test_message_group_and_deduplication_id_show_no_address_or_request_id(system: System) -> None:
    system.ask(sample_data.request("sms"))

    (message,) = system.fifo_queues.queues[queue_name(system, "sms")].messages
    shown = json.dumps([message.group, message.deduplication])
    assert "447700900123" not in shown
    assert "req-1" not in shown


@pytest.mark.parametrize("channel", ["whatsapp", "sms", "email"])
def test_each_channel_has_its_queue(system: System, channel: str) -> None:
    system.ask(sample_data.request(channel))

    assert [name for name, queue in system.fifo_queues.queues.items() if queue.messages] == [
        queue_name(system, channel)
    ]


def test_tolerated_errors_are_returned_as_warnings(system: System) -> None:
    recipient = sample_data.request()["recipient_data"] | {
        "comms_consent": False,
        "recipient_email": "-",
    }

    status, answer = system.ask(sample_data.request("sms", recipient_data=recipient))

    assert status == 200
    assert answer["warnings"] == ["RECIPIENT_EMAIL_DROPPED", "CONSENT_MISSING"]


def test_a_number_without_a_plus_is_of_the_projects_region(system: System) -> None:
    recipient = sample_data.request()["recipient_data"] | {"recipient_tel": "07700 900123"}

    _, answer = system.ask(sample_data.request("sms", recipient_data=recipient))

    assert answer["conversation_id"].endswith("#447700900123")


def test_a_request_of_100_kb_fits_into_its_record(system: System) -> None:
    facts = {f"fact {n}": "é" * 240 for n in range(199)}
    body = json.dumps(sample_data.request("sms", project_data=facts), ensure_ascii=False).encode()

    assert post_request(system, body) == (200, "success")
    assert len(body) > 97_000


# Authentication


def test_without_a_key_the_request_is_not_read(system: System) -> None:
    answer = system.post(b"{", None)

    assert answer["statusCode"] == 401
    assert json.loads(answer["body"])["error"]["code"] == "UNAUTHORIZED"


def test_the_refusal_of_a_key_names_the_missing_scope(system: System) -> None:
    status, answer = system.ask(b"{", scopes=str(Scope.CONVERSATIONS_READ))

    assert (status, answer["error"]["code"]) == (403, "AUTHORIZATION_ERROR")
    assert "conversations:initiate" in answer["error"]["message"]


def test_a_key_belongs_to_one_company_and_may_be_limited_to_projects(system: System) -> None:
    assert post_request(system, numbered(1), company="ci-bbb-002") == (403, "AUTHORIZATION_ERROR")
    assert post_request(system, numbered(1), projects="pi-bbb-002 pi-ccc-003") == (
        403,
        "AUTHORIZATION_ERROR",
    )
    assert post_request(system, numbered(1), projects="pi-bbb-002 pi-aaa-001") == (200, "success")


def test_a_response_does_not_reveal_projects_of_other_companies(system: System) -> None:
    unknown = sample_data.request(
        company_data={"company_id": "ci-bbb-002", "project_id": "pi-xxx-009"}
    )

    assert post_request(system, unknown) == (403, "AUTHORIZATION_ERROR")


def test_the_region_of_another_companys_project_is_not_used(system: System) -> None:
    """Else a number without its country would reveal the region of another company's project."""
    recipient = sample_data.request()["recipient_data"] | {"recipient_tel": "07700 900123"}

    refused = post_request(
        system, sample_data.request("sms", recipient_data=recipient), company="ci-bbb-002"
    )

    assert refused == (400, "INVALID_RECIPIENT_TEL")


# The project's settings


def test_an_unknown_project_is_reported(system: System) -> None:
    unknown = sample_data.request(
        company_data={"company_id": sample_data.COMPANY, "project_id": "pi-xxx-009"}
    )

    assert post_request(system, unknown) == (404, "COMPANY_NOT_FOUND")


def test_an_inactive_project_is_reported_before_a_disallowed_channel(system: System) -> None:
    system.set_up(sample_data.project(project_status="inactive", allowed_channels=[]))
    assert post_request(system, sample_data.request()) == (403, "PROJECT_INACTIVE")

    system.set_up(sample_data.project(allowed_channels=["email"], channel_config={}))
    assert post_request(system, sample_data.request()) == (403, "CHANNEL_NOT_ALLOWED")

    system.set_up(sample_data.project(channel_config={}))
    assert post_request(system, sample_data.request()) == (500, "CONFIGURATION_ERROR")


def test_an_invalid_set_up_is_reported_with_the_attribute_and_without_its_value(
    system: System,
) -> None:
    system.set_up(sample_data.project(policy={"in_doubt": SECRET}))

    status, answer = system.ask(sample_data.request())

    assert (status, answer["error"]["code"]) == (500, "CONFIGURATION_ERROR")
    assert answer["error"]["details"][0]["field"] == "policy.in_doubt"
    assert SECRET not in json.dumps(answer)


# Repeated requests


def test_a_repeated_request_gets_the_same_answer_and_begins_no_conversation(system: System) -> None:
    _, first = system.ask(sample_data.request("sms"))
    system.clock.ms += HOUR_MS
    later = sample_data.request("sms")
    later["request_data"]["initial_request_timestamp"] = "2026-01-01T13:00:00.000Z"

    assert system.ask(later) == (200, first)
    assert len(queued(system)) == 1


def test_other_content_under_the_same_id_is_a_conflict(system: System) -> None:
    system.ask(numbered(1))

    status, answer = system.ask(numbered(1, project_data={"jobRole": SECRET}))

    assert (status, answer["error"]["code"]) == (409, "REQUEST_ID_CONFLICT")
    assert answer["error"]["details"][0]["field"] == "request_data.request_id"
    assert SECRET not in json.dumps(answer)


def test_a_request_whose_function_crashed_is_in_progress_until_the_functions_timeout(
    system: System,
) -> None:
    system.interceptor.die_at = (_call(system, "sqs.SendMessageBatch"), When.AFTER)
    with pytest.raises(Died):
        system.ask(numbered(1))
    system.new_process()

    status, answer = system.ask(numbered(1))
    assert (status, answer["error"]["code"], answer["error"]["retry_after"]) == (
        409,
        "REQUEST_IN_PROGRESS",
        1,
    )

    system.clock.ms += 2 * MINUTE_MS
    assert post_request(system, numbered(1)) == (200, "success")
    assert len(queued(system)) == 1


def _call(system: System, name: str) -> int:
    """The number of the first call of this name in a request."""
    start = system.snapshot()
    system.ask(numbered(1))
    number = next(n for n, call in enumerate(system.interceptor.calls, 1) if call.startswith(name))
    system.restore(start)
    return number


def test_the_same_id_of_another_project_is_another_request(system: System) -> None:
    system.set_up(sample_data.project(project_id="pi-bbb-002"))
    elsewhere = {"company_id": sample_data.COMPANY, "project_id": "pi-bbb-002"}

    system.ask(numbered(1))

    assert post_request(system, numbered(1, company_data=elsewhere)) == (200, "success")
    assert len(queued(system)) == 2


# Stored answers of other projects


def test_a_request_id_of_another_project_reveals_no_answer_of_it(system: System) -> None:
    """The same id and content once more, by a key of another project of the company: refused before it is looked up."""
    status, first = system.ask(sample_data.request("sms"), projects="pi-aaa-001")
    assert status == 200

    for payload in (
        sample_data.request("sms"),
        sample_data.request(
            "sms", company_data={"company_id": "ci-aaa-001", "project_id": "pi-bbb-002"}
        ),
    ):
        status, answer = system.ask(payload, projects="pi-bbb-002")
        assert status in {403, 404}
        assert first["conversation_ref"] not in json.dumps(answer)
