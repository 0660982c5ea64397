"""Forms are built at both providers, and only drafts are changed."""

import base64
import json
from typing import Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import (
    AWS_WABA,
    EUM_WABA,
    GLOBEX,
    WABA,
    Actions,
)
from tests.integration.whatsapp.actions.flows.forms import FORM, PROVIDERS, create
from tests.integration.whatsapp.conftest import a_phone
from whatsapp import store

ENDPOINT = "https://api.example.com/v1/webhooks/whatsapp/flows"


@pytest.fixture(autouse=True)
def _a_number_on_aws(actions: Actions) -> None:
    actions.register_eum()


@PROVIDERS
def test_a_form_is_created_once_and_belongs_to_the_company(actions: Actions, waba: str) -> None:
    body = {"metaWabaId": waba, "name": "Service", "categories": ["SURVEY"], "flowJson": FORM}
    first = actions.run("create_flow", body | {"useDataEndpoint": True}, key="key-create")

    assert first.status == 200
    assert (first.result["status"], first.result["validationErrors"]) == ("DRAFT", [])
    assert first.result["endpointUri"] == f"{ENDPOINT}?account={waba}"
    config = actions.item(f"FLOWCFG#{first.result['flowId']}")
    assert (config["company"], "firstScreen" in config) == ("acme", False)
    again = actions.run("create_flow", body | {"useDataEndpoint": True}, key="key-create")
    assert (again.result["flowId"], again.body["replayed"]) == (first.result["flowId"], True)
    assert len(actions.sandbox.objects["flows"]) == 1


def test_requests_have_the_form_that_each_provider_documents(actions: Actions) -> None:
    create(actions, WABA, useDataEndpoint=True)
    sent = actions.wire[0]

    assert wire.problems(sent, "POST", "/{Version}/{WABA-ID}/flows") == []
    assert sent.body == {
        "name": "Service",
        "endpoint_uri": f"{ENDPOINT}?account={WABA}",
        "categories": '["APPOINTMENT_BOOKING"]',
        "flow_json": json.dumps(FORM, indent=0, separators=(",", ":")),
    }
    create(actions, EUM_WABA, publish=True)
    at_aws = next(one for one in actions.wire if one.operation == "CreateWhatsAppFlow")
    assert isinstance(at_aws.body, dict)
    assert (at_aws.body["id"], at_aws.body["flowName"], at_aws.body["publish"]) == (
        AWS_WABA,
        "Service",
        True,
    )


@PROVIDERS
def test_a_form_is_created_from_an_uploaded_file_and_published(actions: Actions, waba: str) -> None:
    actions.harness.resources.bucket.put("uploads/acme/form.json", json.dumps(FORM).encode())
    body = {"metaWabaId": waba, "name": "Big", "categories": ["OTHER"], "publish": True}

    answer = actions.run("create_flow", body | {"flowJsonS3Key": "uploads/acme/form.json"})

    assert (answer.result["status"], answer.result["jsonVersion"]) == ("PUBLISHED", "7.0")


@pytest.mark.parametrize("key", ["uploads/globex/form.json", "uploads/acme/none.json", "parked/x"])
def test_files_of_other_companies_are_not_found(actions: Actions, key: str) -> None:
    actions.harness.resources.bucket.put("uploads/globex/form.json", json.dumps(FORM).encode())
    body = {"metaWabaId": WABA, "name": "Big", "categories": ["OTHER"], "flowJsonS3Key": key}

    assert actions.run("create_flow", body).error == "not_found"
    assert actions.wire == []


def test_a_file_that_is_no_json_is_refused(actions: Actions) -> None:
    actions.harness.resources.bucket.put("uploads/acme/x", b"[" * 10_000)
    body = {"metaWabaId": WABA, "name": "Big", "categories": ["OTHER"]}

    answer = actions.run("create_flow", body | {"flowJsonS3Key": "uploads/acme/x"})

    assert (answer.error, answer.fields) == ("invalid_input", ["flowJsonS3Key"])


