"""The admin API over moto and the sandbox: who may do what, what is refused and how, and what stays of each change."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import boto3
import pytest
from botocore.exceptions import ClientError

from richpanel import remembering
from richpanel.clients.helpdesk import HelpDesk
from richpanel.store import states
from shared.auth import Caller
from shared.failures import Permanent, Transient
from tests.integration.logs import recorded
from tests.integration.richpanel.office import AGENT, PATH, Context, Office
from tests.integration.richpanel.test_sweep import taken
from tests.template import create_queue, environment, properties

if TYPE_CHECKING:
    from types import ModuleType

SWITCHES = "/admin/richpanel/switches"
CONVERSATION = "/admin/richpanel/conversations/{ticketId}"
REPLAY = f"{CONVERSATION}/replay"
CLEAR_RISK = f"{CONVERSATION}/clear-risk"
REDRIVE = "/admin/richpanel/dlq/redrive"
HEALTH = "/admin/richpanel/health"
READS = [f"GET {SWITCHES}", f"GET {CONVERSATION}", f"GET {HEALTH}"]
CHANGES = [
    f"PUT {SWITCHES}",
    f"POST {REPLAY}",
    f"POST {CLEAR_RISK}",
    f"DELETE {CONVERSATION}",
    f"POST {REDRIVE}",
]
WHERE = "Hi, where is my order? It has not arrived yet."
DISPUTE = "I have told my bank to open a chargeback for this payment."


def caller(*scopes: str) -> Caller:
    return Caller(company="acme", scopes=frozenset(scopes), principal="api-key:0123456789012345")


READER = caller("richpanel:read")
OPERATOR = caller("richpanel:operate")


@dataclass
class Answer:
    status: int
    body: dict[str, Any]

    @property
    def result(self) -> dict[str, Any]:
        assert self.status < 300, self.body
        found: dict[str, Any] = self.body["result"]
        return found

    @property
    def error(self) -> str:
        return str(self.body["error"]["code"])

    @property
    def problems(self) -> dict[str, str]:
        return {entry["field"]: entry["problem"] for entry in self.body["error"]["details"]}


@dataclass
class Admin:
    module: ModuleType
    office: Office
    left_ms: int = 29_000

    def call(
        self,
        line: str,
        who: Caller | None = OPERATOR,
        *,
        ticket: str = "t-1",
        body: Any = None,
        **query: Any,
    ) -> Answer:
        """A call (`GET /path`) as API Gateway hands it over."""
        method, route = line.split(" ")
        given = {
            name: [str(one) for one in (value if isinstance(value, list) else [value])]
            for name, value in query.items()
        }
        event = {
            "resource": route,
            "path": route.replace("{ticketId}", quote(ticket, safe="")),
            "httpMethod": method,
            "headers": {},
            "multiValueHeaders": {},
            "pathParameters": None,
            "queryStringParameters": {name: values[-1] for name, values in given.items()} or None,
            "multiValueQueryStringParameters": given or None,
            "requestContext": {
                "requestId": f"request-{self.office.time.ms}",
                "authorizer": who.as_context() if who else None,
            },
            "body": body if isinstance(body, str | None) else json.dumps(body),
            "isBase64Encoded": False,
        }
        answer = self.module.handler(event, Context("request-1", self.left_ms))
        return Answer(answer["statusCode"], json.loads(answer["body"]))

    def replay(self, mode: str, ticket: str = "t-1") -> Answer:
        return self.call(f"POST {REPLAY}", ticket=ticket, body={"mode": mode})

    def events(self) -> list[dict[str, Any]]:
        """What is on the queue of mails, which is empty then."""
        return [json.loads(body) for body in taken(self.module.office.lanes.mail)]

    def traces(self, about: str = "sys:switches") -> list[dict[str, Any]]:
        """What people changed, oldest first."""
        rows = [row for row in self.office.rows("audit") if row["conversation_id"] == about]
        ordered = sorted(rows, key=lambda row: str(row["ts_action_id"]))
        return [
            json.loads(row["action_payload_redacted"]) | {"result": row["result"]}
            for row in ordered
            if row["action_type"] == "switch"
        ]

    def stored(self) -> dict[str, str]:
        """The switches in the parameter store."""
        found = boto3.client("ssm").get_parameters_by_path(Path=PATH, Recursive=True)
        return {one["Name"].rpartition("/")[2]: one["Value"] for one in found["Parameters"]}

    def everything(self) -> list[Any]:
        """All rows but the request limit's own."""
        return [
            [row for row in self.office.rows(table) if "sys:limiter" not in str(row)]
            for table in ("idempotency", "state", "audit")
        ]


