"""Parses a line of `richpanel.decisions.command`, a message with its context, and makes the decision on it."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from richpanel.classification import Classification, Message
from richpanel.classification.classifier import classify
from richpanel.classification.taxonomy import RiskFlag, Team, teams
from richpanel.decisions.command.recorded_answers import RecordedAnswers
from richpanel.decisions.engine import decide
from richpanel.decisions.facts import (
    MatchPath,
    Memory,
    ModelOpinion,
    Newest,
    NoOrder,
    OrderFacts,
    PendingFlow,
    Shop,
    Turn,
)
from richpanel.decisions.outcome import Decision
from richpanel.decisions.readings import awaits_order_number
from richpanel.decisions.replies.candidates import same_number
from richpanel.decisions.shipping.delivery_windows import Calendar
from richpanel.decisions.switches import Switches, SwitchInvalid, all_open, read_switch
from richpanel.inbound.channels import Channel
from shared.runtime.validation.validation_errors import errors_of

LONGEST_LINE = 1_000_000  # bytes
MESSAGE_ID = "this-message"


class SampleInvalid(Exception):
    """A line is not a valid message: the text names the field and the rule, never the value."""


def _moment(value: object) -> datetime:
    if not isinstance(value, str):
        raise ValueError("must be an ISO 8601 time")  # noqa: TRY004 - pydantic turns a ValueError into its own error
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise ValueError("must be an ISO 8601 time") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def _day(value: object) -> date:
    try:
        return date.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        raise ValueError("must be an ISO 8601 date") from None


def _channel(value: object) -> Channel:
    if not isinstance(value, str):
        raise ValueError("must be a string")  # noqa: TRY004 - as above
    name = "".join(value.lower().split()).replace("_", "").replace("-", "")
    return Channel(name) if name in set(Channel) else Channel.UNKNOWN


def _team(value: object) -> Team:
    for team, facts in teams.items():
        if value in {facts.name, facts.route_tag}:
            return team
    raise ValueError("must be the name or route tag of a team")


def _zone(value: object) -> ZoneInfo:
    try:
        return ZoneInfo(value if isinstance(value, str) else "")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("must be an IANA time zone") from None


type Moment = Annotated[datetime, BeforeValidator(_moment)]
type Day = Annotated[date, BeforeValidator(_day)]
type Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, arbitrary_types_allowed=True)


class _Order(_Read):
    number: str | int | None = Field(None, validation_alias=AliasChoices("number", "order_number"))
    status: str | None = None
    created_at: Moment | None = None
    match: Annotated[MatchPath | None, Field(strict=False)] = None
    email: str | None = None
    is_linked: bool = False
    fulfillment_status: str | None = None
    shipping_method: str | None = None
    tracking_number: str | None = None
    tracking_company: str | None = None
    tracking_url: str | None = None
    status_url: str | None = None
    is_cancelled: bool = False
    is_refunded: bool = False
    is_preorder: bool = False
    ship_by: Day | None = None


class _Flow(_Read):
    requested_at: Moment
    attempts: Annotated[int, Field(ge=1)] = 1


class _Context(_Read):
    subject: str | None = None
    earlier: list[str] = []
    has_attachment: bool = False
    has_linked_order: bool = False
    is_automatic: bool = False
    order_mask: str | None = None
    created_at: Moment | None = None
    now: Moment | None = None
    ticket_status: Annotated[Literal["open", "closed"], BeforeValidator(_lower)] = "open"
    newest_comment_by: Annotated[Newest, Field(strict=False)] = Newest.CUSTOMER
    last_person_reply_at: Moment | None = None
    handed_back_at: Moment | None = None
    is_assigned_to_person: bool = False
    first_name: str | None = None
    auto_replies: list[Moment] = []
    customer_auto_replies: list[Moment] = []
    already_answered: bool = False
    risk_flags: list[Annotated[RiskFlag, Field(strict=False)]] = []
    pending_flow: _Flow | None = None
    customer_email: str | None = None
    order: _Order | None = None
    switches: dict[str, Any] = {}
    available_teams: list[Annotated[Team, BeforeValidator(_team)]] | None = None
    timezone: Annotated[ZoneInfo, BeforeValidator(_zone)] = ZoneInfo("America/New_York")
    holidays: list[Day] = []


class Sample(_Read):
    """One line. `richpanel.decisions.command.__main__` documents its fields."""

    id: str | int
    text: Text
    channel: Annotated[Channel, BeforeValidator(_channel)]
    context: Annotated[_Context, BeforeValidator(lambda value: {} if value is None else value)] = (
        _Context()
    )


def parse_sample(line: bytes) -> Sample:
    """Parse a line of JSON. Raises SampleInvalid."""
    if len(line) > LONGEST_LINE:
        raise SampleInvalid(f"must be at most {LONGEST_LINE} bytes")
    try:
        read = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise SampleInvalid("must be UTF-8") from None
    except (ValueError, RecursionError):
        raise SampleInvalid("must be JSON") from None
    if not isinstance(read, dict):
        raise SampleInvalid("must be a JSON object")
    try:
        sample = Sample.model_validate(read)
        _switches(sample)
    except ValidationError as error:
        first = errors_of(error)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise SampleInvalid(f"{field}: {first['msg'].removeprefix('Value error, ')}") from None
    except SwitchInvalid as error:
        raise SampleInvalid(f"context.switches: {error}") from None
    return sample


class Judge(Protocol):
    """A language model that classifies messages and verifies Tier 2 replies, as `clients.language_model.Judge`."""

    def opinion(
        self, message: Message, rules: Classification
    ) -> tuple[Classification, ModelOpinion]:
        """Merge the rules' result with the model's."""

    def verdict(
        self, message: Message, rules: Classification, opinion: ModelOpinion
    ) -> ModelOpinion:
        """Return *opinion* with the model's verdict on Tier 2."""


