"""Mails to people who are absent: one for each interval, also if a run is killed at any call, and never two."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.client import BaseClient
from botocore.exceptions import ConnectTimeoutError

from console.notifications import digests
from console.notifications.routes import NO_ADDRESS
from shared.access.user_pool import principal_of
from shared.inbox.items import Context
from shared.inbox.live.items import CONNECTION_SECONDS, Connection
from shared.providers.email.ses import Ses
from shared.runtime import clock
from tests.integration.console.notifications.test_notifications import Feed, post
from tests.integration.console.system import ACME, InboxSystem, Invocation, Listed

if TYPE_CHECKING:
    from shared.api.auth import Caller

ADDRESS = "ann@orchard.example"
NOON = clock.from_text("2026-01-01T12:00:00.000Z")
CALL = "_make_api_call"
# The look for due ones; settings of logins, user, groups; state, lists of two owners; connections; claim; mail.
CALLS = 10


class Mails:
    """A person with an address, and the mails that SES has accepted."""

    def __init__(
        self, inbox: InboxSystem, feed: Feed, now: list[int], patch: pytest.MonkeyPatch
    ) -> None:
        self.inbox, self.feed, self.now = inbox, feed, now
        people = inbox.people
        people.create(ADDRESS, ["acme:agent"], invites=False)
        people.add(ADDRESS, "acme:team:sales")
        (user,) = people.all()
        self.ann: Caller = replace(ACME, principal=principal_of(user))
        boto3.client("sesv2").create_email_identity(EmailIdentity="no-reply@shop.example")
        module = inbox.module
        self.deps = replace(
            module.digest_deps,
            sender="no-reply@shop.example",
            ses=lambda: Ses(lambda: boto3.client("sesv2")),
        )
        patch.setattr(module, "digest_deps", self.deps)
        # Of the routes, whose deployment has no domain.
        patch.setattr(digests.DigestDependencies, "is_offered", True)

    def count(self) -> int:
        return int(boto3.client("ses").get_send_quota()["SentLast24Hours"])

    def later(self, hours: float) -> None:
        self.now[0] += int(hours * clock.HOUR_MS)

    def run(self) -> int:
        """Run the schedule, and return how many mails it has sent."""
        before = self.count()
        self.inbox.module.handler({"source": "aws.events"}, Invocation())
        return self.count() - before


class _Killed(BaseException):
    """The function stops."""


def kill(patch: pytest.MonkeyPatch, number: int, *, after: bool) -> list[str]:
    """Stop at this call to AWS, before or after it has its effect; return the calls, which are added later."""
    call: Any = getattr(BaseClient, CALL)
    made: list[str] = []

    def killing(self: Any, operation: str, parameters: Any) -> Any:
        made.append(operation)
        if len(made) == number and not after:
            raise _Killed
        answer = call(self, operation, parameters)
        if len(made) == number:
            raise _Killed
        return answer

    patch.setattr(BaseClient, CALL, killing)
    return made


@pytest.fixture
def mails(inbox: InboxSystem, listed: Listed, monkeypatch: pytest.MonkeyPatch) -> Mails:
    now = [NOON]
    monkeypatch.setattr(clock, "now_ms", lambda: now[0])
    made = Mails(inbox, Feed(listed), now, monkeypatch)
    assert post(inbox, "settings", {"digestHours": 4, "language": "de"}, made.ann).status == 200
    now[0] += 1
    return made


def test_a_person_who_is_absent_gets_one_mail_in_each_interval_with_something_new(
    mails: Mails,
) -> None:
    mails.feed.show("ada", assignee=mails.ann.principal, contact="Ada Canary")
    mails.feed.show("ben", assignee="team:sales", assigned_by=mails.ann.principal)

    assert mails.run() == 0
    mails.later(4)
    assert mails.run() == 1
    assert mails.run() == 0
    mails.later(4)
    assert mails.run() == 0  # nothing is new
    mails.feed.show("cem", assignee="team:sales")
    mails.later(9)
    assert [mails.run(), mails.run()] == [1, 0]


def test_a_mail_has_numbers_and_a_link_alone(mails: Mails, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, Any]] = []
    mails.feed.show("ada", assignee=mails.ann.principal, contact="Ada Canary", preview="secret")
    mails.later(4)
    call: Any = getattr(BaseClient, CALL)

    def watching(self: Any, operation: str, parameters: Any) -> Any:
        if operation == "SendEmail":
            sent.append(parameters)
        return call(self, operation, parameters)

    monkeypatch.setattr(BaseClient, CALL, watching)
    mails.run()

    (mail,) = sent
    assert mail["Destination"] == {"ToAddresses": [ADDRESS]}
    content = mail["Content"]["Simple"]
    assert content["Subject"]["Data"] == "Ungelesene Benachrichtigungen: 1"
    text = content["Body"]["Text"]["Data"]
    assert "- Zugewiesen: 1" in text
    assert "/dev/console" in text
    assert not any(word in str(mail) for word in ("Canary", "secret", "ada"))


@pytest.mark.long
def test_a_run_that_is_killed_at_any_call_never_leads_to_a_second_mail(
    mails: Mails, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    for number, after in product(range(1, CALLS + 1), (False, True)):
        mails.now[0] += 1
        mails.feed.show(f"{number} {after}", assignee=mails.ann.principal)
        mails.later(4)
        before = mails.count()
        with monkeypatch.context() as patch:
            made = kill(patch, number, after=after)
            with pytest.raises(_Killed):
                digests.send_due(mails.deps, Invocation())  # type: ignore[arg-type]  # has the method used
        mails.run()
        mails.run()

        # Lost between the claim and the mail, else sent once.
        is_lost = (made[-1], after) in {("PutItem", True), ("SendEmail", False)}
        assert mails.count() - before == (0 if is_lost else 1), (made, after)
        calls = made
    assert calls[-2:] == ["PutItem", "SendEmail"]


def test_a_mail_that_ses_refuses_is_made_up_for_in_the_next_interval(
    mails: Mails, monkeypatch: pytest.MonkeyPatch
) -> None:
    mails.feed.show("ada", assignee=mails.ann.principal)
    mails.later(4)
    ses = boto3.client("sesv2")
    ses.delete_email_identity(EmailIdentity=mails.deps.sender)
    assert mails.run() == 0

    ses.create_email_identity(EmailIdentity=mails.deps.sender)
    assert mails.run() == 0
    mails.later(4)
    assert mails.run() == 1


def test_who_is_present_or_has_read_all_or_may_not_read_gets_no_mail(
    mails: Mails, inbox: InboxSystem
) -> None:
    mails.feed.show("ada", assignee=mails.ann.principal)
    mails.later(4)
    connection = Connection(
        **Connection.key("acme", "open"),
        company="acme",
        principal=mails.ann.principal,
        contexts=set(Context),
        projects={"*"},
        connection_id="open",
        connected_at=mails.now[0],
        ttl=clock.expires_in(CONNECTION_SECONDS),
    )
    live = inbox.module.deps.live
    live.put(connection.attributes())
    assert mails.run() == 0
    live.delete(connection.own_key)

    mails.later(4)
    inbox.people.remove(ADDRESS, "acme:agent")
    assert mails.run() == 0
    settings = inbox.get(mails.ann, "/inbox/notifications").result["settings"]
    assert "digestHours" not in settings


def prove(mails: Mails, inbox: InboxSystem, *, is_proven: bool) -> None:
    people = inbox.people
    proven = [{"Name": "email_verified", "Value": str(is_proven).lower()}]
    people.client.admin_update_user_attributes(
        UserPoolId=people.pool, Username=ADDRESS, UserAttributes=proven
    )


def test_the_settings_say_that_mails_have_ended_without_a_proven_address(
    mails: Mails, inbox: InboxSystem
) -> None:
    def settings() -> dict[str, Any]:
        found: dict[str, Any] = inbox.get(mails.ann, "/inbox/notifications").result["settings"]
        return found

    mails.feed.show("ada", assignee=mails.ann.principal)
    prove(mails, inbox, is_proven=False)
    mails.later(4)
    assert mails.run() == 0
    assert (settings()["lacksAddress"], "digestHours" in settings()) == (True, False)

    prove(mails, inbox, is_proven=True)
    assert post(inbox, "settings", {"digestHours": 4}, mails.ann).status == 200
    assert (settings()["lacksAddress"], settings()["digestHours"]) == (False, 4)
    mails.later(1)
    mails.feed.show("ben", assignee=mails.ann.principal)
    mails.later(4)
    assert mails.run() == 1


def test_a_person_without_a_proven_address_cannot_choose_mails(
    mails: Mails, inbox: InboxSystem
) -> None:
    prove(mails, inbox, is_proven=False)

    answer = post(inbox, "settings", {"muted": ["draft"], "digestHours": 24}, mails.ann)
    assert (answer.status, answer.problems) == (400, {"digestHours": NO_ADDRESS})
    assert post(inbox, "settings", {"muted": ["draft"]}, mails.ann).status == 200


def test_mails_can_be_chosen_while_the_user_pool_does_not_answer(
    mails: Mails, inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    prove(mails, inbox, is_proven=False)
    with monkeypatch.context() as patch:
        call: Any = getattr(BaseClient, CALL)

        def failing(self: Any, operation: str, parameters: Any) -> Any:
            if operation == "ListUsers":
                raise ConnectTimeoutError(endpoint_url="https://cognito")
            return call(self, operation, parameters)

        patch.setattr(BaseClient, CALL, failing)
        assert post(inbox, "settings", {"digestHours": 24}, mails.ann).status == 200

    mails.later(24)
    assert mails.run() == 0
    settings = inbox.get(mails.ann, "/inbox/notifications").result["settings"]
    assert settings["lacksAddress"]


def test_mails_are_offered_only_where_ses_sends_some(inbox: InboxSystem) -> None:
    answer = post(inbox, "settings", {"digestHours": 24})

    assert (answer.status, answer.problems) == (400, {"digestHours": "no mails are sent here"})
