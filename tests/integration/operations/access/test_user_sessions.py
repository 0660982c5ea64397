"""`python -m operations users`: commands that end the access of a person, also one of another login provider."""

from typing import Any

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError

from operations.access import sessions, users
from operations.command_line import arguments
from shared.access import revocations
from shared.aws.dynamodb import Table
from shared.inbox.items import Context
from shared.inbox.live.items import CONNECTION_SECONDS, Connection
from shared.inbox.live.posts import Live
from shared.runtime import clock
from tests.integration.console.live.live import Sockets
from tests.integration.operations.access.test_users import ADA, described, pool, run
from tests.template import properties

__all__ = ["pool"]  # a fixture
ELSEWHERE = "user:auth0|5f7c8ec7"


@pytest.fixture
def sockets(monkeypatch: pytest.MonkeyPatch) -> Sockets:
    made = Sockets()
    monkeypatch.setattr(Live, "client", made)
    return made


def table(name: str) -> Table:
    return Table(boto3.client("dynamodb"), properties(name)["TableName"])


def principal_of(pool: str) -> str:
    attributes = {one["Name"]: one["Value"] for one in described(pool)["UserAttributes"]}
    return f"user:{attributes['sub']}"


def connected(sockets: Sockets, principal: str, name: str, company: str = "acme") -> None:
    """Open a connection with a token of this moment."""
    connection = Connection(
        **Connection.key(company, name),
        company=company,
        principal=principal,
        contexts=set(Context),
        projects={"*"},
        issued_at=clock.now_ms() // 1_000,
        connection_id=name,
        connected_at=clock.now_ms(),
        ttl=clock.expires_in(CONNECTION_SECONDS),
    )
    table("LiveTable").put(connection.attributes())
    sockets.open.add(name)


def revocation_of(principal: str) -> revocations.Revocation:
    return revocations.find(table("ApiKeysTable"), principal)


def now_s() -> int:
    return clock.now_ms() // 1_000


ENDING = {
    "disable": ["disable", ADA],
    "reset-password": ["reset-password", ADA, "--no-mail"],
    "remove-role": ["remove-role", ADA, "acme:agent"],
    "remove-team": ["remove-team", ADA, "acme:sales"],
    "sign-out": ["sign-out", ADA],
}


@pytest.mark.parametrize("command", ENDING)
def test_a_command_that_takes_access_ends_tokens_and_connections_in_all_companies(
    pool: str,
    sockets: Sockets,
    command: str,
) -> None:
    run("create", ADA, "--role", "acme:agent", "--role", "globex:agent")
    run("add-team", ADA, "acme:sales")
    ada, began = principal_of(pool), now_s()
    connected(sockets, ada, "at-acme")
    connected(sockets, ada, "at-globex", "globex")
    connected(sockets, "user:bob", "bob")

    for _ in range(2):
        assert run(*ENDING[command]) == 0

        assert revocation_of(ada).covers(began)
        assert sorted(sockets.closed) == ["at-acme", "at-globex"]
    assert not revocation_of("user:bob").covers(0)
    assert sockets.open == {"bob"}


@pytest.mark.parametrize("command", [name for name in ENDING if name != "disable"])
def test_after_these_commands_a_new_login_counts(
    pool: str,
    sockets: Sockets,
    command: str,
) -> None:
    run("create", ADA, "--role", "acme:agent")
    run("add-team", ADA, "acme:sales")

    assert run(*ENDING[command]) == 0

    assert not revocation_of(principal_of(pool)).covers(now_s() + 2)


def test_a_disabled_person_is_refused_until_enabled_and_old_tokens_stay_refused(
    pool: str,
    sockets: Sockets,
) -> None:
    run("create", ADA, "--role", "acme:agent")
    ada, began = principal_of(pool), now_s()

    run("disable", ADA)
    assert revocation_of(ada).covers(now_s() + 10**6)
    run("enable", ADA)

    assert revocation_of(ada).covers(began)
    assert not revocation_of(ada).covers(now_s() + 2)


def test_the_principal_names_a_user_of_the_pool_as_well(pool: str, sockets: Sockets) -> None:
    run("create", ADA, "--role", "acme:agent")
    ada = principal_of(pool)

    assert run("disable", ada) == 0

    assert described(pool)["Enabled"] is False
    assert revocation_of(ada).is_blocked


