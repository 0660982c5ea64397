"""Consents and opt-outs of imported contacts, and numbers that changed hands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from shared.policy.consent import unreachable, withdrawals
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.withdrawals import Withdrawal
from shared.runtime import clock
from tests.integration.console.contacts.exchange.imports import ADMIN, Files, files
from tests.integration.console.contacts.test_contact_changes import created

if TYPE_CHECKING:
    from tests.integration.console.system import InboxSystem

__all__ = ["files"]  # fixtures


def test_attested_consent_is_recorded_with_its_evidence_and_ends_no_opt_out(
    inbox: InboxSystem, files: Files
) -> None:
    out = created(inbox, "Out", identifiers=[{"kind": "phone", "value": "+447700900101"}])
    said = {"channel": "whatsapp", "state": "opted_out", "evidence": "asked by phone"}
    files.ask(f"POST /contacts/{out['contactId']}/consents", said)
    regulars = files.ask("POST /contacts/lists", {"name": "Regulars"}).result["listId"]
    consent = {
        "channels": ["whatsapp"],
        "source": "till slip of the spring sale",
        "given_at": "2025-12-01T00:00:00Z",
    }
    text = "phone,mobile\n+447700900101,+447700900103\n+447700900102,\n"

    files.imported(text, "phone", "phone", list_id=regulars, consent=consent)

    states = {}
    for one in inbox.get(ADMIN, f"/contacts/lists/{regulars}/members").result["contacts"]:
        shown = inbox.get(
            replace(ADMIN, scopes=ADMIN.scopes | {"consent:read"}),
            f"/contacts/{one['contactId']}/consents",
        ).result
        (channel,) = (each for each in shown["channels"] if each["channel"] == "whatsapp")
        for found in channel["identifiers"]:
            states[found["value"]] = (found["state"], found["evidence"], found.get("recordedBy"))
    assert {states[f"+44770090010{n}"][0] for n in (1, 3)} == {"opted_out"}
    consents = inbox.module.consent_records
    assert consents.standing("acme", ["+447700900103"], "whatsapp").is_opted_out
    state, evidence, by = states["+447700900102"]
    assert (state, by) == ("opted_in", "human:user:kim")
    assert evidence.endswith(": till slip of the spring sale")
    late = {**consent, "given_at": "2999-01-01T00:00:00Z"}
    path = files.uploaded(text)
    refused = [
        files.ask(f"POST {path}/start", {"columns": ["phone"], "consent": late}),
        files.ask(
            f"POST {path}/start",
            {"columns": ["phone"], "consent": consent},
            caller=replace(ADMIN, scopes=ADMIN.scopes - {"consent:write"}),
        ),
    ]
    assert [one.status for one in refused] == [400, 403]


def test_attested_consent_ends_no_opt_out_from_before_the_attested_time(
    inbox: InboxSystem, files: Files
) -> None:
    opted_out(inbox, "+447700900101", at="2025-01-01T00:00:00.000Z")
    consent = {"channels": ["sms"], "source": "a form", "given_at": "2025-12-01T00:00:00Z"}

    files.imported("phone\n+447700900101\n+447700900102\n", "phone", consent=consent)

    consents = inbox.module.consent_records
    assert consents.standing("acme", ["+447700900101"], "sms").is_opted_out
    assert consents.standing("acme", ["+447700900102"], "sms").is_opted_in


def opted_out(inbox: InboxSystem, *identifiers: str, at: str | None = None) -> None:
    """Someone without a contact has opted out of all channels."""
    at_ms = clock.from_text(at) if at else clock.now_ms()
    said = Statement(source=Source.WORD, at_ms=at_ms, evidence="wamid.1")
    inbox.module.consent_records.record_opt_out("acme", identifiers, said)


@pytest.mark.parametrize("others", [["+447700900102"], ["ann@example.com", "+447700900102"]])
def test_an_opt_out_of_one_identifier_of_a_new_contact_counts_for_all_of_them(
    inbox: InboxSystem, files: Files, others: list[str]
) -> None:
    opted_out(inbox, "+447700900101")
    rows = [["+447700900101", *others], ["+447700900103", "bob@example.com", "+447700900104"]]
    for row in rows:
        fields = ["email" if "@" in one else "phone" for one in row]
        names = [f"{field}{place}" for place, field in enumerate(fields)]
        files.imported(f"{','.join(names)}\n{','.join(row)}\n", *fields)

    records = inbox.module.consent_records
    for row, is_out in zip(rows, (True, False), strict=True):
        for one in row:
            channel = "email" if "@" in one else "sms"
            assert records.standing("acme", [one], channel).is_opted_out is is_out, one


def test_a_new_contact_of_two_identifiers_has_the_opt_outs_of_both(inbox: InboxSystem) -> None:
    opted_out(inbox, "+447700900101")
    named = [("phone", "+447700900101"), ("phone", "+447700900102")]
    created(inbox, "Ann", identifiers=[{"kind": kind, "value": value} for kind, value in named])

    assert inbox.module.consent_records.standing("acme", ["+447700900102"], "sms").is_opted_out


CHANGES = {
    "a notice": ([(None, "GB.1")], True),
    "another owner": ([("GB.2", "GB.1")], True),
    "the first owner again": ([("GB.2", "GB.1"), ("GB.1", "GB.2")], False),
}


@pytest.mark.parametrize(("owners", "is_refused"), CHANGES.values(), ids=list(CHANGES))
def test_a_number_that_changed_hands_names_no_contact_in_a_file(
    inbox: InboxSystem,
    files: Files,
    owners: list[tuple[str | None, str]],
    *,
    is_refused: bool,
) -> None:
    ann = created(inbox, "Ann", identifiers=[{"kind": "phone", "value": "+447700900101"}])
    log = inbox.module.consent_records.table
    for day, (owner, former) in enumerate(owners, 1):
        record = Withdrawal.of(f"2025-01-0{day}T12:00:00.000Z", "wamid.1", owner, former)
        withdrawals.note(log, "acme", "+447700900101", record)

    path = files.imported("phone,name\n+447700900101,Ben\n", "phone", "name")

    assert files.counts(path)[4] == int(is_refused)
    shown = inbox.get(ADMIN, f"/contacts/{ann['contactId']}").result
    assert (shown["name"] == "Ann") is is_refused


OLD_TOOL = {"channels": ["email"], "source": "unsubscribed in the earlier tool"}
ANN, BOB = "ann@example.com", "bob@example.com"


def out(day: str = "2025-06-01") -> dict[str, Any]:
    return OLD_TOOL | {"state": "opted_out", "given_at": f"{day}T00:00:00Z"}


@pytest.mark.parametrize("first", ["opted_in", "opted_out"])
def test_people_who_have_left_an_earlier_tool_are_imported_as_such_in_any_order_of_the_files(
    inbox: InboxSystem, files: Files, first: str
) -> None:
    agreed = OLD_TOOL | {"source": "form", "given_at": "2025-12-01T00:00:00Z"}
    both = {"opted_in": (f"email\n{ANN}\n{BOB}\n", agreed), "opted_out": (f"email\n{ANN}\n", out())}
    for state in sorted(both, key=lambda one: one != first):
        text, consent = both[state]
        files.imported(text, "email", consent=consent)

    records = inbox.module.consent_records
    newest = records.standing("acme", [ANN], "email").newest
    assert newest.state == "opted_out"
    assert newest.evidence.endswith(": unsubscribed in the earlier tool")
    assert newest.recorded_by == "human:user:kim"
    assert records.standing("acme", [BOB], "email").is_opted_in


def test_an_imported_opt_out_counts_for_all_addresses_of_its_contact_and_needs_no_right_to_consent(
    inbox: InboxSystem, files: Files
) -> None:
    named = [{"kind": "email", "value": one} for one in (ANN, BOB)]
    created(inbox, "Ann", identifiers=named)
    caller = replace(ADMIN, scopes=ADMIN.scopes - {"consent:write"})
    path = files.uploaded(f"email\n{ANN}\n")
    answer = files.ask(
        f"POST {path}/start", {"columns": ["email"], "consent": out()}, caller=caller
    )
    assert answer.status == 202
    files.runs.drain()

    records = inbox.module.consent_records
    assert all(records.standing("acme", [one], "email").is_opted_out for one in (ANN, BOB))
    assert not records.standing("acme", [ANN], "sms").is_opted_out


@pytest.mark.parametrize(
    "evidence", ["signup/1", "import desk: she has asked for it by phone", "import 7: by phone"]
)
def test_an_imported_opt_out_ends_no_later_choice_of_the_person(
    inbox: InboxSystem, files: Files, evidence: str
) -> None:
    said = Statement(source=Source.OPERATOR, at_ms=clock.now_ms(), evidence=evidence)
    inbox.module.consent_records.record_opt_in("acme", [ANN], said, channels=("email",))

    files.imported(f"email\n{ANN}\n", "email", consent=out())

    assert inbox.module.consent_records.standing("acme", [ANN], "email").is_opted_in


def test_addresses_that_an_earlier_tool_did_not_reach_get_nothing_until_an_administrator_lifts_it(
    inbox: InboxSystem, files: Files
) -> None:
    bounced = out() | {"state": "unreachable", "source": "bounced in the earlier tool"}

    files.imported(f"email\n{ANN}\n", "email", consent=bounced)

    log = inbox.module.consent_records.table
    found = unreachable.of_address(log, "acme", ANN, "email")
    assert found is not None
    assert (found.reason, found.evidence.partition(": ")[2]) == (
        "imported",
        "bounced in the earlier tool",
    )
    assert not inbox.module.consent_records.standing("acme", [ANN], "email").is_opted_out
