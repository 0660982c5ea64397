"""People log in to the deployed stack as a browser does, and call the API with their access tokens."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import jwt
import pytest
import urllib3
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from events.whatsapp.sample_data import COMPANY, Customer
from local.demo.webhook_sender import wait_until_empty
from local.stack.processes import ROOT
from local.stack.seed import LOGINS, NAMES, PASSWORD, TEAM
from shared.access.logins import LoginSettings
from tests.e2e import webhooks
from tests.e2e.access.browser import Browser
from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e
http = urllib3.PoolManager(retries=False, timeout=60)
ROUTE = "/whatsapp/conversations?phone=15550783881"


@dataclass(frozen=True)
class People:
    """The stack, and a browser at its login pages."""

    deployed: Deployed
    browser: Browser

    def token(self, address: str) -> str:
        return str(self.browser.log_in(address, PASSWORD)["access_token"])

    def call(
        self,
        token: str,
        method: str = "GET",
        path: str = ROUTE,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, dict[str, Any]]:
        answer = http.request(
            method,
            self.deployed.stack.api_url + path,
            body=None if body is None else json.dumps(body),
            headers={"Authorization": f"Bearer {token}", **(headers or {})},
        )
        content: dict[str, Any] = answer.json()
        return answer.status, content

    def operate(self, *words: str) -> str:
        """Run `operations users` and return its output."""
        ran = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "operations", "users", *words, "--local"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()


def subject_of(token: str) -> str:
    return str(jwt.decode(token, options={"verify_signature": False})["sub"])


@pytest.fixture(scope="module")
def people(deployed: Deployed) -> People:
    stack = deployed.stack
    stored = stack.client("ssm").get_parameter(Name="/parley/local/logins")
    settings = LoginSettings.read(stored["Parameter"]["Value"])
    return People(deployed, Browser(settings, stack.console_url))


def test_an_agent_logs_in_with_code_and_pkce_and_reads_the_inbox(people: People) -> None:
    status, answer = people.call(people.token("agent@acme.example"))

    assert status == 200, answer
    assert "conversations" in answer["result"]


def test_a_login_is_bound_to_its_company_and_its_role(people: People) -> None:
    agent, recruiter = (people.token(f"{name}@acme.example") for name in ("agent", "recruiter"))

    assert people.call(agent, headers={"x-company": "globex"})[0] == 403
    assert people.call(recruiter)[0] in {200, 404}
    assert people.call(recruiter)[1].get("result", {}).get("conversations", []) == []
    status, refused = people.call(agent, path="/conversations/parked")
    assert (status, refused["error"]["code"]) == (403, "forbidden")


@pytest.fixture(scope="module")
def conversation(people: People) -> str:
    """The key of a conversation of the demo company, which other tests do not change."""
    sender = Customer("Lou Logins", wa_id=f"447702{time.time_ns() % 1_000_000:06}")
    webhooks.write(people.deployed.stack, sender, "Who reads this?")
    wait_until_empty(people.deployed.stack)
    token = people.token("supervisor@acme.example")
    found = people.call(token)[1]["result"]["conversations"]
    return str(next(one["key"] for one in found if one["customer"] == sender.wa_id))


def test_a_change_names_the_person(people: People, conversation: str) -> None:
    token = people.token("supervisor@acme.example")
    principal = f"user:{subject_of(token)}"
    path = f"/whatsapp/conversations/{conversation}"

    status, answer = people.call(token, "PATCH", path, {"assignee": principal})

    assert status == 200, answer
    [change, *_] = people.call(token, path=f"{path}/changes")[1]["result"]["changes"]
    assert (change["by"], change["changed"]["assignee"]) == (principal, principal)
    status, refused = people.call(token, "PATCH", path, {"archived": True, "agentId": "eve"})
    assert (status, refused["error"]["details"][0]["field"]) == (400, "agentId")


@pytest.mark.parametrize("header", [{}, {"x-company": "acme"}])
def test_a_person_of_another_company_neither_reads_nor_changes_a_conversation(
    people: People, conversation: str, header: dict[str, str]
) -> None:
    owner, other = (people.token(f"{name}@acme.example") for name in ("supervisor", "recruiter"))
    path = f"/whatsapp/conversations/{conversation}"
    before = people.call(owner, path=path)[1]["result"]

    for method, where, body in (
        ("GET", path, None),
        ("GET", f"{path}/messages", None),
        ("GET", f"{path}/notes", None),
        ("GET", f"{path}/changes", None),
        ("PATCH", path, {"archived": True}),
        ("POST", f"{path}/notes", {"text": "mine"}),
    ):
        status, answer = people.call(other, method, where, body, headers=header)
        assert (status, set(answer)) == (403 if header else 404, {"error", "request_id"}), where

    assert people.call(owner, path=path)[1]["result"] == before
    assert people.call(owner, path=f"{path}/notes")[1]["result"]["notes"] == []


@pytest.mark.long
def test_no_log_line_has_a_token_or_an_address(people: People) -> None:
    tokens = people.browser.log_in("agent@acme.example", PASSWORD)
    access = tokens["access_token"]
    people.call(access)
    people.call(access[:-4] + "AAAA")
    people.call(tokens["id_token"])

    logs = people.deployed.stack.client("logs")
    groups = [f"/aws/lambda/parley-local-{name}" for name in ("api-authorizer", "whatsapp-api")]
    lines = [
        event["message"]
        for group in groups
        for page in logs.get_paginator("filter_log_events").paginate(logGroupName=group)
        for event in page["events"]
    ]
    assert any("credentials refused" in line for line in lines)
    assert any(f"user:{subject_of(access)}" in line for line in lines)
    for secret in ("acme.example", access.split(".")[1], access.split(".")[2][:-8]):
        assert not any(secret in line for line in lines)


@pytest.mark.long
def test_other_tokens_are_answered_with_401(people: People) -> None:
    tokens = people.browser.log_in("agent@acme.example", PASSWORD)
    access = tokens["access_token"]
    header, claims, signature = access.split(".")
    stack = people.deployed.stack
    cognito = stack.client("cognito-idp")
    flows = {"ExplicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH"]}
    other = cognito.create_user_pool_client(
        UserPoolId=stack.user_pool_id, ClientName="other", **flows
    )["UserPoolClient"]
    of_other = cognito.initiate_auth(
        ClientId=other["ClientId"],
        AuthFlow="USER_PASSWORD_AUTH",
        AuthParameters={"USERNAME": "agent@acme.example", "PASSWORD": PASSWORD},
    )["AuthenticationResult"]["AccessToken"]

    refused = {
        "garbage": "garbage",
        "three parts of garbage": "a.b.c",
        "identity token": tokens["id_token"],
        "refresh token": tokens["refresh_token"],
        "another signature": f"{header}.{claims}.{signature[:-8]}AAAAAAAA",
        "another client": of_other,
    }
    for name, token in refused.items():
        status, answer = people.call(token)
        assert (name, status, answer["error"]["code"]) == (name, 401, "unauthenticated")
    assert http.request("GET", stack.api_url + ROUTE).status == 401


@pytest.mark.long
def test_a_token_is_refused_as_soon_as_it_has_expired(people: People) -> None:
    stack = people.deployed.stack
    cognito = stack.client("cognito-idp")
    about = {"UserPoolId": stack.user_pool_id, "ClientId": stack.console_client_id}
    before = cognito.describe_user_pool_client(**about)["UserPoolClient"]
    units = before["TokenValidityUnits"]
    try:
        # Cognito's shortest time is five minutes; the emulator issues tokens for one second.
        cognito.update_user_pool_client(
            **about, AccessTokenValidity=1, TokenValidityUnits=units | {"AccessToken": "seconds"}
        )
        token = people.token("agent@acme.example")
    finally:
        cognito.update_user_pool_client(
            **about, AccessTokenValidity=before["AccessTokenValidity"], TokenValidityUnits=units
        )

    claims = jwt.decode(token, options={"verify_signature": False})
    assert claims["exp"] - claims["iat"] == 1
    deadline = claims["exp"] + 60
    while (answered := people.call(token))[0] == 200 and time.time() < deadline:
        pass  # valid until it expires, however often it is used

    status, answer = answered
    assert (status, answer["error"]["code"]) == (401, "unauthenticated")
    assert people.call(people.token("agent@acme.example"))[0] == 200


@pytest.mark.long
def test_a_code_is_worth_nothing_without_its_verifier(people: People) -> None:
    page = people.browser.login_page(challenge="A" * 43)

    answer = people.browser.submit(page, {"username": "agent@acme.example", "password": PASSWORD})
    code = people.browser.code_of(answer)

    assert people.browser.exchange(code, "B" * 43)["error"] == "invalid_grant"


@pytest.mark.long
def test_a_refreshed_token_keeps_the_roles(people: People) -> None:
    tokens = people.browser.log_in("agent@acme.example", PASSWORD)

    refreshed = people.browser.refresh(tokens["refresh_token"])

    assert people.call(refreshed["access_token"])[0] == 200


@pytest.mark.long
def test_an_operator_creates_a_person_changes_roles_and_disables_the_login(people: People) -> None:
    address = f"new-{secrets.token_hex(4)}@acme.example"
    first = people.operate("create", address, "--role", f"{COMPANY}:agent", "--no-mail")

    tokens = people.browser.log_in(address, first, new_password="Another-Password-2")
    assert people.call(tokens["access_token"])[0] == 200
    subject = subject_of(tokens["access_token"])
    people.operate("add-role", address, "globex:agent")
    [row] = [line for line in people.operate("list").splitlines() if line.startswith(address)]
    assert row.split("\t")[2:] == [
        f"user:{subject}",
        "confirmed",
        f"{COMPANY}:agent,globex:agent",
        "-",
    ]
    assert address not in people.operate("list", "--company", "initech")

    both = people.browser.log_in(address, "Another-Password-2")["access_token"]
    status, answer = people.call(both)
    assert (status, answer["error"]["details"][0]["field"]) == (400, "x-company")
    assert people.call(both, headers={"x-company": COMPANY})[0] == 200
    for role in (f"{COMPANY}:agent", "globex:agent"):
        people.operate("remove-role", address, role)
    without = people.browser.log_in(address, "Another-Password-2")["access_token"]
    assert people.call(without)[0] == 403

    reset = people.operate("reset-password", address, "--no-mail")
    people.browser.log_in(address, reset, new_password="Third-Password-3")
    people.operate("disable", address)
    assert people.browser.is_refused(address, "Third-Password-3")
    people.operate("enable", address)
    assert people.browser.log_in(address, "Third-Password-3")["access_token"]


@pytest.mark.long
def test_people_and_teams_of_the_company_are_listed_by_name(people: People) -> None:
    token = people.token("agent@acme.example")

    status, body = people.call(token, path="/people")

    assert status == 200
    me = f"user:{subject_of(token)}"
    (found,) = [one for one in body["result"]["people"] if one["principal"] == me]
    assert (found["name"], found["teams"]) == (NAMES["agent@acme.example"], [TEAM])
    assert NAMES["recruiter@acme.example"] not in {one["name"] for one in body["result"]["people"]}
    assert TEAM in body["result"]["teams"]


def test_the_description_of_the_stack_names_the_console(people: People) -> None:
    description = json.loads((ROOT / ".local" / "stack.json").read_text())

    assert description["console_url"] == people.browser.returns_to
    assert len(LOGINS) == 5


@pytest.mark.long
def test_signing_out_ends_the_tokens_and_the_connections_of_the_person_only(people: People) -> None:
    agent, colleague = (people.token(f"{name}@acme.example") for name in ("agent", "supervisor"))
    with connected(people, agent) as mine, connected(people, colleague) as theirs:
        status, answer = people.call(agent, "POST", "/sign-out", {})

        assert (status, answer["result"]) == (200, {"openConnections": 0})
        assert is_closed(mine)
        assert people.call(agent)[0] == 401
        assert people.call(colleague)[0] == 200
        theirs.send('{"ping": {}}')
        assert not is_closed(theirs, within_seconds=1)
    time.sleep(1)  # tokens of the second of the sign-out are refused, too
    assert people.call(people.token("agent@acme.example"))[0] == 200


@pytest.mark.long
def test_a_person_who_is_disabled_while_connected_loses_the_token_and_the_connection(
    people: People,
) -> None:
    address = f"gone-{secrets.token_hex(4)}@acme.example"
    first = people.operate("create", address, "--role", f"{COMPANY}:agent", "--no-mail")
    token = people.browser.log_in(address, first, new_password="Another-Password-2")["access_token"]
    with connected(people, token) as socket:
        ticket = people.call(token, "POST", "/live/tickets", {})[1]["result"]

        people.operate("disable", address)

        assert is_closed(socket)
        assert people.call(token)[0] == 401
        with pytest.raises(InvalidStatus), connect(address_of(ticket), proxy=None):
            pass
    people.operate("enable", address)
    assert people.call(token)[0] == 401


def address_of(ticket: Mapping[str, Any]) -> str:
    return f"{ticket['url']}?ticket={ticket['ticket']}"


@contextmanager
def connected(people: People, token: str) -> Iterator[ClientConnection]:
    """A connection for live updates, with a ticket of this token."""
    ticket = people.call(token, "POST", "/live/tickets", {})[1]["result"]
    with connect(address_of(ticket), open_timeout=60, proxy=None) as socket:
        yield socket


def is_closed(socket: ClientConnection, within_seconds: float = 60) -> bool:
    """Whether the server closes the connection in this time; messages before that do not matter."""
    deadline = time.monotonic() + within_seconds
    try:
        while True:
            socket.recv(timeout=max(0.0, deadline - time.monotonic()))
    except ConnectionClosed:
        return True
    except TimeoutError:
        return False
