"""The role of each function permits exactly what the function does in the simulation."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from unittest import mock

import boto3
import pytest
from botocore.exceptions import ClientError

from access import api_keys
from events.richpanel import samples as help_desk
from events.whatsapp import gateway
from events.whatsapp.payloads import text
from events.whatsapp.sample_builder import START
from events.whatsapp.sample_data import ADA, COMPANY, COUNTER, WORKSHOP, BusinessNumber
from events.whatsapp.samples import sample, samples
from shared.access.logins import LoginSettings
from shared.api.opaque_ids import seal_of
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.providers import http
from shared.runtime.clock import to_text
from tests.integration.access.provider import Provider
from tests.simulation import stored
from tests.simulation.fifo import Queued
from tests.simulation.help_desk_permissions import asked, exercise_help_desk
from tests.simulation.permissions import CallObserver, Use
from tests.simulation.processes import imported
from tests.simulation.role_checks import (
    Grant,
    check,
    granted_for_lambda,
    grants_of,
    missing,
    named,
    needless,
    observed,
)
from tests.simulation.whatsapp.actions.permissions import exercise_actions
from tests.simulation.whatsapp.agents.agent import agent_of
from tests.simulation.whatsapp.conftest import _system  # noqa: F401 - a fixture
from tests.simulation.whatsapp.event_builders import ada_message, webhook_of
from tests.simulation.whatsapp.privacy import contact_day
from tests.simulation.whatsapp.scenario import Scenario
from tests.simulation.whatsapp.scenarios import by_name, of_our_own
from tests.simulation.whatsapp.system import Invocation, System, registered
from tests.template import create_table, environment, properties, put_parameter, resources
from whatsapp.api.queries import conversation_address
from whatsapp.configuration.folders import file_prefix
from whatsapp.recovery import parked_quota
from whatsapp.store.items import Conversation, Intent, pk
from whatsapp.store.items.campaigns import Campaign, CampaignPage
from whatsapp.store.items.phones import CONVERSATIONS
from whatsapp.store.items.privacy import Kind
from whatsapp.store.items.templates import TemplateMeta
from whatsapp.store.ordering import order_key
from whatsapp.store.sending import campaigns

pytestmark = pytest.mark.long

# Those of conversations and of e-mail have their own systems and their own tests like this one, as the inbox over all
# contexts, its live updates and the operations have.
FUNCTIONS = sorted(
    name
    for name in resources("AWS::Serverless::Function")
    if not name.startswith(("Conversations", "Email", "Newsletters", "Inbox", "Operations"))
    and not name.endswith("InboxFeed")
    and name != "ConsoleLive"
)
# What calls need that no scenario here makes: at AWS instead of Graph, of texts and templates that are too long for an
# item, of lists and pages. The integration tests make them. A grant that is exercised must leave this list.
NOT_EXERCISED: dict[str, frozenset[str]] = {
    "WhatsAppActions": frozenset(
        {
            "dynamodb:GetItem table/conversation-log-local",
            "dynamodb:UpdateItem table/conversation-log-local",
            "s3:DeleteObject parley-local-media-123456789012-us-east-1/campaigns/*",
            "s3:DeleteObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:DeleteObject parley-local-media-123456789012-us-east-1/templates/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/campaigns/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/exports/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/parked/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/templates/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/parked/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/templates/*",
            "social-messaging:CreateWhatsAppDataset waba/*",
            "social-messaging:CreateWhatsAppFlow waba/*",
            "social-messaging:DeleteWhatsAppFlow waba/*",
            "social-messaging:DeprecateWhatsAppFlow waba/*",
            "social-messaging:GetLinkedWhatsAppBusinessAccountPhoneNumber phone-number-id/*",
            "social-messaging:GetWhatsAppBusinessPublicKey phone-number-id/*",
            "social-messaging:GetWhatsAppCallPermission phone-number-id/*",
            "social-messaging:GetWhatsAppFlow waba/*",
            "social-messaging:GetWhatsAppFlowPreview waba/*",
            "social-messaging:ListLinkedWhatsAppBusinessAccounts *",
            "social-messaging:ListWhatsAppFlowAssets waba/*",
            "social-messaging:ListWhatsAppFlows waba/*",
            "social-messaging:PublishWhatsAppFlow waba/*",
            "social-messaging:PutWhatsAppBusinessPublicKey phone-number-id/*",
            "social-messaging:SendWhatsAppCallEvent phone-number-id/*",
            "social-messaging:SendWhatsAppConversionEvent waba/*",
            "social-messaging:SendWhatsAppMessage phone-number-id/*",
            "social-messaging:UpdateLinkedWhatsAppBusinessAccountPhoneNumber phone-number-id/*",
            "social-messaging:UpdateWhatsAppFlow waba/*",
            "social-messaging:UpdateWhatsAppFlowAssets waba/*",
            "sqs:SendMessage parley-local-conversations-inbound.fifo",
        }
    ),
    "WhatsAppFlows": frozenset({"secretsmanager:GetSecretValue parley/local/companies/*"}),
    "WhatsAppJobs": frozenset(
        {
            "s3:DeleteObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/templates/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/uploads/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/campaigns/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/templates/*",
            "social-messaging:GetWhatsAppMessageTemplate waba/*",
            "social-messaging:SendWhatsAppMessage phone-number-id/*",
            "sqs:SendMessage parley-local-whatsapp-campaigns",
            "sqs:SendMessage parley-local-whatsapp-jobs",
        }
    ),
    "WhatsAppSending": frozenset(
        {
            "s3:DeleteObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/templates/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/templates/*",
        }
    ),
}
STAGE = {"Stage": "local"}
MINUTE_MS = 60_000
FIVE_MINUTES_MS = 5 * MINUTE_MS
LARGE = webhook_of(ada_message("large", text("A very long story. " * 60_000)))  # over a megabyte
LONG = webhook_of(ada_message("long", text("word " * 4_000)))

type Exercise = Callable[[System, CallObserver], None]


def exercise_ingress_and_worker(system: System, observer: CallObserver) -> None:
    """All samples, including refused ones, and the scenarios of the crash matrix."""
    for scenario in of_our_own():
        play(system, scenario)
    system.reset()
    for event in (LARGE, *(each.event for each in samples())):
        system.deliver(event)
    system.drain()
    let_an_old_message_in(system)
    for function, module, key in (
        ("WhatsAppJobs", system.media, "media/large"),
        ("WhatsAppWorker", system.worker, "exports/large"),
    ):
        observer.watching(function, break_off_a_large_file)(system, module.resources.bucket, key)
    schedule_a_retry(system)
    park_a_file(system)
    use_up_attempts_of_a_file(system)
    fail_on_the_queue_of_campaigns(system)
    copy_a_file_twice(system)
    erase_and_export(system, observer.watching("WhatsAppAdmin", contact_day.start))


def erase_and_export(system: System, start: Callable[[System, Kind], object]) -> None:
    """A contact with everything that is stored about one, also beyond the quota of parked events."""
    system.reset()
    for event in contact_day.day():
        system.deliver_until_accepted(event)
        system.drain()
    with mock.patch.object(parked_quota, "has_room", return_value=False):
        system.deliver(webhook_of(ada_message("first", text("of a third kind"))))
        system.drain()
    contact_day.list_in_campaign(system)
    kinds: tuple[Kind, ...] = ("export", "erase")
    for kind in kinds:
        start(system, kind)
        system.drain()
    assert not any(key.startswith("exports/") for key in system.objects())


def begins_with(start: str, call: str) -> bool:
    """Whether a call is one of those to fail."""
    return call.startswith(start)


def copy_a_file_twice(system: System) -> None:
    """AWS copied it for a run that was killed, too."""
    system.reset()
    photo = sample("sns_image")
    (message,) = photo.items("messages")
    system.deliver(photo.event)
    key = file_prefix(COMPANY, WORKSHOP.phone, message["image"]["id"]) + "~copied before"
    system.s3.put_object(Bucket=system.bucket, Key=key, Body=b"")
    system.drain()
    assert key not in system.objects()


def park_a_file(system: System) -> None:
    """The number's account has no access token."""
    system.reset()
    system.deliver(sample("image").event)
    system.run_worker()
    with mock.patch.object(system.media.resources.tokens, "value", return_value={}):
        system.run_worker()