@PROVIDERS
def test_a_draft_is_changed_published_and_deprecated(actions: Actions, waba: str) -> None:
    flow = create(actions, waba)
    named = {"metaWabaId": waba, "flowId": flow}

    renamed = actions.run(
        "update_flow", named | {"name": "Repair", "categories": ["SURVEY"], "useDataEndpoint": True}
    )
    assert (renamed.result["name"], renamed.result["categories"]) == ("Repair", ["SURVEY"])
    assert renamed.result["endpointUri"] == f"{ENDPOINT}?account={waba}"
    changed = FORM | {"version": "7.1"}
    assert actions.run("update_flow_json", named | {"flowJson": changed}).result == {
        "flowId": flow,
        "validationErrors": [],
    }
    assert actions.run("publish_flow", named).result["status"] == "PUBLISHED"
    assert actions.run("publish_flow", named).result["status"] == "PUBLISHED"
    for action, more in (
        ("update_flow", {"name": "Late"}),
        ("update_flow_json", {"flowJson": FORM}),
        ("delete_flow", {}),
    ):
        assert actions.run(action, named | more).error == "state_conflict"
    assert actions.run("deprecate_flow", named).result["status"] == "DEPRECATED"
    assert actions.run("deprecate_flow", named).result["status"] == "DEPRECATED"
    assert actions.run("publish_flow", named).error == "state_conflict"


def test_changes_on_graph_are_multipart_forms_of_the_documented_paths(actions: Actions) -> None:
    flow = create(actions)
    named = {"metaWabaId": WABA, "flowId": flow}
    for action, more in (
        ("update_flow", {"name": "Repair"}),
        ("update_flow_json", {"flowJson": FORM}),
        ("publish_flow", {}),
        ("deprecate_flow", {}),
        ("get_flow", {"assets": True}),
        ("list_flows", {}),
    ):
        named_or_account = {"metaWabaId": WABA} if action == "list_flows" else named
        assert actions.run(action, named_or_account | more).status == 200
    by_operation = {sent.operation: sent for sent in actions.wire}

    assert by_operation["update_flow"].body == {"name": "Repair"}
    document = json.dumps(FORM, indent=0, separators=(",", ":"))
    assert by_operation["update_flow_json"].body == {
        "name": "flow.json",
        "asset_type": "FLOW_JSON",
        "file": document,
    }
    for operation, method, path in (
        ("update_flow", "POST", "/{Version}/{Flow-ID}"),
        ("get_flow", "GET", "/{Version}/{Flow-ID}"),
        ("update_flow_json", "POST", "/{Version}/{Flow-ID}/assets"),
        ("list_flow_assets", "GET", "/{Version}/{Flow-ID}/assets"),
        ("publish_flow", "POST", "/{Version}/{Flow-ID}/publish"),
        ("deprecate_flow", "POST", "/{Version}/{Flow-ID}/deprecate"),
    ):
        assert wire.problems(by_operation[operation], method, path) == []
    listed = by_operation["list_flows"]
    assert (listed.path, listed.query) == (f"/v23.0/{WABA}/flows", {"limit": "50"})


def test_changes_at_aws_are_the_operations_of_the_account(actions: Actions) -> None:
    flow = create(actions, EUM_WABA)
    named = {"metaWabaId": EUM_WABA, "flowId": flow}
    other = create(actions, EUM_WABA, name="Draft")
    actions.sandbox.forget_sent()
    for action, more in (
        ("update_flow", {"name": "Repair", "categories": ["SURVEY"]}),
        ("update_flow_json", {"flowJson": FORM}),
        ("publish_flow", {}),
        ("deprecate_flow", {}),
        ("delete_flow", {"flowId": other}),
    ):
        assert actions.run(action, named | more).status == 200
    changes = [one for one in actions.wire if not one.operation.startswith("Get")]

    base = {"id": AWS_WABA, "flowId": flow}
    document = json.dumps(FORM, indent=0, separators=(",", ":")).encode()
    assert [(one.operation, one.body) for one in changes] == [
        ("UpdateWhatsAppFlow", base | {"flowName": "Repair", "categories": ["SURVEY"]}),
        (
            "UpdateWhatsAppFlowAssets",
            base | {"flowJson": base64.b64encode(document).decode()},
        ),
        ("PublishWhatsAppFlow", base),
        ("DeprecateWhatsAppFlow", base),
        ("DeleteWhatsAppFlow", {"id": AWS_WABA, "flowId": other}),
    ]


def test_reads_at_aws_are_the_operations_of_the_account(actions: Actions) -> None:
    flow = create(actions, EUM_WABA)
    named = {"metaWabaId": EUM_WABA, "flowId": flow}
    actions.sandbox.forget_sent()
    actions.run("get_flow", named | {"assets": True})
    actions.run("list_flows", {"metaWabaId": EUM_WABA, "limit": 7})
    actions.run("get_flow_preview", named | {"invalidate": True})

    base = {"id": AWS_WABA, "flowId": flow}
    assert [(one.operation, dict(one.query)) for one in actions.wire] == [
        ("GetWhatsAppFlow", base),
        ("ListWhatsAppFlowAssets", base),
        ("ListWhatsAppFlows", {"id": AWS_WABA, "maxResults": "7"}),
        ("GetWhatsAppFlow", base),
        ("GetWhatsAppFlowPreview", base | {"invalidate": "true"}),
    ]