@pytest.fixture
def admin(office: Office, monkeypatch: pytest.MonkeyPatch) -> Admin:
    given = environment(
        "RichpanelAdmin",
        HelpDeskUrl=f"{office.sandbox.url}/v1",
        RichpanelAccount=json.dumps({"bot_author_id": "bot-1"}),
    )
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    secrets = boto3.client("secretsmanager")
    for variable, secret, value in (
        ("RICHPANEL_KEYS_ID", "RichpanelKeys", '{"richpanel": "a-key", "salt": "of the tests"}'),
        ("API_SEAL_SECRET_ID", "ApiSealSecret", '{"seal_key": "sealed"}'),
    ):
        known = properties(secret)["Name"]
        secrets.create_secret(Name=known, SecretString=value)
        monkeypatch.setenv(variable, known)
    for queue in ("RichpanelQueue", "RichpanelLiveQueue", "RichpanelDeadLetters"):
        create_queue(boto3.client("sqs"), queue)
    module = importlib.reload(importlib.import_module("richpanel.handlers.admin"))
    object.__setattr__(module.office.dead_letters, "wait_seconds", 0)
    return Admin(module, office)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    return recorded(monkeypatch)


# Who may do what


def test_the_routes_here_are_those_of_the_template() -> None:
    events = properties("RichpanelAdmin")["Events"].values()

    routes = [f"{e['Properties']['Method']} {e['Properties']['Path']}" for e in events]
    assert sorted(routes) == sorted(READS + CHANGES)


@pytest.mark.parametrize("line", READS + CHANGES)
def test_without_an_authorizers_word_every_route_is_shut(admin: Admin, line: str) -> None:
    before = admin.everything()

    assert (admin.call(line, None).status, admin.call(line, None).error) == (401, "unauthenticated")
    assert admin.everything() == before


@pytest.mark.parametrize("line", READS + CHANGES)
def test_scopes_of_other_contexts_open_nothing_here(admin: Admin, line: str) -> None:
    others = caller("whatsapp:read", "whatsapp:admin", "operator")

    answer = admin.call(line, others, body={"safe_mode": True})

    assert (answer.status, answer.error) == (403, "forbidden")
    assert "richpanel:operate" in answer.body["error"]["message"]


@pytest.mark.parametrize("line", CHANGES)
def test_who_may_read_may_change_nothing(admin: Admin, line: str) -> None:
    admin.office.ticket(DISPUTE)
    admin.office.handle()
    before = admin.everything(), admin.stored()

    assert admin.call(line, READER, body={"mode": "repair"}).status == 403
    assert (admin.everything(), admin.stored()) == before


@pytest.mark.parametrize("line", READS)
@pytest.mark.parametrize("who", [READER, OPERATOR])
def test_who_may_read_or_change_may_read(admin: Admin, line: str, who: Caller) -> None:
    admin.office.ticket(DISPUTE)
    admin.office.handle()

    assert admin.call(line, who).status == 200


# What is refused, and how