def decided(
    sample: Sample,
    recorded: RecordedAnswers | None = None,
    *,
    judge: Judge | None = None,
    shop: Shop | None = None,
) -> Decision:
    """
    Return the middleware's decision on a message: with the *recorded* answers of a model, with a *judge*, or by the
    rules alone. *shop*: its settings, by default the standard ones.
    """
    context = sample.context
    created = context.created_at or context.now or datetime.now(UTC)
    message = _message(sample, created)
    turn = _turn(sample, created, message)
    rules, is_asked = turn.classification, not _switches(sample).safe_mode
    if recorded is not None and is_asked:
        classification, opinion = recorded.opinion(sample.id, rules)
        turn = replace(turn, classification=classification, model=opinion)
    elif judge is not None and is_asked:
        classification, opinion = judge.opinion(message, rules)
        turn = replace(turn, classification=classification, model=opinion)

    def made(of: Turn) -> Decision:
        order, now = _order(context, of), context.now or created
        used = shop or _shop(context)
        return decide(of, _memory(context), order, _switches(sample), now, shop=used)

    decision = made(turn)
    if judge is not None and decision.wants_verdict and turn.model:
        decision = made(replace(turn, model=judge.verdict(message, rules, turn.model)))
    return decision


def _message(sample: Sample, created: datetime) -> Message:
    context = sample.context
    linked = context.order is not None and (
        context.order.is_linked or context.order.match is MatchPath.LINKED
    )
    return Message(
        text=sample.text,
        channel=sample.channel,
        subject=context.subject,
        earlier=tuple(context.earlier),
        has_attachment=context.has_attachment,
        has_linked_order=context.has_linked_order or linked,
        expects_order_number=awaits_order_number(_memory(context), context.now or created),
        order_mask=context.order_mask,
        is_automatic=context.is_automatic,
    )


def _turn(sample: Sample, created: datetime, message: Message) -> Turn:
    context = sample.context
    return Turn(
        message_id=MESSAGE_ID,
        message_at=created,
        channel=sample.channel,
        classification=classify(message),
        ticket_is_open=context.ticket_status == "open",
        newest=context.newest_comment_by,
        last_person_reply_at=context.last_person_reply_at,
        is_assigned_to_person=context.is_assigned_to_person,
        first_name=context.first_name,
        already_answered=context.already_answered,
    )


def _memory(context: _Context) -> Memory:
    flow = context.pending_flow
    return Memory(
        pending_flow=PendingFlow(flow.requested_at, flow.attempts) if flow else None,
        auto_reply_times=tuple(context.auto_replies),
        customer_reply_times=tuple(context.customer_auto_replies),
        risk_flags=frozenset(context.risk_flags),
        handed_back_at=context.handed_back_at,
    )


def _order(context: _Context, turn: Turn) -> OrderFacts | NoOrder:
    order = context.order
    if order is None or order.number is None or not order.status or order.created_at is None:
        return NoOrder.NO_MATCH
    path = _path(order, context.customer_email, turn)
    if path is None:
        return NoOrder.NO_MATCH
    return OrderFacts(
        path=path,
        order_id=str(order.number),
        number=str(order.number),
        status=order.status,
        created_at=order.created_at,
        fulfillment_status=order.fulfillment_status,
        shipping_method=order.shipping_method,
        tracking_number=order.tracking_number,
        tracking_company=order.tracking_company,
        tracking_url=order.tracking_url,
        status_url=order.status_url,
        is_cancelled=order.is_cancelled,
        is_refunded=order.is_refunded,
        is_preorder=order.is_preorder,
        ship_by=order.ship_by,
    )


def _path(order: _Order, customer_email: str | None, turn: Turn) -> MatchPath | None:
    """Return the match of the order to the sender: as given, else by its address. None if the addresses differ."""
    owner, sender = (
        email.strip().casefold() if email else None for email in (order.email, customer_email)
    )
    if owner and sender and owner != sender:
        return None
    if order.match:
        return order.match
    if not owner or not sender:
        return None
    if order.is_linked:
        return MatchPath.LINKED
    named = turn.classification.order_numbers
    is_named = len(named) == 1 and same_number(named[0], str(order.number))
    return MatchPath.NUMBER if is_named else None


def _switches(sample: Sample) -> Switches:
    given = sample.context.switches
    read = {name: read_switch(name, _as_parameter(value)) for name, value in given.items()}
    return replace(all_open(), **read)


def _as_parameter(value: object) -> str:
    """Return a switch's value as text in the parameter store's format."""
    if isinstance(value, list):
        return ",".join(str(name) for name in value)
    return value if isinstance(value, str) else json.dumps(value)


def _shop(context: _Context) -> Shop:
    there = context.available_teams
    return Shop(
        support_signature="Customer Support",
        bot_author_id="bot",
        available_teams=frozenset(Team if there is None else there),
        calendar=Calendar(timezone=context.timezone, holidays=frozenset(context.holidays)),
    )
