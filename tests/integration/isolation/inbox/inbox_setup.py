"""The inbox over all contexts with entries of company A in each context, and one of B; a person of each."""

from __future__ import annotations

import io
import json
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from moto import mock_aws

from console.api.bulk.requests import ID_DIGITS
from console.store import person_requests
from console.store.bulk.items import BulkChange
from console.store.person_requests import PersonRequest
from console.store.retention import Retention
from shared.access.user_pool import address_of
from shared.api.auth import Caller
from shared.contacts import lists, segments
from shared.contacts.conditions import Comparison, Operator
from shared.identity import keyed_hashes
from shared.identity.contacts import attributes, details, merges, resolution
from shared.identity.contacts.attributes import Definition, Kind
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.contacts.history import Act
from shared.identity.contacts.items import Note
from shared.identity.identifiers import IdentifierKind, identifier
from shared.inbox import entries
from shared.inbox.items import Context, Entry
from shared.inbox.lists import partitions
from shared.inbox.lists.items import CompanyLists, SavedViews
from shared.inbox.notifications import items as notifications
from shared.inbox.notifications.webhooks.items import EventType, Logged, SigningKey, Webhook
from shared.inbox.reports.items import DayCounts, OutcomeDay, PersonMonth, ReportSettings
from shared.privacy import PART
from shared.runtime import clock
from tests.aws import client_pool
from tests.integration.console.system import (
    InboxSystem,
    Invocation,
    Listed,
    inbox_call,
    inbox_on_moto,
)
from tests.integration.isolation.attacks.attacks import (
    Answer,
    Attacker,
    Call,
    Stored,
    operations_of,
    owner_of,
)
from tests.integration.isolation.inbox import contact_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

OTHER_CLAIMS = (Claim(identifier(IdentifierKind.PHONE, "+447700900198"), Proof.PROVIDER),)
ADDED = identifier(IdentifierKind.PHONE, "+447700900196")
THIRD_CLAIMS = (Claim(identifier(IdentifierKind.PHONE, "+447700900197"), Proof.PROVIDER),)
CLAIMS = (Claim(identifier(IdentifierKind.PHONE, "+447700900199"), Proof.PROVIDER),)
OWNER = "api-key:owner"
NOTE = "1767268800000-b"
PERSON = "canary-person@acme.example"
CHANGE = "a" * ID_DIGITS
REQUEST = "b" * ID_DIGITS
HOOK = "c" * 16
DELIVERY = f"1767268800000_{'d' * 24}"
# Each call issues another ticket, with a later end, makes another list, or counts another change.
# boto3 signs the form of an upload with the time of the machine.
_SIGNED = "policy|x-amz-date|x-amz-signature"
_DIFFERENT = re.compile(
    rf'("(?:ticket|expiresAt|createdAt|{_SIGNED})":)"[^"]*"|("revision":)[0-9]+'
)


