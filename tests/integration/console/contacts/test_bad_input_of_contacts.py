"""What an administrator gives wrongly, by mistake or on purpose: a clear refusal, or the right reading."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from console.privacy.inputs import SubjectInput, named
from tests.cases import each
from tests.integration.console.contacts.exchange.imports import ADMIN, Files
from tests.integration.console.contacts.test_contact_changes import created, send
from tests.integration.console.contacts.test_contacts_api import names
from tests.integration.console.system import InboxSystem, Invocation, inbox_call

if TYPE_CHECKING:
    from tests.integration.console.system import Listed

LEA = "+447700900150"
OFFICER = replace(ADMIN, scopes=ADMIN.scopes | {"privacy:admin"})
ARABIC = "+\u0664\u0664\u0667\u0667\u0660\u0660\u0669\u0660\u0660\u0661\u0665\u0660"  # LEA in Arabic digits
MARKED = f"\u202a{LEA}\u202c"


@pytest.fixture
def files(inbox: InboxSystem) -> Files:
    return Files(inbox)


READ: list[tuple[bytes, str]] = [
    (f"phone;name\n{LEA};Léa\n".encode("utf-8-sig"), "a byte order mark and semicolons"),
    (f"sep=;\nphone;name\n{LEA};Léa\n".encode(), "Excel's note of the separator"),
    (f"phone\tname\r\n{LEA}\tLéa\r\n".encode("utf-16"), "UTF-16 with tabs"),
    (f"phone,name\n{ARABIC},Léa\n".encode(), "Arabic digits"),
    (f"phone,name\n{MARKED},Léa\n".encode(), "marks of direction around a number"),
    (f"\n\nphone,name\n\n{LEA},Léa\n\n".encode(), "empty lines"),
    (f'"phone","name"\n"{LEA}"," Léa "\n'.encode(), "quoted cells with blanks"),
    (f"phone,name\n'{LEA},Léa\n".encode(), "an apostrophe before a formula"),
]


@each(("content", "why"), READ)
def test_a_file_as_programs_write_it_is_read(
    inbox: InboxSystem, files: Files, listed: Listed, content: bytes, why: str
) -> None:
    path = files.imported(content, "phone", "name")
    outcome, *counts = files.counts(path)

    assert (outcome, sum(counts), counts[-1]) == ("done", 1, 0), why
    assert names(inbox, "lea") == ["Léa"]
    assert names(inbox, ARABIC) == ["Léa"]


REFUSED: list[tuple[bytes, str]] = [
    (f"phone,name\n{LEA},Léa\n".encode("utf-32"), "line "),
    (b"PK\x03\x04\x14\x00\x06\x00" + b"\x00\x01\xfe\xff" * 64, ""),
    (b"\xff" * 300, "line 1"),
    (b"\x00" * 300, ""),
    (b";;;\n;;;\n", "line 1, column 1: the column has no name"),
    (("a," * 100 + "a\n").encode(), "line 1"),
    (
        f"phone,name\n{LEA};x\n".encode(),
        "line 2, column 2: no row can be imported: the row has 1 cells",
    ),
    ("phone\u200b,phone\n1,2\n".encode(), "line 1, column 2: another column has the same name"),
    (
        f'phone,name\n"{LEA}" x,y\n'.encode(),
        "line 2, column 1: no row can be imported: text follows a closed quote",
    ),
    (f"phone,name\n{LEA},Léa\n".encode() + "+447700900151,Zoë\n".encode("cp1252"), ""),
]


@pytest.mark.parametrize(("content", "problem"), REFUSED[:-1])
def test_a_file_of_another_kind_is_refused_with_its_place_and_nothing_is_stored(
    inbox: InboxSystem, files: Files, content: bytes, problem: str
) -> None:
    path = files.uploaded(content)
    for step in ("preview", "start"):
        answer = files.ask(f"POST {path}/{step}", {"columns": ["phone", "name"]})
        if answer.status == 200:
            assert all(row["outcome"] == "refused" for row in answer.result["rows"])
        else:
            assert answer.status == 422 or set(answer.problems) == {"columns"}, answer.body
    assert problem in str(answer.body["error"])
    assert inbox.get(ADMIN, path).result["stage"] == "new"
    assert files.runs.started == []


def test_a_line_in_another_encoding_is_refused_alone_with_line_and_column(
    inbox: InboxSystem, files: Files
) -> None:
    content, _ = REFUSED[-1]
    path = files.uploaded(content)
    answer = files.ask(f"POST {path}/start", {"columns": ["phone", "name"]})

    (problem,) = answer.body["error"]["details"]
    assert (answer.status, problem["field"]) == (422, "file")
    assert problem["problem"].startswith("line 3, column 2: ")


REQUEST: dict[str, Any] = {"kind": "erase", "reason": "asked", "dry_run": True}


@each(
    ("changes", "field", "rule"),
    [
        ({"reference": "Fall Nr. 7"}, "reference", "must have 1 to 64 characters of A-Z a-z 0-9"),
        ({"reference": "\u0661"}, "reference", "must have 1 to 64 characters of A-Z a-z 0-9"),
        ({"reason": " \u2028"}, "reason", "must be a text on one line"),
        ({"reason": "a\nb"}, "reason", "must be a text on one line"),
        ({"subject": {"ticket_id": "\u0661"}}, "subject.ticket_id", "printable ASCII"),
        ({"subject": {"contact_id": "../x"}}, "subject.contact_id", "characters of a-z A-Z 0-9"),
        ({"subject": {"phone": "0770"}}, "subject.phone", "must be a phone number"),
        ({"subject": {"phone": "0044 7700 900150"}}, "subject.phone", "with + and country code"),
        ({"subject": {"email": "a@b@c"}}, "subject.email", "must be an e-mail address"),
        ({"subject": {"external_id": "C1"}}, "subject.external_id", "must be {system}:{id}"),
        ({"subject": {}}, "subject", "exactly one name"),
        ({"subject": {"phone": LEA, "email": "a@b.example"}}, "subject", "exactly one name"),
        ({"kind": "delete"}, "kind", "Input should be 'export' or 'erase'"),
        ({"subject": {"phone": "\ud800"}}, "subject.phone", "valid string"),
    ],
)
def test_a_request_about_a_person_names_the_field_and_the_rule_in_words(
    inbox: InboxSystem, changes: dict[str, Any], field: str, rule: str
) -> None:
    body = REQUEST | {"subject": {"phone": LEA}} | changes

    answer = send(inbox, "POST /privacy/requests", body, OFFICER)

    assert (answer.status, set(answer.problems)) == (400, {field}), answer.body
    (problem,) = answer.problems.values()
    assert rule in problem
    assert not any(sign in problem for sign in ("^", "$", "\\", "[A-Z"))


@each("spelling", [ARABIC, MARKED, "+44 7700 900150", "+44 (0)7700 900150"])
def test_a_request_means_the_same_person_by_any_spelling_of_the_number(spelling: str) -> None:
    assert named(SubjectInput(phone=spelling)) == named(SubjectInput(phone=LEA))


@each(
    ("more", "field"),
    [
        ({"name": "\u202eeoZ"}, "name"),
        ({"name": "\u2066"}, "name"),
        ({"name": "\ud800"}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"labels": ["\u202evip"]}, "labels.0"),
        ({"labels": ["vip\n"]}, "labels.0"),
        ({"language": "\u0661\u0661"}, "language"),
        ({"attributes": {"\u202e": 1}}, "attributes"),
        (
            {"identifiers": [{"kind": "phone", "value": LEA, "region": "\u216eD"}]},
            "identifiers.0.region",
        ),
        ({"identifiers": [{"kind": "email", "value": "a\u202e@b.example"}]}, "identifiers.0.value"),
        ({"identifiers": [{"kind": "external", "value": "shop:\u202e"}]}, "identifiers.0.value"),
    ],
)
def test_text_that_shows_another_order_or_is_no_text_is_refused_with_its_field(
    inbox: InboxSystem, listed: Listed, more: dict[str, Any], field: str
) -> None:
    body = {"name": "Ann", "identifiers": [{"kind": "phone", "value": LEA}], **more}

    answer = send(inbox, "POST /contacts", body)

    fields = {one["field"] for one in answer.body["error"]["details"]}
    assert (answer.status in {400, 422}, fields) == (True, {field}), answer.body


@each(
    "text",
    [
        '{"name": ' + "[" * 20_000,
        '{"name": ' + "1" * 10_000 + "}",
        '{"name": NaN}',
        '{"name": "a", "name": "b"}',
        "[]",
        "\x00",
    ],
)
def test_a_body_that_is_no_input_is_refused_and_never_an_internal_error(
    inbox: InboxSystem, listed: Listed, text: str
) -> None:
    event = inbox_call("POST", "/contacts", ADMIN, {}, {}, {"Idempotency-Key": "a-key-of-a-body"})
    event["body"] = text

    answer = inbox.module.handler(event, Invocation())

    assert answer["statusCode"] in {400, 422}, answer


@each(
    ("value", "is_stored"),
    [
        (float("1e15"), False),
        (1.0000001, False),
        (-0.5, True),
        (10**14, True),
        ("\u0663", False),
        (True, False),
        ([1], False),
    ],
)
def test_a_number_is_stored_as_it_is_or_refused_with_the_rule(
    inbox: InboxSystem, listed: Listed, value: object, *, is_stored: bool
) -> None:
    if not names(inbox, "lea"):
        created(inbox)
        send(inbox, "PUT /attributes/size", {"kind": "number", "title": "Size"}, ADMIN)
    (lea,) = inbox.get(ADMIN, "/contacts", q="lea").result["contacts"]

    answer = send(inbox, f"PATCH /contacts/{lea['contactId']}", {"attributes": {"size": value}})

    if is_stored:
        assert answer.result["attributes"] == {"size": value}
    else:
        (problem,) = answer.body["error"]["details"]
        assert (answer.status, problem["field"]) == (422, "attributes.size")
        assert problem["problem"].startswith("must be a number below 10^15")
