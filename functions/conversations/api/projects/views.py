"""Response models of projects, their versions and the playground."""

from typing import Annotated, Any

from pydantic import BeforeValidator

from conversations.api.views import Json
from conversations.initiation.context_object import as_json
from shared.ai.playground.views import ModelCallView, SpokenView
from shared.ai.versions import views as versions
from shared.api.models.views import View

type JsonValue = Annotated[Any, BeforeValidator(as_json)]


class ProjectView(View):
    """
    A project. `automation_enabled`: whether its model answers; else people do. `live_version`: None until its settings
    were changed once. `unusable`: a setting that is invalid.
    """

    project_id: str
    name: str | None
    status: str | None
    automation_enabled: bool
    channels: list[str]
    live_version: int | None
    unusable: str | None


class ProjectsView(View):
    """Page of a company's projects."""

    projects: list[ProjectView]


class PriceView(View):
    """The price of a model in dollars for a million tokens: of the project's settings, or a list price."""

    model: str
    input: float
    output: float
    cached_input: float
    is_list_price: bool


class SpentDayView(View):
    """The use of a project's models on a day (UTC)."""

    day: str
    calls: int
    tokens_in: int
    tokens_out: int
    dollars: str


class ProjectSpendingView(View):
    """
    What the models of a project cost in a month. At the dollars of a day or a month people answer instead of the model;
    at `warn_at_percent` of them an alarm is raised. Null: no such limit.
    """

    project_id: str
    month: str
    dollars: str
    days: list[SpentDayView]
    dollars_per_day: float | None
    dollars_per_month: float | None
    warn_at_percent: int
    prices: list[PriceView]
    list_prices_of: str
    list_price_sources: list[str]


class WrittenVersionView(versions.WrittenVersionView):
    """The number of a version that was stored. It is not live."""

    project_id: str


class LiveView(versions.LiveView):
    """The version that is live now, and the one before."""

    project_id: str


class CalledView(View):
    """A call of a function. `simulated`: its result came from the request; built-in functions only report success."""

    name: str
    arguments: Json
    result: str | None
    simulated: bool


class FaultView(View):
    """A fault of an answer: `fatal` hands off, `repair` asks the model again, `note` is recorded only."""

    fault: str
    severity: str


class PassageView(View):
    """A passage of the company's documents that the model was given."""

    chunk_id: str
    score: str
    cited: bool


class PlaygroundView(View):
    """
    What the model would have sent, and how it came to it. Nothing was sent, stored or called.

    `hand_off` is the cause for which people would get the conversation, `hand_off_reason` the words for them. `dollars`
    is an estimate by list prices.
    """

    version: int | None
    content: str
    subject: str | None
    hand_off: str | None
    hand_off_reason: str | None
    calls: list[CalledView]
    faults: list[FaultView]
    passages: list[PassageView]
    model: str
    model_calls: list[ModelCallView]
    tokens_in: int
    tokens_out: int
    ms: int
    dollars: str


class ReplayView(PlaygroundView):
    """
    What the model would have sent in a real conversation. `messages` are what it was given; `sent` is the message that
    was sent instead, if the call names one, as `messages` without the person.
    """

    messages: list[SpokenView]
    sent: str | None
