"""The help-desk account set up over the admin API: fields, keys, owner, webhook tokens, and what the worker does."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from richpanel.configuration.account import CACHE_MS
from shared.api.auth import Caller
from tests.integration.richpanel.admin.conftest import (
    ACCOUNT,
    HEALTH,
    KEYS,
    OPERATOR,
    PERSON,
    READER,
    SETTINGS,
    TOKENS,
    Admin,
)
from tests.integration.richpanel.worker.test_model_path import judge_of
from tests.template import properties, put_parameter

if TYPE_CHECKING:
    from io import StringIO

    from tests.integration.answers import Answer

KEY = "the-key-that-must-not-be-shown"
RIVAL = replace(PERSON, company="globex")


def secret(logical_id: str) -> dict[str, Any]:
    stored = boto3.client("secretsmanager").get_secret_value(
        SecretId=properties(logical_id)["Name"], VersionStage="AWSCURRENT"
    )
    content: dict[str, Any] = json.loads(stored["SecretString"])
    return content


def put(admin: Admin, account: Any, based_on: int = 0) -> Answer:
    body = {"based_on": based_on, "settings": {"account": account}}
    return admin.call(f"PUT {SETTINGS}", body=body)


def store(admin: Admin, who: Caller = PERSON, **keys: Any) -> Answer:
    return admin.call(f"POST {KEYS}", who, body=keys)


def owned_by(admin: Admin, company: str | None) -> None:
    given = {"bot_author_id": "bot-1", **({"company": company} if company else {})}
    put_parameter(
        boto3.client("ssm"), "RichpanelAccountSettings", RichpanelAccount=json.dumps(given)
    )
    admin.module.deps.stored_account.forget()


def test_the_account_of_the_deployment_is_shown_until_the_company_stores_one(admin: Admin) -> None:
    before = admin.call(f"GET {ACCOUNT}", READER).result
    assert put(admin, {**before["fields"], "support_signature": "Acme Bicycles"}).status == 200
    after = admin.call(f"GET {ACCOUNT}", READER).result

    assert (before["source"], before["fields"]["bot_author_id"]) == ("deployment", "bot-1")
    assert (after["source"], after["number"]) == ("settings", 1)
    assert after["fields"] == before["fields"] | {"support_signature": "Acme Bicycles"}
    assert before["webhook"].endswith("/webhooks/richpanel")
    assert before["model"] == {
        "classifier": "rules", "deployed": "rules", "provider": None, "model": None,
    }  # fmt: skip


def test_a_stored_account_replaces_the_one_of_the_deployment_and_null_returns_to_it(
    admin: Admin,
) -> None:
    put(admin, {"support_signature": "Acme Bicycles"})
    without_bot = admin.call(f"GET {ACCOUNT}").result["fields"]["bot_author_id"]
    put(admin, None, based_on=1)

    shown = admin.call(f"GET {ACCOUNT}").result

    assert without_bot is None
    assert (shown["source"], shown["fields"]["bot_author_id"]) == ("deployment", "bot-1")


@pytest.mark.parametrize(
    ("account", "field"),
    [
        ({"own_addresses": ["not an address"]}, "settings.account.own_addresses"),
        ({"shop_timezone": "Mars/Olympus"}, "settings.account.shop_timezone"),
        ({"support_signature": ""}, "settings.account.support_signature"),
        ({"company": "globex"}, "settings.account.company"),
        ({"team_assignees": {"nothing": "1"}}, "settings.account.team_assignees.nothing"),
    ],
)
def test_a_wrong_field_of_the_account_is_named_and_nothing_is_stored(
    admin: Admin, account: Any, field: str
) -> None:
    before = admin.harness.rows("state")

    answer = put(admin, account)

    assert answer.status == 400
    assert answer.body["error"]["details"][0]["field"] == field
    assert admin.harness.rows("state") == before


def test_the_worker_signs_with_the_stored_account_within_five_minutes(admin: Admin) -> None:
    put(admin, {"support_signature": "Acme Bicycles", "bot_author_id": "bot-2"})
    admin.harness.time.ms += CACHE_MS

    account = admin.harness.resources.account

    assert account.shop.support_signature == "Acme Bicycles"
    assert account.robots == {"bot-2"}


def test_an_account_of_rules_asks_no_model_though_the_deployment_has_one(admin: Admin) -> None:
    admin.harness.resources.judge = judge_of("openai", admin.harness.sandbox)
    assert admin.harness.resources.judge_in_use is not None

    put(admin, {"classifier": "rules"})
    admin.harness.time.ms += CACHE_MS

    assert admin.harness.resources.judge_in_use is None


def test_a_stored_key_is_used_by_the_next_check_and_never_shown(
    admin: Admin, log: StringIO
) -> None:
    answer = store(admin, richpanel=KEY)
    shown = [answer.body, admin.call(f"GET {ACCOUNT}").body, admin.call(f"GET {HEALTH}").body]

    assert answer.status == 200
    assert secret("RichpanelKeys")["richpanel"] == KEY
    assert secret("RichpanelKeys")["salt"] == "of the tests"
    assert admin.module.deps.keys.value()["richpanel"] == KEY
    assert (
        KEY not in json.dumps(shown) + json.dumps(admin.everything(), default=str) + log.getvalue()
    )
    keys = answer.result["keys"]
    assert (keys["richpanel"], keys["ai_api_key"]) == (True, False)


def test_a_check_reads_a_key_that_another_process_has_stored(admin: Admin) -> None:
    admin.call(f"GET {HEALTH}")
    name = properties("RichpanelKeys")["Name"]
    boto3.client("secretsmanager").put_secret_value(SecretId=name, SecretString='{"salt": "x"}')
    admin.harness.time.ms += 6_000

    assert admin.call(f"GET {HEALTH}").result["checks"]["keys"] == "not_set_up"


def test_keys_are_removed_by_name_and_others_stay(admin: Admin) -> None:
    store(admin, richpanel=KEY)
    answer = store(admin, remove=["shopify"], shopify_client_id="id", shopify_client_secret="s" * 9)

    assert answer.result["keys"] == {
        "richpanel": True, "shopify": False, "shopify_client_id": True, "shopify_client_secret": True,
        "shipstation_key": False, "shipstation_secret": False, "ai_api_key": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    "given",
    [{}, {"richpanel": "two words"}, {"richpanel": ""}, {"remove": ["salt"]}, {"salt": "mine"},
     {"richpanel": "a", "remove": ["richpanel"]}],
)  # fmt: skip
def test_refused_keys_change_nothing_and_are_not_repeated_in_the_answer(
    admin: Admin, given: Any
) -> None:
    before = secret("RichpanelKeys")

    answer = admin.call(f"POST {KEYS}", PERSON, body=given)

    assert answer.status == 400
    assert "two words" not in json.dumps(answer.body)
    assert secret("RichpanelKeys") == before


def test_the_company_whose_operator_stores_the_key_owns_the_help_desk(admin: Admin) -> None:
    assert admin.call(f"GET {ACCOUNT}").result["company"] is None

    first = store(admin, richpanel=KEY)
    other = store(admin, RIVAL, richpanel="another-key")
    reads = admin.call(f"GET {ACCOUNT}", replace(READER, company="globex"))

    assert first.result["company"] == "acme"
    assert (other.status, reads.status) == (403, 403)
    assert secret("RichpanelKeys")["richpanel"] == KEY


def test_before_the_help_desk_has_an_owner_an_operator_leaves_neither_keys_nor_tokens(
    admin: Admin,
) -> None:
    before = secret("RichpanelKeys"), secret("RichpanelWebhookSecret")

    refused = [
        store(admin, RIVAL, shopify="key-of-globex"),
        store(admin, RIVAL, remove=["shopify"]),
        admin.call(f"POST {TOKENS}", RIVAL),
        admin.call(f"DELETE {TOKENS}", RIVAL),
    ]

    assert [answer.status for answer in refused] == [400] * 4
    fields = {answer.body["error"]["details"][0]["field"] for answer in refused}
    assert fields == {"richpanel"}
    assert (secret("RichpanelKeys"), secret("RichpanelWebhookSecret")) == before
    assert admin.call(f"GET {ACCOUNT}").result["company"] is None
    assert store(admin, richpanel=KEY, shopify="key-of-acme").result["company"] == "acme"
    assert admin.call(f"POST {TOKENS}", PERSON).status == 200


def test_the_company_of_the_deployment_stays_the_owner(admin: Admin) -> None:
    owned_by(admin, "acme")

    answer = store(admin, richpanel=KEY)

    assert answer.result["company"] == "acme"
    assert "company" not in secret("RichpanelKeys")


@pytest.mark.parametrize("deployed", ["acme", None])
def test_an_operator_of_another_company_changes_neither_keys_nor_tokens(
    admin: Admin, deployed: str | None
) -> None:
    owned_by(admin, deployed)
    assert store(admin, richpanel=KEY).status == 200
    before = secret("RichpanelKeys"), admin.call(f"GET {ACCOUNT}").result["tokens"]

    refused = [
        store(admin, RIVAL, richpanel="another-key"),
        admin.call(f"POST {TOKENS}", RIVAL),
        admin.call(f"DELETE {TOKENS}", RIVAL),
    ]

    assert [answer.status for answer in refused] == [403, 403, 403]
    assert (secret("RichpanelKeys"), admin.call(f"GET {ACCOUNT}").result["tokens"]) == before


def test_two_operators_of_two_companies_at_once_make_one_owner(admin: Admin) -> None:
    secrets = admin.module.help_desk_secrets
    given = admin.module.inputs.KeysInput(richpanel=KEY)
    changes = [secrets.store(who, given) for who in (PERSON, RIVAL)]
    changes[0]()

    with pytest.raises(Exception, match="another company"):
        changes[1]()

    assert secret("RichpanelKeys")["company"] == "acme"


@pytest.mark.parametrize("line", [f"POST {KEYS}", f"POST {TOKENS}", f"DELETE {TOKENS}"])
def test_only_people_who_operate_the_deployment_write_secrets(admin: Admin, line: str) -> None:
    body = {"richpanel": KEY} if line == f"POST {KEYS}" else None
    software = replace(PERSON, principal=OPERATOR.principal)
    administrator = replace(PERSON, scopes=frozenset({"richpanel:operate"}))

    answers = [admin.call(line, who, body=body).status for who in (software, administrator)]

    assert answers == [403, 403]
    assert secret("RichpanelKeys")["richpanel"] == "a-key"
    assert secret("RichpanelWebhookSecret") == {"active_tokens": "the-first"}


def test_a_new_token_is_shown_once_and_the_earlier_one_stays_valid_until_it_is_ended(
    admin: Admin, log: StringIO
) -> None:
    store(admin, richpanel=KEY)
    made = admin.call(f"POST {TOKENS}", PERSON, key="a-key-of-the-call").result
    repeated = admin.call(f"POST {TOKENS}", PERSON, key="a-key-of-the-call").result
    both = secret("RichpanelWebhookSecret")["active_tokens"]
    ended = admin.call(f"DELETE {TOKENS}", PERSON).result

    assert (made["header"], made["tokens"], made["notice"]) == ("X-Middleware-Token", 2, None)
    assert both == [made["token"], "the-first"]
    assert (repeated["token"], "once" in repeated["notice"]) == (None, True)
    assert made["token"] not in json.dumps(admin.everything(), default=str) + log.getvalue()
    assert ended == {"tokens": 1}
    assert secret("RichpanelWebhookSecret")["active_tokens"] == [made["token"]]
    assert admin.call(f"GET {ACCOUNT}").result["tokens"] == 1


def test_many_tokens_are_refused_before_one_in_use_would_be_lost(admin: Admin) -> None:
    store(admin, richpanel=KEY)
    answers = [admin.call(f"POST {TOKENS}", PERSON).status for _ in range(4)]

    assert answers == [200, 200, 200, 400]
    assert "the-first" in secret("RichpanelWebhookSecret")["active_tokens"]


def test_the_check_names_the_teams_of_the_help_desk(admin: Admin) -> None:
    admin.harness.sandbox.help_desk.teams = ("Returns",)  # type: ignore[assignment]  # a shop has as many teams as it wants

    found = admin.call(f"GET {HEALTH}").result

    assert found["checks"]["help_desk"] == "ok"
    assert list(found["teams"].values()) == ["Returns"]