def use_up_attempts_of_a_file(system: System) -> None:
    """It has killed every run: the next one moves it to the dead letters."""
    system.reset()
    system.deliver(sample("image").event)
    system.run_worker()
    stored.use_up_attempts(*system.queue.messages)
    system.run_worker()
    assert len(system.queue.dead_letters) == 1


def fail_on_the_queue_of_campaigns(system: System) -> None:
    """A job of that queue is delivered again, and then becomes a dead letter."""
    system.reset()
    system.deliver(sample("image").event)
    system.run_worker()
    (job,) = system.queue.messages
    job.standard = system.media.settings.whatsapp_campaigns_queue_url.rpartition("/")[2]
    system.interceptor.fails_if = partial(begins_with, "dynamodb.PutItem MEDIA")
    assert system.invoke_worker(system.queue.receive())
    system.interceptor.rewind()
    stored.use_up_attempts(job)
    system.wait_for_redelivery()
    system.run_worker()
    assert len(system.queue.dead_letters) == 1


def schedule_a_retry(system: System) -> None:
    """The table fails while an event is handled, and then while a file is."""
    system.reset()
    system.deliver(sample("image").event)
    for call in ("dynamodb.PutItem MSG", "dynamodb.PutItem MEDIA"):
        system.interceptor.fails_if = partial(begins_with, call)
        assert system.invoke_worker(system.queue.receive())
        system.interceptor.rewind()
        system.wait_for_redelivery()
        system.run_worker()