@PROVIDERS
def test_a_draft_is_deleted_with_its_routing(actions: Actions, waba: str) -> None:
    flow = create(actions, waba)

    assert actions.run("delete_flow", {"metaWabaId": waba, "flowId": flow}).result == {"done": True}
    assert flow not in actions.sandbox.objects["flows"]
    sent = next(one for one in actions.wire if "delete" in one.operation.lower())
    if waba == WABA:
        assert wire.problems(sent, "DELETE", "/{Version}/{Flow-ID}") == []
    config = actions.item(f"FLOWCFG#{flow}")
    assert ("screens" in config, "ttl" in config) == (False, True)
    assert actions.run("delete_flow", {"metaWabaId": waba, "flowId": flow}).error in {
        "provider_rejected",
        "not_found",
    }


@pytest.mark.parametrize(
    ("waba", "provider", "operation"),
    [(WABA, "meta", "publish_flow"), (EUM_WABA, "socialmessaging", "PublishWhatsAppFlow")],
)
def test_a_publication_whose_answer_was_lost_is_repeated_and_succeeds(
    actions: Actions, waba: str, provider: str, operation: str
) -> None:
    flow = create(actions, waba)
    actions.sandbox.faults.add(provider=provider, operation=operation, kind="lost_answer")

    answer = actions.run("publish_flow", {"metaWabaId": waba, "flowId": flow})

    assert (answer.status, answer.result["status"]) == (200, "PUBLISHED")


@pytest.mark.parametrize(
    ("waba", "provider", "operation"),
    [(WABA, "meta", "delete_flow"), (EUM_WABA, "socialmessaging", "DeleteWhatsAppFlow")],
)
def test_a_deletion_whose_answer_was_lost_is_repeated_and_succeeds(
    actions: Actions, waba: str, provider: str, operation: str
) -> None:
    flow = create(actions, waba)
    actions.sandbox.faults.add(provider=provider, operation=operation, kind="lost_answer")

    assert actions.run("delete_flow", {"metaWabaId": waba, "flowId": flow}).status == 200
    assert actions.sandbox.objects["flows"] == {}


@pytest.mark.parametrize(
    ("waba", "provider", "operation"),
    [(WABA, "meta", "create_flow"), (EUM_WABA, "socialmessaging", "CreateWhatsAppFlow")],
)
def test_a_creation_whose_answer_was_lost_is_left_in_doubt(
    actions: Actions, waba: str, provider: str, operation: str
) -> None:
    actions.sandbox.faults.add(provider=provider, operation=operation, kind="lost_answer")
    body = {"metaWabaId": waba, "name": "Service", "categories": ["OTHER"], "flowJson": FORM}

    answer = actions.run("create_flow", body, key="key-doubt")

    assert (answer.status, answer.result["state"]) == (202, "in_doubt")
    assert "list_flows" in answer.result["message"]
    assert actions.run("create_flow", body, key="key-doubt").status in {202, 409}
    assert len(actions.sandbox.objects["flows"]) == 1


@PROVIDERS
def test_forms_are_read_and_paged(actions: Actions, waba: str) -> None:
    flows = [create(actions, waba, name=f"Form {number}") for number in range(3)]

    first = actions.run("list_flows", {"metaWabaId": waba, "limit": 2})
    rest = actions.run(
        "list_flows", {"metaWabaId": waba, "limit": 2, "cursor": first.body["cursor"]}
    )
    assert [one["flowId"] for one in first.result["flows"] + rest.result["flows"]] == flows
    assert "cursor" not in rest.body
    shown = actions.run("get_flow", {"metaWabaId": waba, "flowId": flows[0], "assets": True}).result
    assert shown["assets"][0]["name"] == "flow.json"
    assert shown["health"]
    preview = actions.run(
        "get_flow_preview", {"metaWabaId": waba, "flowId": flows[0], "invalidate": True}
    )
    assert preview.result["url"] == f"https://preview.test/{flows[0]}"


