"""Admins change the settings of a project's model in versions, and try them without sending anything."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from conversations.configuration import projects
from conversations.store.limits import quotas
from events.conversations import sample_data
from shared.ai import port as ai
from shared.ai.providers import model_creation
from shared.ai.spending import prices
from shared.api.auth import Scope
from shared.aws.tables.dynamodb_json import plain, storable
from tests.integration.conversations.harness import (
    COMPANY,
    OTHER_PROJECT,
    PROJECT,
    SECOND_COMPANY,
    THEIRS,
    Answer,
    Harness,
    caller,
)
from tests.integration.conversations.steps import function_call, model_answer

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


@dataclass
class Scripted:
    """A model that gives these answers and keeps what it was asked."""

    answers: list[str]
    asked: list[ai.Request] = field(default_factory=list)
    name: str = "gpt-made-up"

    def reply(self, request: ai.Request) -> ai.Reply:
        self.asked.append(request)
        return ai.Reply(self.answers.pop(0), ai.Stop.END, ai.Usage(1_000, 100))


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    scripted = Scripted([])
    monkeypatch.setattr(model_creation, "model_for", lambda *_: scripted)
    return scripted


def tried(harness: Harness, *said: str, **given: Any) -> Answer:
    """What the model would answer to a customer who has *said* this."""
    harness.left_ms = 29_000
    messages = [{"by": "customer", "text": text} for text in said]
    body = {"channel": "sms", "messages": messages} | given
    return harness.call("POST /projects/{project_id}/playground", body, names=OF_PROJECT, who=ADMIN)


def test_the_playground_shows_the_answer_of_a_version_and_how_the_model_came_to_it(
    harness: Harness, model: Scripted
) -> None:
    make(harness, settings(prompts={"reply": "Offer tea."}))
    model.answers = [model_answer("Would you like tea?")]

    shown = tried(harness, "Hello", version=2).result

    assert (shown["content"], shown["version"], shown["faults"]) == ("Would you like tea?", 2, [])
    [call] = shown["model_calls"]
    assert "Offer tea." in call["system"]
    assert "Offer tea." not in version(harness, 1)["settings"]["ai_config"]["prompts"].get(
        "reply", ""
    )
    assert (call["history"], call["tokens_in"]) == (["user: Hello"], 1_000)
    assert float(shown["dollars"]) > 0


def test_settings_are_tried_before_they_are_stored(harness: Harness, model: Scripted) -> None:
    model.answers = [model_answer("Yes.")]
    shown = tried(harness, "Hello", settings=settings(prompts={"reply": "Say yes."})).result

    assert "Say yes." in shown["model_calls"][0]["system"]
    assert "version" not in shown
    assert numbers(harness) == []


def test_a_function_of_the_project_is_not_called_but_answered_by_the_request(
    harness: Harness, model: Scripted
) -> None:
    with_function = settings(functions=[BOOK])
    model.answers = [function_call("book"), model_answer("It is booked.")]
    model.answers += [function_call("book"), model_answer("That is not possible.")]

    shown = tried(
        harness, "Book it", settings=with_function, functions={"book": {"ok": True}}
    ).result
    other = tried(harness, "Book it", settings=with_function).result

    [call] = shown["calls"]
    assert (call["name"], json.loads(call["result"]), call["simulated"]) == (
        "book",
        {"ok": True},
        True,
    )
    assert "no result of this function" in other["calls"][0]["result"]
    assert not other["calls"][0]["simulated"]


PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(62)).decode()


def test_the_model_reads_the_customers_files_that_it_can_read(
    harness: Harness, model: Scripted
) -> None:
    model.answers = [model_answer("A nice picture."), model_answer("I cannot see it.")]
    both: list[dict[str, list[str]]] = [{"reads": ["image"]}, {"reads": []}]
    for reads in both:
        given = {"by": "customer", "text": "Look", "files": [{"content": PNG}]}
        tried(harness, settings=settings(scripted_config={"sms": reads}), messages=[given])

    seen, unseen = (one.history[-1] for one in model.asked)
    assert isinstance(seen, ai.Message)
    assert isinstance(unseen, ai.Message)
    assert ("[image: attached as file 1]" in seen.text, len(seen.files)) == (True, 1)
    assert ("[image: not shown to you]" in unseen.text, unseen.files) == (True, ())


@pytest.mark.parametrize(
    ("spoken", "field", "problem"),
    [
        ({"files": [{"content": "no base64"}]}, "messages.0.files.0.content", "must be base64"),
        ({"files": [{"content": "AAAA"}]}, "messages.0.files.0.content", "must be a PNG"),
        ({"by": "company", "files": [{"content": PNG}]}, "messages.0", "only the customer"),
    ],
)
def test_files_that_no_model_reads_are_refused_with_their_place(
    harness: Harness, model: Scripted, spoken: dict[str, Any], field: str, problem: str
) -> None:
    refused = tried(harness, messages=[{"by": "customer"} | spoken])

    assert refused.status == 400
    [detail] = refused.body["error"]["details"]
    assert detail["field"] == field
    assert problem in detail["problem"]
    assert model.asked == []


def test_the_second_model_answers_if_the_first_one_does_not(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass
    class Down(Scripted):
        def reply(self, request: ai.Request) -> ai.Reply:
            raise ai.Unavailable("overloaded")

    models = {None: Down([]), "second": Scripted([model_answer("Yes.")], name="the second")}
    monkeypatch.setattr(model_creation, "model_for", lambda one, *_: models[one.model])
    second = {"provider": "bedrock", "model": "second"}

    shown = tried(
        harness, "Hello", settings=settings(scripted_config={"sms": {"fallback": second}})
    )

    assert (shown.result["content"], shown.result["model"]) == ("Yes.", "the second")


def test_faults_are_shown_with_what_follows_from_them(harness: Harness, model: Scripted) -> None:
    model.answers = [model_answer("It costs 99 EUR."), model_answer("A colleague knows the price.")]

    shown = tried(harness, "What does it cost?").result

    assert {"fault": "unknown_amount", "severity": "repair"} in shown["faults"]
    assert (shown["content"], len(shown["model_calls"])) == ("A colleague knows the price.", 2)


def test_the_playground_stores_and_sends_nothing_but_the_count_of_tokens(
    harness: Harness, model: Scripted
) -> None:
    before = harness.rows()
    model.answers = [model_answer("Hi.")]

    tried(harness, "Hello")

    after = harness.rows()
    new = after["ConversationLogTable"].keys() - before["ConversationLogTable"].keys()
    assert {name: rows for name, rows in after.items() if name != "ConversationLogTable"} == {
        name: rows for name, rows in before.items() if name != "ConversationLogTable"
    }
    assert [pk.partition("#")[0] for pk, _ in new] == ["TOKENS"]
    assert harness.sqs.put == []


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (ai.Unavailable("overloaded", ai.Repeat.LATER), 503, "model_unavailable"),
        (ai.Unavailable("model_unknown", ai.Repeat.NEVER), 422, "model_unusable"),
    ],
)
def test_a_model_that_does_not_answer_is_reported_and_not_hidden(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, failure: Exception, status: int, code: str
) -> None:
    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(model_creation, "model_for", fail)

    refused = tried(harness, "Hello")

    assert (refused.status, refused.error) == (status, code)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"channel": "fax"}, "channel"),
        ({"messages": [{"by": "company", "text": "Hello"}]}, "body"),
        ({"messages": [{"by": "customer", "text": ""}]}, "messages.0"),
        ({"version": 0}, "version"),
        ({"settings": {"timezone": "Mars/Base"}}, "settings.timezone"),
    ],
)
def test_a_wrong_try_is_refused_with_its_field(
    harness: Harness, model: Scripted, given: dict[str, Any], field: str
) -> None:
    refused = tried(harness, "Hello", **given)

    assert refused.status == 400
    assert field in [one["field"] for one in refused.body["error"]["details"]]
    assert model.asked == []
