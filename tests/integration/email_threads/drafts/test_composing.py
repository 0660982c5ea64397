"""People compose drafts: answers, forwards, and mails that begin a thread."""

from __future__ import annotations

import pytest

from tests.integration.email_threads.api.thread_calls import (
    THREADS,
    refused,
    result,
    subjects_of,
    thread_of,
)
from tests.integration.email_threads.drafting import (
    again,
    approve,
    asked,
    begun,
    composed,
    headers_of,
    send,
    shown,
    text_of,
    thread_path,
)
from tests.simulation.email_threads.mails import verified, with_files
from tests.simulation.email_threads.system import ANN, BOB, MAILBOX, System, mail


def test_an_answer_goes_to_the_newest_mail_of_the_customer(system: System) -> None:
    path = asked(system)
    again(system)

    draft = shown(system, composed(system, path))

    assert draft == {
        "conversation_id": path.rpartition("/")[2],
        "reply_id": draft["reply_id"],
        "mailbox": MAILBOX,
        "draft_status": "pending",
        "kind": "reply",
        "origin": "key-1",
        "in_reply_to_n": 2,
        "to": [ANN],
        "cc": [],
        "bcc": [],
        "unknown_recipients": [],
        "subject": "Re: Chairs",
        "body_text": "Yes, it is.",
        "attachments": [],
        "questions": [],
        "version": 1,
        "attempt": 1,
        "updated_at": draft["updated_at"],
        "is_stale": False,
    }


def test_a_named_mail_is_answered_to_its_own_sender(system: System) -> None:
    path = asked(system)
    joined = mail("b@x", in_reply_to="question@x", subject="Table")
    thread_of(system, joined)

    draft = shown(system, composed(system, path, n=1))

    assert (draft["in_reply_to_n"], draft["to"], draft["subject"]) == (1, [ANN], "Re: Chairs")
    assert draft["is_stale"] is True


def test_an_answer_to_a_mail_of_ours_goes_to_its_recipients(system: System) -> None:
    draft = begun(system, to=[ANN, BOB])
    send(system, draft)

    follow_up = shown(system, composed(system, thread_path(draft), n=1))

    assert follow_up["to"] == [ANN, BOB]


@pytest.mark.parametrize(
    ("reply_to", "recipient"),
    [
        ("orders@orchard.example", "orders@orchard.example"),
        ("orders@elsewhere.example", "orders@elsewhere.example"),
        (MAILBOX, ANN),
        ("no-reply@elsewhere.example", ANN),
        (ANN, ANN),
    ],
)
def test_the_answer_of_a_person_goes_to_the_reply_to_of_any_domain(
    system: System, reply_to: str, recipient: str
) -> None:
    path = thread_of(system, mail("a@x", more=f"Reply-To: {reply_to}"))

    draft = shown(system, composed(system, path))
    assert draft["to"] == [recipient]
    assert draft["unknown_recipients"] == ([] if recipient == ANN else [recipient])


def test_the_copies_of_the_customer_are_offered_without_our_mailboxes_robots_and_lists(
    system: System,
) -> None:
    copies = (
        f"{BOB}, {MAILBOX}, no-reply@x.example, garden-users@x.example, dev@googlegroups.com, {ANN}"
    )
    path = thread_of(system, mail("a@x", more=f"Cc: {copies}"))

    assert shown(system, composed(system, path))["cc"] == [BOB]
    assert shown(system, composed(system, path, cc=[]))["cc"] == []
    assert shown(system, composed(system, path, to=[ANN]))["cc"] == []
    assert shown(system, composed(system, path, cc=["zoe@x.example"]))["cc"] == ["zoe@x.example"]


def test_a_blind_copy_reaches_its_recipient_and_is_in_no_header(system: System) -> None:
    path = asked(system)
    draft = composed(system, path, cc=[BOB], bcc=["zoe@x.example", BOB])

    send(system, draft)

    (sent,) = system.sent()
    assert sent["Destination"]["BccAddresses"] == ["zoe@x.example"]
    assert sent["Destination"]["CcAddresses"] == [BOB]


@pytest.mark.parametrize("field", ["to", "cc", "bcc"])
@pytest.mark.parametrize(
    "address", ["nobody", "a@x.example\nBcc: b@x.example", "<>", "a b@x.example"]
)
def test_an_address_that_is_none_is_refused_in_every_field(
    system: System, field: str, address: str
) -> None:
    path = asked(system)

    given = {"body_text": "Yes.", field: [address]}
    status, _, fields = refused(system.call("POST", f"{path}/replies", given))

    assert status == 422
    assert [one.partition("[")[0].partition(".")[0] for one in fields] == [field]
    assert system.drafts() == []


