"""The actions as declared: against their specification, the generated files, and each other."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from events.whatsapp.actions import bodies
from local.docs import action_reference, recorded_calls
from local.docs.recorded_calls import RecordedCall
from shared.api.auth import Scope
from shared.api.models import inputs
from tests.cases import each
from tests.integration.whatsapp.actions import described
from whatsapp.actions import ACTIONS
from whatsapp.actions.calls import names, parameters
from whatsapp.actions.dispatch import answer_schemas, catalogue
from whatsapp.actions.dispatch.execution import SECRETS
from whatsapp.actions.dispatch.registration import Action, Group, registered

SPECIFICATION = Path(__file__).parents[5] / "shared" / "specs" / "whatsapp_actions.yaml"
# Where a scope of routes exists already: of agents' changes, and of the privacy of contacts.
SCOPES = {"whatsapp:inbox": "whatsapp:write"}
OF_PRIVACY = {"export_contact", "erase_contact"}
# Parameters that are named otherwise: `action` of `help` would be the action of the call itself.
RENAMED = {"help": {"action": "name"}}
# Two specified parameters of which a call has one: two names of the customer.
CUSTOMER = {"to", "recipient"}
# Optional: another parameter can give the same, `interactive.type`, or the template shows that there is no end.
GIVEN_OTHERWISE = {
    "send_interactive": {"interactiveType"},
    "send_limited_offer_template": {"offerExpirationTimestamp"},
}
# Who acts is the caller, never a parameter.
OF_THE_CALLER = {"initiate_call": {"agentId"}}
# Beyond the specification: what campaigns cost, the retry of the failed, tests of two templates, and a catalog that is
# connected without an upload.
OURS = {
    "connect_catalog",
    *("get_message_prices", "set_message_prices", "retry_campaign"),
    *("get_campaign_test", "decide_campaign_test"),
}
RECORD = "record its call, as local/docs/recorded_calls.py says"


@cache
def specified() -> dict[str, dict[str, Any]]:
    """The specified actions by name, each with all its parameters; skips where there is no specification."""
    if not SPECIFICATION.exists():
        pytest.skip("the specification is not beside the project")
    document = yaml.load(SPECIFICATION.read_text(), Loader=yaml.CSafeLoader)
    found = {}
    for action in document["actions"]:
        parameters: dict[str, Any] = {}
        for name in action.get("use", []):
            parameters |= document["sets"][name]["params"]
        found[action["name"]] = action | {"parameters": parameters | action["input"]}
    return found


@cache
def declared() -> dict[str, Action]:
    return {action.name: action for action in action_reference.actions()}


@cache
def reference() -> str:
    """All pages of the reference."""
    return "".join(action_reference.pages(list(declared().values())).values())


def test_every_specified_action_is_declared_and_no_other_but_ours() -> None:
    assert declared().keys() - OURS == specified().keys()
    assert declared().keys() >= OURS


def test_the_contract_names_167_actions_and_older_clients_30() -> None:
    groups = [action["group"] for action in specified().values() if action["contract"]]

    assert len(groups) == 167
    assert len([a for a in specified().values() if a.get("legacy")]) == 30


def test_mode_group_scope_and_repeatability_are_as_specified() -> None:
    differences = {
        name: (wanted["mode"], wanted["group"], _scope(name, wanted), wanted["idempotent"])
        for name, wanted in specified().items()
        if (action := declared().get(name))
        and (action.mode, action.group, str(action.scopes[0]), action.idempotent)
        != (wanted["mode"], wanted["group"], _scope(name, wanted), wanted["idempotent"])
    }

    assert differences == {}


@pytest.mark.long
def test_an_action_requires_what_is_specified_and_takes_every_specified_parameter() -> None:
    differences = {}
    for name, wanted in specified().items():
        if name not in declared():
            continue
        model = declared()[name].input_model
        renamed = RENAMED.get(name, {}) | {
            other: field for field, others in names.others_of(model).items() for other in others
        }
        given = wanted["parameters"].items()
        required = {renamed.get(field, field) for field, facts in given if facts["required"]}
        if wanted["parameters"].keys() >= CUSTOMER:
            required |= {"to"}
        required -= GIVEN_OTHERWISE.get(name, set())
        schema = model.model_json_schema()
        missing = (
            {RENAMED.get(name, {}).get(field, field) for field, _ in given}
            - schema.get("properties", {}).keys()
            - OF_THE_CALLER.get(name, set())
        )
        if set(schema.get("required", [])) != required or missing:
            differences[name] = (required, sorted(missing))

    assert differences == {}


@pytest.mark.long
def test_no_action_takes_a_secret() -> None:
    taken = {
        name: fields
        for name, action in declared().items()
        if (fields := {f.lower() for f in _properties(action)} & SECRETS)
    }

    assert taken == {}


@pytest.mark.long
def test_the_index_and_the_reference_are_those_of_the_declarations() -> None:
    stale = [
        path.name
        for path, text in action_reference.files().items()
        if not path.exists() or path.read_text() != text
    ]

    assert stale == [], "`make docs` writes them"
    assert ACTIONS.keys() == declared().keys()


@pytest.mark.long
def test_the_openapi_document_has_every_action_and_every_schema_that_it_refers_to() -> None:
    text = action_reference.document(list(declared().values()))
    document = json.loads(text)

    assert document["paths"].keys() == {f"/whatsapp/actions/{name}" for name in declared()}
    referred = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
    assert referred == document["components"]["schemas"].keys()


@pytest.mark.long
def test_every_action_has_a_recorded_call_that_its_models_accept_and_that_a_test_makes() -> None:
    calls = recorded_calls.load()
    assert calls.keys() == declared().keys(), RECORD
    found = {}
    for name, call in calls.items():
        inputs.checked(call.request, declared()[name].input_model)
        is_made = recorded_calls.has_its_test(call)
        problems = described.problems(call.answer) + ([] if is_made else [call.test])
        if problems:
            found[name] = problems

    assert found == {}, RECORD


@pytest.mark.long
def test_the_result_schema_of_help_describes_the_recorded_result_of_every_action() -> None:
    found = {}
    for name, call in recorded_calls.load().items():
        schema = answer_schemas.schema_of(declared()[name].result)
        validator = Draft202012Validator(schema)
        problems = [error.message for error in validator.iter_errors(call.answer["result"])]
        if problems:
            found[name] = problems

    assert found == {}


@each(
    "wrong",
    [
        {"mode": "remote_graph"},
        {"operation": "fly"},
        {"statusCode": 404},
        {"result": {"actionId": "a"}},
        {"result": {"done": True}},
        {"trace": "a"},
        {"replayed": False},
        {"requestId": None},
        {"cursor": "a"},
    ],
)
def test_an_answer_that_differs_from_its_description_is_found(wrong: dict[str, Any]) -> None:
    answer = recorded_calls.load()["send_text"].answer

    assert described.problems(answer) == []
    assert described.problems(answer | wrong) != []


@pytest.mark.parametrize(
    ("error", "is_described"),
    [
        ({"code": "busy", "message": "busy", "retryable": True}, True),
        ({"code": "busy", "message": "busy"}, False),
        ({"code": "a", "message": "a", "retryable": False, "provider": {"code": "a"}}, False),
        ({"code": "a", "message": "a", "retryable": False, "details": [{"field": "a"}]}, False),
    ],
)
def test_a_failure_is_described_too(error: dict[str, Any], is_described: bool) -> None:
    answer = {"statusCode": 503, "operation": "unknown", "requestId": "a", "error": error}

    assert (described.problems(answer) == []) is is_described


def named(action: str, request: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a call under the first of their names."""
    others_of = names.others_of(declared()[action].input_model)
    first = {other: name for name, others in others_of.items() for other in others}
    return {first.get(name, name): value for name, value in request.items()}


