"""Consent and project data of a request."""

from __future__ import annotations

from typing import Any

import pytest

from events.conversations import sample_data
from tests.unit.conversations.initiation.test_requests import (
    SECRET,
    parsed,
    recipient_with,
    refused,
)

# Consent and project data


def test_consent_must_be_a_boolean() -> None:
    missing, text, number = (
        refused(recipient_with(comms_consent=value)) for value in (None, "true", 1)
    )

    assert missing.code == "MISSING_COMMS_CONSENT"
    assert text.code == number.code == "INVALID_COMMS_CONSENT_TYPE"


def test_a_request_without_consent_is_accepted_with_a_warning() -> None:
    request = parsed(recipient_with(comms_consent=False))

    assert (request.has_consent, request.warnings) == (False, ("CONSENT_MISSING",))


def _nested(levels: int) -> dict[str, Any]:
    value: Any = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return dict(value)


@pytest.mark.parametrize(
    "value",
    [
        [],
        "text",
        None,
        _nested(9),
        {f"k{n}": n for n in range(201)},
        {"a": [{f"k{n}": n for n in range(200)}]},
    ],
    ids=["a list", "a text", "null", "nine levels", "201 keys", "201 keys, some inside"],
)
def test_project_data_is_an_object_of_eight_levels_and_200_keys(value: object) -> None:
    refusal = refused(sample_data.request(project_data=value))

    assert (refusal.code, refusal.field) == ("INVALID_PROJECT_DATA", "project_data")


@pytest.mark.parametrize("name", ["s3_bucket", "s3_key", "sha256", "bytes"])
def test_project_data_may_not_use_the_names_of_pointers(name: str) -> None:
    refusal = refused(sample_data.request(project_data={"jobRole": "Nurse", name: SECRET}))

    assert (refusal.code, refusal.field) == ("INVALID_PROJECT_DATA", f"project_data.{name}")
    assert "reserved" in refusal.message
    assert SECRET not in refusal.message


@pytest.mark.parametrize("value", [{}, _nested(8), {f"k{n}": n for n in range(200)}])
def test_valid_project_data_is_accepted(value: dict[str, Any]) -> None:
    assert parsed(sample_data.request(project_data=value))


def test_project_data_may_be_absent_and_unknown_fields_are_stored() -> None:
    payload = sample_data.request() | {"colour": "blue"}
    del payload["project_data"]

    assert parsed(payload).payload["colour"] == "blue"
