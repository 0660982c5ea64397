"""The authorizer as API Gateway calls it, over the template's table of keys."""

import json
from io import StringIO
from types import ModuleType
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from shared.access import company_keys
from shared.api.auth import Caller, caller_of
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.integration.access.calls import ARN, a_key, is_denied


def request(arn: str = ARN, key: str | None = None) -> dict[str, Any]:
    headers = {} if key is None else {"x-api-key": key}
    return {"type": "REQUEST", "methodArn": arn, "headers": headers}


def test_a_key_grants_access_to_the_whole_stage_for_its_company(
    authorizer: ModuleType, table: Table
) -> None:
    key = a_key(table)
    principal = f"api-key:{key.split('_')[1]}"

    assert authorizer.handler(request(key=key), None) == {
        "principalId": principal,
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Action": "execute-api:Invoke",
                    "Effect": "Allow",
                    "Resource": "arn:aws:execute-api:us-east-1:123456789012:abc123/dev/*/*",
                }
            ],
        },
        "context": {
            "company": "acme",
            "scopes": "whatsapp:read",
            "principal": principal,
            "projects": "*",
        },
    }


def test_the_functions_behind_it_see_the_company_and_the_scopes_of_the_key(
    authorizer: ModuleType, table: Table
) -> None:
    first = a_key(table, scopes=["whatsapp:read", "other:thing"])
    second = a_key(table, company="globex", scopes=[])

    def caller(key: str) -> Caller:
        context = authorizer.handler(request(key=key), None)["context"]
        return caller_of({"requestContext": {"authorizer": context}})

    assert caller(first).company == "acme"
    assert caller(first).scopes == {"whatsapp:read", "other:thing"}
    assert caller(second).company == "globex"
    assert caller(second).scopes == set()


@pytest.mark.parametrize(
    "given",
    [None, "", "secret", "pk_" + "0" * 16 + "_" + "A" * 43, "Bearer {}", "Basic {}", "{}, {}"],
)
def test_any_other_key_is_denied(
    authorizer: ModuleType, table: Table, given: str | None, log: StringIO
) -> None:
    key = a_key(table)

    assert is_denied(authorizer, request(key=given and given.replace("{}", key)))
    assert key not in log.getvalue()


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"headers": None},
        {"headers": {"authorization": "Bearer {}"}},
        {"headers": {"authorization": "{}"}},
        {"queryStringParameters": {"x-api-key": "{}"}},
        {"authorizationToken": "{}"},
    ],
)
def test_a_key_outside_its_header_is_not_accepted(
    authorizer: ModuleType, table: Table, elsewhere: dict[str, Any]
) -> None:
    key = a_key(table)
    event = request() | json.loads(json.dumps(elsewhere).replace("{}", key))

    assert is_denied(authorizer, event)


def test_the_name_of_the_header_may_have_any_case(authorizer: ModuleType, table: Table) -> None:
    event = request() | {"headers": {"X-Api-Key": a_key(table)}}

    assert authorizer.handler(event, None)["context"]["company"] == "acme"


def test_a_wrong_key_is_denied_even_beside_other_credentials(
    authorizer: ModuleType, table: Table
) -> None:
    headers = {"x-api-key": "pk_wrong", "authorization": f"Bearer {a_key(table)}"}

    assert is_denied(authorizer, request() | {"headers": headers})


def test_a_revoked_key_is_refused_at_once(authorizer: ModuleType, table: Table) -> None:
    key, other = a_key(table), a_key(table)
    authorizer.handler(request(key=key), None)

    assert company_keys.revoke(table, key.split("_")[1])
    assert company_keys.revoke(table, key.split("_")[1])

    assert is_denied(authorizer, request(key=key))
    assert authorizer.handler(request(key=other), None)["context"]["company"] == "acme"


