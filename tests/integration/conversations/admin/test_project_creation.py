"""Admins create a project on channels that their company owns."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.configuration import projects
from conversations.store import routes
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.api.auth import Scope
from shared.aws.dynamodb import Table
from shared.aws.tables.dynamodb_json import plain
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.harness import (
    COMPANY,
    PROJECT,
    SECOND_COMPANY,
    THEIRS,
    Harness,
    caller,
)

ADMIN = caller(COMPANY, Scope.CONVERSATIONS_ADMIN)
LINE = "POST /projects/{project_id}"
NUMBER, PHONE_ID, ACCOUNT = "+12025550188", "10099", "20099"
EMAIL = {"email": {"company_email": "jobs@own.example", "email_from_name": "Jobs"}}
WHATSAPP = {
    "whatsapp": {
        "provider": "meta",
        "company_whatsapp_number": NUMBER,
        "phone_number_id": PHONE_ID,
        "account": ACCOUNT,
    }
}
MODEL = {"provider": "bedrock", "model": "amazon.nova-lite-v1:0"}


def own(harness: Harness, *names: ids.ProviderId, company: str = COMPANY) -> None:
    for name in names:
        granted = claims.new(company, Proof.GRANTED)
        assert claims.claim(harness.resources.log, name, granted)


def own_number(harness: Harness, company: str = COMPANY) -> None:
    named = [ids.meta_id(ids.NUMBER, PHONE_ID), ids.meta_id(ids.ACCOUNT, ACCOUNT)]
    own(harness, *ids.of_phone(NUMBER), *named, company=company)


def create(
    harness: Harness, project: str = "shop", *, who: Any = ADMIN, key: str = "", **given: Any
) -> Answer:
    body = {"project_name": "Shop", "ai_config": MODEL, "channel_config": EMAIL} | given
    return harness.call(LINE, body, names={"project_id": project}, who=who, key=key)


def stored(harness: Harness, project: str = "shop") -> Any:
    return plain(harness.resources.companies.table.get(projects.key(COMPANY, project)))


def owners(harness: Harness, channel: str, address: str) -> list[str]:
    return [one.project_id for one in routes.owners(harness.resources.log, channel, address)]


def test_an_admin_creates_a_project_at_a_domain_and_a_number_of_the_company_with_its_model_off(
    harness: Harness,
) -> None:
    own(harness, ids.email("@own.example"))
    own_number(harness)

    made = create(harness, channel_config=EMAIL | WHATSAPP, timezone="Europe/Berlin")

    assert (made.status, made.result) == (
        201,
        {"project_id": "shop", "name": "Shop", "status": "active", "automation_enabled": False,
         "channels": ["whatsapp", "email"], "live_version": 1},
    )  # fmt: skip
    item = stored(harness)
    config = {"whatsapp": {"model": MODEL["model"]}, "email": {"model": MODEL["model"]}}
    assert item["ai_config"] == {"provider": "bedrock", "bedrock_config": config}
    assert (item["accept_inbound"], item["ai_version"]) == (True, 1)
    assert owners(harness, "email", "jobs@own.example") == ["shop"]
    assert owners(harness, "whatsapp", NUMBER) == ["shop"]
    listed = harness.call("GET /projects", who=ADMIN).result["projects"]
    assert made.result in listed
    names = {"project_id": "shop", "number": "1"}
    version = harness.call("GET /projects/{project_id}/versions/{number}", who=ADMIN, names=names)
    assert version.result["settings"]["ai_config"] == item["ai_config"]


def test_names_that_the_company_does_not_own_are_refused_at_their_field_and_nothing_is_stored(
    harness: Harness,
) -> None:
    own(harness, ids.email("@their.example"), company=SECOND_COMPANY)
    own_number(harness, SECOND_COMPANY)
    before = harness.rows()

    for channels, field in (
        (EMAIL, "channel_config.email.company_email"),
        ({"email": {"company_email": "a@their.example"}}, "channel_config.email.company_email"),
        (WHATSAPP, "channel_config.whatsapp.company_whatsapp_number"),
        ({"sms": {"provider": "aws_sms", "company_sms_number": "+12025550199"}},
         "channel_config.sms.company_sms_number"),
    ):  # fmt: skip
        refused = create(harness, channel_config=channels)
        assert refused.status == 400
        assert [one["field"] for one in refused.body["error"]["details"]] == [field]
    assert harness.rows() == before


def test_an_account_that_is_not_the_companys_is_refused(harness: Harness) -> None:
    own_number(harness)
    foreign = WHATSAPP["whatsapp"] | {"account": "30099"}

    refused = create(harness, channel_config={"whatsapp": foreign})

    assert [one["field"] for one in refused.body["error"]["details"]] == [
        "channel_config.whatsapp.account"
    ]


def test_the_one_company_of_a_deployment_needs_no_grant(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness.module.deps, "single_company", COMPANY)

    made = create(harness, channel_config=EMAIL | WHATSAPP)

    assert made.status == 201
    domain = ids.email("@own.example")
    assert claims.found(harness.resources.log, [domain])[domain].proof is Proof.DEPLOYMENT


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"ai_config": {"provider": "bedrock"}}, "ai_config.model"),
        ({"ai_config": {"provider": "openai", "model": "a"}}, "ai_config.api_key_reference"),
        ({"ai_config": MODEL | {"provider": "openai", "api_key_reference": "parley/local/companies/other/ai"}},
         "ai_config.api_key_reference"),
        ({"timezone": "Mars/One"}, "timezone"),
        ({"channel_config": {}}, "channel_config"),
        ({"project_name": ""}, "project_name"),
    ],
)  # fmt: skip
def test_a_broken_setting_is_refused_with_its_field(
    harness: Harness, given: dict[str, Any], field: str
) -> None:
    own(harness, ids.email("@own.example"))
    before = harness.rows()

    refused = create(harness, **given)

    assert refused.status == 400
    assert [one["field"] for one in refused.body["error"]["details"]] == [field]
    assert harness.rows() == before


def test_a_project_that_exists_stays_as_it_is(harness: Harness) -> None:
    own(harness, ids.email("@own.example"))
    before = stored(harness, PROJECT)

    refused = create(harness, PROJECT)

    assert (refused.status, refused.body["error"]["code"]) == (409, "state_conflict")
    assert stored(harness, PROJECT) == before
    assert owners(harness, "email", "jobs@own.example") == []


def test_a_call_that_was_cut_off_at_any_write_is_completed_by_its_repetition(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    own(harness, ids.email("@own.example"))
    kept = harness.rows()
    whole = create(harness, key="whole-00000001")
    assert whole.status == 201
    assert kept != harness.rows()

    for cut in ("add_address", "_store", "claim"):
        project = f"shop-{cut.strip('_')}"
        with monkeypatch.context() as patch:
            patch.setattr(f"conversations.api.projects.creation.{_PLACES[cut]}", _cut_off)
            assert create(harness, project, key=f"cut-off-{cut:_<12}").status == 500
        again = create(harness, project, key=f"cut-off-{cut:_<12}")
        assert (again.status, again.result["project_id"]) == (201, project), cut
        assert project in owners(harness, "email", "jobs@own.example")
        assert stored(harness, project)["ai_version"] == 1


_PLACES = {"add_address": "routes.add_address", "_store": "_store", "claim": "ownership.claim"}


def _cut_off(*_: Any, **__: Any) -> None:
    raise ConnectionAbortedError


def test_a_version_without_its_project_does_not_block_the_id(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    own(harness, ids.email("@own.example"))
    with monkeypatch.context() as patch:
        patch.setattr(Table, "update", _cut_off)
        assert create(harness).status == 500

    made = create(harness)

    assert (made.status, made.result["live_version"]) == (201, 2)


def test_only_admins_create_projects_and_a_key_of_single_projects_creates_no_other(
    harness: Harness,
) -> None:
    own(harness, ids.email("@own.example"))
    agent = caller(COMPANY, Scope.CONVERSATIONS_MANAGE)
    of_one = caller(COMPANY, Scope.CONVERSATIONS_ADMIN, projects=PROJECT)

    statuses = [create(harness, who=who).status for who in (agent, of_one, THEIRS)]

    assert statuses == [403, 403, 400]
    assert harness.resources.companies.table.get(projects.key(COMPANY, "shop")) is None


@pytest.mark.parametrize("project", ["a b", "ä", "a" * 65])
def test_an_id_that_no_project_can_have_is_refused(harness: Harness, project: str) -> None:
    refused = create(harness, project)

    assert refused.status in {400, 404}
    assert harness.resources.companies.table.get(projects.key(COMPANY, project)) is None
