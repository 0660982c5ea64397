"""Requests to Twilio, and the credentials used for them."""

import pytest

from shared.providers.outcomes import Misconfigured
from shared.providers.twilio.api import Credentials, credentials_of
from shared.providers.twilio.messages import Message, Template, Text, body_hash, status_callback


def test_an_sms_goes_from_a_number_to_a_number() -> None:
    message = Message(
        channel="sms", to="+447700900123", sender="+12025550142", content=Text("Hi"),
        status_callback="https://parley.example/webhooks/twilio/status?a=1",
    )  # fmt: skip

    assert message.form() == {
        "To": "+447700900123",
        "From": "+12025550142",
        "Body": "Hi",
        "StatusCallback": "https://parley.example/webhooks/twilio/status?a=1",
    }


def test_addresses_of_whatsapp_have_their_prefix_and_a_template_its_variables_as_json() -> None:
    template = Template("HX" + "0" * 32, {"1": "Ann", "2": "Zoë"})
    message = Message(
        channel="whatsapp", to="+447700900123", sender="+12025550143", content=template
    )

    assert message.form() == {
        "To": "whatsapp:+447700900123",
        "From": "whatsapp:+12025550143",
        "ContentSid": "HX" + "0" * 32,
        "ContentVariables": '{"1": "Ann", "2": "Zo\\u00eb"}',
    }


def test_a_messaging_service_replaces_the_sender_number() -> None:
    message = Message(
        channel="sms", to="+447700900123", messaging_service_sid="MG1", content=Text("Hi")
    )

    assert message.form() == {"To": "+447700900123", "MessagingServiceSid": "MG1", "Body": "Hi"}


def test_the_auth_token_belongs_to_the_account_itself() -> None:
    secret = {
        "twilio_account_sid": "AC1",
        "twilio_auth_token": "token",
        "twilio_template_sid": "HX",
    }

    assert credentials_of(secret) == Credentials("AC1", "AC1", "token")


def test_an_api_key_is_preferred_to_the_auth_token() -> None:
    secret = {
        "twilio_account_sid": "AC1",
        "twilio_auth_token": "token",
        "twilio_api_key_sid": "SK1",
        "twilio_api_key_secret": "secret",
    }

    assert credentials_of(secret) == Credentials("AC1", "SK1", "secret")


@pytest.mark.parametrize(
    "secret",
    [
        {},
        {"twilio_account_sid": "AC1"},
        {"twilio_auth_token": "token"},
        {"twilio_account_sid": "AC1", "twilio_auth_token": ""},
        {"twilio_account_sid": "AC1", "twilio_auth_token": ["token"]},
        {"twilio_account_sid": "AC1", "twilio_auth_token": "t", "twilio_api_key_sid": "SK1"},
        {"twilio_account_sid": 1, "twilio_api_key_sid": "SK1", "twilio_api_key_secret": "s"},
    ],
)
def test_an_incomplete_secret_is_a_misconfiguration(secret: dict[str, object]) -> None:
    with pytest.raises(Misconfigured) as raised:
        credentials_of(secret)

    assert raised.value.code == "twilio_secret"


def test_no_secret_or_personal_data_is_in_the_repr() -> None:
    message = Message(channel="sms", to="+447700900123", sender="+1", content=Text("Hi Ann"))

    shown = repr((Credentials("AC1", "SK1", "s3cret"), message, Template("HX", {"1": "Ann"})))

    assert not [part for part in ("s3cret", "447700900123", "Ann") if part in shown]


def test_the_callback_url_contains_the_action_id() -> None:
    url = status_callback("https://parley.example/", "a1b2")

    assert url == "https://parley.example/webhooks/twilio/status?a=a1b2"


def test_texts_are_compared_by_their_sha_256() -> None:
    assert body_hash("Hi 😀") == "d00b054cdc1943456555b9821eca169a987fbf17053e1bd3119708d9d449af5a"
    assert body_hash("\ud83d") == body_hash("?")
