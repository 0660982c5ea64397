"""The sample events: current, signed, complete, and of the shapes that the providers send."""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Callable
from typing import Any

from events.console import direct as console
from events.conversations import direct as recruiting
from events.conversations.samples import samples as recruiting_samples
from events.email_threads import direct as email_threads
from events.newsletters import direct as newsletters
from events.richpanel import direct as help_desk
from events.whatsapp.direct import action_calls, direct_event, direct_events
from events.whatsapp.sample_builder import START, Sample
from events.whatsapp.samples import sample, samples
from local.sandbox.accounts.media import BUILT_IN, WRONG_HASH
from tests.cases import each
from tests.template import resources
from whatsapp.inbound import splitter
from whatsapp.inbound.json_body import parse_body
from whatsapp.inbound.splitter import Delivery

APP_SECRET = b"sample-app-secret-not-a-real-one"
TOPIC = "arn:aws:sns:us-east-1:000000000000:parley-local-whatsapp-social"
HTTP_POSTS = [s for s in samples() if not s.is_social and s.event["httpMethod"] == "POST"]
NOTIFICATIONS = [s for s in samples() if s.is_social]

# Ids that occur more than once, with their samples: the repeats are intended.
REPEATED_IDS = {("image", "image_again"), ("text", "duplicate_regrouped", "conflict")}

# Every type that the inbox distinguishes, and an unknown one.
MESSAGE_TYPES = {
    *("text", "image", "video", "audio", "document", "sticker", "location", "contacts"),
    *("interactive", "button", "order", "request_welcome", "system", "unsupported"),
    *("reaction", "edit", "revoke", "ride_invitation"),
}
INTERACTIVE_TYPES = {"button_reply", "list_reply", "nfm_reply", "call_permission_reply"}


# Their changes are about the whole account and name no number.
OF_AN_ACCOUNT = {
    *("message_template_status_update", "message_template_quality_update"),
    *("message_template_components_update", "template_category_update"),
    *("phone_number_name_update", "phone_number_quality_update", "business_capability_update"),
    *("account_update", "flows", "payment_configuration_update"),
}


def changes_of(case: Sample) -> list[dict[str, Any]]:
    return [change for entry in case.entries for change in entry["changes"]]


def written_in(case: Sample) -> list[dict[str, Any]]:
    """Messages of customers and of the business."""
    return case.items("messages", "message_echoes")


def states_in(case: Sample) -> list[dict[str, Any]]:
    """Delivery states; calls and payments have their own values."""
    return [status for status in case.items("statuses") if "type" not in status]


def phones_in(case: Sample) -> set[str]:
    """Every phone number of a customer that the sample names."""
    places = [("messages", "from"), ("contacts", "wa_id"), ("message_echoes", "to")]
    places += [("statuses", "recipient_id")]
    return {item[key] for array, key in places for item in case.items(array) if key in item}