@pytest.mark.long
def test_the_page_of_every_action_shows_its_result_its_request_and_its_answer() -> None:
    for name, call in recorded_calls.load().items():
        section = reference().partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert "| result | type | meaning |" in section
        shown = re.findall(r"```json\n(.*?)\n```", section, re.DOTALL)
        request, answer = map(json.loads, shown)
        assert request.keys() == named(name, call.request).keys()
        assert answer.keys() == call.answer.keys()
        assert answer["operation"] == name


def test_a_recorded_call_stays_while_its_test_makes_it_and_an_unsettled_one_is_never_shown() -> (
    None
):
    def call(test: str, **result: Any) -> RecordedCall:
        envelope = {"statusCode": 200, "operation": "ping", "requestId": "request-1"}
        return RecordedCall("ping", test, {}, {**envelope, "result": result})

    old, same = call("a", id="1"), call("a", id="2")
    larger, changed = call("b", id="3", name="x"), call("a", other="4")
    in_doubt = call("b", state="in_doubt", more="y")

    def chosen(*calls: RecordedCall, kept: RecordedCall | None = None) -> list[RecordedCall]:
        return recorded_calls.chosen(calls, {"ping": kept} if kept else {})

    moved = RecordedCall("ping", "a", {}, {**old.answer, "requestId": "request-2"})

    assert chosen(old, larger, in_doubt) == [larger]
    assert chosen(moved, larger, kept=old) == [moved]
    assert chosen(same, larger, kept=old) == [old]
    assert chosen(changed, larger, kept=old) == [changed]
    assert chosen(larger, kept=old) == [old]
    assert chosen(in_doubt) == []


