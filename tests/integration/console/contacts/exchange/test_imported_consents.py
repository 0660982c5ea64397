"""Consents and opt-outs of imported contacts, and numbers that changed hands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from shared.policy.consent import withdrawals
from shared.policy.consent.records import Source, Statement
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
