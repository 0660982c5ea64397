"""The consent of a person on all channels, and one choice for all identifiers of the person on a channel."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from shared.api.auth import Caller
from shared.policy.consent import unreachable, withdrawals
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.records import Consents
from shared.policy.consent.subscriptions import subscription
from shared.policy.consent.unreachable import Unreachable
from shared.policy.consent.withdrawals import Withdrawal
from shared.runtime import clock
from tests.integration.console.contacts.test_contact_changes import (
    EDITOR,
    LEA,
    NO_MAIL,
    id_of,
    send,
)
from tests.integration.console.contacts.test_contacts_api import GLOBEX, MARIO, people
from tests.integration.whatsapp.conftest import NOW, text

if TYPE_CHECKING:
    from tests.integration.console.system import Fed, InboxSystem, Listed
    from tests.integration.whatsapp.conftest import Harness

__all__ = ["people"]
CONSENT = Caller(
    company="acme",
    scopes=EDITOR.scopes | {"consent:read", "consent:write"},
    principal="api-key:supervisor",
)
ZOE, MAIL, NAMED = "+447700900101", "zoe.mueller@example.com", "+447700900150"


@pytest.fixture(autouse=True)
def _a_second_passes_with_each_look_at_the_clock(
    inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now_ms", count(clock.now_ms(), clock.SECOND_MS).__next__)


@pytest.fixture
def records(inbox: InboxSystem) -> Consents:
    consents: Consents = inbox.module.consent_records
    return consents


def states(inbox: InboxSystem, contact: str, caller: Caller = CONSENT) -> dict[str, Any]:
    """The state of each identifier by channel and value."""
    answer = inbox.get(caller, f"/contacts/{contact}/consents")
    assert answer.status == 200, answer
    return {
        f"{channel['channel']} {one['value']}": one.get("state")
        for channel in answer.result["channels"]
        for one in channel["identifiers"]
    }


def choose(
    inbox: InboxSystem, contact: str, channel: str, state: str, caller: Caller = CONSENT
) -> Any:
    body = {"channel": channel, "state": state, "evidence": "said so on the phone"}
    return send(inbox, f"POST /contacts/{contact}/consents", body, caller)


def test_a_choice_counts_for_all_identifiers_of_the_channel_and_is_shown_with_evidence(
    inbox: InboxSystem, people: Listed, records: Consents
) -> None:
    zoe = id_of(inbox, "zoe")
    send(inbox, f"POST /contacts/{zoe}/identifiers", LEA)
    whole = {f"{channel} {one}" for channel in ("whatsapp", "sms") for one in (ZOE, NAMED)}
    assert states(inbox, zoe) == dict.fromkeys({*whole, f"email {MAIL}"}, None)

    shown = choose(inbox, zoe, "sms", "opted_out").result
    (sms,) = [one for one in shown["channels"] if one["channel"] == "sms"]
    assert {one["evidence"] for one in sms["identifiers"]} == {"said so on the phone"}
    assert {one["recordedBy"] for one in sms["identifiers"]} == {"human:api-key:supervisor"}
    assert shown["complete"] is True
    for number in (ZOE, NAMED):
        assert records.standing("acme", [number], "sms").is_opted_out
        assert not records.standing("acme", [number], "whatsapp").is_opted_out

    choose(inbox, zoe, "*", "opted_out")
    assert {*states(inbox, zoe).values()} == {"opted_out"}
    choose(inbox, zoe, "whatsapp", "opted_in")
    assert {key for key, state in states(inbox, zoe).items() if state == "opted_in"} == {
        f"whatsapp {ZOE}",
        f"whatsapp {NAMED}",
    }


def test_an_opt_out_by_keyword_is_shown_for_every_identifier_of_the_person(
    inbox: InboxSystem, people: Listed, records: Consents
) -> None:
    said = Statement(source=Source.WORD, at_ms=clock.now_ms(), evidence="SM1", channel="sms")
    records.record_opt_out("acme", [ZOE], said)

    shown = inbox.get(CONSENT, f"/contacts/{id_of(inbox, 'zoe')}/consents").result

    found = [one for channel in shown["channels"] for one in channel["identifiers"]]
    assert {(one["state"], one["source"], one["saidBy"]) for one in found} == {
        ("opted_out", "word", "sms")
    }


def test_an_opt_out_counts_for_the_addresses_that_a_contact_is_given_later_and_after_an_undo(
    inbox: InboxSystem, people: Listed, records: Consents
) -> None:
    zoe, mario = id_of(inbox, "zoe"), id_of(inbox, "mario")
    said = Statement(source=Source.WORD, at_ms=clock.now_ms(), evidence="SM1", channel="sms")
    choose(inbox, mario, "whatsapp", "opted_in")
    records.record_opt_out("acme", [ZOE], said, channels=["sms"])

    merged = send(inbox, f"POST /contacts/{zoe}/merge", {"contactId": mario}).result
    send(inbox, f"POST /contacts/{mario}/identifiers", LEA)

    for number in (MARIO.value, NAMED):
        standing = records.standing("acme", [number], "sms")
        assert standing.newest is not None
        assert (standing.is_opted_out, standing.newest.evidence) == (True, "SM1")
        assert not records.standing("acme", [number], "whatsapp").is_opted_out
    send(inbox, f"POST /contacts/merges/{merged['mergeId']}/undo")
    assert states(inbox, mario)[f"sms {MARIO.value}"] == "opted_out"
    choose(inbox, mario, "sms", "opted_in")
    assert records.standing("acme", [MARIO.value], "sms").is_opted_in
    assert records.standing("acme", [ZOE], "sms").is_opted_out


def test_a_customer_who_hides_the_number_is_a_contact_and_opts_out_under_the_user_id(
    inbox: InboxSystem, harness: Harness, whatsapp: Fed, records: Consents
) -> None:
    user_id = "GB.13491208655302741918"
    message = text("wamid.1", "hello", sender="", at=NOW // 1000 - 60)
    profile = {"name": "Ada Byrne", "username": "ada.b"}
    contact = {"user_id": user_id, "profile": profile}
    harness.take({"messages": [message | {"from_user_id": user_id}], "contacts": [contact]})
    whatsapp.take()

    ada = id_of(inbox, user_id)
    assert choose(inbox, ada, "sms", "opted_out").status == 400
    assert choose(inbox, ada, "whatsapp", "opted_out").status == 200

    assert states(inbox, ada) == {f"whatsapp bsuid:{user_id}": "opted_out"}
    known = ["+447700900199", f"bsuid:{user_id}"]  # a number that the customer shows later
    assert records.standing("acme", known, "whatsapp").is_opted_out
    assert not records.standing("acme", known, "sms").is_opted_out


def test_who_changes_contacts_opts_them_out_and_an_opt_in_needs_the_right_to_record_consent(
    inbox: InboxSystem, people: Listed, records: Consents
) -> None:
    zoe = id_of(inbox, "zoe")
    assert choose(inbox, zoe, "email", "opted_in", EDITOR).status == 403
    # The address is opted out also if the caller may not see the mail that shows it.
    assert choose(inbox, zoe, "email", "opted_out", NO_MAIL).status == 200
    assert records.standing("acme", [MAIL], "email").is_opted_out
    reader = Caller(company="acme", scopes=NO_MAIL.scopes | {"consent:read"}, principal="api-key:3")
    assert {*states(inbox, zoe, reader)} == {f"whatsapp {ZOE}", f"sms {ZOE}"}
    assert choose(inbox, zoe, "*", "opted_in").status == 400
    mario = id_of(inbox, "mario")
    assert choose(inbox, mario, "email", "opted_out").status == 400
    other = Caller(company="globex", scopes=CONSENT.scopes, principal="api-key:2")
    assert choose(inbox, zoe, "sms", "opted_out", other).status == 404
    assert inbox.get(GLOBEX, f"/contacts/{zoe}/consents").status == 403


def test_a_number_that_another_person_has_by_now_is_left_alone(
    inbox: InboxSystem, people: Listed, records: Consents
) -> None:
    gone = Withdrawal(at="2026-01-02T00:00:00.000Z", evidence="wamid.1")
    withdrawals.note(records.table, "acme", ZOE, gone)
    zoe = id_of(inbox, "zoe")

    assert choose(inbox, zoe, "sms", "opted_out").status == 400
    assert choose(inbox, zoe, "*", "opted_out").result["complete"] is False
    assert records.standing("acme", [ZOE], "sms").newest is None


ADMIN = Caller(
    company="acme",
    scopes=CONSENT.scopes | {"contacts:admin"},
    principal="api-key:administrator",
)


def bounced(records: Consents, at: str = "2026-11-01T08:00:00.000Z") -> None:
    found = Unreachable(reason="General", at=at, evidence="IS-1/ses-1")
    unreachable.note(records.table, "acme", MAIL, "email", found)


def lifted(inbox: InboxSystem, caller: Caller = ADMIN, **changes: Any) -> Any:
    body = {
        "channel": "email",
        "value": MAIL,
        "since": "2026-11-01T08:00:00.000Z",
        "reason": "person_confirmed",
        "evidence": "has called us",
        **changes,
    }
    return send(inbox, f"POST /contacts/{id_of(inbox, 'zoe')}/reachability", body, caller)


def report_of(result: dict[str, Any]) -> dict[str, Any] | None:
    (mail,) = [one for one in result["channels"] if one["channel"] == "email"]
    (shown,) = [one for one in mail["identifiers"] if one["value"] == MAIL]
    report: dict[str, Any] | None = shown.get("unreachable")
    return report


def test_an_administrator_lifts_a_bounce_with_a_reason_and_evidence_that_stay(
    inbox: InboxSystem, people: Listed, records: Consents
) -> None:
    bounced(records)
    before = inbox.get(CONSENT, f"/contacts/{id_of(inbox, 'zoe')}/consents").result
    report = report_of(before)
    assert report is not None
    assert (report["reason"], report.get("liftedAt")) == ("General", None)

    answer = lifted(inbox)

    report = report_of(answer.result)
    assert report is not None
    assert report["liftedAt"] is not None
    assert (report["liftReason"], report["liftEvidence"]) == ("person_confirmed", "has called us")
    assert unreachable.of_address(records.table, "acme", MAIL, "email") is None
    assert not subscription(records.table, "acme", MAIL, None).is_unreachable
    assert lifted(inbox).status == 200, "a repeated call changes nothing"


def test_a_bounce_after_the_lift_counts_again_and_a_newer_one_than_was_seen_stays(
    inbox: InboxSystem, people: Listed, records: Consents
) -> None:
    bounced(records)
    lifted(inbox)
    bounced(records, at="2026-11-02T08:00:00.000Z")

    unseen = lifted(inbox)

    assert (unseen.status, unseen.body["error"]["code"]) == (409, "not_unreachable")
    assert subscription(records.table, "acme", MAIL, None).is_unreachable


def test_the_lift_of_a_bounce_leaves_a_complaint_and_an_opt_out(
    inbox: InboxSystem, people: Listed, records: Consents
) -> None:
    bounced(records)
    said = Statement(
        source=Source.COMPLAINT, at_ms=clock.now_ms(), evidence="ses-2", channel="email"
    )
    records.record_opt_out("acme", [MAIL], said)

    lifted(inbox)

    assert subscription(records.table, "acme", MAIL, None).is_opted_out
    assert states(inbox, id_of(inbox, "zoe"))[f"email {MAIL}"] == "opted_out"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"value": "stranger@example.com"}, "value"),
        ({"evidence": " "}, "evidence"),
        ({"reason": "because"}, "reason"),
        ({"channel": "*"}, "channel"),
    ],
)
def test_a_lift_without_an_own_address_a_reason_and_evidence_is_refused_with_the_field(
    inbox: InboxSystem,
    people: Listed,
    records: Consents,
    changes: dict[str, Any],
    field: str,
) -> None:
    bounced(records)
    answer = lifted(inbox, **changes)

    assert answer.status == 400
    assert [one["field"] for one in answer.body["error"]["details"]] == [field]
    assert unreachable.of_address(records.table, "acme", MAIL, "email") is not None


def test_who_only_records_consent_lifts_no_bounce(
    inbox: InboxSystem, people: Listed, records: Consents
) -> None:
    bounced(records)
    assert lifted(inbox, CONSENT).status == 403
    assert unreachable.of_address(records.table, "acme", MAIL, "email") is not None


def test_the_audit_log_has_the_lift_without_the_address_and_the_evidence(
    inbox: InboxSystem, people: Listed, records: Consents
) -> None:
    bounced(records)
    lifted(inbox)

    log = inbox.module.routes.audit_log.table.name
    rows = str(boto3.client("dynamodb").scan(TableName=log)["Items"])
    assert "lift_report" in rows
    assert "person_confirmed" in rows
    assert MAIL not in rows
    assert "has called us" not in rows