@pytest.mark.parametrize(
    ("line", "body", "problems"),
    [
        (f"PUT {SWITCHES}", {"safe_mode": "yes"}, {"safe_mode": "must be true or false"}),
        (f"PUT {SWITCHES}", {"dry_run": None}, {"dry_run": "must be true or false"}),
        (f"PUT {SWITCHES}", {"save_mode": True}, {"save_mode": "is no switch"}),
        (
            f"PUT {SWITCHES}",
            {"outbound_scope": "everyone"},
            {"outbound_scope": "must be one of none, allowlist, all"},
        ),
        (
            f"PUT {SWITCHES}",
            {"tier2_paths": ["guessed"]},
            {"tier2_paths": "must be none, or some of linked, number, comma separated"},
        ),
        (
            f"PUT {SWITCHES}",
            {"template_enabled": ["t_return_request_intake"]},
            {"template_enabled": "must be a JSON object of templates, each true or false"},
        ),
        (
            f"PUT {SWITCHES}",
            {"template_enabled": {"t_retrun_request_intake": True}},
            {
                "template_enabled": "holds a template that is not in the catalogue, or that no"
                " machine may send"
            },
        ),
        (
            f"PUT {SWITCHES}",
            {"template_enabled": {"t_legal_threat_ack": True}},
            {
                "template_enabled": "holds a template that is not in the catalogue, or that no"
                " machine may send"
            },
        ),
        (f"PUT {SWITCHES}", [True], {"body": "must be a JSON object"}),
        (f"PUT {SWITCHES}", "{", {"body": "must be a JSON object"}),
        (f"POST {REPLAY}", {}, {"mode": "Field required"}),
        (f"POST {REPLAY}", {"mode": "send"}, {"mode": "Input should be 'dry_run' or 'repair'"}),
        (
            f"POST {REPLAY}",
            {"mode": "repair", "force": True},
            {"force": "Extra inputs are not permitted"},
        ),
        (f"POST {CLEAR_RISK}", {"flag": "fraud"}, {"flag": "Extra inputs are not permitted"}),
        (f"DELETE {CONVERSATION}", {"now": True}, {"now": "Extra inputs are not permitted"}),
        (
            f"POST {REDRIVE}",
            {"limit": 0},
            {"limit": "Input should be greater than or equal to 1"},
        ),
        (
            f"POST {REDRIVE}",
            {"limit": 101},
            {"limit": "Input should be less than or equal to 100"},
        ),
    ],
)
def test_bad_input_names_the_field_and_the_rule_and_changes_nothing(
    admin: Admin, line: str, body: Any, problems: dict[str, str]
) -> None:
    before = admin.everything(), admin.stored()

    answer = admin.call(line, body=body)

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert answer.problems == problems
    assert (admin.everything(), admin.stored()) == before


def test_a_call_that_names_no_switch_is_told_which_there_are(admin: Admin) -> None:
    (problem,) = admin.call(f"PUT {SWITCHES}").problems.values()

    assert "safe_mode" in problem
    assert "outbound_scope" in problem


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 51}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"limit": [5, 6]}, "limit"),
        ({"page": 2}, "page"),
    ],
)
def test_a_bad_query_is_refused(admin: Admin, query: dict[str, Any], field: str) -> None:
    answer = admin.call(f"GET {CONVERSATION}", **query)

    assert (answer.status, list(answer.problems)) == (400, [field])


def test_a_cursor_that_is_not_ours_or_of_another_conversation_is_refused(admin: Admin) -> None:
    admin.office.ticket(WHERE)
    admin.office.handle()
    cursor = admin.call(f"GET {CONVERSATION}", limit=1).body["cursor"]

    for ticket, given in (("t-1", "x"), ("t-2", cursor)):
        answer = admin.call(f"GET {CONVERSATION}", ticket=ticket, cursor=given)
        assert (answer.status, answer.error) == (400, "invalid_cursor")