def test_an_expired_key_is_refused(
    authorizer: ModuleType, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = a_key(table, expires_at=clock.expires_in(60))
    authorizer.handler(request(key=key), None)

    later = clock.now_ms() + 60_000
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    assert is_denied(authorizer, request(key=key))


def test_a_key_with_a_wrong_secret_is_refused(authorizer: ModuleType, table: Table) -> None:
    first, second = a_key(table), a_key(table, company="globex")
    crossed = first[:20] + second[20:]

    assert is_denied(authorizer, request(key=crossed))


@pytest.mark.parametrize(
    ("arn", "stage"),
    [
        (
            "arn:aws:execute-api:eu-west-1:1:a/prod/GET/",
            "arn:aws:execute-api:eu-west-1:1:a/prod/*/*",
        ),
        ("arn:aws-cn:execute-api:x:1:a/prod/POST/b/c/d", "arn:aws-cn:execute-api:x:1:a/prod/*/*"),
        (ARN + "/a%2Fb/messages", "arn:aws:execute-api:us-east-1:123456789012:abc123/dev/*/*"),
    ],
)
def test_the_policy_covers_this_api_and_stage_and_no_other(
    authorizer: ModuleType, table: Table, arn: str, stage: str
) -> None:
    policy = authorizer.handler(request(arn, key=a_key(table)), None)

    [statement] = policy["policyDocument"]["Statement"]
    assert statement["Resource"] == stage


def test_a_failing_table_is_an_error_and_not_a_denial(
    authorizer: ModuleType, table: Table, log: StringIO
) -> None:
    key = a_key(table)
    boto3.client("dynamodb").delete_table(TableName=table.name)

    with pytest.raises(Exception, match="ResourceNotFoundException"):
        authorizer.handler(request(key=key), None)
    assert key not in log.getvalue()


def test_a_refusal_is_logged_with_its_reason_and_without_the_key(
    authorizer: ModuleType, table: Table, log: StringIO
) -> None:
    key = a_key(table)

    assert is_denied(authorizer, request(key=key[:-43] + "A" * 43))

    [line] = log.getvalue().splitlines()
    assert json.loads(line)["reason"] == "wrong_secret"
    assert key.split("_")[1] not in line
    assert "A" * 43 not in line


def test_the_day_of_a_keys_last_call_is_stored_once_a_day(
    authorizer: ModuleType, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = a_key(table)
    key_id = key.split("_")[1]
    writes: list[object] = []
    update = Table.update

    def noted(self: Table, key: Any, **given: Any) -> Any:
        writes.append(given.get("put"))
        return update(self, key, **given)

    monkeypatch.setattr(Table, "update", noted)
    for moment in (
        "2026-11-30T10:00:00.000Z",
        "2026-11-30T23:59:59.000Z",
        "2026-12-01T00:00:00.000Z",
    ):
        monkeypatch.setattr(clock, "now_ms", lambda moment=moment: clock.from_text(moment))
        authorizer.handler(request(key=key), None)
        stored = company_keys.find(table, key_id)
        assert stored is not None
        assert stored.last_used_on == moment[:10]

    assert [one for one in writes if isinstance(one, dict) and "last_used_on" in one] == [
        {"last_used_on": "2026-11-30"},
        {"last_used_on": "2026-12-01"},
    ]


def test_a_refused_key_was_not_used(authorizer: ModuleType, table: Table) -> None:
    key_id = a_key(table).split("_")[1]

    assert is_denied(authorizer, request(key=f"pk_{key_id}_{'A' * 43}"))
    stored = company_keys.find(table, key_id)
    assert stored is not None
    assert stored.last_used_on is None


def test_a_call_is_allowed_although_its_day_cannot_be_stored(
    authorizer: ModuleType, table: Table, monkeypatch: pytest.MonkeyPatch, log: StringIO
) -> None:
    key = a_key(table)
    refused = ClientError({"Error": {"Code": "ThrottlingException"}}, "UpdateItem")

    def throttled(*_: object) -> None:
        raise refused

    monkeypatch.setattr(company_keys, "note_use", throttled)

    assert not is_denied(authorizer, request(key=key))
    assert "the use of an API key was not noted" in log.getvalue()
    assert key not in log.getvalue()
