"""Response models of the operations API. A value that is null could not be read or was not measured."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from shared.api.audit_log.items import Outcome  # noqa: TC001 - field of a model
from shared.api.models import views


class View(views.View):
    """Part of a response, in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    omits_none: ClassVar[bool] = False


class QueueView(View):
    """
    A queue: its waiting messages and messages in flight, approximate counts of SQS.

    `oldestSeconds`: the age of the oldest message, some minutes late; null if the queue is empty or the age could not
    be read. `problem`: why the counts could not be read.
    """

    name: str
    context: str
    is_dead_letters: bool
    waiting: int | None
    in_flight: int | None
    delayed: int | None
    oldest_seconds: int | None
    problem: str | None


class QueuesView(View):
    """All queues of the deployment. `agesProblem`: why no age could be read."""

    queues: list[QueueView]
    ages_problem: str | None


class AlarmView(View):
    """An alarm. `state` is OK, ALARM or INSUFFICIENT_DATA; `reason` is CloudWatch's."""

    name: str
    description: str
    state: str
    reason: str
    changed_at: str | None
    notifies: bool


class AlarmsView(View):
    """The alarms of the deployment, alarms in ALARM first. There are none if it was deployed with `Alarms=none`."""

    alarms: list[AlarmView]


class AccountView(View):
    """
    Where the accepted events of a context are: accepted + putBack = stored + duplicate + parked + other + waiting +
    deadLetters + difference.

    A count is null if nothing was counted, or cannot be. `difference` is null where the two sides cannot be compared;
    `remark` says why. Near the ends of the period it is not 0 while events are under way.
    """

    context: str
    accepted: int | None
    put_back: int | None
    stored: int | None
    duplicate: int | None
    parked: int | None
    other: int | None
    waiting: int | None
    dead_letters: int | None
    difference: int | None
    remark: str | None


class ConservationView(View):
    """The accounts of all contexts over whole days (UTC)."""

    first_day: str
    last_day: str
    accounts: list[AccountView]


class CostLine(View):
    """A part of the bill: a measured quantity and its list price. Null: nothing was measured."""

    part: str
    unit: str
    quantity: float | None
    dollars_per_million: float
    dollars: float | None
    is_upper_bound: bool


class CostView(View):
    """
    An estimate of a month's cost from measured units and list prices of us-east-1, without free tiers.

    `dollars` is the sum of the measured lines, null if there is none. `conversations` that began in the month.
    `notIncluded`: parts of the bill that are not measured here.
    """

    month: str
    until: str
    is_estimate: Literal[True] = True
    lines: list[CostLine]
    dollars: float | None
    conversations: int | None
    dollars_per_conversation: float | None
    events: int | None
    dollars_per_event: float | None
    not_included: list[str]


class SwitchChange(View):
    """A version of a switch: its text, when it was set, and the principal of AWS that set it."""

    text: str
    at: str
    by: str


class DeploymentSwitch(View):
    """A switch of a context and its newest changes; `problem`: why it could not be read. Then it counts as closed."""

    context: str
    name: str
    parameter: str
    text: str | None
    changes: list[SwitchChange]
    problem: str | None


class DeploymentSwitches(View):
    """The switches that hold for all companies."""

    switches: list[DeploymentSwitch]


class FieldChangeView(View):
    """A changed field, masked: its values before and after; null where it had none."""

    field: str
    before: str | None
    after: str | None


class ActionView(View):
    """
    A change that a caller asked for. `change` is the operation's name in the OpenAPI document, `kind` that of the
    objects it is about, `object` the id of what the request names.

    `changes` are the fields that it has changed; `more` of them are not in the log. `basis`: they are the difference of
    what was stored before and after (`stored`), or what the call asked for (`asked`), whose state before is not known.

    `outcome`: `made`, `refused` (nothing was changed), `failed` (a part may have been changed), or `open` (may have
    been made). `status` of the answer; null if the function ended before it stored the outcome.
    """

    at: str
    company: str
    principal: str
    context: str
    change: str
    kind: str | None
    object: str | None
    changes: list[FieldChangeView]
    more: int
    basis: Literal["stored", "asked"] | None
    outcome: Outcome
    status: int | None
    correlation_id: str


class ActionsView(View):
    """Changes, newest first. A page may be short although there is a cursor."""

    actions: list[ActionView]


class BoundView(View):
    """A bound of one day."""

    units: int
    dollars: float


class SpentView(View):
    """The units of one kind by outsiders: `addresses` are units by mailbox or number; then the three bounds."""

    kind: str
    percent: int
    units: int
    dollars: float
    addresses: dict[str, int]
    sender: BoundView
    address: BoundView
    company: BoundView


class SpendingLimitsView(View):
    """
    The limits of a company on what models cost in a day and a month (UTC), and what is counted under them. Without a
    limit nothing is counted.
    """

    version: int
    dollars_per_day: float | None
    dollars_per_month: float | None
    warn_at_percent: int
    dollars_today: float
    dollars_this_month: float
    changed_at: str | None = None
    changed_by: str | None = None


class SpendingView(View):
    """Costs that outsiders have caused for a company on a day (UTC), with the bounds, and the limits of the company."""

    company: str
    day: str
    limits: SpendingLimitsView
    most_percent: int
    kinds: list[SpentView]
