"""Numbers: registration, profile, QR codes and greetings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3

from events.whatsapp.actions.numbers import BODIES, PICTURE
from events.whatsapp.sample_data import COUNTER
from tests.simulation.whatsapp.actions.scenario import Json, Scenario

if TYPE_CHECKING:
    from tests.simulation.whatsapp.system import System

COUNTERS: Json = {"phoneNumberId": COUNTER.phone}
CREATED = ("create_qr_code", BODIES["create_qr_code"])


def _code(results: list[Json]) -> Json:
    return COUNTERS | {"code": results[0]["code"]}


def _changed_code(results: list[Json]) -> Json:
    return _code(results) | {"prefilledMessage": "Hello"}


def a_picture(system: System) -> None:
    content = b"\x89PNG\r\n\x1a\n" + b"x" * 20
    system.s3.put_object(Bucket=system.bucket, Key=PICTURE, Body=content, ContentType="image/png")


def without_pins(_: System) -> None:
    """The parameter store has no pins: it is not part of what a simulated system restores."""
    ssm = boto3.Session().client("ssm")
    stored = ssm.describe_parameters()["Parameters"]
    if names := [one["Name"] for one in stored if "whatsapp-pins" in one["Name"]]:
        ssm.delete_parameters(Names=names)


def _scenario(action: str, *effect: str, before: tuple[tuple[str, Json], ...] = ()) -> Scenario:
    return Scenario(action=action, body=BODIES[action], effect=effect, before=before)


SCENARIOS = (
    _scenario("create_qr_code", "save_qr_code"),
    Scenario(
        action="update_qr_code", body=_changed_code, before=(CREATED,), effect=("save_qr_code",)
    ),
    Scenario(action="delete_qr_code", body=_code, before=(CREATED,), effect=("delete_qr_code",)),
    _scenario("set_conversational_automation", "set_automation"),
    _scenario("update_business_profile", "update_profile"),
    Scenario(
        action="upload_profile_picture",
        body=BODIES["upload_profile_picture"],
        prepare=a_picture,
        effect=("open_upload", "continue_upload", "update_profile"),
    ),
    _scenario("add_phone_number", "add_number"),
    _scenario("request_verification_code", "request_code"),
    _scenario(
        "verify_phone_code",
        "verify_code",
        before=(("request_verification_code", BODIES["request_verification_code"]),),
    ),
    Scenario(
        action="register_phone",
        body=BODIES["register_phone"],
        prepare=without_pins,
        effect=("register_number",),
    ),
    Scenario(
        action="set_two_step_pin",
        body=BODIES["set_two_step_pin"],
        prepare=without_pins,
        effect=("update_number",),
    ),
    _scenario("deregister_phone", "deregister_number"),
    _scenario("sync_phones", "list_numbers"),
    _scenario("refresh_quality", "get_number"),
)
