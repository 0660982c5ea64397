"""Admins change the settings of a project's model in versions."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.configuration import projects
from conversations.store.limits import quotas
from events.conversations import sample_data
from shared.ai import port as ai
from shared.ai.spending import prices
from shared.api.auth import Scope
from shared.aws.tables.dynamodb_json import plain, storable
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.harness import (
    COMPANY,
    OTHER_PROJECT,
    PROJECT,
    SECOND_COMPANY,
    THEIRS,
    Harness,
    caller,
)

ADMIN = caller(COMPANY, Scope.CONVERSATIONS_ADMIN)
OF_PROJECT = {"project_id": PROJECT}
PROMPTS = {"prompts": {"initial": "Invite.", "reply": "Be brief."}}
BOOK = {"name": "book", "description": "Books.", "target": "https://booking.example.com/slots"}


@pytest.fixture(autouse=True)
def _public_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every host name resolves to a public address: tests ask no name server."""
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("8.8.8.8", 0))])


def settings(**ai: Any) -> dict[str, Any]:
    """The settings of a version that changes its model."""
    return {"ai_config": sample_data.project()["ai_config"] | ai}


def make(harness: Harness, given: dict[str, Any], **more: Any) -> Answer:
    line = "POST /projects/{project_id}/versions"
    return harness.call(line, {"settings": given, **more}, names=OF_PROJECT, who=ADMIN)


def put_live(harness: Harness, number: int, **given: Any) -> Answer:
    names = OF_PROJECT | {"number": str(number)}
    return harness.call(
        "POST /projects/{project_id}/versions/{number}/live", given, names=names, who=ADMIN
    )


def version(harness: Harness, number: int, **query: str) -> Any:
    names = OF_PROJECT | {"number": str(number)}
    line = "GET /projects/{project_id}/versions/{number}"
    return harness.call(line, names=names, query=query, who=ADMIN).result


def numbers(harness: Harness) -> list[tuple[int, bool]]:
    """The project's versions, newest first, and whether each is live."""
    line = "GET /projects/{project_id}/versions"
    found = harness.call(line, names=OF_PROJECT, who=ADMIN).result["versions"]
    return [(one["number"], one["is_live"]) for one in found]


def stored(harness: Harness) -> Any:
    """The project's item, as workers read it."""
    return plain(harness.resources.companies.table.get(projects.key(COMPANY, PROJECT)))


def test_a_new_version_changes_nothing_live_and_the_settings_before_it_stay_a_version(
    harness: Harness,
) -> None:
    before = stored(harness)

    made = make(harness, settings(**PROMPTS), note="shorter answers")

    assert (made.status, made.result) == (201, {"project_id": PROJECT, "number": 2})
    assert stored(harness) == before | {"ai_version": 1}
    assert numbers(harness) == [(2, False), (1, True)]
    assert version(harness, 1)["settings"]["ai_config"] == before["ai_config"]
    shown = version(harness, 2)
    assert (shown["note"], shown["by"], shown["based_on"]) == (
        "shorter answers", ADMIN.principal, 1,
    )  # fmt: skip


