"""Approved drafts as SES gets them, and as they appear in their thread."""

from __future__ import annotations

import pytest

from tests.integration.email_threads.api.thread_calls import result, thread_of
from tests.integration.email_threads.drafting import (
    QUESTION,
    again,
    answered,
    approve,
    asked,
    begun,
    composed,
    headers_of,
    send,
    shown,
    status_of,
    thread_path,
)
from tests.simulation.email_threads.system import (
    ANN,
    ASSISTED,
    AUTOMATED,
    BOB,
    MAILBOX,
    MODEL,
    System,
    mail,
)


def test_ses_gets_one_request_with_all_that_a_mail_client_needs(system: System) -> None:
    system.register(MAILBOX, display_name="The Shop")
    draft = answered(system, cc=[BOB])

    (request,) = system.sent()
    thread, _, reply_id = draft.removeprefix("/email-threads/").split("/")
    token = request["ReplyToAddresses"][0].removesuffix("@shop.example").rpartition("-")[2]
    (stored,) = system.drafts()
    html = '<!doctype html>\n<html><body dir="auto">\n<p>Yes, it is.</p>\n</body></html>\n'
    assert request == {
        "FromEmailAddress": f"The Shop <{MAILBOX}>",
        "Destination": {"ToAddresses": [ANN], "CcAddresses": [BOB], "BccAddresses": []},
        "ReplyToAddresses": [f"support+{thread}-{token}@shop.example"],
        "Content": {
            "Simple": {
                "Subject": {"Data": "Re: Chairs", "Charset": "UTF-8"},
                "Body": {
                    "Text": {"Data": "Yes, it is.", "Charset": "UTF-8"},
                    "Html": {"Data": html, "Charset": "UTF-8"},
                },
                "Headers": [
                    {"Name": "In-Reply-To", "Value": f"<{QUESTION}>"},
                    {"Name": "References", "Value": f"<{QUESTION}>"},
                    {"Name": "X-Parley-Loop", "Value": f"{thread}-{token}"},
                ],
            }
        },
        "EmailTags": [
            {"Name": "action", "Value": stored["action_id"]},
            {"Name": "thread", "Value": thread},
            {"Name": "reply", "Value": reply_id},
        ],
        "ConfigurationSetName": "parley-local",
        "ses_id": stored["ses_id"],
    }


def test_several_recipients_of_an_answer_all_get_it(system: System) -> None:
    send(system, composed(system, asked(system), to=[ANN, BOB], cc=["zoe@mill.example"]))

    addresses = system.sent()[0]["Destination"]
    assert addresses["ToAddresses"] + addresses["CcAddresses"] == [ANN, BOB, "zoe@mill.example"]


def test_a_recipient_who_is_named_twice_gets_one_mail(system: System) -> None:
    send(system, composed(system, asked(system), to=[ANN, BOB], cc=[BOB, ANN]))

    assert system.sent()[0]["Destination"] == {
        "ToAddresses": [ANN],
        "CcAddresses": [BOB],
        "BccAddresses": [],
    }


def test_references_name_the_first_and_the_newest_mails_in_870_characters(system: System) -> None:
    named = [f"{n:02d}-{'x' * 50}@orchard.example" for n in range(30)]
    path = thread_of(system, mail("b@x", references=" ".join(named), in_reply_to=named[-1]))

    send(system, composed(system, path))

    references = headers_of(system.sent()[0])["References"].split()
    assert references[0] == f"<{named[0]}>"
    assert references[-2:] == [f"<{named[-1]}>", "<b@x>"]
    assert len(references) == 13
    assert len(" ".join(references)) == 869


def test_ids_are_sent_in_the_case_in_which_they_came(system: System) -> None:
    path = thread_of(system, mail("AbC@Orchard.Example"))

    send(system, composed(system, path))

    assert headers_of(system.sent()[0])["In-Reply-To"] == "<AbC@Orchard.Example>"


def test_a_mail_that_no_person_approved_says_so_and_asks_for_no_automatic_answer(
    system: System,
) -> None:
    system.register(ASSISTED, automation="email_threads", ai=MODEL, reply_mode="auto")
    question = mail("a@x", "Please send me a red chair.", to=ASSISTED, subject="An order")

    system.deliver(question, name="1", address=ASSISTED)
    system.drain()

    headers = headers_of(system.sent()[0])
    assert headers["Auto-Submitted"] == "auto-replied"
    assert headers["X-Auto-Response-Suppress"] == "All"


def test_a_sent_mail_stands_in_the_history_of_its_thread(system: System) -> None:
    draft = answered(system, cc=[BOB])

    ses_id = system.sent()[0]["ses_id"]
    path = thread_path(draft)
    newest = result(system.call("GET", f"{path}/emails"))["mails"][0]
    assert {name: newest[name] for name in ("n", "direction", "from", "to", "cc", "body")} == {
        "n": 2,
        "direction": "outbound",
        "from": MAILBOX,
        "to": [ANN],
        "cc": [BOB],
        "body": "Yes, it is.",
    }
    assert newest["message_id"] == f"{ses_id}@email.amazonses.com"
    assert newest["in_reply_to"] == QUESTION
    found = shown(system, draft)
    assert (found["draft_status"], found["sent_at"]) == ("sent", "2026-01-01T13:01:01.000Z")
    assert result(system.call("GET", path))["participants"] == [ANN, BOB, MAILBOX]


