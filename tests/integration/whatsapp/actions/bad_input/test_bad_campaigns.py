"""Bad input of campaigns: rows of the table of bad input, as one behaviour each."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.whatsapp.actions.conftest import ADA, Actions
from tests.integration.whatsapp.conftest import PHONE
from whatsapp.actions.campaigns.pages import recipients

CAMPAIGN = {"phoneNumberId": PHONE, "campaignName": "Spring", "type": "text", "text": "Hello."}


@pytest.mark.parametrize(
    "given", [{}, {"recipients": []}, {"recipients": ["+447700900101"] * 1_001}], ids=len
)
def test_a_campaign_without_recipients_or_with_too_many_in_the_call_is_refused(
    actions: Actions, given: dict[str, Any]
) -> None:
    answer = actions.run("create_campaign", CAMPAIGN | given)

    assert (answer.status, answer.error) == (400, "invalid_input")


def test_a_list_of_recipients_over_its_size_is_too_large(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipients, "LARGEST_LIST_BYTES", 10)
    key = "media/acme/lists/spring.jsonl"
    actions.harness.resources.bucket.put(key, b'"+447700900101"\n')
    answer = actions.run("create_campaign", CAMPAIGN | {"recipientsS3Key": key})

    assert (answer.status, answer.error) == (413, "payload_too_large")


def test_numbers_that_are_no_numbers_are_tallied_and_a_second_start_is_the_same_run(
    actions: Actions,
) -> None:
    given = {"recipients": [f"+{ADA}", "+447700900102", "+1 555"]}
    made = actions.run("create_campaign", CAMPAIGN | given)
    campaign = {"campaignId": made.result["campaignId"]}
    first = actions.run("start_campaign", campaign).result
    again = actions.run("start_campaign", campaign).result

    assert (made.result["totalRecipients"], made.result["invalid"]) == (3, 1)
    assert (first["status"], again["startedAt"]) == ("running", first["startedAt"])
