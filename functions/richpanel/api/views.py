"""Response models of the admin API, in the contract's field names. Fields that are None are null."""

import json
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, RootModel

from richpanel.store.items import AuditAction, ConversationState
from shared.ai.playground.views import TraceView
from shared.api.models import views


class View(views.View):
    """Part of a response."""

    omits_none: ClassVar[bool] = False


class ActionView(View):
    """An audit row: its time, its id, and its facts as JSON, or as text if redaction made the JSON invalid."""

    at: str
    action: str
    action_type: str
    result: str
    facts: Any


class StandingView(View):
    """A switch: its stored text, null if there is none, and the value in force, closed if the text is unreadable."""

    text: str | None
    in_force: Any


class SwitchesView(View):
    """All switches by name, and the newest changes made over the API. `readable`: whether any switch could be read."""

    switches: dict[str, StandingView]
    readable: bool
    changes: list[ActionView]


class ChangedSwitchesView(SwitchesView):
    """All switches after a change, and the names of those that changed."""

    changed: list[str]


class ConversationView(View):
    """A conversation's state without fields that only writers need, and one page of its audit, newest first."""

    conversation_id: str
    state: dict[str, Any] | None
    decisions: list[ActionView]


class DecisionView(View):
    """
    One decision: its event and ticket, its outcome, and more of its audit payload as *facts*. `ai_dollars`: what the
    model's calls have cost by list prices; null without a call, or if the price is not known.
    """

    at: str
    conversation_id: str
    event_id: str
    outcome: str
    intent: str | None
    team: str | None
    gate: str | None
    channel: str | None
    tier: int | None
    template: str | None
    ai_dollars: str | None
    facts: dict[str, Any]


class ForecastLine(View):
    """
    The decisions of dry run on an intent, by the outcome that each would have had with the switches of its time.

    `unknown`: of releases that did not store it. `teams`: to whom it would have gone. `reasons`: why no
    reply.
    """

    intent: str
    decisions: int
    would_reply: int
    would_hand_over: int
    would_route: int
    unknown: int
    teams: dict[str, int]
    reasons: dict[str, int]


class ComparedView(View):
    """
    Tickets of the newest decisions, by their present assignee: the team of the decision, another team, a person, or
    nothing. `differing`: the team of each ticket that another team has. `not_read`: no answer of the help desk in time.
    """

    same_team: int
    other_team: int
    person: int
    unassigned: int
    not_read: int
    differing: dict[str, str]


class ForecastView(View):
    """
    What dry run has decided in the last `days`, by intent, the most frequent first. `others`: decisions of these days
    that were carried out. Not `is_complete`: there are more than were read, the oldest are left out.
    """

    days: int
    decisions: int
    others: int
    is_complete: bool
    by_intent: list[ForecastLine]
    compared: ComparedView


class DecisionListView(View):
    """Decisions of a day, newest first."""

    day: str
    decisions: list[DecisionView]


class DryRunView(View):
    """The decision that would be made now on the newest message, as its audit payload."""

    conversation_id: str
    mode: Literal["dry_run"] = "dry_run"
    message_id: str
    decision: dict[str, Any]


class RepairView(View):
    """A conversation that was queued for the worker, and the ids of its parked events that were reopened."""

    conversation_id: str
    mode: Literal["repair"] = "repair"
    reopened: list[str]


class ReplayView(RootModel[DryRunView | RepairView], View):
    """Result of a replay."""


class ClearedView(View):
    """The risk flags that were removed."""

    conversation_id: str
    cleared: list[str]


class ErasedView(View):
    """An erased conversation: the time of its tombstone, the kept data, and the copies that are not reached."""

    conversation_id: str
    erased_at: str
    kept: str = (
        "ids, hashes and codes of events and actions, for at most 30 days; the tombstone, for 35 days; "
        "the record of this change, for 60 days; times of replies to the customer under a keyed hash, for 7 days"
    )
    outside: str = (
        "ids in queues and dead letters, for at most 28 days; backups, for 35 days; the ticket at the help desk; "
        "the logs of the shop's and the model's providers"
    )