def test_the_spending_of_a_project_has_its_days_budget_and_prices(harness: Harness) -> None:
    own = {"model": "gpt-5", "api_key_reference": "openai", "price": {"input": 2, "output": 8}}
    channels = {"sms": own, "email": {"model": "gpt-5-mini", "api_key_reference": "openai"}}
    config = {"provider": "openai", "openai_config": channels}
    table = harness.resources.companies.table
    where = projects.key(COMPANY, PROJECT)
    table.update(where, put={"ai_config": storable(config), "policy": {"dollars_per_month": 20}})
    for _ in range(2):
        quotas.add_use(harness.resources.log, COMPANY, PROJECT, ai.Usage(700, 50, micros=1_250))

    def of(**query: str) -> Any:
        line = "GET /projects/{project_id}/spending"
        return harness.call(line, names=OF_PROJECT, query=query, who=ADMIN).result

    shown = of()
    (day,) = shown["days"]
    assert (day["calls"], day["tokens_in"], day["tokens_out"]) == (2, 1_400, 100)
    assert day["dollars"] == shown["dollars"] == "0.002500"
    assert (shown.get("dollars_per_day"), shown["dollars_per_month"]) == (None, 20)
    found = {
        one["model"]: (one["input"], one["cached_input"], one["is_list_price"])
        for one in shown["prices"]
    }
    assert found == {"gpt-5": (2, 1, False), "gpt-5-mini": (1.5, 0.75, True)}
    assert shown["list_prices_of"] == prices.AS_OF
    assert of(month="2020-01")["days"] == []
    line = "GET /projects/{project_id}/spending"
    refused = harness.call(line, names=OF_PROJECT, query={"month": "2026-13"}, who=ADMIN)
    assert (refused.status, refused.body["error"]["details"][0]["field"]) == (400, "month")


def test_a_version_names_each_setting_that_it_changes(harness: Harness) -> None:
    make(harness, settings(**PROMPTS) | {"timezone": "Europe/Berlin", "policy": {}})

    shown = version(harness, 2)

    assert shown["compared_with"] == 1
    found = {one["path"]: (one["before"], one["after"]) for one in shown["differences"]}
    assert found["ai_config.prompts.reply"][1] == "Be brief."
    assert found["timezone"][1] == "Europe/Berlin"
    assert {path.partition(".")[0] for path in found} == {"ai_config", "timezone", "policy"}


def test_absent_settings_are_kept_and_null_removes_one(harness: Harness) -> None:
    make(harness, {"memory": {"summary": True}, "timezone": "Europe/Berlin"})
    made = make(harness, {"memory": None}, based_on=2)

    shown = version(harness, made.result["number"])["settings"]

    assert shown["timezone"] == "Europe/Berlin"
    assert "memory" not in shown
    assert shown["ai_config"] == stored(harness)["ai_config"]


def test_a_version_goes_live_with_all_its_settings_and_an_older_one_comes_back(
    harness: Harness,
) -> None:
    before = stored(harness)
    make(harness, settings(**PROMPTS) | {"memory": {"summary": True}})

    live = put_live(harness, 2, instead_of=1)

    assert live.result == {"project_id": PROJECT, "live_version": 2, "before": 1}
    now = harness.resources.companies
    now._cache.clear()
    company = now.project(COMPANY, PROJECT)
    assert (company.ai_version, company.memory.summary) == (2, True)
    assert company.ai_config["prompts"]["reply"] == "Be brief."
    assert company.channel_config == projects.parse(before).channel_config

    assert put_live(harness, 1).result["before"] == 2
    assert stored(harness) == before | {"ai_version": 1}


def test_a_version_does_not_go_live_instead_of_another_one_than_the_author_saw(
    harness: Harness,
) -> None:
    for given in (settings(**PROMPTS), {"timezone": "Europe/Berlin"}):
        make(harness, given)
    put_live(harness, 3)
    before = stored(harness)

    refused = put_live(harness, 2, instead_of=1)

    assert (refused.status, refused.error) == (409, "state_conflict")
    assert stored(harness) == before