def test_a_person_of_another_provider_is_blocked_signed_out_and_admitted_by_principal(
    pool: str,
    sockets: Sockets,
    capsys: pytest.CaptureFixture[str],
) -> None:
    connected(sockets, ELSEWHERE, "one")

    assert run("sign-out", ELSEWHERE) == 0
    assert sockets.closed == ["one"]
    assert revocation_of(ELSEWHERE).covers(now_s() - 2)
    assert run("disable", ELSEWHERE) == 0
    assert revocation_of(ELSEWHERE).is_blocked
    assert "change the login there too" in capsys.readouterr().err
    assert run("enable", ELSEWHERE) == 0
    assert not revocation_of(ELSEWHERE).is_blocked


@pytest.mark.parametrize("given", ["user:", 'user:"', "user:a#b", f"user:{'a' * 121}"])
def test_a_principal_that_no_person_can_have_is_refused(
    pool: str,
    sockets: Sockets,
    capsys: pytest.CaptureFixture[str],
    given: str,
) -> None:
    assert run("disable", given) == 1

    assert "error: user: must be user: and an id" in capsys.readouterr().err
    assert boto3.client("dynamodb").scan(TableName=table("ApiKeysTable").name)["Items"] == []


def test_the_operators_clock_does_not_matter(
    pool: str,
    sockets: Sockets,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run("create", ADA, "--role", "acme:agent")
    began = now_s()
    an_hour_ago = clock.now_ms() - 3_600_000
    monkeypatch.setattr(clock, "now_ms", lambda: an_hour_ago)

    run("remove-role", ADA, "acme:agent")

    assert revocation_of(principal_of(pool)).covers(began)


def test_a_connection_that_stays_open_is_an_error_and_a_repeat_closes_it(
    pool: str,
    sockets: Sockets,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run("create", ADA, "--role", "acme:agent")
    ada = principal_of(pool)
    connected(sockets, ada, "one")
    sockets.broken.add("one")
    capsys.readouterr()

    assert run("disable", ADA) == 1
    assert "1 live connections are still open" in capsys.readouterr().err
    assert (revocation_of(ada).is_blocked, described(pool)["Enabled"]) == (True, False)
    sockets.broken.clear()

    assert run("disable", ADA) == 0
    assert sockets.closed == ["one"]


def test_a_connection_that_api_gateway_was_about_to_accept_is_closed_too(
    pool: str,
    sockets: Sockets,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run("create", ADA, "--role", "acme:agent")
    connected(sockets, principal_of(pool), "young")
    sockets.open.clear()
    monkeypatch.setattr(clock, "sleep_ms", lambda _: sockets.open.add("young"))

    assert run("disable", ADA) == 0

    assert sockets.closed == ["young"]


CALLS_OF_DISABLE = 11


@pytest.mark.parametrize("number", range(1, CALLS_OF_DISABLE + 1))
def test_a_disable_that_dies_at_any_call_is_completed_by_a_repeat_and_the_api_is_closed_first(
    pool: str,
    sockets: Sockets,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
) -> None:
    run("create", ADA, "--role", "acme:agent")
    ada = principal_of(pool)
    connected(sockets, ada, "one")
    made: list[str] = []
    dies_at = number

    def watch(model: Any, **_: object) -> None:
        made.append(model.name)
        if len(made) == dies_at:
            raise EndpointConnectionError(endpoint_url="https://aws")

    make: Any = boto3.client

    def watched(name: str) -> Any:
        client = make(name)
        client.meta.events.register("before-call", watch)
        return client

    monkeypatch.setattr(boto3, "client", watched)

    assert run("disable", ADA) == 1
    monkeypatch.setattr(boto3, "client", make)
    if not described(pool)["Enabled"]:
        assert revocation_of(ada).is_blocked, made
    assert run("disable", ADA) == 0

    assert revocation_of(ada).is_blocked
    assert described(pool)["Enabled"] is False
    assert sockets.closed == ["one"]
    if number == CALLS_OF_DISABLE:
        assert made == [
            *("AdminGetUser", "UpdateItem", "UpdateItem", "AdminDisableUser", "AdminUserGlobalSignOut"),
            *("Query", "BatchGetItem", "DeleteItem", "Query", "Query", "Query"),
        ]  # fmt: skip


def test_the_outputs_that_the_commands_need_are_those_of_the_template() -> None:
    from tests.template import template  # noqa: PLC0415 - one use

    assert {users.USER_POOL, arguments.TABLE_OF_KEYS, *sessions.OUTPUTS} <= set(
        template()["Outputs"]
    )
