"""The parts of the demo of contacts: messages of the customer, the company's project, and what receipts show."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from conversations.configuration import projects
from conversations.initiation import requests
from email_threads.parsing.mail import parse
from events.conversations.recruiting import Run
from events.whatsapp.sample_data import COUNTER
from local.demo.chapter import Chapter
from local.demo.chapters import customer
from local.demo.scenarios import customer_messages
from local.demo.scenarios.customer_messages import Author
from tests.unit.local.test_containers import STACK

AUTHOR = Author.of(Run(1_800_000_000))
RECEIPTS: list[dict[str, Any]] = [
    {"context": "whatsapp", "counts": {"messages": 2, "conversations": 1}, "kept": None},
    {
        "context": "contacts",
        "counts": {},
        "kept": [
            {"kind": "receipts", "reason": "this request"},
            {"kind": "stubs", "reason": "ids", "until": "2027-01-04T00:00:00.000Z"},
        ],
    },
]


def test_the_customer_writes_with_one_number_and_one_address_on_all_channels() -> None:
    person = AUTHOR.person

    entry = json.loads(AUTHOR.webhook())["entry"][0]
    (message,) = entry["changes"][0]["value"]["messages"]
    mail = parse(AUTHOR.mail(customer_messages.BY_MAIL))
    named = AUTHOR.request()["recipient_data"]

    assert (entry["id"], message["from"]) == (COUNTER.waba, person.tel.removeprefix("+"))
    assert AUTHOR.text()["sender"] == person.tel
    assert mail.sender == person.email
    assert (named["recipient_tel"], named["recipient_email"]) == (person.tel, person.email)


def test_a_namesake_has_the_name_and_another_address() -> None:
    own = parse(AUTHOR.mail(customer_messages.BY_MAIL))
    other = parse(AUTHOR.namesake.mail(customer_messages.OF_NAMESAKE))

    assert (own.sender_name, other.sender_name) == ("Ruth Penrose", "Ruth Penrose")
    assert own.sender != other.sender
    assert own.message_id != other.message_id


def test_the_company_may_start_an_sms_with_its_project() -> None:
    project = projects.parse(customer_messages.SMS_PROJECT)
    accepted = requests.parse(AUTHOR.request(), lambda *_: project.default_region, max_age_ms=0)

    assert (accepted.company_id, accepted.project_id) == (project.company_id, project.project_id)
    assert (accepted.channel_method, accepted.warnings) == ("sms", ())


def test_a_receipt_is_shown_with_counts_and_with_what_is_kept_and_why() -> None:
    assert [*customer.receipt_rows(RECEIPTS)] == [
        ("whatsapp", "2 messages, 1 conversations"),
    ]
    assert [*customer.kept_rows(RECEIPTS)] == [
        ("contacts", "receipts", "for good", "this request"),
        ("contacts", "stubs", "2027-01-04", "ids"),
    ]


def test_a_contact_is_shown_with_its_conversations_and_consent() -> None:
    row = {"channel": "sms", "context": "conversations", "status": "open"}
    address = {"text": "+1 202 555 0142"}

    assert [*customer.page_rows([row])] == [("sms", "conversations", "open", "")]
    assert [*customer.consent_rows([{"channel": "sms", "identifiers": [address]}])] == [
        ("sms", "+1 202 555 0142", "none", "")
    ]


def test_a_damaged_file_of_the_export_is_found() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("index.html", "<h1>Personal data</h1>")
    content = packed.getvalue()

    assert customer.archive_files(content) == ["index.html"]
    with pytest.raises(customer.Unexpected):
        customer.archive_files(content.replace(b"Personal", b"Personel"))


def test_without_its_first_chapter_the_story_fails_with_a_fault() -> None:
    chapter = Chapter("The erasure")

    assert not customer.Story(STACK, author=AUTHOR).end(chapter)
    assert chapter.faults == ["The story of a customer stopped: the erasure was not requested"]