def let_an_old_message_in(system: System) -> None:
    """Older than every entry in the conversation's head: the head is recounted."""
    (trimmed,) = by_name(of_our_own(), "the ring is trimmed")
    play(system, trimmed)
    system.deliver_until_accepted(webhook_of(ada_message("old", text("long ago"), 600)))
    system.drain()


def play(system: System, scenario: Scenario) -> None:
    """A scenario without crashes, in a new system."""
    system.reset(auto_mark_read=scenario.auto_mark_read, automation=scenario.automation)
    scenario.seed(system)
    for event in scenario.first + scenario.then:
        system.deliver_until_accepted(event)
        system.drain()


def break_off_a_large_file(system: System, bucket: Bucket, key: str) -> None:
    """Larger than any sample: boto3 uploads it in parts, and aborts the upload when one of them fails."""
    system.interceptor.fails_if = lambda call: call.startswith("s3.UploadPart")
    with pytest.raises(ClientError):
        bucket.put_file(key, io.BytesIO(bytes(9 << 20)), "video/mp4")
    system.interceptor.rewind()


def exercise_api(system: System, observer: CallObserver) -> None:
    """All routes about all conversations of a number: a long message, one with a file, one with many versions."""
    system.reset()
    (edited,) = by_name(of_our_own(), "the eleventh edit")
    media = (sample("image").event, sample("image_gone").event, LONG)
    for event in (*media, *edited.first, *edited.then):
        system.deliver_until_accepted(event)
    system.drain()
    variables = environment("WhatsAppApi", **STAGE)
    api = imported("whatsapp.handlers.api", variables)
    handler = observer.watching("WhatsAppApi", api.handler)

    def ask(line: str, body: Any = None, **query: str) -> dict[str, Any]:
        answer = handler(asked(line, body, **query), Invocation())
        assert answer["statusCode"] in {200, 201}, answer["body"]
        shown: dict[str, Any] = json.loads(answer["body"])["result"]
        return shown

    ask("GET /whatsapp/numbers")
    for conversation in ask("GET /whatsapp/conversations", phone=COUNTER.phone)["conversations"]:
        path = f"/whatsapp/conversations/{conversation['key']}"
        ask(f"GET {path}/messages")
        for agent in ("ada", "bob"):
            ask(f"PATCH {path}", {"assignee": agent})
        ask(f"POST {path}/read", {"upTo": conversation["position"]})
        ask(f"POST {path}/notes", {"text": "call back"})
        ask(f"GET {path}/notes")
        ask(f"GET {path}/changes")
    ask("GET /whatsapp/conversations", assignee="bob")
    refused = asked(f"PATCH {path}", {"labels": ["vip"], "revision": 9})
    assert handler(refused, Invocation())["statusCode"] == 409


