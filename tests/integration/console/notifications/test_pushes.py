"""Pushes to browsers without an open page: one for what is new, also if a run is killed at any call, and never two."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field, fields, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import jwt
import pytest
from botocore.exceptions import ReadTimeoutError
from cryptography.hazmat.primitives.asymmetric import ec

from shared.access.logins import LoginSettings, StoredLogins
from shared.inbox.live import posts, subscriptions
from shared.inbox.live.announcements import ANNOUNCED
from shared.inbox.live.hints import Announcer
from shared.inbox.live.items import CONNECTION_SECONDS, Connection
from shared.inbox.live.push_starts import PushStarts
from shared.inbox.live.subscriptions import MOST_OF_PERSON
from shared.inbox.notifications import records
from shared.inbox.notifications.items import Notification
from shared.providers import http
from shared.providers.http import Answer
from shared.runtime import clock
from tests.integration.console.live.test_live import change
from tests.integration.console.notifications.test_digests import _Killed, kill
from tests.integration.console.notifications.test_notifications import KIM, LEE, Feed, post
from tests.integration.console.system import InboxSystem, Invocation, Listed

if TYPE_CHECKING:
    from shared.api.auth import Caller

ENDPOINT = "https://fcm.googleapis.com/fcm/send/dGVzdA:APA91b"
FUNCTION = "parley-dev-inbox-api:live"
CONSOLE = "https://example.test/console"
NOON = clock.from_text("2026-01-01T12:00:00.000Z")
# Browser; state; connections; lists of the person and a team; claim.
CALLS = 6


@dataclass
class Pushed:
    """A feed, the inbox's function that it starts, and the push service, which answers *status*."""

    inbox: InboxSystem
    feed: Feed
    now: list[int]
    started: list[dict[str, Any]] = field(default_factory=list)
    got: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    status: int = 201

    def show(self, reference: str, **facts: Any) -> int:
        """Change a conversation, announce it as a feed does, run what that starts, and return how many pushes came."""
        self.now[0] += 1
        self.announce(*self.feed.show(reference, **facts))
        return self.run()

    def announce(self, *notified: str) -> None:
        module = self.inbox.module
        starts = PushStarts(module.live_table, FUNCTION)
        vars(starts)["client"] = self
        announcer = Announcer(live=module.sessions, key_of=lambda one: one.reference, pushes=starts)
        self.started.clear()
        announcer.announce([change(notified=notified)], 3_000)

    def invoke(self, *, FunctionName: str, InvocationType: str, Payload: bytes) -> None:
        assert (FunctionName, InvocationType) == (FUNCTION, "Event")
        self.started.append(json.loads(Payload))

    def run(self) -> int:
        """Hand over what was started, as Lambda does, and return how many pushes came."""
        for event in self.started:
            assert self.inbox.module.handler(event, Invocation()) == {}
        return self.taken()

    def call(self, method: str, url: str, *, headers: Any, body: bytes, **_: Any) -> Answer:
        """Take a push."""
        assert (method, body) == ("POST", b"")
        self.got.append((url, dict(headers)))
        return Answer(self.status, b"")

    def taken(self) -> int:
        """How many pushes came since the last call."""
        count = len(self.got)
        self.got.clear()
        return count

    def subscribe(self, *teams: str, caller: Caller = KIM, endpoint: str = ENDPOINT) -> None:
        answer = post(self.inbox, "push", {"endpoint": endpoint, "teams": list(teams)}, caller)
        assert answer.result == {"isSubscribed": True}

    def browsers(self, caller: Caller = KIM) -> list[str]:
        found = subscriptions.of_principal(self.inbox.module.live_table, caller.principal)
        return sorted(one.endpoint for one in found)


@pytest.fixture
def pushed(inbox: InboxSystem, listed: Listed, monkeypatch: pytest.MonkeyPatch) -> Pushed:
    now = [NOON]
    monkeypatch.setattr(clock, "now_ms", lambda: now[0])
    found = Pushed(inbox, Feed(listed), now)
    monkeypatch.setattr(http, "call", found.call)
    names = [one.name for one in fields(LoginSettings)]
    logins = LoginSettings(**dict.fromkeys(names, "") | {"console_url": CONSOLE})
    monkeypatch.setattr(StoredLogins, "value", lambda _: logins)
    return found