@dataclass
class TwoCompanies:
    """The inbox with entries of all contexts of company A and, always, one of B."""

    inbox: InboxSystem
    company_a: str = "acme"
    company_b: str = "globex"
    project_a: str = "hiring"
    other_project_a: str = "sales"
    words: tuple[str, ...] = ("canary-words", "canary-person", "canary-team")
    ids: tuple[str, ...] = ("447700900199",)
    names: Mapping[str, str] = field(default_factory=dict)
    contacts: Mapping[str, str] = field(default_factory=dict)
    _calls: list[str] = field(default_factory=list)
    _of_b: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        """B's entry and person, and the names of A's things."""
        module = self.inbox.module
        for client, service in (
            (module.deps.table._client, "dynamodb"),
            (module.colleagues._client(), "cognito-identity-provider"),
            (module.bulk_deps.functions.client(), "lambda"),
        ):
            client.meta.events.register(
                f"before-call.{service}",
                lambda model, **_: self._calls.append(
                    f"{model.service_model.service_name}.{model.name}"
                ),
            )
        functions = module.bulk_deps.functions.client()
        functions.meta.events.register("before-call.lambda.Invoke", _answered_by_context)
        self._show(company_id="globex", reference="of-b", handle="447700900102")
        self._of_b = [item["pk"] for item in self._people()]
        self._employ("eve@globex.example", "globex:agent", "globex:team:night")
        self.with_a()
        self.names = {
            "words": "canary-words",
            "assignee": "kim",
            **self.contacts,
            "person": "canary-person",
            "team": "canary-team",
            "change": CHANGE,
            "request_id": REQUEST,
            "webhook_id": HOOK,
            "delivery_id": DELIVERY,
            **contact_files.NAMES,
        }

    def with_a(self) -> None:
        self._remove_contacts()
        self._remove_made_by_b()
        for context in Context:
            self._show(
                company_id="acme",
                context=context,
                reference=f"of-{context}",
                handle="447700900199",
                preview="canary-words",
                assignee="kim",
                contact="Canary-Person",
                claims=CLAIMS,
                project_id="hiring" if context is Context.CONVERSATIONS else None,
            )
        # On the second page of a search for the name.
        self._show(
            company_id="acme",
            reference="of-another",
            handle="447700900199",
            contact="Canary-Person",
            claims=OTHER_CLAIMS,
        )
        self.contacts = self._contacts()
        self._employ(PERSON, "acme:agent", "acme:team:canary-team")
        saved = SavedViews(
            pk=SavedViews.key("acme", "team:canary-team"),
            company_id="acme",
            owner="team:canary-team",
            revision=1,
            views={"canary-words": {"assignee": "kim"}},
        )
        self.inbox.table.put(saved.attributes())
        self._notify()
        self._hook()
        self._report()
        self.inbox.table.put(self._change().attributes())
        person_requests.add(self.inbox.tables.contacts, self._request())
        contact_files.store(self.inbox)
        days = {"whatsapp": 77, "conversations": 88, "email_threads": 99}
        kept = Retention(**Retention.key_of("acme"), company_id="acme", version=1, days=days)
        self.inbox.tables.contacts.put(kept.attributes())
        self._calls.clear()

    def _notify(self) -> None:
        """Notify A's team of a conversation of a project."""
        entry = entries.get(
            self.inbox.table, Entry.key(Context.CONVERSATIONS, f"of-{Context.CONVERSATIONS}")
        )
        assert entry is not None
        at = "2026-01-01T12:00:00.000Z"
        told = notifications.Notification.of(
            notifications.NotificationKind.ASSIGNED,
            "team:canary-team",
            entry,
            at,
            by="canary-person",
        )
        self.inbox.module.deps.live.put(told.attributes())

    def _hook(self) -> None:
        """A webhook of A, with a delivery in its log."""
        live, now = self.inbox.module.deps.live, clock.now_ms()
        key = SigningKey(number=1, fingerprint=keyed_hashes.all_keys()[0].fingerprint, cause="a")
        hook = Webhook(
            **Webhook.key("acme", HOOK),
            company="acme",
            name="canary-words",
            url="https://canary-words.example.com/hook",
            types={EventType.OPENED},
            contexts=set(Context),
            created_at="2026-01-01T12:00:00.000Z",
            created_by=OWNER,
            signing=[key],
        )
        delivered = Logged(
            **Logged.key("acme", HOOK, DELIVERY),
            type=EventType.TEST,
            attempts=1,
            result="delivered",
            tried_at="2026-01-01T12:00:00.000Z",
            ttl=now // 1_000 + clock.DAY_SECONDS,
        )
        for item in (hook, delivered):
            live.put(item.attributes())

    def _request(self) -> PersonRequest:
        """A request of A that waits for a confirmation."""
        return PersonRequest(
            **PersonRequest.key_of("acme", REQUEST),
            company_id="acme",
            request_id=REQUEST,
            kind="erase",
            stage="waiting",
            requested_at="2026-01-01T12:00:00.000Z",
            requested_by="user:canary-person",
            reason="canary-words",
            given=["phone", "+447700900199"],
            expires_at="2099-01-01T12:00:00.000Z",
        )

    def _change(self) -> BulkChange:
        """An ended change of A's caller, which refused a conversation."""
        caller = owner_of(self)
        refused = Entry.key(Context.WHATSAPP, f"of-{Context.WHATSAPP}")
        return BulkChange(
            pk=BulkChange.key(caller.company, caller.principal),
            company_id=caller.company,
            principal=caller.principal,
            scopes=set(caller.scopes),
            projects=set(caller.projects),
            change_id=CHANGE,
            activity="2026-01-01T12:00:00.000Z",
            action="label",
            value="canary-words",
            stage="ended",
            outcome="done",
            done=1,
            refused=1,
            refusals=[{"entry": refused, "code": "forbidden"}],
            ttl=clock.expires_in(clock.DAY_SECONDS),
        )

    def without_a(self, _: Attacker = Attacker.OTHER_COMPANY) -> None:
        table = self.inbox.table
        self._remove_contacts()
        for item in self._items():
            if item.get("company_id", {}).get("S") == "acme":
                table.delete({"pk": item["pk"]["S"]})
        self._remove_lists()
        self._remove_counts()
        self._remove_made_by_b()
        self._remove_live(lambda pk: "#acme" in pk and pk.startswith(("NOTIFIED#", "WEBHOOK")))
        people = self.inbox.people
        if PERSON in map(address_of, people.all()):
            people.client.admin_delete_user(UserPoolId=people.pool, Username=PERSON)
            for group in ("acme:agent", "acme:team:canary-team"):
                people.client.delete_group(UserPoolId=people.pool, GroupName=group)
        self._calls.clear()

    def send(self, line: str, call: Call, caller: Caller | None) -> Answer:
        method, path = line.split(" ")
        self.inbox.module.colleagues._kept.clear()  # of another execution environment
        partitions.forget()
        self._begin_another_minute()
        self._forget_answers()
        answer = self.inbox.module.handler(
            inbox_call(
                method, path.format(**call.path), caller, call.query, call.body, call.headers
            ),
            Invocation(),
        )
        return Answer(answer["statusCode"], _DIFFERENT.sub(r'\1\2"-"', answer["body"]))

    def stored(self) -> Stored:
        items = [
            one
            for one in self._items()
            if not one["pk"]["S"].startswith(("REQUEST#", "NOTIFIED#"))  # of the caller itself
        ]
        stored: Stored = {("entry", item["pk"]["S"]): item for item in items}
        for item in self._people():
            stored["contact", item["pk"]["S"], item["sk"]["S"]] = item
        live = self.inbox.module.deps.live
        for item in live._client.scan(TableName=live.name)["Items"]:
            if item["pk"]["S"].startswith(("WEBHOOKS#", "WEBHOOK_LOG#")):
                stored["webhook", item["pk"]["S"], item["sk"]["S"]] = item
        return stored

    def operations(self) -> list[str]:
        return operations_of(self._calls)

    def _begin_another_minute(self) -> None:
        """
        Remove the counts of searches, whose first call of a minute makes more calls than the others, and the webhooks
        that B has made.
        """
        kept = ("NOTIFIED#", "WEBHOOKS#acme", "WEBHOOK_LOG#acme")
        self._remove_live(lambda pk: not pk.startswith(kept))
        self.inbox.table.delete({"pk": CompanyLists.key("globex")})

    def _remove_live(self, is_meant: Callable[[str], bool]) -> None:
        client, table = client_pool.direct("dynamodb"), self.inbox.module.deps.live.name
        for item in client.scan(TableName=table)["Items"]:
            if is_meant(item["pk"]["S"]):
                client.delete_item(TableName=table, Key={"pk": item["pk"], "sk": item["sk"]})

    def _forget_answers(self) -> None:
        """Remove the stored answers: their keys are keys of requests, which have the same ids here."""
        for item in self._items():
            if item["pk"]["S"].startswith(("REQUEST#", "NOTIFIED#")):
                self.inbox.table.delete({"pk": item["pk"]["S"]})
        self._calls.clear()

    def _contacts(self) -> dict[str, str]:
        """Give the first contact of A an identifier, merge it with a third one, and return the names of all that."""
        table = self.inbox.tables.contacts
        first = self._contact_of(f"of-{Context.WHATSAPP}")
        added = Claim(ADDED, Proof.COMPANY)
        third, own = (
            resolution.resolve(table, "acme", claims, clock.now_ms())
            for claims in (THIRD_CLAIMS, (added,))
        )
        profile = resolution.root_of(table, "acme", own)
        assert profile is not None
        act = Act("merged", "api-key:1")
        merges.name_identifier(table, profile, ADDED.value, "added")
        merges.add_identifier(table, "acme", first, own, Act("added", "api-key:1"))
        made = lists.create(table, "acme", "canary-words", by="kim", cause="listed")
        for one in (first, self._contact_of("of-another")):
            person = resolution.current(table, "acme", one)
            assert person is not None
            lists.add(table, "acme", made.sk, person)
        return {
            "list_id": made.sk,
            "segment_id": self._segment(),
            "contact_id": first,
            "other_contact_id": self._contact_of("of-another"),
            "identifier_id": own,
            "merge_id": merges.merge(table, "acme", first, third, act).merge_id,
            "note_id": self._noted(first),
        }

    def _segment(self) -> str:
        """Store conditions that contacts of A fit; return the id of the segment."""
        table = self.inbox.tables.contacts
        fits = Comparison("label", Operator.IS, ("canary-label",))
        return segments.create(table, "acme", "canary-words", fits, by="kim", cause="chosen").sk

    def _noted(self, contact_id: str) -> str:
        """Define an attribute, describe a contact of A by it, and write two notes about it; return the id of one."""
        table = self.inbox.tables.contacts
        made = Definition(kind=Kind.CHOICE, title="canary-title", choices=["gold"], filterable=True)
        attributes.define(table, "acme", "canary_tier", made)
        person = resolution.current(table, "acme", contact_id)
        assert person is not None
        fields = {"labels": {"canary-label"}, "owner": "team:canary-team"}
        given = {"canary_tier": "gold"}
        details.change(table, person, fields, act=Act("described", OWNER), values=given)
        for note_id in ("1767268800000-a", NOTE):  # written at the same time in each run
            note = Note(
                **Note.key("acme", person.contact_id, note_id),
                company_id="acme",
                note_id=note_id,
                text="canary-words",
                by=OWNER,
                at="2026-01-01T12:00:00.000Z",
                cause="noted",
            )
            table.put(note.attributes())
        return NOTE

    def _contact_of(self, reference: str) -> str:
        entry = entries.get(self.inbox.table, Entry.key(Context.WHATSAPP, reference))
        assert entry is not None
        assert entry.contact_id is not None
        return entry.contact_id

    def _remove_contacts(self) -> None:
        """Remove A's contacts, and its entries, which name them."""
        for item in self._people():
            if item["company_id"]["S"] == "acme":
                key = {name: item[name]["S"] for name in ("pk", "sk")}
                self.inbox.tables.contacts.delete(key)
        for item in self._items():
            if item["pk"]["S"].startswith("ENTRY#") and item["company_id"]["S"] == "acme":
                self.inbox.table.delete({"pk": item["pk"]["S"]})

    def _remove_lists(self) -> None:
        """Remove A's lists and segments; its contacts are nothing to anyone without their conversations."""
        for item in self._people():
            key = {name: item[name]["S"] for name in ("pk", "sk")}
            is_listed = any(word in f"{key}" for word in ("LIST", "SEGMENTS"))
            if item["company_id"]["S"] == "acme" and is_listed:
                self.inbox.tables.contacts.delete(key)

    def _report(self) -> None:
        """Counts of A on a day in January, and its business hours."""
        self._remove_counts()
        day = DayCounts.key(Context.WHATSAPP, "acme", "whatsapp", "2026-01-02")
        month = PersonMonth.key(Context.WHATSAPP, "acme", "kim", "2026-01")
        of_project = Context.CONVERSATIONS, "acme", self.project_a, "whatsapp"
        outcomes = OutcomeDay.key(*of_project, "2026-01-02"), {"v7_de_ended_alone": 7}
        counted = (day, {"opened": 7, "h12": 7}), (month, {"a02": 7, "s02": 70}), outcomes
        for key, counts in counted:
            self.inbox.table.update({"pk": key}, add=counts)
        hours = {
            "time_zone": "Africa/Nairobi",
            "periods": [{"days": ["monday"], "start": "09:00", "end": "17:00"}],
        }
        settings = ReportSettings(pk=ReportSettings.key("acme"), business_hours=hours, version=1)
        self.inbox.table.put(settings.attributes())

    def _remove_counts(self) -> None:
        """Remove the counts of A and its business hours."""
        for item in self._items():
            if item["pk"]["S"].startswith(("REPORT", "OUTCOME")) and "#acme" in item["pk"]["S"]:
                self.inbox.table.delete({"pk": item["pk"]["S"]})

    def _remove_made_by_b(self) -> None:
        """Remove the contacts that an attacker has made in its own company, and its business hours."""
        self.inbox.table.delete({"pk": ReportSettings.key("globex")})
        for item in self._people():
            if item["company_id"]["S"] == "globex" and item["pk"] not in self._of_b:
                key = {name: item[name]["S"] for name in ("pk", "sk")}
                self.inbox.tables.contacts.delete(key)

    def _people(self) -> list[dict[str, Any]]:
        table = self.inbox.tables.contacts
        found: list[dict[str, Any]] = table._client.scan(TableName=table.name)["Items"]
        return found

    def _show(self, **facts: Any) -> None:
        Listed(self.inbox.tables).show(facts.pop("reference"), **facts)

    def _employ(self, address: str, *groups: str) -> None:
        people = self.inbox.people
        if address not in {address_of(one) for one in people.all()}:
            people.create(address, groups, invites=False)

    def _items(self) -> list[dict[str, Any]]:
        table = self.inbox.table
        found: list[dict[str, Any]] = table._client.scan(TableName=table.name)["Items"]
        return found


def _answered_by_context(params: dict[str, Any], **_: Any) -> tuple[Any, dict[str, Any]]:
    """The functions of the contexts, which know nothing more of a person."""
    call = json.loads(params["body"]).get(PART, {})
    known = {"names": [], "has_passed_on": False}
    heads = [None] * len(call.get("references", ()))
    answer = json.dumps({"answer": heads if call.get("call") == "heads" else known}).encode()
    answered = SimpleNamespace(status_code=HTTPStatus.OK)
    return answered, {"StatusCode": HTTPStatus.OK, "Payload": io.BytesIO(answer)}


@contextmanager
def two_companies() -> Iterator[TwoCompanies]:
    """The inbox on moto, created once per module."""
    with mock_aws(), inbox_on_moto() as inbox:
        yield TwoCompanies(inbox)