def exercise_sending(system: System, observer: CallObserver) -> None:
    """Messages with text, an uploaded file and templates, over both providers; and canned replies."""
    system.reset(automation=CONVERSATIONS)
    for number in (COUNTER, WORKSHOP):
        said = ada_message(f"hello-{number.phone}", text("Hello"))
        system.deliver_until_accepted(webhook_of(said, number=number))
    system.drain()
    with agent_of(system) as agent:
        handler = observer.watching("WhatsAppSending", agent.module.handler)

        def ask(line: str, body: dict[str, Any] | None = None, status: int = 200) -> dict[str, Any]:
            system.clock.ms += 10_000
            event = asked(line, body) | {"headers": {"Idempotency-Key": f"key-{system.clock.ms}"}}
            answer = handler(event, Invocation())
            assert answer["statusCode"] == status, answer["body"]
            shown: dict[str, Any] = json.loads(answer["body"])
            return shown

        ask("PUT /whatsapp/canned-replies/ready", {"text": "Ready."})
        ask("GET /whatsapp/canned-replies")
        form = ask("POST /whatsapp/uploads", {"type": "image", "mimeType": "image/jpeg"})["result"]
        place = {"Bucket": system.bucket, "Key": form["fields"]["key"]}
        # A browser writes the file, with the permission of the function that has signed the form.
        observer.watching("WhatsAppSending", observer.note)("s3.PutObject", place)
        system.s3.put_object(**place, Body=b"\xff\xd8\xff\xe0 a photo", ContentType="image/jpeg")
        media = {"media": {"type": "image", "upload": form["upload"]}}
        # Higher than what the agent has read: the unread messages are counted in the timeline.
        floor = order_key("2026-02-01T00:00:00.000Z", "-")
        head = Conversation.key(COUNTER.phone, ADA.wa_id)
        system.table.update(pk(head), put=Conversation.named(ring_floor=floor))
        for category in ("UTILITY", "MARKETING"):
            system.table.put(template_of(COUNTER.waba, category).attributes())
        for number in (COUNTER, WORKSHOP):
            route = f"POST /whatsapp/conversations/{agent.key_of(number)}/messages"
            ask(route, {"cannedReply": {"name": "ready"}})
            ask(route, media)
        route = f"POST /whatsapp/conversations/{agent.key_of(COUNTER)}/messages"
        ask(route, {"template": {"name": "utility", "language": "en"}})
        ask(route, {"template": {"name": "marketing", "language": "en"}}, 422)
        for number in (COUNTER, WORKSHOP):
            system.sandbox.templates.append(template_at_provider(number))
            route = f"POST /whatsapp/conversations/{agent.key_of(number)}/messages"
            ask(route, {"template": {"name": "older", "language": "en"}})
        ask("DELETE /whatsapp/canned-replies/ready", {})


def template_at_provider(number: BusinessNumber) -> dict[str, object]:
    """A template that was approved before its number was connected."""
    facts = {"name": "older", "language": "en", "status": "APPROVED", "category": "UTILITY"}
    waba = registered(number).aws_waba or number.waba
    return facts | {"waba": waba, "id": "17", "components": []}


def template_of(waba: str, category: str) -> TemplateMeta:
    """An approved template whose name is its category."""
    name = category.lower()
    return TemplateMeta(
        pk=TemplateMeta.of_language(waba, name, "en"),
        company=COMPANY,
        waba_meta_id=waba,
        template_name=name,
        language="en",
        status="APPROVED",
        category=category,
    )


def exercise_admin(system: System, observer: CallObserver) -> None:
    """Parked events and messages of both dead-letter queues, listed page by page, replayed and redriven."""
    handler = observer.watching("WhatsAppAdmin", system.admin.handler)

    def ask(line: str, status: int, body: Any = None, **query: str) -> dict[str, Any]:
        answer = handler(asked(line, body, **query), Invocation())
        assert answer["statusCode"] == status, answer["body"]
        shown: dict[str, Any] = json.loads(answer["body"])
        return shown

    system.reset()
    for name in ("unknown_phone", "malformed", "text"):
        system.deliver_until_accepted(sample(name).event)
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.PutItem MSG#")
    system.drain()
    system.interceptor.rewind()
    (entry,) = json.loads(LARGE["body"])["entry"]
    large = gateway.sns("large", START, gateway.social_message("large", START, COUNTER, entry))
    letter = json.dumps({"requestPayload": large})
    system.queue.social_letters.append(Queued("s-1", letter, "", "", system.clock.ms))
    for name, queue in (("f-1", "WhatsAppJobsQueue"), ("c-1", "WhatsAppCampaignsQueue")):
        standard = system.name_of(queue)
        dead = Queued(name, "{}", "", "", system.clock.ms, standard=standard)
        system.queue.dead_letters.append(dead)
    first = ask("GET /whatsapp/parked", 200, limit="1")["result"]["events"][0]
    ask(f"POST /whatsapp/parked/{first['eventId']}/replay", 202)
    ask(f"POST /whatsapp/parked/{'0' * 64}/replay", 404)
    ask("POST /whatsapp/parked/replay", 202)
    assert len(ask("GET /whatsapp/dead-letters", 200)["result"]["letters"]) == 4
    assert len(ask("POST /whatsapp/dead-letters/redrive", 202)["result"]["letters"]) == 4
    export_over_the_api(system, ask)