def test_an_absent_person_gets_a_push_for_what_is_new(pushed: Pushed) -> None:
    assert pushed.show("ada", assignee="user:kim") == 0
    pushed.subscribe("sales")

    assert pushed.show("ben", assignee="user:lee") == 0
    assert pushed.show("cem", assignee="user:kim", assigned_by="user:lee") == 1
    assert pushed.run() == 0  # the event came twice
    assert pushed.show("dan", assignee="team:sales", assigned_by="user:lee") == 1
    assert pushed.show("eva", assignee="team:sales", assigned_by="user:kim") == 0
    assert pushed.show("fay", assignee="team:shop") == 0

    post(pushed.inbox, "read", {"upTo": f"{clock.to_text(pushed.now[0] + 5)}#{'0' * 24}"})
    pushed.started.append({"push": {"company": "acme", "browsers": ["PUSH#unknown"]}})
    assert pushed.run() == 0


@pytest.mark.parametrize(
    "quiet",
    [
        {"quietUntil": "2026-01-01T13:00:00Z"},
        {"quietFrom": "22:00", "quietTo": "13:30", "zone": "Europe/Berlin"},
        {"quietFrom": "12:30", "quietTo": "13:30", "zone": "Europe/Berlin"},
        {"muted": ["assigned"]},
    ],
)
def test_a_person_who_is_not_to_be_disturbed_gets_none(
    pushed: Pushed, quiet: dict[str, Any]
) -> None:
    pushed.subscribe()
    assert post(pushed.inbox, "settings", quiet).status == 200
    assert pushed.show("ada", assignee="user:kim") == 0

    assert post(pushed.inbox, "settings", {"quietFrom": "20:00", "quietTo": "08:00", "zone": "UTC"})
    assert pushed.run() == 1


def test_a_person_with_an_open_page_gets_none(pushed: Pushed) -> None:
    pushed.subscribe()
    connection = Connection(
        **Connection.key("acme", "one"),
        company="acme",
        principal=KIM.principal,
        contexts=set(),
        projects=set(),
        connection_id="one",
        connected_at=NOON,
        ttl=clock.expires_in(CONNECTION_SECONDS),
    )
    pushed.inbox.module.live_table.put(connection.attributes())

    assert pushed.show("ada", assignee="user:kim") == 0


@pytest.mark.parametrize(("number", "after"), list(product(range(1, CALLS + 1), (False, True))))
def test_a_run_that_is_killed_at_a_call_and_repeated_sends_at_most_one_push(
    pushed: Pushed, monkeypatch: pytest.MonkeyPatch, number: int, *, after: bool
) -> None:
    pushed.subscribe("sales")
    pushed.now[0] += 1
    pushed.announce(*pushed.feed.show("ada", assignee="user:kim"))
    with monkeypatch.context() as patch:
        made = kill(patch, number, after=after)
        with pytest.raises(_Killed):
            pushed.run()
        assert len(made) == number
    is_claimed = number == CALLS and after

    assert pushed.taken() == 0
    assert pushed.run() == (0 if is_claimed else 1)
    assert pushed.show("ben", assignee="user:kim") == 1


def test_a_browser_that_its_service_does_not_know_is_forgotten(pushed: Pushed) -> None:
    for status, is_kept in ((429, True), (503, True), (410, False)):
        pushed.subscribe()
        pushed.status = status
        assert pushed.show(f"n{status}", assignee="user:kim") == 1
        assert pushed.browsers() == ([ENDPOINT] if is_kept else [])


