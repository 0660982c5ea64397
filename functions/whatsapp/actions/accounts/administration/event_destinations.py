"""Sets and tests the SNS topic to which AWS End User Messaging Social sends the events of an account: at most one."""

import json
import uuid
from typing import Annotated, Any, Literal, Self

from botocore.exceptions import BotoCoreError, ClientError
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.access.ownership import ids, proofs
from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.providers.whatsapp import aws_eum
from shared.runtime import clock
from shared.runtime.validation import patterns
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import Flag, Input, WabaId
from whatsapp.actions.calls.remote import EumAccount
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.json_view import View, plain
from whatsapp.sending.failures import NotConfigured, ProviderRejected, ProviderUnavailable
from whatsapp.store.accounts import account_events

DESTINATIONS = Group("event_destinations")
TEST_FIELD = "parley_destination_test"  # the type of the stored test event
WAITS = 10  # looks for the test event, half a second apart
WAIT_MS = 500

type Topic = Annotated[
    str,
    Field(
        pattern=patterns.worded(
            r"^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,256}$",
            "must be a topic such as arn:aws:sns:eu-central-1:123456789012:events",
        )
    ),
]
type Role = Annotated[
    str,
    Field(
        pattern=patterns.worded(
            r"^arn:aws[a-z-]*:iam::[0-9]{12}:role/[a-zA-Z0-9+=,.@_/-]{1,512}$",
            "must be a role such as arn:aws:iam::123456789012:role/events",
        )
    ),
]


class OfAccount(Input):
    """An account of the company."""

    meta_waba_id: WabaId


class CreateDestination(OfAccount):
    """
    A topic. `destinationType` may only be `SNS`, and `eventTypes` only
    `["all"]`: the provider offers no choice, and a destination gets every event.
    """

    sns_topic_arn: Topic
    role_arn: Role | None = None
    destination_type: Literal["SNS"] = "SNS"
    replace: Flag = False
    event_types: Annotated[list[Literal["all"]], Field(min_length=1, max_length=1)] | None = None


class UpdateDestination(OfAccount):
    """The new topic, or `status`: `disabled` removes the destination, `enabled` needs a topic."""

    destination_type: Literal["SNS"]
    sns_topic_arn: Topic | None = None
    role_arn: Role | None = None
    status: Literal["enabled", "disabled"] | None = Field(
        default=None, description="whether events are sent to the destination"
    )

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if (self.status == "disabled") == (self.sns_topic_arn is not None):
            problem = "must have snsTopicArn, or status disabled"
            raise PydanticCustomError("destination", problem)
        return self


class DeleteDestination(OfAccount):
    """The destination of an account."""

    destination_type: Literal["SNS"]


class TestDestination(OfAccount):
    """The destination of an account."""

    destination_type: Literal["SNS"] = "SNS"


class Destination(View):
    """A topic that gets the events. *isOurs*: this deployment reads it."""

    sns_topic_arn: str
    role_arn: str | None = None
    is_ours: bool


class Destinations(View):
    """The destinations of an account at the provider: one or none. *own_topic*: the one that this deployment reads."""

    meta_waba_id: str
    destinations: list[Destination]
    own_topic: str | None = None


class Tested(View):
    """*seen*: the test message has arrived through the topic and the queue within five seconds."""

    seen: bool
    sns_topic_arn: str
    event_id: str | None = None


@DESTINATIONS.changes("remote_eum", Scope.WHATSAPP_ADMIN)
def create_event_destination(call: Call[CreateDestination]) -> Destinations:
    """
    Set the one destination of an account's events.

    Errors: `state_conflict` if another destination is set and `replace` is false. The provider refuses a topic or role
    of another AWS account.
    """
    asked = call.input
    eum, account = _account(call)
    current = [one["eventDestinationArn"] for one in _current(eum, account)]
    if current not in ([], [asked.sns_topic_arn]) and not asked.replace:
        raise StateConflict("snsTopicArn: another destination is set; replace is needed")
    return _put(call, eum, account, asked.sns_topic_arn, asked.role_arn)


@DESTINATIONS.reads("remote_eum", Scope.WHATSAPP_ADMIN)
def get_event_destinations(call: Call[OfAccount]) -> Destinations:
    """Return the destination of an account's events, as the provider has it now."""
    eum, account = _account(call)
    return _view(call, _current(eum, account))


@DESTINATIONS.changes("remote_eum", Scope.WHATSAPP_ADMIN)
def update_event_destination(call: Call[UpdateDestination]) -> Destinations:
    """Replace the destination of an account's events, or remove it with the status `disabled`."""
    eum, account = _account(call)
    return _put(call, eum, account, call.input.sns_topic_arn, call.input.role_arn)


@DESTINATIONS.changes("remote_eum", Scope.WHATSAPP_ADMIN)
def delete_event_destination(call: Call[DeleteDestination]) -> Destinations:
    """Remove the destination of an account's events: AWS sends no more events of the account."""
    eum, account = _account(call)
    return _put(call, eum, account, None, None)