def export_over_the_api(system: System, ask: Callable[..., dict[str, Any]]) -> None:
    """A contact with a file, by number; then again, by the key of the conversation and by number."""
    system.reset()
    system.deliver_until_accepted(sample("image").event)
    system.drain()
    named = {"phoneNumber": f"+{ADA.wa_id}"}
    job = ask("POST /whatsapp/contacts/export", 202, named)["result"]
    system.drain()
    shown = ask(f"GET /whatsapp/privacy-jobs/{job['id']}", 200)["result"]
    assert shown["state"] == "done"
    assert shown["export"]["lines"]
    assert len(shown["export"]["files"]) == 1
    sealed = seal_of(system.admin.seal_secret).seal(
        f"CONV#{COUNTER.phone}#{ADA.wa_id}", bound_to=conversation_address(COMPANY)
    )
    again = ask("POST /whatsapp/contacts/export", 202, {"conversation": sealed})["result"]
    assert again["run"] == 1
    assert ask("POST /whatsapp/contacts/export", 202, named)["result"]["run"] == 2
    ask("POST /whatsapp/contacts/erase", 400, named | {"userId": "GB.1"})
    ask("POST /whatsapp/contacts/erase", 400, {"phoneNumber": "0770 090"})
    ask("POST /whatsapp/contacts/erase", 404, {"conversation": f"{sealed}x"})
    system.drain()


def exercise_authorizer(system: System, observer: CallObserver) -> None:
    """A valid key and an unknown one, and the access token of a person."""
    direct_client = boto3.Session().client("dynamodb")
    table = Table(direct_client, create_table(direct_client, "ApiKeysTable", **STAGE))
    key = api_keys.create(table, company=COMPANY, scopes=["whatsapp:read"], name="till")
    module = imported("access.handlers.authorizer", environment("ApiAuthorizer", **STAGE))
    handler = observer.watching("ApiAuthorizer", module.handler)
    arn = "arn:aws:execute-api:us-east-1:123456789012:abc123/dev/GET/whatsapp/conversations"
    for given, effect in ((key, "Allow"), (f"{key[:-1]}!", "Deny")):
        answer = handler({"methodArn": arn, "headers": {"x-api-key": given}}, None)
        assert answer["policyDocument"]["Statement"][0]["Effect"] == effect
    put_parameter(boto3.Session().client("ssm"), "LoginSettings", **STAGE)
    logins = LoginSettings.read(properties("LoginSettings", **STAGE)["Value"])
    provider = Provider()
    provider.documents[logins.keys_url] = provider.published()
    with mock.patch.object(http, "call", provider.call):
        token = provider.token({"iss": logins.issuer, "client_id": logins.client_id})
        person = {"Authorization": f"Bearer {token}"}
        answer = handler({"methodArn": arn, "headers": person}, None)
    assert answer["context"]["company"] == "acme"


def exercise_console(system: System, observer: CallObserver) -> None:
    """The configuration of the pages, which names the login provider; its settings exist (`exercise_authorizer`)."""
    module = imported("console.handlers.assets", environment("Console", **STAGE))
    event = {
        "resource": "/console/{proxy+}",
        "path": "/console/config.json",
        "pathParameters": {"proxy": "config.json"},
        "headers": {},
        "requestContext": {"requestId": "request-1"},
    }
    answer = observer.watching("Console", module.handler)(event, None)
    assert json.loads(answer["body"])["login"]["provider"] == "cognito"


def exercise_canary(system: System, observer: CallObserver) -> None:
    """One canary run; its webhook reaches the ingress, and the worker handles the queued event at once."""
    system.reset()
    variables = environment("WhatsAppCanary", **STAGE)
    module = imported("whatsapp.handlers.canary", variables)

    def post(method: str, _: str, *, headers: dict[str, str], body: bytes) -> http.Answer:
        event = {"httpMethod": method, "headers": headers, "body": body.decode()}
        system.deliver_until_accepted(event)
        system.drain()
        return http.Answer(200, b"")

    with mock.patch.object(http, "call", post):
        observer.watching("WhatsAppCanary", module.handler)({}, Invocation())