class HealthView(View):
    """
    Health of the middleware: *healthy* if every check passed.

    *checks*: by name, `ok` or a code of the problem. *waiting*: approximate number of events in each queue. *keys*: the
    names of the secret's keys. *swept_at*: the start of the newest complete pass of the sweep. *teams*: the names of
    the help desk's teams by id. *shop_scopes*: the
    shop's scopes for orders; without `read_all_orders` it shows the orders of the last 60 days only. Null without a
    shop.
    """

    healthy: bool
    checks: dict[str, str]
    waiting: dict[str, int]
    keys: dict[str, bool]
    swept_at: str | None
    teams: dict[str, str]
    shop_scopes: list[str] | None


class ModelView(View):
    """
    What classifies: `model` or `rules`. *deployed*: what the deployment has, which names the model, since the role of
    its function does.
    """

    classifier: Literal["model", "rules"]
    deployed: Literal["model", "rules"]
    provider: Literal["bedrock", "openai"] | None
    model: str | None


class AccountView(View):
    """
    The help-desk account in force. *company*: to which it belongs; null if to none yet, when an operator of any company
    may store its key, and nothing else. *source*: `settings` if a version of the settings has it, else `deployment`.
    *fields*: as `settings.account` takes them. *keys*: which are stored, never their values. *webhook*: the address
    that the help desk calls, and *tokens*, how many of its tokens are valid.
    """

    company: str | None
    source: Literal["deployment", "settings"]
    number: int
    fields: dict[str, Any]
    keys: dict[str, bool]
    webhook: str
    tokens: int
    model: ModelView


class KeysView(View):
    """Which keys are stored, and the company to which the help desk belongs."""

    company: str | None
    keys: dict[str, bool]


class TokenView(View):
    """
    A new token of the webhook, for the *header* of its calls, and how many are valid. Only the first answer has the
    *token*; the *notice* of a repeated one says so.
    """

    header: str
    token: str | None = Field(repr=False)
    tokens: int
    notice: str | None

    def as_stored(self) -> Self:
        """Return the answer without the token: it is stored in the secret only."""
        notice = "the token was shown once, in the first answer; if it is lost, make another"
        return self.model_copy(update={"token": None, "notice": notice})


class TokensView(View):
    """How many tokens of the webhook are valid."""

    tokens: int


class SettingsView(View):
    """The shop's settings: a version, or the standard ones with number 0."""

    number: int
    settings: dict[str, Any]
    changed_at: str | None
    changed_by: str | None


class SettingsVersionView(View):
    """A version of the settings."""

    number: int
    changed_at: str
    changed_by: str
    note: str
    based_on: int | None
    is_in_force: bool


class SettingsVersionsView(View):
    """Versions of the settings, newest first."""

    versions: list[SettingsVersionView]


class PreviewView(View):
    """A reply as it would be sent."""

    text: str


class DecisionTrialView(View):
    """
    What would be decided on a ticket. Nothing was sent or stored, and no order was looked up.

    `text` is the reply as it would be sent; null without one, for the `reason` and the `shut` gates. `takes_over`: a
    person has to take the ticket. `trace`: the calls of the model; null where rules decide alone.
    """

    version: int | None
    intent: str
    secondary: list[str]
    team: str
    tags: list[str]
    tier: int | None
    takes_over: bool
    template: str | None
    text: str | None
    considered: str | None
    reason: str
    shut: list[str]
    rule: str
    language: str
    confidence: float
    risk_flags: list[str]
    trace: TraceView | None


class TemplateView(View):
    """A template: its tier (null: only agents send it), its variables, and its standard texts by language."""

    tier: int | None
    required: list[str]
    optional: list[str]
    texts: dict[str, dict[str, str]]


class TemplatesView(View):
    """The templates by name."""

    templates: dict[str, TemplateView]


def action_view(action: AuditAction) -> ActionView:
    """Present an audit row: its time and id are parts of the key, its facts are JSON."""
    at, _, action_id = action.ts_action_id.partition("#")
    return ActionView(
        at=at,
        action=action_id,
        action_type=action.action_type,
        result=action.result,
        facts=_facts(action.action_payload_redacted),
    )


def state_view(state: ConversationState) -> dict[str, Any]:
    """Present a conversation's state without the fields that only writers need."""
    shown = state.model_dump(mode="json", exclude_none=True, exclude={"version", "reserved_reply"})
    if "risk_flags" in shown:
        shown["risk_flags"] = sorted(shown["risk_flags"])
    return shown


def _facts(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the facts, as text if redaction made the JSON invalid."""
    try:
        return json.loads(text)
    except ValueError:
        return text