def test_fifty_recipients_get_a_mail_and_more_are_refused(system: System) -> None:
    many = [f"p{number}@x.example" for number in range(52)]
    path = thread_of(system, mail("a@x", "Is it red?", more=f"Cc: {', '.join(many)}"))
    draft = composed(system, path)
    assert shown(system, draft)["cc"] == many[:49]
    send(system, draft)
    sent = system.sent()[0]["Destination"]
    assert [sent["ToAddresses"], sent["CcAddresses"]] == [[ANN], many[:49]]
    rows = [row for key, row in system.rows().items() if "#participant#" in key]
    assert {row["company_status"].rpartition("#")[2] for row in rows} == {ANN, *many[:49]}

    recipients = {"to": many[:20], "cc": many[20:40], "bcc": many[40:51]}
    draft = composed(system, path)

    new = system.call("POST", f"{path}/replies", {"body_text": "Yes.", **recipients})
    amended = system.call("PATCH", draft, {"version": 1, **recipients})

    assert (new[0], amended[0]) == (422, 422)
    assert "at most 50 addresses" in str(new)
    assert "at most 50 addresses" in str(amended)
    assert shown(system, draft)["version"] == 1


@pytest.mark.parametrize(
    ("subject", "answer"),
    [
        ("Chairs", "Re: Chairs"),
        ("Re: Chairs", "Re: Chairs"),
        ("AW: Stühle", "AW: Stühle"),
        ("Fwd: Chairs", "Re: Fwd: Chairs"),
        ("", "Re: (no subject)"),
        ("x" * 300, f"Re: {'x' * 296}"),
    ],
)
def test_a_prefix_of_a_reply_is_never_doubled(system: System, subject: str, answer: str) -> None:
    path = thread_of(system, mail("a@x", subject=subject))

    assert shown(system, composed(system, path))["subject"] == answer


def test_people_choose_recipients_copies_and_subject(system: System) -> None:
    path = asked(system)

    draft = composed(system, path, to=[BOB], cc=["Zoe@Mill.example"], subject="Another matter")

    found = shown(system, draft)
    assert (found["to"], found["cc"]) == ([BOB], ["zoe@mill.example"])
    assert found["subject"] == "Another matter"


def test_a_mail_that_failed_a_check_is_not_answered(system: System) -> None:
    path = thread_of(system, mail("a@x", spam="FAIL"))

    answer = system.call("POST", f"{path}/replies", {"n": 1, "body_text": "Hello."})

    assert refused(answer) == (400, "invalid_input", ["n"])


def test_a_forward_has_the_text_of_the_mail_below_that_of_the_person(system: System) -> None:
    path = asked(system)
    (stored,) = system.mails()

    draft = composed(system, path, kind="forward", to=[BOB], body_text="Please answer.")

    found = shown(system, draft)
    assert (found["kind"], found["to"], found["subject"]) == ("forward", [BOB], "Fwd: Chairs")
    assert found["body_text"] == (
        "Please answer.\n"
        "\n"
        "---------- Forwarded message ----------\n"
        f"From: {ANN}\n"
        f"Date: {stored['timestamp']}\n"
        "Subject: Chairs\n"
        f"To: {MAILBOX}\n"
        "\n"
        "Is it red?"
    )


def test_a_forward_has_the_whole_text_of_a_long_mail(system: System) -> None:
    path = thread_of(system, mail("a@x", "A long letter. " * 600 + "The end."))

    draft = composed(system, path, kind="forward", to=[BOB])

    assert shown(system, draft)["body_text"].endswith("A long letter. The end.")


def test_the_text_of_a_forward_has_a_limit(system: System) -> None:
    path = thread_of(system, mail("a@x", "A line.\n" * 10_000))

    draft = composed(system, path, kind="forward", to=[BOB], body_text="x" * 1_000)

    text = shown(system, draft)["body_text"]
    assert len(text) == 50_000
    assert text.endswith("\n[...]")


def test_a_forward_begins_a_matter_of_its_own_with_its_recipient(system: System) -> None:
    draft = composed(system, asked(system), kind="forward", to=[BOB])

    send(system, draft)

    (request,) = system.sent()
    assert request["Destination"] == {"ToAddresses": [BOB], "CcAddresses": [], "BccAddresses": []}
    assert headers_of(request).keys() == {"X-Parley-Loop"}


def test_a_forward_takes_the_files_of_the_mail_that_may_be_sent_on(system: System) -> None:
    path = thread_of(system, verified(with_files()))

    draft = composed(system, path, kind="forward", to=[BOB])

    assert shown(system, draft)["attachments"] == [
        {"filename": "order.pdf", "content_type": "application/pdf", "size": 14}
    ]


def test_a_thread_that_we_begin_is_listed_before_its_mail_is_sent(system: System) -> None:
    draft = begun(system)

    assert subjects_of(system, mailbox=MAILBOX) == ["Our offer"]
    thread = result(system.call("GET", thread_path(draft)))
    assert (thread["email_count"], thread["open_drafts"], thread["participant"]) == (0, 1, ANN)
    assert shown(system, draft)["kind"] == "new"


def test_a_thread_that_we_began_is_found_by_its_recipient_once_it_is_sent(system: System) -> None:
    send(system, begun(system, cc=[BOB]))

    assert subjects_of(system, participant=ANN) == ["Our offer"]
    assert subjects_of(system, participant=BOB) == ["Our offer"]