def exercise_scheduled(system: System, observer: CallObserver) -> None:
    """The counts of an hour with one message, and with two; a campaign whose page has no event."""
    system.reset()
    campaign = Campaign(
        pk=Campaign.key("c1"), company=COMPANY, campaign_id="c1", waba_meta_id=COUNTER.waba, name="Bikes",
        status="running", created_at=to_text(system.clock.ms), phone=COUNTER.phone,
        created_by="api-key:client", kind="text", text="Hello", pages=1, total_recipients=1,
    )  # fmt: skip
    system.table.put(campaign.attributes())
    system.table.put(CampaignPage(pk=CampaignPage.of("c1", 1), size=1).attributes())
    campaigns.open_(system.table, "c1")
    handler = observer.watching("WhatsAppScheduled", system.scheduled.handler)
    for label in ("first", "second"):
        system.deliver_until_accepted(webhook_of(ada_message(label, text(label))))
        system.drain()
        system.clock.ms = (system.clock.ms // FIVE_MINUTES_MS + 1) * FIVE_MINUTES_MS
        three_minutes_ago = to_text(system.clock.ms - 3 * MINUTE_MS)
        unfinished = Intent(
            pk=Intent.key(label),
            company=COMPANY,
            message={"type": "text"},
            webhook_event_type=Intent.list_of(label),
            received_at=three_minutes_ago,
            phone=COUNTER.phone,
        )
        system.table.put(unfinished.attributes())
        handler({"time": to_text(system.clock.ms)}, Invocation())


def exercise_help_desk_webhook(system: System, observer: CallObserver) -> None:
    """A mail and a chat, one on each queue."""
    system.reset()
    secret = {"active_tokens": [help_desk.TOKEN]}
    boto3.Session().client("secretsmanager").create_secret(
        Name=properties("RichpanelWebhookSecret", **STAGE)["Name"], SecretString=json.dumps(secret)
    )
    variables = environment("RichpanelWebhook", **STAGE)
    module = imported("richpanel.handlers.webhook", variables)
    handler = observer.watching("RichpanelWebhook", module.handler)
    for name in ("minimal", "minimal_chat"):
        assert handler(help_desk.sample(name).event, Invocation())["statusCode"] == 200


# The scenarios that use every permission. A function of the template that is in none of the tuples fails below.
EXERCISES: dict[tuple[str, ...], Exercise] = {
    (
        "WhatsAppWebhook",
        "WhatsAppSocial",
        "WhatsAppWorker",
        "WhatsAppJobs",
    ): exercise_ingress_and_worker,
    ("WhatsAppApi",): exercise_api,
    ("WhatsAppSending",): exercise_sending,
    ("WhatsAppAdmin",): exercise_admin,
    ("ApiAuthorizer",): exercise_authorizer,
    ("Console",): exercise_console,
    ("WhatsAppCanary",): exercise_canary,
    ("WhatsAppScheduled",): exercise_scheduled,
    ("WhatsAppActions", "WhatsAppFlows", "WhatsAppPayments"): exercise_actions,
    ("RichpanelWebhook",): exercise_help_desk_webhook,
    ("RichpanelSweep", "RichpanelWorker", "RichpanelAdmin"): exercise_help_desk,
}


@pytest.fixture(scope="module")
def uses(_system: System) -> Iterator[dict[str, set[Use]]]:  # noqa: F811 - the fixture
    with observed(_system) as observer:
        for exercise in EXERCISES.values():
            exercise(_system, observer)
        yield observer.uses


def test_every_function_of_the_template_is_exercised() -> None:
    exercised = sorted(function for functions in EXERCISES for function in functions)

    assert exercised == FUNCTIONS


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_permits_exactly_the_calls_of_its_function(
    uses: dict[str, set[Use]], function: str
) -> None:
    check(function, uses, STAGE, NOT_EXERCISED.get(function, frozenset()))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_unused_permission_and_a_call_without_permission_are_detected(
    uses: dict[str, set[Use]], function: str
) -> None:
    grants = grants_of(function, **STAGE)
    table = properties("WhatsAppTable", **STAGE)["TableName"]
    scan = Grant("dynamodb:Scan", f"arn:aws:dynamodb:us-east-1:123456789012:table/{table}")
    elsewhere = Grant("s3:GetObject", "arn:aws:s3:::another-bucket/*")

    assert set(needless({*grants, scan, elsewhere}, uses[function])) >= {scan, elsewhere}
    unused = NOT_EXERCISED.get(function, frozenset())
    for taken in grants - granted_for_lambda(function, **STAGE):
        if named(taken) not in unused:
            assert missing(grants - {taken}, uses[function]), taken