@pytest.mark.parametrize("ticket", ["unknown", "sys:switches", "sys:limiter:richpanel", "CUST:1"])
def test_a_conversation_that_cannot_be_or_is_not_there_is_not_found(
    admin: Admin, ticket: str
) -> None:
    for line in (f"GET {CONVERSATION}", f"POST {CLEAR_RISK}"):
        answer = admin.call(line, ticket=ticket)
        assert (answer.status, answer.error) == (404, "not_found")
    for mode in ("dry_run", "repair"):
        assert admin.replay(mode, ticket).status == 404


@pytest.mark.parametrize("ticket", ["sys:switches", "sys:sweep", "cust:1"])
def test_our_own_rows_are_no_conversations_that_could_be_erased(admin: Admin, ticket: str) -> None:
    before = admin.everything()

    assert admin.call(f"DELETE {CONVERSATION}", ticket=ticket).status == 404
    assert admin.everything() == before


def test_an_unknown_route_is_not_found(admin: Admin) -> None:
    assert admin.call("GET /admin/richpanel/nothing").status == 404


# Switches


def test_switches_are_shown_as_they_are_stored_and_as_they_are_meant(admin: Admin) -> None:
    admin.office.switch(outbound_scope="everyone")

    result = admin.call(f"GET {SWITCHES}", READER).result

    assert result["readable"] is True
    assert result["switches"]["safe_mode"] == {"text": "false", "in_force": False}
    assert result["switches"]["tier2_paths"] == {
        "text": "linked,number", "in_force": ["linked", "number"],
    }  # fmt: skip
    # Nobody can read it, so it is closed.
    assert result["switches"]["outbound_scope"] == {"text": "everyone", "in_force": "none"}
    assert result["switches"]["dry_run"] == {"text": None, "in_force": False}
    assert len(result["switches"]) == 9


def test_a_change_is_stored_and_traced_with_who_which_from_and_to(
    admin: Admin, log: StringIO
) -> None:
    answer = admin.call(
        f"PUT {SWITCHES}", body={"safe_mode": True, "tier2_channels": [], "tier2_paths": "linked"}
    )

    assert sorted(answer.result["changed"]) == ["safe_mode", "tier2_channels", "tier2_paths"]
    assert admin.stored()["safe_mode"] == "true"
    assert admin.stored()["tier2_channels"] == "none"
    assert admin.stored()["tier2_paths"] == "linked"
    who = {"who": "api-key:0123456789012345", "result": "success"}
    traces = sorted(admin.traces(), key=lambda trace: str(trace["switch"]))
    assert traces == [
        {"switch": "safe_mode", "from": False, "to": True} | who,
        {"switch": "tier2_channels", "from": ["email"], "to": []} | who,
        {"switch": "tier2_paths", "from": ["linked", "number"], "to": ["linked"]} | who,
    ]
    assert answer.result["changes"][0]["facts"]["who"] == "api-key:0123456789012345"
    assert log.getvalue().count('"message":"switch set"') == 3


def test_of_the_templates_only_those_that_changed_are_traced(admin: Admin) -> None:
    before = json.loads(admin.stored()["template_enabled"])

    admin.call(
        f"PUT {SWITCHES}", body={"template_enabled": before | {"t_return_request_intake": False}}
    )

    (trace,) = admin.traces()
    assert trace["from"] == {"t_return_request_intake": True}
    assert trace["to"] == {"t_return_request_intake": False}


def test_what_stands_as_wanted_is_left_alone(admin: Admin) -> None:
    assert admin.call(f"PUT {SWITCHES}", body={"safe_mode": False}).result["changed"] == []
    assert admin.traces() == []


def test_a_worker_heeds_a_switch_once_its_copy_is_thirty_seconds_old(admin: Admin) -> None:
    admin.call(f"PUT {SWITCHES}", body={"safe_mode": True})
    admin.office.switch()  # Half a minute later.
    admin.office.ticket(WHERE)

    admin.office.handle()

    assert admin.office.replies() == []
    assert admin.office.decided()["reason"] == "safe_mode_route_only"