@pytest.mark.parametrize(
    ("given", "field", "rule"),
    [
        (settings(prompts={"replay": "Hi"}), "settings.ai_config.prompts.replay", "did you mean reply"),
        (settings(provider="llama"), "settings.ai_config", ""),
        (settings(functions=[BOOK | {"target": "http://x"}]), "settings.ai_config.functions.0.target", ""),
        ({"timezone": "Mars/Base"}, "settings.timezone", ""),
        ({"policy": {"quiet_hours": ["25:00", "08:00"]}}, "settings.policy.quiet_hours", ""),
        ({"channel_config": {}}, "settings.channel_config", ""),
        (
            settings(
                provider="openai",
                openai_config={
                    channel: {"model": "m", "api_key_reference": "parley/local/companies/ci-bbb-001/openai"}
                    for channel in ("whatsapp", "sms", "email")
                },
            ),
            "settings.ai_config.openai_config.sms.api_key_reference",
            "company",
        ),
    ],
)  # fmt: skip
def test_settings_that_break_a_rule_are_refused_with_their_path_and_nothing_is_stored(
    harness: Harness, given: dict[str, Any], field: str, rule: str
) -> None:
    refused = make(harness, given)

    assert refused.status == 400
    problems = [one for one in refused.body["error"]["details"] if one["field"].startswith(field)]
    assert problems
    assert rule in problems[0]["problem"]
    assert numbers(harness) == []


def test_a_version_is_made_once_even_if_its_answer_was_lost(harness: Harness) -> None:
    line, body = "POST /projects/{project_id}/versions", {"settings": settings(**PROMPTS)}
    made = []
    for _ in range(2):
        made.append(harness.call(line, body, names=OF_PROJECT, who=ADMIN, key="the-same-key"))
        _forget_answers(harness)

    assert [one.result["number"] for one in made] == [2, 2]
    assert numbers(harness) == [(2, False), (1, True)]


def _forget_answers(harness: Harness) -> None:
    """Delete the stored answers of calls, as if the function had died before it stored one."""
    log = harness.resources.log
    items = [row for row in harness.rows()["ConversationLogTable"] if "IDEMPOTENCY" in str(row)]
    for pk, sk in items:
        log.delete({"pk": pk, "sk": sk})


def test_projects_of_others_are_not_found_and_not_listed(harness: Harness) -> None:
    make(harness, settings(**PROMPTS))
    theirs = {"project_id": PROJECT, "number": "2"}
    harness.resources.companies.table.delete(projects.key(SECOND_COMPANY, PROJECT))
    agent = caller(COMPANY, Scope.CONVERSATIONS_MANAGE)

    assert harness.call("GET /projects", who=THEIRS).result["projects"] == []
    ours = harness.call("GET /projects", who=ADMIN).result["projects"]
    assert [(one["project_id"], one.get("live_version")) for one in ours] == [
        (PROJECT, 1), (OTHER_PROJECT, None),
    ]  # fmt: skip
    for who, expected in ((THEIRS, (404, "not_found")), (agent, (403, "forbidden"))):
        for line, body in (
            ("GET /projects/{project_id}/versions", None),
            ("GET /projects/{project_id}/versions/{number}", None),
            ("POST /projects/{project_id}/versions", {"settings": {}}),
            ("POST /projects/{project_id}/versions/{number}/live", {}),
            ("POST /projects/{project_id}/playground", {"channel": "sms"}),
        ):
            refused = harness.call(line, body, names=theirs, who=who)
            assert (refused.status, refused.error) == expected, line


# The playground


@pytest.mark.parametrize(
    ("own", "field", "rule"),
    [
        ({"price": {"input": -1, "output": 1}}, "price.input", "greater than or equal to 0"),
        ({"reasoning": {"effort": "low"}, "temperature": 0.5}, "", "temperature must be absent"),
    ],
)
def test_a_price_below_zero_and_what_the_provider_refuses_are_no_version(
    harness: Harness, own: dict[str, Any], field: str, rule: str
) -> None:
    config = {
        "provider": "openai",
        "openai_config": {"sms": {"model": "gpt-5", "api_key_reference": "openai", **own}},
    }
    line = "POST /projects/{project_id}/versions"
    refused = harness.call(line, {"settings": {"ai_config": config}}, names=OF_PROJECT, who=ADMIN)

    assert refused.status == 400
    found = {one["field"]: one["problem"] for one in refused.body["error"]["details"]}
    [place] = [one for one in found if "openai_config.sms" in one]
    assert place.endswith(field)
    assert rule in found[place]