def test_a_clone_has_the_json_of_its_source(actions: Actions) -> None:
    flow = create(actions)
    body = {"metaWabaId": WABA, "name": "Copy", "categories": ["OTHER"], "cloneFlowId": flow}

    clone = actions.run("create_flow", body).result

    assert clone["jsonVersion"] == "7.0"
    assert actions.run("create_flow", body | {"flowJson": FORM}).error == "invalid_input"


@PROVIDERS
def test_a_broken_form_is_refused_before_any_call(actions: Actions, waba: str) -> None:
    body = {
        "metaWabaId": waba,
        "name": "Broken",
        "categories": ["OTHER"],
        "flowJson": {"version": "7.0"},
    }

    answer = actions.run("create_flow", body)

    assert (answer.error, answer.fields) == ("invalid_input", ["flowJson.screens"])
    assert actions.wire == []


def test_the_providers_validation_errors_are_shown(actions: Actions) -> None:
    untitled = {"version": "7.0", "screens": [{"id": "ONE", "terminal": True, "layout": {}}]}
    body = {"metaWabaId": WABA, "name": "Untitled", "categories": ["OTHER"], "publish": True}

    created = actions.run("create_flow", body | {"flowJson": untitled}).result

    assert created["status"] == "DRAFT"
    assert "screens/ONE/title" in created["validationErrors"][0]["message"]
    checked = actions.run("flow_health_check", {"metaWabaId": WABA, "flowId": created["flowId"]})
    assert (checked.result["healthy"], checked.result["status"]) == (False, "DRAFT")
    refused = actions.run("publish_flow", {"metaWabaId": WABA, "flowId": created["flowId"]})
    assert refused.body["error"]["provider"]["code"] == "graph_139002"


def test_a_form_is_checked_without_a_call(actions: Actions) -> None:
    good = actions.run("flow_health_check", {"flowJson": FORM}).result
    bad = actions.run("flow_health_check", {"flowJson": {"screens": FORM["screens"]}}).result

    assert (good, actions.wire) == ({"healthy": True, "problems": [], "validationErrors": []}, [])
    assert bad["problems"] == [{"path": "version", "problem": "must be a version such as 7.0"}]


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("create_flow", {"name": "x", "categories": ["OTHER"], "colour": 1}),
        ("create_flow", {"name": "x" * 201, "categories": ["OTHER"]}),
        ("create_flow", {"name": "x", "categories": ["FUN"]}),
        ("create_flow", {"name": "x", "categories": []}),
        ("update_flow", {"flowId": "70000"}),
        ("update_flow_json", {"flowId": "70000"}),
        ("update_flow_json", {"flowId": "70000", "flowJson": FORM, "flowJsonS3Key": "uploads/x"}),
        ("publish_flow", {"flowId": "seventy"}),
        ("flow_health_check", {}),
        ("list_flows", {"limit": 101}),
    ],
)
def test_bad_input_is_refused(actions: Actions, action: str, body: dict[str, Any]) -> None:
    answer = actions.run(action, {"metaWabaId": WABA} | body)

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert actions.wire == []


def test_an_endpoint_needs_the_address_of_the_api_and_is_never_removed(actions: Actions) -> None:
    body = {"metaWabaId": WABA, "name": "x", "categories": ["OTHER"], "useDataEndpoint": True}
    direct = actions.invoke(
        {"action": "create_flow", "company": "acme", "scopes": "whatsapp:flows", **body}
    )
    flow = create(actions)
    removed = actions.run(
        "update_flow", {"metaWabaId": WABA, "flowId": flow, "useDataEndpoint": False}
    )

    assert (direct.error, direct.fields) == ("invalid_input", ["useDataEndpoint"])
    assert (removed.status, removed.error) == (501, "not_supported")


def test_accounts_and_forms_of_others_are_not_found(actions: Actions) -> None:
    other = "402290129340398"
    store.phones.register(
        actions.harness.resources.table,
        a_phone(
            pk="PHONE#406540352242955",
            phone="406540352242955",
            display_phone="15550783555",
            waba_meta_id=other,
            phone_arn="arn:parley:whatsapp:::phone-number-id/406540352242955",
        ),
    )
    flow = create(actions)
    named = {"metaWabaId": WABA, "flowId": flow}

    for action in ("get_flow", "publish_flow", "deprecate_flow", "delete_flow", "get_flow_preview"):
        assert actions.run(action, named, caller=GLOBEX).status == 404
        assert actions.run(action, named | {"metaWabaId": other}).status == 404
    assert actions.run("list_flows", {"metaWabaId": WABA}, caller=GLOBEX).status == 404