@pytest.mark.parametrize("host", ["email", "us-east-1"])
def test_the_customers_answer_to_the_id_that_ses_gave_joins_the_thread_that_we_began(
    system: System, host: str
) -> None:
    send(system, begun(system))
    ses_id = system.sent()[0]["ses_id"]

    thread_of(
        system,
        mail("b@x", "Yes.", subject="Re: Our offer", in_reply_to=f"{ses_id}@{host}.amazonses.com"),
    )

    (thread,) = system.threads()
    assert [(one["direction"], one["body"]) for one in system.mails()] == [
        ("outbound", "A red chair."),
        ("inbound", "Yes."),
    ]
    assert thread["participants"] == {ANN, MAILBOX}


def test_one_idempotency_key_begins_one_thread_with_one_draft(system: System) -> None:
    given = {"mailbox": MAILBOX, "to": [ANN], "subject": "Our offer", "body_text": "A red chair."}

    answers = [result(system.call("POST", THREADS, given, key="key-00001")) for _ in range(2)]

    assert answers[0] == answers[1]
    assert (len(system.threads()), len(system.drafts())) == (1, 1)


def test_a_call_that_was_cut_off_begins_no_second_thread(system: System) -> None:
    given = {"mailbox": MAILBOX, "to": [ANN], "subject": "Our offer", "body_text": "A red chair."}
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.UpdateItem request#")
    assert system.call("POST", THREADS, given, key="key-00001")[0] >= 500

    system.interceptor.rewind()
    system.clock.ms += 60_000  # the lease of the first call
    draft = result(system.call("POST", THREADS, given, key="key-00001"))

    assert [one["reply_id"] for one in system.drafts()] == [draft["reply_id"]]
    assert len(system.threads()) == 1


def test_a_thread_whose_first_mail_is_rejected_is_archived(system: System) -> None:
    draft = begun(system)

    result(system.call("POST", f"{draft}/reject", {"version": 1}))

    assert subjects_of(system, status="archived") == ["Our offer"]


@pytest.mark.parametrize(
    ("mailbox", "company"),
    [("closed@shop.example", "acme"), ("none@shop.example", "acme"), (MAILBOX, "globex")],
)
def test_a_thread_begins_in_an_enabled_mailbox_of_the_company(
    system: System, mailbox: str, company: str
) -> None:
    system.register("closed@shop.example", enabled=False)
    given = {"mailbox": mailbox, "to": [ANN], "subject": "Our offer", "body_text": "A red chair."}

    answer = system.call("POST", THREADS, given, company=company)

    assert refused(answer) == (400, "invalid_input", ["mailbox"])
    assert not system.threads()


def test_the_signature_of_the_mailbox_stands_below_the_text(system: System) -> None:
    system.register(MAILBOX, signature="The shop\n1 High Street")

    send(system, composed(system, asked(system), body_text="Yes, it is.\n"))

    assert text_of(system.sent()[0]) == "Yes, it is.\n\n-- \nThe shop\n1 High Street"


def test_the_signature_of_a_forward_stands_above_the_mail(system: System) -> None:
    system.register(MAILBOX, signature="The shop")

    send(system, composed(system, asked(system), kind="forward", to=[BOB]))

    assert text_of(system.sent()[0]).startswith(
        "Yes, it is.\n\n-- \nThe shop\n\n---------- Forwarded message ----------\nFrom: "
    )


def test_a_thread_has_at_most_ten_open_drafts(system: System) -> None:
    path = asked(system)
    drafts = [composed(system, path) for _ in range(10)]

    answer = system.call("POST", f"{path}/replies", {"body_text": "One more."})

    assert refused(answer)[:2] == (409, "too_many_drafts")
    result(system.call("POST", f"{drafts[0]}/reject", {"version": 1}))
    composed(system, path)


def test_expired_drafts_leave_room_for_new_ones(system: System) -> None:
    path = asked(system)
    for _ in range(10):
        composed(system, path)
    system.clock.ms += 29 * 86_400_000
    again(system)
    system.clock.ms += 2 * 86_400_000

    draft = composed(system, path)

    assert [one["reply_id"] for one in result(system.call("GET", f"{path}/replies"))["drafts"]] == [
        draft.rpartition("/")[2]
    ]
    assert result(system.call("GET", path))["open_drafts"] == 1


def test_a_call_that_is_repeated_after_the_send_leaves_the_draft_closed(system: System) -> None:
    path = asked(system)
    given = {"body_text": "Yes, it is."}
    state = result(system.call("POST", f"{path}/replies", given, key="key-00001"))
    draft = f"{path}/replies/{state['reply_id']}"
    approve(system, draft)
    system.drain()
    system.clock.ms += 2 * 86_400_000  # The stored answer of the call has expired.

    again_state = result(system.call("POST", f"{path}/replies", given, key="key-00001"))

    assert again_state["draft_status"] == "sent"
    assert result(system.call("GET", path))["open_drafts"] == 0