def test_a_push_is_signed_for_its_service_and_has_no_content(pushed: Pushed) -> None:
    pushed.subscribe()
    key = pushed.inbox.get(KIM, "/inbox/notifications/push").result["key"]
    pushed.now[0] += 1
    pushed.announce(*pushed.feed.show("ada", assignee="user:kim"))
    (event,) = pushed.started
    pushed.inbox.module.handler(event, Invocation())

    ((url, headers),) = pushed.got
    scheme, _, parts = headers["Authorization"].partition(" ")
    token, _, named = parts.partition(", k=")
    point = base64.urlsafe_b64decode(f"{key}=")
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    claims = jwt.decode(
        token.removeprefix("t="),
        public,
        algorithms=["ES256"],
        audience="https://fcm.googleapis.com",
        options={"verify_exp": False},
    )
    assert (url, scheme, named, len(point)) == (ENDPOINT, "vapid", key, 65)
    assert claims["sub"] == CONSOLE
    assert 0 < claims["exp"] - pushed.now[0] // 1_000 <= 24 * 3_600
    assert headers.keys() == {"Authorization", "TTL", "Topic", "Urgency"}


def test_a_feed_goes_on_if_pushes_cannot_be_started(
    pushed: Pushed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: Any) -> None:
        raise ReadTimeoutError(endpoint_url="https://lambda")

    pushed.subscribe()
    monkeypatch.setattr(pushed, "invoke", broken)
    assert pushed.show("ada", assignee="user:kim") == 0


def test_a_browser_is_of_a_push_service_and_the_oldest_are_replaced(pushed: Pushed) -> None:
    for endpoint in (
        "http://fcm.googleapis.com/fcm/send/1",
        "https://fcm.googleapis.com.evil.example/1",
        "https://169.254.169.254/latest",
        "https://evil.example/#.notify.windows.com/",
        "https://user@fcm.googleapis.com/1",
        "https://fcm.googleapis.com:8443/1",
        "https://web.push.apple.com/",
        "",
    ):
        answer = post(pushed.inbox, "push", {"endpoint": endpoint})
        assert (answer.status, [*answer.problems]) == (400, ["endpoint"]), endpoint
    for number in range(MOST_OF_PERSON + 2):
        pushed.now[0] += 1_000
        pushed.subscribe(endpoint=f"https://wns2-par02p.notify.windows.com/w/?token={number:02}")

    kept = [one[-2:] for one in pushed.browsers()]
    assert kept == [f"{number:02}" for number in range(2, MOST_OF_PERSON + 2)]


def test_a_person_ends_pushes_of_their_own_browser_and_of_all_by_signing_out(
    pushed: Pushed,
) -> None:
    pushed.subscribe()
    pushed.subscribe(endpoint=f"{ENDPOINT}2")
    pushed.subscribe(caller=LEE)
    assert post(pushed.inbox, "push/end", {"endpoint": ENDPOINT}, LEE).result == {
        "isSubscribed": False
    }
    assert (len(pushed.browsers()), len(pushed.browsers(LEE))) == (2, 0)
    assert post(pushed.inbox, "push/end", {"endpoint": ENDPOINT}).status == 200
    assert pushed.browsers() == [f"{ENDPOINT}2"]

    posts.close_all(pushed.inbox.module.sessions, KIM.principal)
    assert pushed.browsers() == []
    assert pushed.show("ada", assignee="user:kim") == 0


def test_an_event_of_another_company_reaches_no_browser(pushed: Pushed) -> None:
    pushed.subscribe(caller=replace(KIM, company="globex"))

    assert pushed.show("ada", assignee="user:kim") == 0
    assert pushed.started == []


def test_an_issue_that_ended_brings_a_push_to_the_person_who_made_it(pushed: Pushed) -> None:
    module = pushed.inbox.module
    pushed.subscribe()
    pushed.now[0] += 1_000
    at = clock.to_text(pushed.now[0])
    ended = Notification.of_issue("acme", KIM.principal, "issue-1", at, 1)
    records.put(module.live_table, [ended])
    event = {"company": "acme", "context": "email_threads", "notified": [KIM.principal]}
    vars(module.announcer.pushes)["client"] = pushed

    for _ in range(2):  # Lambda may repeat it
        assert module.handler({ANNOUNCED: event}, Invocation()) == {}

    assert pushed.run() == 1