def test_what_closes_goes_before_what_opens_so_that_half_a_change_is_safe(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin.office.switch(auto_close_enabled="false", safe_mode="false")
    provider = admin.module.office.switchboard.provider
    real = provider.client.put_parameter

    def fail_to_open(**given: Any) -> Any:
        if given["Name"].endswith("auto_close_enabled"):
            raise ClientError({"Error": {"Code": "TooManyUpdates"}}, "PutParameter")
        return real(**given)

    monkeypatch.setattr(provider.client, "put_parameter", fail_to_open)

    answer = admin.call(f"PUT {SWITCHES}", body={"auto_close_enabled": True, "safe_mode": True})

    assert (answer.status, answer.error) == (503, "switch_not_set")
    assert admin.stored()["safe_mode"] == "true"
    assert admin.stored()["auto_close_enabled"] == "false"
    assert sorted((trace["switch"], trace["result"]) for trace in admin.traces()) == [
        ("auto_close_enabled", "fail: PutParameter: TooManyUpdates"),
        ("auto_close_enabled", "success"),  # that it was about to be set
        ("safe_mode", "success"),
    ]


# A conversation


def test_a_conversation_shows_what_is_remembered_and_why_it_was_handled_so(admin: Admin) -> None:
    admin.office.ticket(DISPUTE)
    admin.office.handle()

    result = admin.call(f"GET {CONVERSATION}", READER).result

    assert result["conversation_id"] == "t-1"
    assert result["state"]["last_intent"] == "chargeback_dispute"
    assert result["state"]["risk_flags"] == ["chargeback"]
    assert "version" not in result["state"]
    (decision,) = result["decisions"]
    assert (decision["action_type"], decision["result"]) == ("route", "success")
    assert decision["facts"]["reason"] == "tier0_always_handoff"
    assert decision["at"] == "2026-03-02T13:00:00.000Z"
    assert "bank" not in json.dumps(result), "nothing of what was said"


def test_decisions_come_newest_first_page_by_page(admin: Admin) -> None:
    admin.office.ticket(WHERE)
    for number in range(3):
        admin.office.handle()
        admin.office.time.ms += 60_000
        admin.office.comment(f"And what about it? Number {number}")
    admin.office.handle()
    whole = admin.call(f"GET {CONVERSATION}").result["decisions"]

    answer = admin.call(f"GET {CONVERSATION}", limit=2)
    paged = answer.result["decisions"]
    while cursor := answer.body.get("cursor"):
        answer = admin.call(f"GET {CONVERSATION}", limit=2, cursor=cursor)
        paged += answer.result["decisions"]

    assert paged == whole
    assert len(whole) >= 4
    assert [one["at"] for one in whole] == sorted((one["at"] for one in whole), reverse=True)


def test_an_id_that_needs_escaping_in_a_path_is_found(admin: Admin) -> None:
    name = "<mail/7%41@shop.example>"
    admin.office.ticket(DISPUTE, ticket=name)
    admin.office.handle(admin.office.event(name))

    result = admin.call(f"GET {CONVERSATION}", ticket=name).result

    assert result["state"]["last_intent"] == "chargeback_dispute"


# Replay


def test_a_rehearsal_says_what_would_be_decided_and_writes_nothing(admin: Admin) -> None:
    admin.office.ticket(WHERE)
    before = admin.everything()

    result = admin.replay("dry_run").result

    assert (result["mode"], result["message_id"]) == ("dry_run", "m-1")
    assert result["decision"]["intent"] == "order_status_tracking"
    assert result["decision"]["template"] == "t_order_status_ask_order_number"
    assert result["decision"]["reason"] == "tier1_safe_assist"
    assert admin.everything() == before
    assert admin.office.tags() == set()
    assert admin.office.replies() == []
    assert admin.events() == []


def test_a_rehearsal_of_what_was_decided_already_shows_todays_switches_and_rules(
    admin: Admin,
) -> None:
    admin.office.ticket(WHERE)
    admin.office.handle()
    admin.call(f"PUT {SWITCHES}", body={"safe_mode": True})

    assert admin.replay("dry_run").result["decision"]["reason"] == "safe_mode_route_only"


def test_a_rehearsal_looks_at_the_order_where_that_decides(admin: Admin) -> None:
    admin.office.order()
    admin.office.ticket("Where is my order #1001?", order={"order_id": "6001"})

    decision = admin.replay("dry_run").result["decision"]

    assert decision["intent"] == "order_status_tracking"
    assert "1001" not in json.dumps(decision)
    assert admin.office.calls()["get_order"] > 0


def test_a_repair_hands_the_conversation_to_the_worker_again(admin: Admin, log: StringIO) -> None:
    admin.office.ticket(WHERE)

    answer = admin.replay("repair")

    assert answer.status == 202
    assert answer.result == {"conversation_id": "t-1", "mode": "repair", "reopened": []}
    (event,) = admin.events()
    assert (event["source"], event["event_id"], event["channel"]) == ("replay", None, "email")
    assert admin.office.handle(json.dumps(event)).outcome == "processed"
    assert '"message":"conversation replayed"' in log.getvalue()


def test_a_repair_never_sends_a_reply_again(admin: Admin) -> None:
    admin.office.ticket(WHERE)
    admin.office.handle()
    assert len(admin.office.replies()) == 1

    for _ in range(2):
        admin.office.time.ms += 600_000
        admin.replay("repair")
        for event in admin.events():
            admin.office.handle(json.dumps(event))

    assert len(admin.office.replies()) == 1


def park(admin: Admin, monkeypatch: pytest.MonkeyPatch) -> str:
    """A message whose reply is out, and which then failed for good; its event."""

    def refuse(*_: object, **__: object) -> None:
        raise Permanent("too_large")

    admin.office.ticket(WHERE)
    with monkeypatch.context() as patch:
        patch.setattr(remembering, "remember", refuse)
        admin.office.handle()
    key = "evt:rp:t-1:m-1"
    assert admin.office.row(key)["status"] == "parked"
    return key


def test_a_repair_goes_on_with_what_was_parked_and_sends_nothing_twice(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = park(admin, monkeypatch)
    assert len(admin.office.replies()) == 1

    assert admin.replay("repair").result["reopened"] == [key]
    (event,) = admin.events()
    admin.office.handle(json.dumps(event))

    row = admin.office.row(key)
    assert (row["status"], row["reason"]) == ("processed", "tier1_safe_assist")
    assert admin.office.state()["last_intent"] == "order_status_tracking"
    assert len(admin.office.replies()) == 1
    assert admin.replay("repair").result["reopened"] == []


def test_a_repair_that_broke_off_behind_the_row_is_repaired_by_the_next(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = park(admin, monkeypatch)
    with monkeypatch.context() as patch:
        refused = {"Failed": [{"Id": "0", "Code": "InternalError", "SenderFault": False}]}
        patch.setattr(admin.module.sqs, "send_message_batch", lambda **_: refused)
        assert admin.replay("repair").error == "not_enqueued"

    assert admin.replay("repair").status == 202
    (event,) = admin.events()
    admin.office.handle(json.dumps(event))
    assert admin.office.row(key)["status"] == "processed"


def test_what_a_person_answered_since_stays_parked(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = park(admin, monkeypatch)
    admin.office.comment("I will look.", author_id=AGENT, is_operator=True)

    assert admin.replay("repair").result["reopened"] == []
    assert admin.office.row(key)["status"] == "parked"


@pytest.mark.parametrize("mode", ["dry_run", "repair"])
def test_a_help_desk_that_fails_is_said_to_and_may_be_asked_again(
    admin: Admin, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise Transient("richpanel_500")

    monkeypatch.setattr(HelpDesk, "ticket", fail)

    answer = admin.replay(mode)

    assert (answer.status, answer.error) == (503, "help_desk_failed")
    assert answer.body["error"]["message"] == "richpanel_500"
    assert answer.body["error"]["retryable"] is True


def test_a_ticket_without_a_customers_message_has_nothing_to_decide(admin: Admin) -> None:
    admin.office.ticket()
    admin.office.comment("Hello from us", author_id=AGENT, is_operator=True)

    assert admin.replay("dry_run").error == "nothing_to_decide"


# Risk flags


def test_only_people_take_risk_flags_off_and_it_is_traced_twice(admin: Admin) -> None:
    admin.office.ticket(DISPUTE)
    admin.office.handle()

    result = admin.call(f"POST {CLEAR_RISK}").result

    assert result == {"conversation_id": "t-1", "cleared": ["chargeback"]}
    assert "risk_flags" not in admin.office.state()
    assert admin.office.state()["last_intent"] == "chargeback_dispute"
    trace = {
        "who": "api-key:0123456789012345", "change": "clear_risk", "conversation": "t-1",
        "flags": ["chargeback"], "result": "success",
    }  # fmt: skip
    assert admin.traces() == admin.traces("t-1") == [trace]


def test_clearing_what_is_clear_changes_nothing(admin: Admin) -> None:
    admin.office.ticket(WHERE)
    admin.office.handle()
    before = admin.everything()

    assert admin.call(f"POST {CLEAR_RISK}").result["cleared"] == []
    assert admin.everything() == before


# Erasure


def test_an_erased_conversation_is_a_tombstone_and_its_audit_is_gone(admin: Admin) -> None:
    admin.office.ticket(DISPUTE)
    admin.office.handle()
    erased_at = admin.office.moment()

    result = admin.call(f"DELETE {CONVERSATION}").result

    assert (result["conversation_id"], result["erased_at"]) == ("t-1", erased_at)
    state = admin.office.state()
    assert state.keys() == {"conversation_id", "updated_at", "expires_at", "version", "erased_at"}
    assert state["expires_at"] == admin.office.time.ms // 1_000 + 35 * 86_400
    assert [row for row in admin.office.rows("audit") if row["conversation_id"] == "t-1"] == []
    (trace,) = admin.traces()
    assert (trace["change"], trace["conversation"]) == ("erase", "t-1")
    shown = admin.call(f"GET {CONVERSATION}").result
    assert (shown["state"]["erased_at"], shown["decisions"]) == (erased_at, [])


def test_a_redelivery_stops_at_the_tombstone(admin: Admin) -> None:
    admin.office.ticket(WHERE)
    admin.call(f"DELETE {CONVERSATION}")
    before = admin.everything()

    assert admin.office.handle().outcome == "erased"
    assert admin.everything() == before
    assert admin.office.replies() == []


def test_an_erasure_may_be_repeated_and_removes_what_a_worker_left_meanwhile(admin: Admin) -> None:
    admin.office.ticket(DISPUTE)
    admin.office.handle()
    late = [row for row in admin.office.rows("audit") if row["conversation_id"] == "t-1"]
    erased_at = admin.call(f"DELETE {CONVERSATION}").result["erased_at"]
    for row in late:
        admin.office.here.audit.put(row)
    admin.office.time.ms += 1_000

    assert admin.call(f"DELETE {CONVERSATION}").result["erased_at"] == erased_at
    assert [row for row in admin.office.rows("audit") if row["conversation_id"] == "t-1"] == []


@pytest.mark.parametrize(
    ("line", "body"),
    [
        (f"POST {REPLAY}", {"mode": "dry_run"}),
        (f"POST {REPLAY}", {"mode": "repair"}),
        (f"POST {CLEAR_RISK}", None),
    ],
)
def test_nothing_is_done_with_an_erased_conversation(admin: Admin, line: str, body: Any) -> None:
    admin.office.ticket(WHERE)
    states.bury(admin.office.here.state, "t-1", 3_600)

    answer = admin.call(line, body=body)

    assert (answer.status, answer.error) == (409, "erased")
    assert admin.events() == []


# Dead letters


def bury(admin: Admin, *bodies: str) -> None:
    for number, body in enumerate(bodies):
        admin.module.sqs.send_message(
            QueueUrl=admin.module.settings.richpanel_dead_letters_url,
            MessageBody=body,
            MessageGroupId=f"group-{number}",
            MessageDeduplicationId=f"dead-{number}",
        )


def test_dead_letters_go_back_to_the_lane_they_came_from(admin: Admin, log: StringIO) -> None:
    mail = admin.office.event("t-1")
    chat = admin.office.event("t-2", channel="livechat")
    bury(admin, mail, chat, "no event")

    answer = admin.call(f"POST {REDRIVE}")

    assert answer.status == 202
    assert [one["conversation_id"] for one in answer.result["letters"]] == ["t-1", "t-2", None]
    assert answer.result["waiting"] == 0
    queue = admin.module.sqs.receive_message
    mails = queue(QueueUrl=admin.module.settings.richpanel_queue_url, MaxNumberOfMessages=10)[
        "Messages"
    ]
    assert sorted(message["Body"] for message in mails) == sorted([mail, "no event"])
    (chats,) = queue(QueueUrl=admin.module.settings.richpanel_live_queue_url)["Messages"]
    assert chats["Body"] == chat
    assert log.getvalue().count('"message":"dead letter redriven"') == 3


def test_no_more_dead_letters_go_back_than_were_asked_for_or_than_there_is_time(
    admin: Admin,
) -> None:
    bury(admin, *(admin.office.event(f"t-{number}") for number in range(4)))

    assert len(admin.call(f"POST {REDRIVE}", body={"limit": 2}).result["letters"]) == 2
    admin.left_ms = 3_000
    assert len(admin.call(f"POST {REDRIVE}").result["letters"]) == 1


# Health


def test_all_is_well_when_everything_answers(admin: Admin) -> None:
    result = admin.call(f"GET {HEALTH}", READER).result

    assert result["healthy"] is True
    assert result["checks"] == {
        "idempotency_table": "ok", "conversation_state_table": "ok", "audit_actions_table": "ok",
        "mail_queue": "ok", "live_queue": "ok", "dead_letters": "ok", "keys": "ok",
        "switches": "ok", "help_desk": "ok",
    }  # fmt: skip
    assert result["waiting"] == {"mail_queue": 0, "live_queue": 0, "dead_letters": 0}
    assert result["keys"]["richpanel"] is True
    assert result["keys"]["shopify"] is False


def test_what_does_not_answer_is_named_with_a_code(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    boto3.client("dynamodb").delete_table(TableName=admin.module.office.audit.name)
    boto3.client("sqs").delete_queue(QueueUrl=admin.module.settings.richpanel_live_queue_url)
    for name in admin.stored():
        boto3.client("ssm").delete_parameter(Name=f"{PATH}/{name}")
    monkeypatch.setattr(
        admin.module.office.keys, "value", lambda: {"salt": "s", "richpanel": "\N{SNOWMAN}"}
    )

    result = admin.call(f"GET {HEALTH}").result

    assert result["healthy"] is False
    checks = result["checks"]
    assert checks["idempotency_table"] == "ok"
    assert checks["audit_actions_table"] == "Query: ResourceNotFoundException"
    assert checks["live_queue"].startswith("GetQueueAttributes: ")
    assert checks["switches"] == "unreadable"
    assert checks["help_desk"] != "ok"
    assert "live_queue" not in result["waiting"]


def test_a_help_desk_without_a_key_is_not_set_up(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin.module.office.keys, "value", lambda: {"salt": "s"})

    checks = admin.call(f"GET {HEALTH}").result["checks"]

    assert (checks["keys"], checks["help_desk"]) == ("not_set_up", "not_set_up")
    assert admin.replay("dry_run").error == "not_set_up"
