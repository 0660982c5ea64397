"""Notifications: what the feeds store, and what GET /inbox/notifications lists, counts and marks as read."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import boto3
import pytest

from shared.aws.dynamodb import Table
from shared.inbox import entries
from shared.inbox.items import Context
from shared.inbox.notifications import causes, records
from shared.inbox.notifications.causes import WaitingDraft, WrittenNote
from shared.inbox.notifications.items import EndedCampaign, Notification
from shared.inbox.notifications.notifier import Notifier
from tests.aws import api_gateway
from tests.integration.answers import Answer
from tests.integration.console.system import ACME, GLOBEX, READ, InboxSystem, Invocation, Listed
from tests.template import properties

if TYPE_CHECKING:
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Attributes

KIM = replace(ACME, principal="user:kim")
LEE = replace(ACME, principal="user:lee")
ALARM = "2026-01-01T11:00:00.000Z"
SINCE = "2026-01-01T12:30:00.000Z"
type Told = list[tuple[str, str]]


class Feed:
    """The feed of heads that are held in memory, with its notes and drafts."""

    def __init__(self, listed: Listed) -> None:
        self.listed = listed
        self.table = Table(boto3.client("dynamodb"), str(properties("LiveTable")["TableName"]))
        self.additions: dict[str, causes.Added] = {}

    def added(self, key: Attributes) -> causes.Added | None:
        return self.additions.get(str(key["pk"]))

    @property
    def notifier(self) -> Notifier:
        return Notifier(table=self.table, additions=self)

    def show(self, reference: str, minute: int = 0, **facts: Any) -> tuple[str, ...]:
        """Show a changed head, and return who is notified."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(entries, "refresh", lambda *_: None)
            self.listed.show(reference, minute, **facts)
        return self.refresh(reference)

    def refresh(self, reference: str) -> tuple[str, ...]:
        listed = self.listed
        notify = self.notifier.of_entry
        made = entries.refresh(listed.tables, listed, reference, notify=notify)
        return made.notified if made else ()

    def add(self, added: causes.Added) -> tuple[str, ...]:
        self.additions[added.key] = added
        made = self.notifier.of_addition(self.listed.tables.inbox, self.listed, {"pk": added.key})
        return made.notified if made else ()


@pytest.fixture
def feed(inbox: InboxSystem, listed: Listed) -> Feed:
    del inbox
    return Feed(listed)


def told(inbox: InboxSystem, caller: Caller = KIM, **query: Any) -> Told:
    """Kind and conversation of each notification, newest first."""
    found = inbox.get(caller, "/inbox/notifications", **query).result["notifications"]
    return [(one["kind"], (one.get("conversation") or {}).get("handleText", "-")) for one in found]


def unread(inbox: InboxSystem, caller: Caller = KIM, **query: Any) -> int:
    return int(inbox.get(caller, "/inbox/notifications", **query).result["unread"])


def shown_to(inbox: InboxSystem) -> list[dict[str, Any]]:
    return list(inbox.get(KIM, "/inbox/notifications").result["notifications"])


def post(inbox: InboxSystem, path: str, body: dict[str, Any], caller: Caller = KIM) -> Answer:
    headers = {"Idempotency-Key": str(uuid4())}
    line = f"POST /inbox/notifications/{path}"
    answer = inbox.module.handler(
        api_gateway.request(line, body, caller, headers=headers), Invocation()
    )
    return Answer(answer["statusCode"], json.loads(answer["body"]))


def test_changes_of_a_conversation_notify_its_assignee_once_each(
    inbox: InboxSystem, feed: Feed
) -> None:
    mail = {"context": Context.EMAIL_THREADS, "due_at": SINCE, "due_for": "resolution"}
    waits = {"waiting_since": SINCE, "unread_count": 1}
    steps: list[tuple[dict[str, Any], tuple[str, ...]]] = [
        ({}, ()),
        ({"assignee": "user:kim", "assigned_by": "user:lee"}, ("user:kim",)),
        ({"assignee": "user:kim", "minute": 31, **waits}, ("user:kim",)),
        ({"assignee": "user:kim", "minute": 32, **waits, "unread_count": 2}, ()),
        ({"assignee": "user:kim", "minute": 33}, ()),
        ({"assignee": "user:kim", "minute": 33, **mail, "due_state": "at_risk"}, ("user:kim",)),
        ({"assignee": "user:kim", "minute": 33, **mail, "due_state": "overdue"}, ("user:kim",)),
        ({"assignee": "user:kim", "minute": 34, **mail, "due_state": "overdue"}, ()),
        ({"assignee": "user:lee", "assigned_by": "user:lee", "minute": 34}, ()),
        ({"assignee": "shift-2", "minute": 35, **waits}, ()),
    ]

    for number, (facts, notified) in enumerate(steps):
        context = {"context": Context.EMAIL_THREADS}
        assert feed.show("ada", **{"minute": 0} | context | facts) == notified, number
        assert feed.refresh("ada") == ()

    kinds = [kind for kind, _ in told(inbox)]
    assert sorted(kinds) == ["assigned", "at_risk", "overdue", "replied"]
    assert unread(inbox) == 4
    assert told(inbox, LEE) == []
    assert told(inbox, replace(KIM, company="globex")) == []