@DESTINATIONS.changes("remote_eum", Scope.WHATSAPP_ADMIN)
def test_event_destination(call: Call[TestDestination]) -> Tested:
    """
    Publish a marked message to the account's topic, and wait up to five seconds until it is stored as an event.

    It takes the path of real events: topic, social function, queue, worker. *seen* false means that it has not arrived
    yet; `get_webhook_events` with the type `parley_destination_test` shows it later. Errors: `not_configured` without a
    destination, or for a topic that this deployment does not read.
    """
    eum, account = _account(call)
    topics = [str(one["eventDestinationArn"]) for one in _current(eum, account)]
    if not topics:
        raise NotConfigured("the account has no event destination")
    if topics[0] not in call.resources.deployment.social_topics:
        raise NotConfigured("the destination is not a topic that this deployment reads")
    mark = call.action_id("test")
    _publish(call, topics[0], mark)
    for _ in range(WAITS):
        event_id = _seen(call, mark)
        if event_id is not None:
            return Tested(seen=True, sns_topic_arn=topics[0], event_id=event_id)
        clock.sleep_ms(WAIT_MS)
    return Tested(seen=False, sns_topic_arn=topics[0])


def _account(call: Call[Any]) -> tuple[EumAccount, str]:
    """Return AWS and its id of the account. Raises NotFound and NotConfigured."""
    linked = [
        phone
        for phone in participants.account_of(call, call.input.meta_waba_id)
        if phone.provider == "eum"
    ]
    if not linked:
        raise NotConfigured("the account is not linked to AWS End User Messaging")
    phone = remote.linked_of(linked)
    return remote.eum_of(call, phone), remote.aws_account_of(phone)


def _current(eum: EumAccount, account: str) -> list[dict[str, Any]]:
    answer = eum.call("get_linked_whatsapp_business_account", id=account)
    found: list[dict[str, Any]] = answer.get("account", {}).get("eventDestinations", [])
    return found


def _check_own(call: Call[Any], topic: str, role: str | None) -> None:
    """
    Check that a topic is one that this deployment reads, or granted to the company, as a role must be.

    Raises InvalidInput.
    """
    is_ours = topic in call.resources.deployment.social_topics
    named = [] if is_ours else [("snsTopicArn", ids.TOPIC, topic)]
    named += [("roleArn", ids.ROLE, role)] if role else []
    for field, kind, text in named:
        try:
            resource = ids.arn(kind, text)
        except ids.IdInvalid as fault:
            raise InvalidInput([{"field": field, "problem": str(fault)}]) from None
        if not call.resources.ownership.owns(call.company, resource):
            raise InvalidInput([{"field": field, "problem": proofs.RULE}])


def _put(
    call: Call[Any], eum: EumAccount, account: str, topic: str | None, role: str | None
) -> Destinations:
    """Set the destination; None removes it. The call replaces all destinations, so it can be repeated."""
    if topic is not None:
        _check_own(call, topic, role)
    destination = {"eventDestinationArn": topic} | ({"roleArn": role} if role else {})
    wanted = [destination] if topic is not None else []
    eum.call(
        "put_whatsapp_business_account_event_destinations", id=account, eventDestinations=wanted
    )
    return _view(call, wanted)


def _view(call: Call[Any], found: list[dict[str, Any]]) -> Destinations:
    ours = call.resources.deployment.social_topics
    return Destinations(
        meta_waba_id=call.input.meta_waba_id,
        own_topic=min(ours, default=None),
        destinations=[
            Destination(
                sns_topic_arn=one["eventDestinationArn"],
                role_arn=one.get("roleArn"),
                is_ours=one["eventDestinationArn"] in ours,
            )
            for one in found
        ],
    )


def _publish(call: Call[Any], topic: str, mark: str) -> None:
    """
    Publish a message in the service's format. Another message with the same mark is the same event.

    Raises ProviderRejected and ProviderUnavailable.
    """
    change = {"field": TEST_FIELD, "value": {"test": mark}}
    message = {
        "messageId": str(uuid.uuid4()),
        "message_timestamp": clock.to_text(clock.now_ms()),
        "whatsAppWebhookEntry": json.dumps({"id": call.input.meta_waba_id, "changes": [change]}),
    }
    try:
        call.resources.deployment.sns().publish(TopicArn=topic, Message=json.dumps(message))
    except ClientError as refusal:
        raise ProviderRejected(
            str(refusal.response["Error"]["Code"]), aws_eum.details_of(refusal)
        ) from None
    except BotoCoreError:
        raise ProviderUnavailable("the topic cannot be reached") from None


def _seen(call: Call[Any], mark: str) -> str | None:
    """Return the id of the stored test event; None while it has not arrived."""
    events, _ = account_events.of_type(
        call.table, TEST_FIELD, call.company, since=None, until=None, limit=20, start=None
    )
    found = [e for e in events if plain(e.payload or {}).get("test") == mark]
    return found[0].event_id if found else None
