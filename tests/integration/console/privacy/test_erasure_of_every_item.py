"""No item of the inbox, of contacts or of consent has a trace of an erased person, beyond what the receipt names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest
from boto3.dynamodb.types import TypeDeserializer

from console.privacy.jobs import REMAINDERS
from local.docs.table_reference import CONTACTS, INBOX, LIVE
from shared.api.audit_log.items import Change as Audited
from shared.api.auth import Caller
from shared.identity.contacts.items import Profile
from shared.inbox import entries
from shared.inbox.items import Context, Entry
from shared.inbox.notifications import records
from shared.inbox.notifications.items import Notification, NotificationKind
from shared.policy.consent import withdrawals
from shared.policy.consent.items import Consent
from shared.policy.consent.withdrawals import Withdrawal
from shared.runtime import clock
from tests.erasure.coverage import Day, class_of
from tests.erasure.traces import words
from tests.integration.console.contacts.exchange.imports import ADMIN, Files
from tests.integration.console.people import (
    ADA,
    BEN,
    CANARY,
    COMPANY,
    MAIL,
    NAME,
    People,
    people_on_moto,
)
from tests.integration.console.privacy.requests import Desk
from tests.template import properties

if TYPE_CHECKING:
    from tests.integration.console.system import InboxSystem
    from tests.integration.whatsapp.conftest import Harness

OLD = "+447700900177"  # Ada's number before, which another person has since
SOUGHT = words(ADA, f"+{ADA}", OLD, MAIL, NAME, CANARY)
BOSS = Caller(
    company=COMPANY,
    scopes=ADMIN.scopes | {"consent:read", "whatsapp:write", "privacy:admin"},
    principal="user:kim",
)
PATTERNS = {
    **{f"inbox {one.__name__}": f"inbox {one.pk_pattern}" for one in INBOX},
    **{f"live {one.__name__}": f"live {one.pk_pattern} {sort}" for one, sort in LIVE.items()},
    **{
        f"contacts {one.__name__}": f"contacts {one.pk_pattern} {one.sk_pattern}"
        for one in (Profile, *CONTACTS)
    },
    "audit Change": f"audit {Audited.pk_pattern} {Audited.sk_pattern}",
    "log Consent": f"log {Consent.pk_pattern} {Consent.sk_pattern}",
    "log Withdrawal": f"log {Withdrawal.pk_pattern} {Withdrawal.sk_pattern}",
}
# Classes of which no item has a trace of a person, with the reason.
WITHOUT_TRACES = {
    "audit Change": "ids",
    "contacts Change": "ids, and names of fields",
    "contacts ContactList": "the name of a list: a remainder of the receipt",
    "contacts Definitions": "names of attributes: a remainder of the receipt",
    "contacts Export": "ids; the file is a remainder",
    "contacts Found": "ids, under a keyed hash",
    "contacts Import": "names of columns, and counts; the file is a remainder",
    "contacts ImportRows": "numbers of lines and columns, and rules",
    "contacts ListedRequest": "ids",
    "contacts Marker": "ids, under a hash",
    "contacts Member": "ids",
    "contacts Membership": "ids",
    "contacts Merge": "ids",
    "contacts OpenRequest": "ids",
    "inbox DayCounts": "numbers",
    "inbox InboxRequest": "sealed answers, under a hash",
    "inbox SavedViews": "filters without words of a search: a remainder of the receipt",
    "live Notification": "ids",
    "live SearchCount": "numbers",
}
# Classes of which the day stores no item, with the reason.
WITHOUT_ITEMS = {
    "contacts OpenWork": "ids, while a job runs",
    "contacts PrivacySettings": "a setting of the company",
    "contacts Retention": "days",
    "contacts Segment": "conditions of the company: a remainder of the receipt",
    "contacts Ticket": "ids: tests/integration/console/privacy/test_person_erasure.py",
    "inbox BulkChange": "a label, and filters that are removed at its end: a remainder of the receipt",
    "inbox BulkPage": "hashes of conversations",
    "inbox BulkUndo": "states and assignees of conversations",
    "inbox BusyDays": "dates",
    "inbox CompanyLists": "numbers, and kinds of events",
    "inbox NotificationState": "settings of a colleague, and ids",
    "inbox OutcomeDay": "numbers",
    "inbox PersonMonth": "numbers",
    "inbox Rebuild": "a key: a remainder of the receipt",
    "inbox ReportSettings": "settings of the company",
    "live Connection": "a sealed key",
    "live MetricCount": "numbers",
    "live PushSubscription": "the browser of a colleague",
    "live Ticket": "rights of a colleague",
    "live Webhook": "an address of the company, and a colleague",
    "live Waiting": "a hash of a conversation",
    "live Logged": "a hash of a conversation",
    "live Due": "ids",
}


@pytest.fixture
def people(harness: Harness, inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch) -> People:
    return people_on_moto(harness, inbox, monkeypatch)


def values(people: People) -> dict[str, Any]:
    """All items of the tables of inbox, contacts and connections, the consent records, and the files of contacts."""
    tables = people.deps.tables
    names = {
        "inbox": tables.inbox.name,
        "contacts": tables.contacts.name,
        "live": str(properties("LiveTable")["TableName"]),
        "audit": str(properties("AuditLogTable")["TableName"]),
        "log": people.deps.consents.name,
    }
    found: dict[str, Any] = {}
    for name, table in names.items():
        for item in boto3.client("dynamodb").scan(TableName=table)["Items"]:
            plain = {one: TypeDeserializer().deserialize(value) for one, value in item.items()}
            place = f"{name} {plain['pk']} {plain.get('sk', '')}".strip()
            if name != "log" or plain["pk"].startswith("CONSENT#"):
                found[place] = plain
    for key in people.deps.bucket.all_keys_under("exports/~people/"):
        found[f"object {key}"] = people.deps.bucket.get(key)
    return found


class Office:
    """What people of the company store about Ada, over the API."""

    def __init__(self, people: People, desk: Desk) -> None:
        self.people, self.files = people, Files(people.inbox, desk)

    def ask(self, line: str, body: dict[str, Any] | None = None) -> Any:
        answer = self.files.ask(line, body, caller=BOSS)
        assert answer.status < 300, (line, answer.body)
        return answer.result

    def work(self) -> None:
        (ada,) = self.people.inbox.get(BOSS, "/contacts", q=MAIL).result["contacts"]
        path = f"/contacts/{ada['contactId']}"
        self.ask("PUT /attributes/about", {"kind": "text", "title": "About"})
        described = {"name": NAME, "organisation": CANARY, "attributes": {"about": CANARY}}
        self.ask(f"PATCH {path}", described | {"labels": [CANARY]})
        self.ask(f"POST {path}/notes", {"text": f"{NAME} {CANARY}"})
        regulars = self.ask("POST /contacts/lists", {"name": "Regulars"})["listId"]
        self.ask(f"POST /contacts/lists/{regulars}/members", {"contactIds": [ada["contactId"]]})
        other = {"kind": "external", "value": f"shop:{CANARY}"}
        twin = self.ask("POST /contacts", {"name": NAME, "identifiers": [other]})["contactId"]
        self.ask(f"POST {path}/merge", {"contactId": twin})
        for channel, state in (("sms", "opted_in"), ("email", "opted_out")):
            choice = {"channel": channel, "state": state, "evidence": f"{NAME} said {CANARY}"}
            self.ask(f"POST {path}/consents", choice)
        self.ask(f"POST {path}/identifiers", {"kind": "phone", "value": OLD})
        withdrawal = Withdrawal(at="2025-12-31T12:00:00.000Z", evidence=f"wamid.{ADA}")
        withdrawals.note(self.people.deps.consents, COMPANY, OLD, withdrawal)
        self._files()
        self._inbox()

    def _files(self) -> None:
        text = f"phone,name\n+{ADA},{NAME}\n{CANARY},{NAME}\n"
        path = self.files.imported(text, "phone", "name")
        assert self.people.inbox.get(BOSS, path).result["outcome"] == "done"
        self.ask("POST /contacts/exports", {})
        asked = {"kind": "export", "subject": {"phone": f"+{ADA}"}, "reason": "asked"}
        self.ask("POST /privacy/requests", asked)

    def _inbox(self) -> None:
        inbox = self.people.deps.tables.inbox
        self.people.inbox.save_view("Mine", {"label": "vip"}, BOSS)
        stored = values(self.people).items()
        entry = next(Entry.read(item) for _, item in stored if "handle" in item)
        note = Notification.of(
            NotificationKind.ASSIGNED, BOSS.principal, entry, clock.to_text(clock.now_ms())
        )
        notifier = self.people.feeds[0].notifier
        assert notifier is not None
        records.put(notifier.table, [note])
        entries.park(inbox, Context.WHATSAPP, f"CONV#106540352242922#{ADA}9", "bad_head")


@pytest.mark.long
def test_nothing_of_a_person_is_left_and_every_class_is_tried(people: People) -> None:
    people.write("wamid.2", BEN, "of another person", "Ben")
    people.show()
    before = values(people)
    people.store()
    desk, running = Desk(people), {}
    Office(people, desk).work()
    desk.drain()
    stored = values(people)
    request_id = desk.request().result["id"]
    people.meanwhile = lambda: running or running.update(values(people))
    desk.drain()
    people.show()
    done = Day(others=before, person={**stored, **running}, erased=values(people), words=SOUGHT)

    assert done.left() == {}
    assert done.harmed(except_for=["REPORT"]) == []
    own = desk.shown(request_id)["receipts"][-1]
    assert own["counts"]["consents"] == 3
    assert {one["kind"] for one in [*own["kept"], *own["outside"]]} == {
        one.kind for one in REMAINDERS
    }
    found = {name for place in done.person if (name := class_of(place, PATTERNS)) is not None}
    assert sorted(PATTERNS.keys() - found) == sorted(WITHOUT_ITEMS)
    assert sorted(found - done.tried(PATTERNS)) == sorted(WITHOUT_TRACES)