def test_a_write_that_is_repeated_after_a_crash_is_one_notification(
    inbox: InboxSystem, listed: Listed, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed.show("ada")
    with monkeypatch.context() as patch:
        patch.setattr(Table, "put", _killed_at_entries(Table.put))
        with pytest.raises(KeyboardInterrupt):
            feed.show("ada", assignee="user:kim")

    assert feed.refresh("ada") == ("user:kim",)

    assert told(inbox) == [("assigned", "ada")]
    assert unread(inbox) == 1


def _killed_at_entries(put: Any) -> Any:
    def killed(self: Table, item: Attributes, **more: Any) -> None:
        if str(item["pk"]).startswith("ENTRY#"):
            raise KeyboardInterrupt
        put(self, item, **more)

    return killed


def test_notes_notify_those_they_mention_and_drafts_the_assignee(
    inbox: InboxSystem, feed: Feed
) -> None:
    feed.show("ada", assignee="user:lee", assigned_by="user:lee")
    mentions = causes.mentions_in(
        "<@user:kim> and <@team:sales>, not <@api-key:1> or kim@x <@user:kim>"
    )
    note = WrittenNote(reference="ada", key="NOTE#1", at=SINCE, by="user:lee", mentions=mentions)
    own = replace(note, key="NOTE#2", mentions=("user:lee",))
    draft = WaitingDraft(reference="ada", key="draft", at=SINCE, by="ai")

    assert feed.add(note) == feed.add(note) == ("user:kim", "team:sales")
    assert feed.add(own) == ()
    assert feed.add(replace(note, reference="gone")) == ()
    assert feed.add(draft) == ("user:lee",)
    assert feed.add(replace(draft, key="own", by="user:lee")) == ()

    assert told(inbox) == [("mentioned", "ada")]
    assert told(inbox, KIM, teams="sales") == [("mentioned", "ada")] * 2
    assert told(inbox, LEE, teams="sales") == [("draft", "ada")]
    assert told(inbox, GLOBEX, teams="sales") == []


def test_a_notification_is_shown_with_the_rights_that_its_reader_has_now(
    inbox: InboxSystem, listed: Listed, feed: Feed
) -> None:
    hiring: dict[str, Any] = {"context": Context.CONVERSATIONS, "project_id": "hiring"}
    feed.show("ada", assignee="user:kim", contact="Ada", preview="secret words", **hiring)

    only_whatsapp = replace(KIM, scopes=frozenset({"whatsapp:read"}))
    other_project = replace(KIM, projects=frozenset({"sales"}))
    assert [unread(inbox, one) for one in (KIM, only_whatsapp, other_project)] == [1, 0, 0]
    shown = json.dumps(inbox.get(KIM, "/inbox/notifications").body)
    assert "Ada" in shown
    assert "secret words" not in shown
    listed.remove("ada")
    assert told(inbox) == [("assigned", "-")]


def test_the_end_of_a_campaign_is_listed_with_its_id_to_people_who_read_whatsapp(
    inbox: InboxSystem, feed: Feed
) -> None:
    over = EndedCampaign(company="acme", campaign="01A", owner="user:kim", at=SINCE, is_over=True)
    stops = [replace(over, at=at, is_over=False, campaign="01B") for at in (ALARM, SINCE)]
    again = replace(over, at=ALARM)  # two people cancelled it at the same time
    records.put(feed.table, [*map(Notification.of_campaign, (over, over, *stops, again))])

    found = shown_to(inbox)

    assert sorted(one["campaign"] for one in found) == ["01A", "01B", "01B"]
    assert all("conversation" not in one for one in found)
    assert unread(inbox, kind="campaign") == 3
    assert unread(inbox, replace(KIM, scopes=READ - {"whatsapp:read"})) == 0
    assert told(inbox, LEE) == told(inbox, replace(KIM, company="globex")) == []
    post(inbox, "settings", {"muted": ["campaign"]})
    assert told(inbox) == []


def test_a_person_marks_some_or_all_notifications_as_read(inbox: InboxSystem, feed: Feed) -> None:
    for name in ("ada", "ben", "cem"):
        feed.show(name, assignee="team:sales")
    feed.show("ada", assignee="user:kim")
    found = inbox.get(KIM, "/inbox/notifications", teams="sales").result["notifications"]
    newest, second = found[0]["id"], found[1]["id"]

    post(inbox, "read", {"ids": [second]})

    assert unread(inbox, KIM, teams="sales") == 3
    assert unread(inbox, LEE, teams="sales") == 3  # a team's are read by each person
    post(inbox, "read", {"upTo": newest})
    assert unread(inbox, KIM, teams="sales") == 0
    assert all(one["isRead"] for one in shown_to(inbox))
    assert post(inbox, "read", {"upTo": second}).result["readTo"] == newest.partition("#")[0]
    assert post(inbox, "read", {}).status == 400
    assert post(inbox, "read", {"ids": ["x"]}).status == 400


def test_muted_kinds_are_neither_listed_nor_counted(inbox: InboxSystem, feed: Feed) -> None:
    feed.show("ada", assignee="user:kim")
    hours = {"quietFrom": "22:00", "quietTo": "07:00", "zone": "Europe/Berlin"}

    made = post(inbox, "settings", {"muted": ["assigned"], **hours})

    mails = {"isDigestOffered": False, "lacksAddress": False}
    assert made.result == {"muted": ["assigned"], **hours, **mails}
    assert (unread(inbox), told(inbox)) == (0, [])
    assert inbox.get(KIM, "/inbox/notifications").result["settings"] == made.result
    assert unread(inbox, replace(KIM, scopes=READ - {"whatsapp:read"})) == 0
    for wrong in ({"quietFrom": "22:00"}, hours | {"zone": "Mars/Olympus"}, {"muted": ["all"]}):
        assert post(inbox, "settings", wrong).status == 400
    assert post(inbox, "settings", {"quietUntil": "2099-01-01T00:00:00Z"}).status == 400