def test_a_name_is_found_by_importing_its_module_only() -> None:
    assert catalogue.find("ping").name == "ping"
    with pytest.raises(catalogue.UnknownAction, match="near names: ping"):
        catalogue.find("Ping")


def test_a_second_action_of_a_name_is_refused_at_import() -> None:
    ping = registered()["ping"]
    declare = Group("config_utility").reads("local", Scope.WHATSAPP_READ)

    with pytest.raises(TypeError, match="two actions are named ping"):
        declare(ping.run)  # type: ignore[arg-type] # a read, as declared


def test_every_action_is_described() -> None:
    undescribed = [name for name, action in declared().items() if not action.description]
    assert undescribed == []


@pytest.mark.long
def test_every_parameter_of_every_action_says_what_it_is_with_its_type_and_limits() -> None:
    rows = [
        (name, parameter, facts)
        for name, action in declared().items()
        for parameter, facts, _ in action_reference._properties(action)
    ]
    silent = [
        (name, parameter)
        for name, parameter, facts in rows
        if not (facts.get("description") and facts["type_name"])
        or not (facts["limits"] or facts["type_name"] == "Flag" or facts.get("deprecated"))
    ]

    assert len(rows) > 1_500
    assert silent == [], "describe them in functions/whatsapp/actions/calls/parameters.py"


@pytest.mark.long
def test_no_description_is_left_whose_parameter_no_action_takes() -> None:
    taken = {name for action in declared().values() for name in _properties(action)}

    assert set(parameters.DESCRIPTIONS) <= taken


@pytest.mark.parametrize(
    ("action", "parameter", "limits"),
    [
        ("send_text", "text", "at most 4,096 characters"),
        ("get_messages", "direction", "one of `INBOUND`, `OUTBOUND`"),
        ("create_campaign", "messagesPerSecond", "at most 1,000"),
        ("send_media_carousel", "cards", "at most 10 entries"),
        ("send_text", "metaWabaId", "matches `^[0-9]{5,20}$`"),
    ],
)
def test_the_reference_states_meaning_and_limits_also_those_of_shared_types(
    action: str, parameter: str, limits: str
) -> None:
    rows = reference().partition(f"## {action}\n")[2].partition("\n## ")[0].splitlines()
    (row,) = [one for one in rows if one.replace("*", "").startswith(f"| {parameter} |")]

    assert parameters.DESCRIPTIONS[parameter] in row
    assert limits in row
    assert "null" not in row


def _scope(name: str, wanted: dict[str, Any]) -> str:
    if name in OF_PRIVACY:
        return "whatsapp:privacy"
    return str(SCOPES.get(wanted["scope"], wanted["scope"]))


def _properties(action: Action) -> set[str]:
    return set(action.input_model.model_json_schema().get("properties", {}))


def test_every_action_has_a_sample_call_that_its_model_accepts() -> None:
    assert bodies().keys() == declared().keys(), "add its sample to events/whatsapp/actions/"
    for name, body in bodies().items():
        inputs.checked(body, declared()[name].input_model)