def named(cases: list[Sample]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return each("case", cases, ids=[s.name for s in cases])


@named(HTTP_POSTS)
def test_every_post_except_the_forged_one_is_signed_over_its_exact_bytes(case: Sample) -> None:
    headers = {name.lower(): value for name, value in case.signed_headers.items()}
    expected = hmac.new(APP_SECRET, case.raw_body, hashlib.sha256).hexdigest()

    assert re.fullmatch("sha256=[0-9a-f]{64}", headers["x-hub-signature-256"])
    is_valid = headers["x-hub-signature-256"] == f"sha256={expected}"
    assert is_valid == (case.name != "forged_signature")


@named([s for s in samples() if not s.is_social])
def test_every_request_is_a_proxy_event_of_the_webhook_route(case: Sample) -> None:
    event = case.event

    assert (event["resource"], event["path"]) == ("/webhooks/whatsapp", "/webhooks/whatsapp")
    assert event["requestContext"]["httpMethod"] == event["httpMethod"]
    assert event["multiValueHeaders"] == {key: [val] for key, val in event["headers"].items()}
    assert {"stageVariables", "pathParameters", "isBase64Encoded", "body"} <= event.keys()
    assert event["isBase64Encoded"] == (case.name == "base64_body")


def test_the_handshake_requests_the_challenge() -> None:
    event = sample("handshake").event

    assert event["httpMethod"] == "GET"
    assert event["body"] is None
    assert event["queryStringParameters"] == {
        "hub.mode": "subscribe",
        "hub.challenge": "1158201444",
        "hub.verify_token": "sample-verify-token",
    }


@named(NOTIFICATIONS)
def test_every_notification_has_the_header_of_end_user_messaging(case: Sample) -> None:
    notification = case.event["Records"][0]["Sns"]
    published = json.loads(case.published)
    number = published["context"]["MetaPhoneNumberIds"][0]

    assert case.event["Records"][0]["EventSource"] == "aws:sns"
    assert (notification["TopicArn"] == TOPIC) == (case.name != "sns_other_topic")
    assert number["metaPhoneNumberId"] == "206540352242933"
    assert number["arn"].endswith(":phone-number-id/0123456789abcdef0123456789abcdef")
    assert published["context"]["MetaWabaIds"][0]["wabaId"] == "202290129340399"
    assert {"aws_account_id", "message_timestamp", "messageId"} <= published.keys()
    assert isinstance(published["whatsAppWebhookEntry"], dict) == (case.name == "sns_entry_object")


@named([s for s in samples() if s.entries])
def test_every_change_has_a_field_and_names_its_number(case: Sample) -> None:
    for change in changes_of(case):
        assert change.keys() == {"field", "value"}
        if change["field"] not in OF_AN_ACCOUNT:
            assert change["value"]["messaging_product"] == "whatsapp"
            assert change["value"]["metadata"].keys() == {"display_phone_number", "phone_number_id"}


@named([s for s in samples() if written_in(s)])
def test_every_message_has_an_id_a_time_and_the_content_of_its_type(case: Sample) -> None:
    for message in written_in(case):
        assert re.fullmatch(r"wamid\.HBg[A-Za-z0-9+/]+=*", message["id"])
        assert re.fullmatch(r"1767\d{6}", message["timestamp"])
        assert message["type"] in message or message["type"] == "request_welcome"
        assert {"from", "from_user_id"} & message.keys()


@named([s for s in samples() if s.items("messages")])
def test_every_sender_is_in_the_contacts_of_the_change_except_in_system_messages(
    case: Sample,
) -> None:
    for change in changes_of(case):
        contacts = change["value"].get("contacts", [])
        known = {c.get("wa_id") for c in contacts} | {c.get("user_id") for c in contacts}
        for message in change["value"].get("messages", []):
            sender = message.get("from") or message["from_user_id"]
            assert (sender in known) == (message["type"] != "system")


@named([s for s in samples() if states_in(s)])
def test_every_status_has_a_value_a_time_and_a_recipient(case: Sample) -> None:
    for status in states_in(case):
        assert status["status"] in {"sent", "delivered", "read", "failed"}
        assert re.fullmatch(r"1767\d{6}", status["timestamp"])
        assert status["recipient_id"]
        assert ("errors" in status) == (status["status"] == "failed")


def test_an_id_is_repeated_only_in_samples_of_repetition() -> None:
    seen: dict[str, list[str]] = {}
    for case in samples():
        for message in written_in(case):
            seen.setdefault(message["id"], []).append(case.name)

    assert {tuple(names) for names in seen.values() if len(names) > 1} == REPEATED_IDS


def test_states_and_changes_refer_to_messages_of_the_day_except_in_samples_of_unknown_targets() -> (
    None
):
    known = {message["id"] for case in samples() for message in written_in(case)}
    changed = [
        message[message["type"]]
        for case in samples()
        for message in case.items("messages")
        if message["type"] in {"edit", "revoke", "reaction"}
    ]
    unknown_states = {
        case.name for case in samples() if {status["id"] for status in states_in(case)} - known
    }

    assert {c.get("original_message_id") or c["message_id"] for c in changed} <= known
    assert sample("reply").items("messages")[0]["context"]["id"] in known
    assert unknown_states == {"status_unknown_message", "sns_status_failed"}


def test_the_samples_include_every_message_type_and_interactive_answer() -> None:
    messages = [message for case in samples() for message in case.items("messages")]

    assert {message["type"] for message in messages} == MESSAGE_TYPES
    answers = [message["interactive"] for message in messages if message["type"] == "interactive"]
    assert {answer["type"] for answer in answers} == INTERACTIVE_TYPES
    flows = [answer["nfm_reply"] for answer in answers if answer["type"] == "nfm_reply"]
    assert {flow["name"] for flow in flows} == {"flow", "address_message"}
    assert all(isinstance(json.loads(flow["response_json"]), dict) for flow in flows)


def test_the_escaped_sample_is_escaped_as_meta_does_and_the_base64_sample_is_not() -> None:
    escaped = sample("text_emoji").raw_body
    plain = sample("base64_body").raw_body

    assert escaped.isascii()
    assert rb"Gr\u00fc\u00df Gott! \ud83d\udeb2\ud83d\udca8" in escaped
    assert rb"\/" in escaped
    assert re.search(rb"[^\\]/", escaped) is None
    assert "Schöne Grüße! 🛠️".encode() in plain


def test_the_regrouped_duplicate_is_the_first_text_and_a_new_message() -> None:
    first = sample("text").items("messages")
    again = sample("duplicate_regrouped").items("messages")

    assert again[:1] == first
    assert len(again) == 2
    first_bytes = sample("text").raw_body.partition(b'"messages":[')[2].partition(b"]}")[0]
    assert first_bytes in sample("duplicate_regrouped").raw_body


def test_the_repeated_photo_differs_only_in_its_address_and_the_conflict_only_in_its_text() -> None:
    photo, photo_again = (sample(name).items("messages")[0] for name in ("image", "image_again"))
    words, other_words = (sample(name).items("messages")[0] for name in ("text", "conflict"))

    assert photo["image"].pop("url") != photo_again["image"].pop("url")
    assert photo == photo_again
    assert words.pop("text") != other_words.pop("text")
    assert words == other_words


def test_the_batch_is_three_customers_in_two_changes_of_one_second() -> None:
    changes = changes_of(sample("batch"))
    messages = sample("batch").items("messages")

    assert [len(change["value"]["messages"]) for change in changes] == [2, 1]
    assert len({message["from"] for message in messages}) == 3
    assert len({message["timestamp"] for message in messages}) == 1


def test_the_customer_without_a_phone_has_only_a_user_id_and_keeps_it_later() -> None:
    hidden = sample("user_id_only").items("messages")[0]
    shown = sample("user_id_and_phone").items("messages")[0]

    assert "from" not in hidden
    assert "wa_id" not in sample("user_id_only").items("contacts")[0]
    assert hidden["from_user_id"] == shown["from_user_id"]
    assert shown["from"] == "447700900106"


def test_all_numbers_of_customers_are_reserved_for_fiction() -> None:
    phones = {phone for case in samples() for phone in phones_in(case)}

    assert {p for p in phones if not re.fullmatch(r"447700900\d{3}|1\d{3}55501\d{2}", p)} == set()
    assert len(phones) == 7


def test_media_is_announced_with_the_hash_of_the_file_in_the_sandbox() -> None:
    announced = {
        message[message["type"]]["id"]: base64.b64decode(message[message["type"]]["sha256"])
        for case in samples()
        for message in case.items("messages")
        if message["type"] in {"image", "video", "audio", "document", "sticker"}
    }
    present = {media_id: file for media_id, file in BUILT_IN.items() if not file.gone}

    assert announced.keys() == BUILT_IN.keys()
    wrong = {
        media_id
        for media_id, file in present.items()
        if announced[media_id] != hashlib.sha256(file.content).digest()
    }
    assert wrong == {WRONG_HASH}


@named(samples())
def test_every_accepted_event_has_exactly_one_outcome(case: Sample) -> None:
    expects = case.expects
    fates = expects.stored + expects.changed + expects.recorded + expects.duplicate

    assert fates + len(expects.parked) == expects.accepted
    assert not (expects.refused and expects.accepted)
    assert (expects.status is None) == case.is_social


@named([s for s in samples() if s.entries and not s.expects.refused])
def test_the_number_of_expected_events_is_that_of_the_webhook(case: Sample) -> None:
    carried = 0
    for change in changes_of(case):
        arrays = ("messages", "message_echoes", "statuses", "errors")
        chunks = change["value"].get("history", [])
        threads = [thread for chunk in chunks for thread in chunk.get("threads", [])]
        carried += (
            sum(len(change["value"].get(array, [])) for array in arrays)
            or sum(len(thread["messages"]) for thread in threads)
            or 1
        )

    assert carried == case.expects.accepted


def test_times_increase_and_no_message_arrives_before_it_was_written() -> None:
    requests = [s for s in samples() if not s.is_social]
    arrivals = [s.event["requestContext"]["requestTimeEpoch"] // 1000 for s in requests]

    assert arrivals == sorted(arrivals)
    for case, arrived in zip(requests, arrivals, strict=True):
        dated = written_in(case) + case.items("statuses")
        assert all(int(item["timestamp"]) <= arrived for item in dated), case.name


def test_another_day_has_the_same_samples_with_other_ids_and_moved_times() -> None:
    later = START + 86_400
    first_day, next_day = samples(), samples(later)

    assert [s.name for s in next_day] == [s.name for s in first_day]
    assert [s.expects for s in next_day] == [s.expects for s in first_day]
    for today, tomorrow in zip(first_day, next_day, strict=True):
        for old, new in zip(today.items("messages"), tomorrow.items("messages"), strict=True):
            assert int(new["timestamp"]) - int(old["timestamp"]) == 86_400
            assert new["id"] != old["id"]


def test_the_sample_queue_entry_is_the_one_that_the_ingress_enqueues() -> None:
    (record,) = direct_event("queue_text").event["Records"]
    body = parse_body(sample("text").raw_body)
    assert body is not None
    delivery = Delivery(source="meta", app="1029384756", accepted_at=1767261600000)

    (event,) = splitter.events_of(body, delivery)

    entry = splitter.queue_entry(event)
    assert record["body"] == entry.body
    assert record["attributes"]["MessageGroupId"] == entry.group
    assert record["attributes"]["MessageDeduplicationId"] == entry.deduplication


def test_each_function_of_the_template_has_a_sample_event() -> None:
    functions = {s.function for s in samples()} | {d.function for d in direct_events()}
    functions |= {call.function for call in action_calls()}
    functions |= {"RichpanelWebhook"} | {d.function for d in help_desk.direct_events()}
    functions |= {s.function for s in recruiting_samples()}
    functions |= {d.function for d in recruiting.direct_events()}
    functions |= {d.function for d in email_threads.direct_events()}
    functions |= {d.function for d in newsletters.direct_events()}
    functions |= {d.function for d in console.direct_events()}

    assert functions == resources("AWS::Serverless::Function").keys()