def test_the_time_that_the_customer_waited_is_counted_once(
    system: System, answered_draft: str
) -> None:
    path = thread_path(answered_draft)
    system.clock.ms += 60_000
    send(system, composed(system, path))

    thread = result(system.call("GET", path))
    assert thread["response_time_avg"] == 60
    assert "waiting_since" not in thread


@pytest.mark.parametrize("host", ["email", "us-east-1"])
def test_the_customers_next_mail_joins_by_either_id_that_ses_may_have_given(
    system: System, host: str, answered_draft: str
) -> None:
    ses_id = system.sent()[0]["ses_id"]

    thread_of(system, mail("b@y", sender=ANN, in_reply_to=f"{ses_id}@{host}.amazonses.com"))

    (thread,) = system.threads()
    assert thread["email_count"] == 3


def test_the_reply_address_leads_into_the_thread_without_any_id(
    system: System, answered_draft: str
) -> None:
    token = system.sent()[0]["ReplyToAddresses"][0]

    thread_of(system, mail("b@y", "It works.", sender="zoe@mill.example", to=token))

    (thread,) = system.threads()
    assert thread["email_count"] == 3


def test_our_own_mail_that_comes_back_is_not_stored(system: System, answered_draft: str) -> None:
    mark = headers_of(system.sent()[0])["X-Parley-Loop"]
    before = system.rows()

    copy = mail(
        "copy@list", "Yes, it is.", sender="list@mill.example", more=f"X-Parley-Loop: {mark}"
    )
    system.deliver(copy, name="copy", address=MAILBOX)
    system.drain()

    assert system.rows() == before


def test_a_mark_of_another_thread_or_company_does_not_hide_a_mail(system: System) -> None:
    thread_of(system, mail("b@x", more=f"X-Parley-Loop: {'0' * 16}-{'0' * 16}"))

    assert len(system.mails()) == 1


def test_an_encoded_line_break_in_a_customers_subject_becomes_no_header(system: System) -> None:
    path = thread_of(system, mail("a@x", subject="=?utf-8?Q?Chairs=0D=0ABcc:_eve@evil.example?="))

    send(system, composed(system, path))

    (request,) = system.sent()
    assert request["Content"]["Simple"]["Subject"]["Data"] == "Re: Chairs Bcc: eve@evil.example"
    assert request["Destination"]["BccAddresses"] == []


def test_a_line_break_in_a_display_name_becomes_no_header(system: System) -> None:
    system.register(MAILBOX, display_name="The Shop\r\nBcc: eve@evil.example")

    answered(system)

    assert system.sent()[0]["FromEmailAddress"] == f'"The Shop Bcc: eve@evil.example" <{MAILBOX}>'


def test_markup_in_a_text_is_shown_as_text(system: System) -> None:
    answered(system, body_text="<script>alert(1)</script> & more")

    html = system.sent()[0]["Content"]["Simple"]["Body"]["Html"]["Data"]
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in html


def test_a_long_mailbox_name_is_sent_without_a_reply_address(system: System) -> None:
    name = "the-customer-service-of-the-shop-in-london"
    address = f"{name}@shop.example"
    system.register(address)

    send(system, begun(system, mailbox=address))

    (request,) = system.sent()
    assert request["FromEmailAddress"] == address
    assert request["ReplyToAddresses"] == []


def test_an_answer_of_a_person_ends_an_ai_conversation(system: System) -> None:
    system.deliver(mail("a@x", to=AUTOMATED), name="a", address=AUTOMATED)
    system.drain()
    (thread,) = system.threads()
    draft = composed(system, f"/email-threads/{thread['conversation_id']}")

    send(system, draft)

    event = system.forwarded()[-1]
    assert event["type"] == "human_reply"
    assert (event["customer_address"], event["business_address"]) == (ANN, AUTOMATED)
    assert (event["text"], event["extra"]["n"]) == ("Yes, it is.", 2)


def test_a_repeated_event_of_a_sent_draft_sends_nothing(system: System) -> None:
    draft = composed(system, asked(system))
    approve(system, draft)
    (event,) = system.fifo_queues.queues[system.queue].messages
    system.drain()
    before = system.rows()

    system.clock.ms += 10 * 60_000
    system.fifo_queues.queues[system.queue].messages.append(event)
    system.drain()

    assert len(system.sent()) == 1
    assert system.rows() == before


def test_the_event_of_an_older_version_sends_nothing(system: System) -> None:
    draft = composed(system, asked(system))
    system.switch(safe_mode="true")
    approve(system, draft)
    (event,) = system.fifo_queues.queues[system.queue].messages
    system.drain()
    system.switch(safe_mode="false")
    result(system.call("PATCH", draft, {"version": 1, "body_text": "No."}))

    system.fifo_queues.queues[system.queue].messages.append(event)
    system.drain()

    assert not system.sent()
    assert status_of(system, draft) == ("amended", None)


def test_a_thread_whose_customer_answers_later_shows_both_mails_in_order(
    system: System, answered_draft: str
) -> None:
    again(system)

    found = result(system.call("GET", f"{thread_path(answered_draft)}/emails"))["mails"]

    assert [(one["n"], one["direction"]) for one in found] == [
        (3, "inbound"),
        (2, "outbound"),
        (1, "inbound"),
    ]
